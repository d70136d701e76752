// Shutdown of the server: draining, hand-over to another process, a leaving server's time (lame
// duck), and worlds that move away first. Network thread.
#include "server/session/server_internal.h"

#include <stdio.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/fleet/fleet.h"
#include "server/session/calls/replies.h"
#include "server/session/pair/pairs.h"
#include "server/session/placement/moving.h"
#include "server/session/placement/worlds_restored.h"
#include "server/session/relay/upstreams.h"
#include "server/session/resume/handover.h"
#include "server/session/resume/resume.h"

// Time that a shutdown waits for the simulation threads to finish their ticks, before it informs
// the clients without them [ms]. With close_ms after it, still below a second.
enum {
    DRAIN_MS = 300,
    MOVING_PULSE_MS = 50 // time between two looks at the worlds that move away
};

static void handle_closed(server *s)
{
    ASSERT(s->handles > 0 && s->stage == SERVER_DRAINING);
    if (--s->handles == 0) {
        s->options->finished(s->options->context, s->failed ? &s->failure : NULL);
    }
}

static void on_handle_closed(uv_handle_t *handle)
{
    handle_closed(handle->data);
}

static void on_part_closed(void *context)
{
    handle_closed(context);
}

static void on_io_closed(void *context)
{
    server *s = context;
    s->io = NULL;
    handle_closed(s);
}

// Reports the end of those worlds whose thread did not report it in time to the session.
static void close_session(session *closed, server *s)
{
    session_store_note_ending(closed);
    while (closed->subscriptions.count > 0 && !session_closes(closed) &&
           !session_store_keeps(closed)) {
        session_world_closed(closed, closed->subscriptions.data[0].number, STATUS_UNAVAILABLE,
                             s->reason);
    }
    session_close(closed, STATUS_UNAVAILABLE, s->reason, ENDING_FLUSH);
}

// Sessions end in their connections' close callbacks, not while they are visited.
static void each_session(server *s, void (*visit)(session *one, server *s))
{
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        session *one = s->sessions.data[i];
        if (one != NULL && one->connection != NULL && connection_is_open(one->connection)) {
            visit(one, s);
        }
    }
}

static void on_drain_timer(uv_timer_t *timer)
{
    server *s = timer->data;
    replies_take(s); // the loop may have been at something else for longer than the drain_timer
    each_session(s, close_session);
}

// The process that takes over waits for the data, not for the last bytes of connections.
static void release_data(server *s)
{
    if (s->handover.released != NULL) {
        void (*released)(void *context) = s->handover.released;
        s->handover.released = NULL;
        server_close_storage(s);
        handover_finish(s);
        released(s->options->context);
    }
}

void server_check_drained(server *s)
{
    if (s->stage != SERVER_DRAINING || s->hosts_running > 0 || s->building > 0) {
        return;
    }
    each_session(s, close_session);
    release_data(s);
    if (s->listeners == 0 && !uv_is_closing((uv_handle_t *)&s->wake)) {
        for (uint32_t i = 0; i < s->sim_threads.count; i++) {
            sim_thread_destroy(s->sim_threads.data[i]);
        }
        array_clear(&s->sim_threads);
        if (s->io != NULL) {
            s->handles++;
            io_threads_close(s->io, on_io_closed, s);
        }
        if (s->pairs != NULL) {
            s->handles++;
            pairs_close(s, on_part_closed, s);
        }
        if (s->upstreams != NULL) {
            s->handles++;
            upstreams_close(s, on_part_closed, s);
        }
        server_close_handles(s, on_handle_closed);
    }
}

void server_network_finished(void *context)
{
    server *s = context;
    ASSERT(s->stage == SERVER_DRAINING && s->listeners > 0);
    s->listeners--;
    server_check_drained(s);
}

void server_stop_sim_thread(server *s, sim_thread *h)
{
    ASSERT(s->stage == SERVER_DRAINING);
    request *stop = request_create(REQUEST_STOP, 0);
    stop->hand_over = s->handover.worlds > 0;
    bool sent = sim_thread_send(h, stop);
    ASSERT(sent); // the queue always has space beyond the commands
}

