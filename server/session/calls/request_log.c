// Sorted array of waiting requests, small array of worlds; see request_log.h. Network thread only.
#include "server/session/calls/request_log.h"

#include <string.h>

#include "common/base/assert.h"

void request_log_deinit(request_log *log)
{
    array_free(&log->waiting);
    array_free(&log->applied);
    array_free(&log->gone);
}

uint64_t request_log_send(request_log *log, uint32_t id, bool answerable)
{
    uint64_t sequence = ++log->next;
    if (answerable) {
        waiting_request added = {sequence, id};
        array_push(&log->waiting, added);
    }
    return sequence;
}

// Moves the array up when half of it is answered, so that an answer costs constant time.
static void drop_answered(request_log *log)
{
    ASSERT(log->first <= log->waiting.count);
    uint32_t left = log->waiting.count - log->first;
    if (left > log->first) {
        return;
    }
    array_remove_first(&log->waiting, log->first);
    log->first = 0;
}

void request_log_answer(request_log *log, uint64_t sequence)
{
    // Results come nearly in the order of the requests, so the search starts with the oldest.
    uint32_t at = log->first;
    while (at < log->waiting.count && log->waiting.data[at].sequence < sequence) {
        at++;
    }
    if (at == log->waiting.count || log->waiting.data[at].sequence != sequence) {
        return; // a notification
    }
    ASSERT(log->waiting.data[at].sequence <= log->next);
    if (at == log->first) {
        log->first++;
        drop_answered(log);
        return;
    }
    array_remove(&log->waiting, at);
}

uint32_t request_log_waiting(const request_log *log, uint32_t *ids)
{
    ASSERT(log->first <= log->waiting.count);
    uint32_t count = log->waiting.count - log->first;
    for (uint32_t i = 0; i < count && ids != NULL; i++) {
        ids[i] = log->waiting.data[log->first + i].id;
    }
    return count;
}

static world_applied *find_world(const request_log *log, uint64_t world)
{
    for (uint32_t i = 0; i < log->applied.count; i++) {
        if (log->applied.data[i].world == world) {
            return &log->applied.data[i];
        }
    }
    return NULL;
}

static world_applied *find_oldest(request_log *log)
{
    ASSERT(log->applied.count > 0);
    world_applied *oldest = &log->applied.data[0];
    for (uint32_t i = 1; i < log->applied.count; i++) {
        world_applied *other = &log->applied.data[i];
        oldest = other->sequence < oldest->sequence ? other : oldest;
    }
    return oldest;
}

void request_log_apply(request_log *log, uint64_t world, uint64_t sequence, uint32_t id,
                       uint64_t worlds_max)
{
    ASSERT(worlds_max > 0);
    world_applied entry = {.world = world, .sequence = sequence, .id = id};
    world_applied *found = find_world(log, world);
    if (found == NULL && log->applied.count < worlds_max) {
        array_push(&log->applied, entry);
        return;
    }
    found = found != NULL ? found : find_oldest(log);
    // A batch for a later tick may take effect after a later request.
    if (found->world != world || found->sequence < sequence) {
        *found = entry;
    }
}

// ---- worlds that are gone

static gone_world *find_gone(const request_log *log, const char *name)
{
    for (uint32_t i = 0; i < log->gone.count; i++) {
        if (strcmp(log->gone.data[i].name, name) == 0) {
            return &log->gone.data[i];
        }
    }
    return NULL;
}

static gone_world *find_oldest_gone(request_log *log)
{
    ASSERT(log->gone.count > 0 && log->gone.count <= REQUEST_LOG_GONE_MAX);
    gone_world *oldest = &log->gone.data[0];
    for (uint32_t i = 1; i < log->gone.count; i++) {
        gone_world *other = &log->gone.data[i];
        oldest = other->last.sequence < oldest->last.sequence ? other : oldest;
    }
    return oldest;
}

void request_log_remember(request_log *log, const char *name, const world_applied *last)
{
    gone_world *found = find_gone(log, name);
    if (found != NULL && found->last.sequence > last->sequence) {
        return; // its last request was in an earlier world with that name
    }
    if (found == NULL && log->gone.count < REQUEST_LOG_GONE_MAX) {
        array_push(&log->gone, ((gone_world){0}));
        found = &log->gone.data[log->gone.count - 1];
    }
    found = found != NULL ? found : find_oldest_gone(log);
    ASSERT(strlen(name) < sizeof found->name);
    memcpy(found->name, name, strlen(name) + 1);
    found->last = *last;
}

bool request_log_bury(request_log *log, uint64_t world, const char *name)
{
    const world_applied *found = find_world(log, world);
    if (found == NULL) {
        return false;
    }
    request_log_remember(log, name, found);
    array_swap_remove(&log->applied, found - log->applied.data);
    return true;
}

const world_applied *request_log_last(const request_log *log, uint64_t world, const char *name)
{
    const world_applied *found = world != 0 ? find_world(log, world) : NULL;
    const gone_world *gone = found == NULL ? find_gone(log, name) : NULL;
    return gone != NULL ? &gone->last : found;
}
