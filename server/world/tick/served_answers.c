// The answers of a served world: each request gets its one result, and is freed with it. See
// served_world.h. The thread of its simulation thread.
#include "server/world/tick/served_world_internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"

enum { SCRATCH_KEPT_BYTES = 256 * 1024 }; // larger results are rare

void served_world_post(served_world *h, reply *r)
{
    ASSERT(h->sink.post != NULL);
    ASSERT(r->world == h->number);
    h->sink.post(h->sink.context, r);
}

void served_world_answer(served_world *h, request *q, const error *err)
{
    ASSERT(q->world == h->number);
    ASSERT(err == NULL || err->status != STATUS_OK);
    reply *r = reply_create(REPLY_RESULT, q->world);
    r->method = q->command.method;
    r->reply_to = q->reply_to;
    r->received_ns = q->received_ns;
    r->subscription = q->subscription;
    r->view = q->command.method == METHOD_WORLD_VIEW ? q->command.view : (view_args){0};
    if (err != NULL) {
        r->status = err->status;
        r->text = strdup(err->text);
        ASSERT_MEMORY(r->text != NULL);
    } else if (h->scratch.starved) {
        r->status = STATUS_LIMIT_EXCEEDED;
        r->text = strdup("memory: the system has no more for the answer");
        ASSERT_MEMORY(r->text != NULL);
    } else if (h->scratch.overflow) {
        r->status = STATUS_LIMIT_EXCEEDED;
        r->text = strdup("the answer does not fit a message");
        ASSERT_MEMORY(r->text != NULL);
    } else if (h->scratch.size <= REPLY_INLINE_MAX) {
        memcpy(r->small, h->scratch.data, h->scratch.size);
        r->small_size = (uint8_t)h->scratch.size;
    } else {
        r->payload = bytes_create(h->scratch.size);
        memcpy(r->payload->data, h->scratch.data, h->scratch.size);
        r->payload->size = h->scratch.size;
    }
    request_free(q);
    served_world_post(h, r);
    if (h->scratch.capacity > SCRATCH_KEPT_BYTES) {
        buffer_deinit(&h->scratch);
        buffer_init(&h->scratch, WIRE_REPLY_BYTES_MAX);
    }
    buffer_clear(&h->scratch);
}

void served_world_refuse(served_world *h, request *q, status why, const char *text)
{
    error err;
    error_set(&err, why, "%s", text);
    served_world_answer(h, q, &err);
}

// Must be called before the world's log is settled: the mark must be in the entry, or in the first
// image, that has the request's effect. Only for requests with an effect, since no others make an
// entry.
void served_world_note_last_request(served_world *h, const request *q)
{
    ASSERT(q->kind == REQUEST_COMMAND || q->kind == REQUEST_ADOPT);
    const reply_address *from = &q->reply_to;
    if (from->session.number == 0 || !from->answerable) {
        return;
    }
    last_requests_note(&h->last_requests, from->session.slot, from->session.number, from->sequence,
                       from->id);
    if (!world_log_is_stored(&h->log)) {
        last_requests_settle(&h->last_requests); // no log needs to know which marks are new
    }
}

void served_world_answer_tick(served_world *h, request *q)
{
    encode_world_tick_result(&h->scratch, &(world_tick_result){h->name, world_tick(h->physics)});
    served_world_answer(h, q, NULL);
}

void served_world_answer_done(served_world *h, request *q)
{
    served_world_note_last_request(h, q);
    served_world_answer_tick(h, q);
}

// `created`: false if the world existed already.
void served_world_answer_create(served_world *h, request *q, bool created)
{
    const world_create_result made = {h->name, h->number, world_tick(h->physics), created};
    encode_world_create_result(&h->scratch, &made);
    served_world_answer(h, q, NULL);
}

void served_world_adopted(served_world *h, request *q)
{
    ASSERT(q->kind == REQUEST_ADOPT);
    served_world_note_last_request(h, q);
    served_world_answer_create(h, q, true);
}
