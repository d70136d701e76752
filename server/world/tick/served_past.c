// Queries and reads `at` a tick of the past: answered from the world's history, as they were
// answered when that tick was the present. See served_world.h. Simulation thread only.
//
// Whether the sender may ask is decided before (rights.h): a session that sees areas alone asks
// only about places within them, whatever the tick. The time that recalling takes is its sender's.
#include "server/world/tick/served_world_internal.h"

#include "common/base/assert.h"

void served_world_note_history(served_world *h, uint64_t tick, method m, const uint8_t *arguments,
                               uint32_t size)
{
    const uint64_t now = world_tick(h->physics);
    ASSERT(tick == now || tick == now + 1);
    history_note_command(&h->history, tick, tick == now, m, arguments, size);
}

// STATUS_OK: the history has that moment, or it is the present one.
static status check_moment(const served_world *h, double at, error *err)
{
    const uint64_t tick = world_tick(h->physics);
    const uint64_t first = history_first(&h->history, tick);
    if (at > (double)tick) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "at: tick %.15g is not over, the world is at %llu; from %llu to that", at,
                         (unsigned long long)tick, (unsigned long long)first);
    }
    return at >= (double)first ? STATUS_OK
                               : error_set(err, STATUS_UNAVAILABLE,
                                           "tick %.15g is outside of the history [%llu, %llu]", at,
                                           (unsigned long long)first, (unsigned long long)tick);
}

bool served_world_recall(served_world *h, request *q, double at, physics_world **world,
                         owners **owned)
{
    error err;
    ASSERT(method_scope_of(q->command.method) == SCOPE_WORLD_READ);
    if (check_moment(h, at, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return false;
    }
    if (at == (double)world_tick(h->physics)) {
        return true;
    }
    if (served_world_waits(h, q, history_recall_ns(&h->history, h->physics, at))) {
        return false;
    }
    if (history_recall(&h->history, h->physics, at, world, owned, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return false;
    }
    return true;
}
