// The end of a session in a served world: its bodies, batches and subscriptions end in its turn.
// See served_world.h. The thread of its simulation thread.
#include "server/world/tick/served_world_internal.h"

#include "common/base/assert.h"
#include "common/world/apply.h"
#include "server/base/clock.h"
#include "server/base/metrics.h"

// Time of a turn for removing bodies that end with their sessions
static const int64_t REMOVALS_NS = 1000000;

bool served_world_session_gone(const served_world *h, uint64_t session)
{
    bool gone = false;
    for (uint32_t i = 0; i < h->sessions.gone.count && !gone; i++) {
        gone = h->sessions.gone.data[i] == session;
    }
    return gone;
}

bool served_world_may_act(const request *q)
{
    return q->standing == NULL || standing_holds(q->standing, clock_wall_s());
}

static void note_removal(served_world *h, body_id id)
{
    const uint64_t tick = world_tick(h->physics) + (served_world_is_paused(h) ? 0 : 1);
    buffer arguments;
    buffer_init(&arguments, LOG_REMOVAL_BYTES_MAX);
    log_removal_arguments(&arguments, h->name, id);
    served_world_note_history(h, tick, METHOD_BODY_REMOVE, arguments.data,
                              (uint32_t)arguments.size);
    buffer_deinit(&arguments);
    world_log_note_removal(&h->log, tick, h->name, id);
}

// Removes as many bodies as the log and the turn allow; a session may have had all bodies of the
// world. Returns whether none is left.
static bool remove_session_bodies(served_world *h, uint64_t session, const turn *t)
{
    ASSERT(session != 0);
    uint32_t slot = 0;
    body_id id = 0;
    // The clock is read after each: a body of a thousand shapes takes 3 ms.
    for (bool more = true; more && !world_log_full(&h->log); more = !turn_over(t)) {
        id = session_bodies_take(&h->session_bodies, session, &slot);
        if (id == 0) {
            return true;
        }
        command remove = {.method = METHOD_BODY_REMOVE, .body = id};
        command_result result;
        if (apply_command_as(h->physics, h->owners, NULL, &remove, &result, NULL) == STATUS_OK) {
            command_result_free(&result);
            note_removal(h, id);
            publisher_note_edit(&h->publisher);
            metrics_add(METRIC_commands_applied, 1);
        } // otherwise it was removed before
    }
    return false;
}

// Continues with sessions whose bodies could not all be removed yet.
void served_world_remove_ended_bodies(served_world *h)
{
    ASSERT(h->state == SERVED_WORLD_RUNNING || h->state == SERVED_WORLD_PAUSED);
    const turn t = turn_begin(h->clocks.now, REMOVALS_NS);
    while (h->sessions.ending.count > 0 &&
           remove_session_bodies(h, h->sessions.ending.data[h->sessions.ending.count - 1], &t)) {
        h->sessions.ending.count--;
    }
}

void served_world_end_session(served_world *h, request *q)
{
    ASSERT(q->kind == REQUEST_SESSION_END);
    uint64_t session = q->reply_to.session.number;
    ASSERT(session != 0);
    request_free(q);
    array_swap_remove_value(&h->sessions.gone, session);
    served_world_refuse_batches(h, session);
    array_push(&h->sessions.ending, session);
    served_world_remove_ended_bodies(h);
}

// Handled in the inbox's order, so that it also ends subscriptions that the session requested
// before.
void served_world_forget_subscriptions(served_world *h, request *q)
{
    ASSERT(q->kind == REQUEST_FORGET);
    publisher_forget(&h->publisher, h->physics, q->reply_to.session);
    log_readers_forget(&h->readers, q->reply_to.session);
    request_free(q);
}
