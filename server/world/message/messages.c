// Life and death of requests and replies; see messages.h.
#include "server/world/message/messages.h"
#include "server/world/message/world_feed.h"

#include <stddef.h>
#include <stdlib.h>

#include "common/base/assert.h"
#include "common/world/command_memory.h"
#include "proto/encode/encode.h"
#include "server/base/memory.h"
#include "server/world/state/mirror.h"
#include "server/world/state/replay.h"
#include "server/world/state/session_bodies.h"
#include "server/world/state/last_requests.h"

_Static_assert(REPLY_INLINE_MAX <= UINT8_MAX, "small_size counts the bytes");

static void destroy_request(homing *way)
{
    request *r = (request *)((char *)way - offsetof(request, way));
    command_free(&r->command);
    free(r->arguments);
    standing_unref(r->standing);
    memory_holder_unref(r->holder);
    free(r->acknowledged);
    free(r->refusal);
    world_feed_unref(r->feed);
    mirror_item_free(r->item);
    free(r->place);
    free(r);
}

request *request_create(request_kind kind, uint64_t world)
{
    request *r = calloc(1, sizeof *r);
    ASSERT_MEMORY(r != NULL);
    r->kind = kind;
    r->world = world;
    r->actor.role = ROLE_ADMIN;
    homing_begin(&r->way, sizeof *r, destroy_request);
    return r;
}

void request_free(request *r)
{
    if (r == NULL) {
        return;
    }
    ASSERT(r->moved == NULL); // a world on its way has an owner
    adoption_free(r->adoption);
    r->adoption = NULL;
    homing_end(&r->way, sizeof *r + command_memory_held(r->command.memory) + r->arguments_size +
                            r->acknowledged_count * sizeof *r->acknowledged);
}

adoption *adoption_create(void)
{
    adoption *a = calloc(1, sizeof *a);
    ASSERT_MEMORY(a != NULL);
    a->blocks = memory_world_begin();
    return a;
}

void adoption_free(adoption *a)
{
    if (a == NULL) {
        return;
    }
    block_account *before = block_charge(a->blocks);
    world_free(a->physics);
    free(a->view);
    if (a->session_bodies != NULL) {
        session_bodies_deinit(a->session_bodies);
        free(a->session_bodies);
    }
    if (a->marks != NULL) {
        last_requests_deinit(a->marks);
        free(a->marks);
    }
    free(a->ended);
    owners_free(a->owners);
    replay_free(a->replay);
    mirror_free(a->mirror);
    world_feed_unref(a->feed);
    block_charge(before);
    memory_world_end(a->blocks);
    free(a);
}

static void destroy_reply(homing *way)
{
    reply *r = (reply *)((char *)way - offsetof(reply, way));
    free(r->deliveries);
    free(r->loads);
    free(r->text);
    free(r);
}

reply *reply_create(reply_kind kind, uint64_t world)
{
    reply *r = malloc(sizeof *r);
    ASSERT_MEMORY(r != NULL);
    *r = (reply){.kind = kind, .world = world};
    homing_begin(&r->way, sizeof *r, destroy_reply);
    return r;
}

reply *reply_create_refusal(const request *q, status why, const char *text)
{
    reply *r = reply_create(REPLY_RESULT, q->world);
    r->method = q->command.method;
    r->reply_to = q->reply_to;
    r->received_ns = q->received_ns;
    r->subscription = q->subscription;
    r->status = why;
    r->text = strdup(text);
    ASSERT_MEMORY(r->text != NULL);
    return r;
}

void reply_free(reply *r)
{
    if (r == NULL) {
        return;
    }
    ASSERT(r->moved == NULL);
    memory_charge_end(&r->making);
    bytes_unref(r->payload);
    bytes_unref(r->tail);
    homing_end(&r->way, sizeof *r + r->delivery_count * sizeof *r->deliveries +
                            r->load_count * sizeof *r->loads);
}

reply *reply_create_snapshot(uint64_t world, shared_bytes *tail, uint32_t pairs, uint32_t receivers)
{
    ASSERT(tail != NULL && tail->size > 0);
    reply *r = reply_create(REPLY_SNAPSHOT, world);
    r->tail = tail;
    r->pairs = pairs;
    r->deliveries = malloc((receivers > 0 ? receivers : 1) * sizeof *r->deliveries);
    ASSERT_MEMORY(r->deliveries != NULL);
    return r;
}

void delivery_head(const reply *r, const snapshot_delivery *d, struct buffer *out)
{
    ASSERT(r->kind == REPLY_SNAPSHOT && r->tail != NULL);
    const snapshot_head head = {.subscription = d->subscription,
                                .skipped = d->skipped,
                                .events_lost = d->events_lost,
                                .has_last = d->has_last,
                                .last = d->last,
                                .has_margin = d->has_margin,
                                .margin = d->margin};
    if (r->pairs == 0) {
        encode_compact_head(out, &head, r->tail->size);
        return;
    }
    encode_snapshot_head(out, &head, r->pairs);
}

const uint8_t *reply_payload(const reply *r, size_t *size)
{
    ASSERT(r->small_size <= REPLY_INLINE_MAX);
    *size = r->payload != NULL ? r->payload->size : r->small_size;
    return r->payload != NULL ? r->payload->data : r->small;
}
