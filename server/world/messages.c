// Life and death of requests and replies; see messages.h.
#include "server/world/messages.h"

#include <stdlib.h>

#include "common/base/assert.h"

request *request_create(request_kind kind, uint64_t world)
{
    request *r = calloc(1, sizeof *r);
    ASSERT(r != NULL);
    r->kind = kind;
    r->world = world;
    return r;
}

void request_free(request *r)
{
    if (r == NULL) {
        return;
    }
    command_free(&r->command);
    world_free(r->physics);
    free(r->scene_view);
    free(r);
}

reply *reply_create(reply_kind kind, uint64_t world)
{
    reply *r = malloc(sizeof *r);
    ASSERT(r != NULL);
    *r = (reply){.kind = kind, .world = world};
    return r;
}

void reply_free(reply *r)
{
    if (r == NULL) {
        return;
    }
    bytes_unref(r->payload);
    bytes_unref(r->tail);
    free(r->text);
    free(r);
}

const uint8_t *reply_payload(const reply *r, size_t *size)
{
    *size = r->payload != NULL ? r->payload->size : r->small_size;
    return r->payload != NULL ? r->payload->data : r->small;
}