// Changes the stage, which never goes back.
static void server_change(server *s, server_stage to)
{
    ASSERT(to > s->stage);
    s->stage = to;
}

void server_drain(server *s, const char *reason)
{
    if (s->stage == SERVER_DRAINING) {
        return;
    }
    burials_finish(s);
    server_change(s, SERVER_DRAINING);
    snprintf(s->reason, sizeof s->reason, "%s", reason);
    pairs_end_moves(s, reason);
    network_close(s->network);
    if (s->http != NULL) {
        http_close(s->http);
    }
    for (detached_link *link = s->detached.first; link != NULL; link = link->next) {
        session_store_note_ending(session_of_link(link));
    }
    resume_end_all(s);
    if (s->options->fleet != NULL) {
        fleet_drain(s->options->fleet);
    }
    worlds_end_coming(s);
    for (uint32_t i = 0; i < s->sim_threads.count; i++) {
        if (!own_thread_awaited(
                s, s->sim_threads.data[i])) { // otherwise it stops when its world has arrived
            server_stop_sim_thread(s, s->sim_threads.data[i]);
        }
    }
    uv_update_time(s->loop); // the loop's time is that of its last wait
    uv_timer_start(&s->drain_timer, on_drain_timer, DRAIN_MS, 0);
    server_check_drained(s);
}

bool server_may_hand_over(const server *s)
{
    return s->stage == SERVER_SERVING && s->starting == 0 && s->restoring.left == 0 &&
           s->storage != NULL;
}

bool server_hand_over(server *s, int worlds, void (*released)(void *context))
{
    if (!server_may_hand_over(s)) {
        return false;
    }
    s->handover.worlds = worlds;
    s->handover.released = released;
    server_drain(s, "the server is replaced by a newer one: connect again at once");
    return true;
}

// ---- lame duck

static void on_time_to_leave(uv_timer_t *timer)
{
    server *s = timer->data;
    server_drain(s, "the server is shutting down");
}

static void warn_session(session *one, server *s)
{
    if (one->connection != NULL && connection_is_open(one->connection)) {
        session_warn(one, (double)s->limits->lame_duck_ms * 1e-3, s->reason);
    }
}

void server_check_left(server *s)
{
    if (s->stage == SERVER_LEAVING && s->moving.end_ms == 0 && s->session_count == 0 &&
        s->detached.count == 0) {
        // The timer delays it, because this is called while a session ends.
        uv_timer_start(&s->drain_timer, on_time_to_leave, 0, 0);
    }
}

void server_leave(server *s, const char *reason)
{
    if (s->stage != SERVER_SERVING) {
        return;
    }
    server_change(s, SERVER_LEAVING);
    snprintf(s->reason, sizeof s->reason, "%s", reason);
    loop_turn_begin(&s->turn); // a signal begins it
    session_walk_begin(&s->warning, s, warn_session, NULL);
    uv_update_time(s->loop);
    uv_timer_start(&s->drain_timer, on_time_to_leave, s->limits->lame_duck_ms, 0);
    server_check_left(s);
}

// ---- worlds that move to other servers of the fleet first

static void on_moving(uv_timer_t *timer)
{
    server *s = timer->data;
    if (!moving_away(s)) {
        server_drain(s, "the server is shutting down");
    }
}

void server_move_away(server *s, const char *reason)
{
    const bool moves = s->pairs != NULL && s->limits->drain_ms > 0 && s->starting == 0 &&
                       s->restoring.left == 0 && s->stage != SERVER_DRAINING;
    if (!moves) {
        server_drain(s, reason);
        return;
    }
    if (s->stage == SERVER_SERVING) {
        server_change(s, SERVER_LEAVING);
    }
    snprintf(s->reason, sizeof s->reason, "%s", reason);
    fleet_leave(s->options->fleet);
    uv_update_time(s->loop);
    s->moving.end_ms = uv_now(s->loop) + s->limits->drain_ms;
    uv_timer_start(&s->drain_timer, on_moving, 0, MOVING_PULSE_MS);
}
