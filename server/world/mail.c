#include "server/world/mail.h"

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
    free(r);
}

report *report_create(report_kind kind, uint64_t world)
{
    report *r = malloc(sizeof *r);
    ASSERT(r != NULL);
    *r = (report){.kind = kind, .world = world};
    return r;
}

void report_free(report *r)
{
    if (r == NULL) {
        return;
    }
    bytes_unref(r->payload);
    bytes_unref(r->tail);
    free(r->text);
    free(r);
}

const uint8_t *report_payload(const report *r, size_t *size)
{
    *size = r->payload != NULL ? r->payload->size : r->small_size;
    return r->payload != NULL ? r->payload->data : r->small;
}
