// Start and shutdown of the server, and its table of sessions; see server.h. Network thread, except
// for wake_loop.
#include "server/session/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/base/log.h"
#include "proto/limits.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/fleet/fleet.h"
#include "server/http/origin.h"
#include "server/session/calls/replies.h"
#include "server/session/calls/rights.h"
#include "server/session/calls/scrape.h"
#include "server/session/identity/unsent_limit.h"
#include "server/session/pair/pairs.h"
#include "server/session/placement/moving.h"
#include "server/session/placement/worlds_build.h"
#include "server/session/placement/worlds_restored.h"
#include "server/session/resume/handover.h"
#include "server/session/resume/resume.h"
#include "server/session/service.h"
#include "server/session/tidying.h"
#include "server/world/state/session_bodies.h"

// Time that a shutdown waits for the simulation threads to finish their ticks, before it informs
// the clients without them [ms]. With close_ms after it, still below a second.
enum {
    DRAIN_MS = 300,
    MOVING_PULSE_MS = 50 // between two looks at the worlds that move away
};

session *server_find_session(const server *s, session_key key)
{
    session *found = key.slot < s->sessions.count ? s->sessions.data[key.slot] : NULL;
    ASSERT(found == NULL || found->key.slot == key.slot);
    return found != NULL && found->key.number == key.number ? found : NULL;
}

session *server_find_restored(const server *s, uint64_t number)
{
    uint32_t slot = 0;
    return session_numbers_find(&s->restored_sessions, number, &slot)
               ? server_find_session(s, (session_key){.slot = slot, .number = number})
               : NULL;
}

// ---- the end

static void on_handle_closed(uv_handle_t *handle)
{
    server *s = handle->data;
    ASSERT(s->handles > 0 && s->stage == SERVER_DRAINING);
    if (--s->handles == 0) {
        s->options->finished(s->options->context, s->failed ? &s->failure : NULL);
    }
}

static void on_pairs_closed(void *context)
{
    server *s = context;
    ASSERT(s->handles > 0);
    if (--s->handles == 0) {
        s->options->finished(s->options->context, s->failed ? &s->failure : NULL);
    }
}

static void on_io_closed(void *context)
{
    server *s = context;
    s->io = NULL;
    ASSERT(s->handles > 0);
    if (--s->handles == 0) {
        s->options->finished(s->options->context, s->failed ? &s->failure : NULL);
    }
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

static void close_storage(server *s)
{
    error err;
    restored_worlds_free(&s->restored);
    aside_drop(&s->aside);
    if (s->storage != NULL && storage_close(s->storage, &err) != STATUS_OK) {
        log_error("%s", err.text);
    }
    s->storage = NULL;
}

// The process that takes over waits for the data, not for the last bytes of connections.
static void release_data(server *s)
{
    if (s->handover.released != NULL) {
        void (*released)(void *context) = s->handover.released;
        s->handover.released = NULL;
        close_storage(s);
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
            pairs_close(s, on_pairs_closed, s);
        }
        uv_close((uv_handle_t *)&s->wake, on_handle_closed);
        uv_close((uv_handle_t *)&s->drain_timer, on_handle_closed);
        uv_close((uv_handle_t *)&s->expiry, on_handle_closed);
        uv_close((uv_handle_t *)&s->late_lists[0], on_handle_closed);
        uv_close((uv_handle_t *)&s->late_lists[1], on_handle_closed);
        uv_close((uv_handle_t *)&s->tidying, on_handle_closed);
        uv_close((uv_handle_t *)&s->more, on_handle_closed);
        uv_close((uv_handle_t *)&s->turn_end, on_handle_closed);
    }
}

static void on_network_finished(void *context)
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

// A later stage never goes back.
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
        if (!own_thread_awaited(s, s->sim_threads.data[i])) { // otherwise when its world has come
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

void server_load(const server *s, fleet_load *out)
{
    const uint64_t bound = memory_bound();
    const uint64_t used = memory_used();
    *out = (fleet_load){
        .lateness_ms = metrics_summary(TIMING_DELAY).p99 * 1e3,
        .worlds = s->worlds.by_name.count,
        .sessions = s->session_count,
        .free_memory = bound > used ? (int64_t)(bound - used) : 0,
    };
}

void server_sockets(const server *s, listen_sockets *rpc, listen_sockets *http)
{
    *rpc = network_descriptors(s->network);
    *http = s->http != NULL ? http_descriptors(s->http) : (listen_sockets){0};
}

void server_check_keys(server *s)
{
    if (s->keys != NULL && s->stage != SERVER_DRAINING) {
        rights_check_keys(s);
    }
}

// ---- lame duck

static void on_time_to_leave(uv_timer_t *timer)
{
    server *s = timer->data;
    server_drain(s, "the server is shutting down");
}

static void warn_session(session *one, server *s)
{
    session_warn(one, (double)s->limits->lame_duck_ms * 1e-3, s->reason);
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
    each_session(s, warn_session);
    uv_update_time(s->loop);
    uv_timer_start(&s->drain_timer, on_time_to_leave, s->limits->lame_duck_ms, 0);
    server_check_left(s);
}

// ---- of a fleet: worlds go to other servers first

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

void server_destroy(server *s)
{
    ASSERT(s->session_count == 0 && s->detached.count == 0 && s->sim_threads.count == 0);
    tidying_end(s);
    work_deinit(s);
    worlds_list_deinit(s);
    decodings_deinit(&s->decodings);
    session_store_close(s);
    close_storage(s);
    detached_deinit(&s->detached);
    array_free(&s->sim_threads);
    permits_deinit(&s->permits);
    array_free(&s->moves);
    array_free(&s->written);
    array_free(&s->sessions);
    array_free(&s->free_slots);
    directory_deinit(&s->worlds);
    quota_owners_deinit(&s->quota_owners);
    session_numbers_deinit(&s->restored_sessions);
    buffer_deinit(&s->scratch);
    buffer_deinit(&s->plain_answer);
    network_free(s->network);
    http_free(s->http);
    free(s);
}

// ---- the beginning

static void on_wake(uv_async_t *async)
{
    replies_take(async->data);
}

// Runs on a simulation thread.
static void wake_loop(void *context)
{
    server *s = context;
    uv_async_send(&s->wake);
}

static void on_flushed(void *context)
{
    worlds_acknowledge(context);
    unsent_limit_hold(context);
}

static void *on_opened(void *context, connection *c)
{
    return session_open(context, c);
}

// A host name may have several addresses; `ready` gets the first, the log the others.
static void tell_more_addresses(const server *s)
{
    for (int i = 1; s->http != NULL && http_address(s->http, i) != NULL; i++) {
        log_info("for browsers also: http%s://%s/", s->options->tls != NULL ? "s" : "",
                 http_address(s->http, i));
    }
    for (int i = 1; network_address(s->network, i) != NULL; i++) {
        log_info("listening also on %s", network_address(s->network, i));
    }
}

void server_note_started(server *s, const error *err)
{
    if (s->stage == SERVER_DRAINING) {
        return;
    }
    if (err != NULL) {
        s->failed = true;
        s->failure = *err;
        server_drain(s, "the server could not start");
    } else {
        ASSERT(s->starting > 0);
        s->starting--;
        server_check_started(s);
    }
}

void server_check_started(server *s)
{
    if (s->stage == SERVER_DRAINING || s->starting > 0) {
        return;
    }
    if (!s->listening_told) {
        s->listening_told = true;
        tell_more_addresses(s);
        s->options->listening(s->options->context, network_address(s->network, 0),
                              s->http != NULL ? http_address(s->http, 0) : NULL);
    }
    if (!s->ready_told && s->restoring.left == 0) {
        s->ready_told = true;
        s->options->ready(s->options->context);
    }
}

static int by_epoch(const void *a, const void *b)
{
    const restored_world *x = a;
    const restored_world *y = b;
    return x->epoch < y->epoch ? -1 : x->epoch > y->epoch;
}

// On failure nothing is left open.
static status open_storage(server *s, error *err)
{
    if (s->options->data == NULL) {
        return STATUS_OK;
    }
    s->restoring.began_ns = clock_now_ns();
    log_info("reading '%s'", s->options->data);
    const storage_options *given = s->options->storage;
    storage_options kept = given != NULL ? *given : storage_options_default();
    const int threads = s->options->turned ? 1 : restore_threads();
    status result = session_store_check(s, err);
    if (result == STATUS_OK) {
        result = storage_open(s->options->data, &kept, &s->storage, err);
    }
    if (result == STATUS_OK) {
        aside_begin(&s->aside, s->options->turned ? NULL : s->options->data, s->options->load_aside,
                    s->options->load_aside_count);
        result = restore_read(s->storage, &s->aside, threads, &s->restored, err);
    }
    if (result == STATUS_OK && s->options->handed_worlds > 0) {
        result = handover_read(s, err);
    }
    if (result == STATUS_OK && !s->options->turned) {
        result = storage_start(s->storage, err);
    }
    if (result != STATUS_OK) {
        close_storage(s);
        return result;
    }
    if (s->restored.count > 0) {
        qsort(s->restored.data, s->restored.count, sizeof *s->restored.data, by_epoch);
    }
    s->restored_worlds = s->restored.count;
    return STATUS_OK;
}

static void start_world(server *s, const server_world *world)
{
    command create = {.method = METHOD_WORLD_CREATE};
    snprintf(create.world, sizeof create.world, "%s", world->name);
    create.create.def = world_def_default();
    create.create.durability = DURABILITY_COUNT;
    create.create.scene = *world->scene != '\0' ? world->scene : NULL;
    error err;
    if (worlds_create(s, NULL, &create, &err) != STATUS_OK) {
        error_prefix(&err, "world '%s'", world->name);
        server_note_started(s, &err);
    }
}

// Limits the own threads (own_thread.c) that work at once to the processors for them and their
// helpers.
static void start_permits(server *s)
{
    const uint32_t processors = uv_available_parallelism();
    const uint32_t each = (uint32_t)s->options->world_threads;
    permits_init(&s->permits, processors > each ? processors / each : 1);
}

status server_add_sim_thread(server *s, error *err)
{
    const bool own_thread = s->sim_threads.count >= (uint32_t)s->options->threads;
    sim_thread_options options = {.index = (int)s->sim_threads.count,
                                  .world_threads = s->options->world_threads,
                                  .limits = s->limits,
                                  .restored_worlds = s->restored_worlds,
                                  .own_thread = own_thread,
                                  .permits = own_thread && !s->options->turned ? &s->permits : NULL,
                                  .turned = s->options->turned,
                                  .wake = wake_loop,
                                  .wake_context = s};
    sim_thread *started = NULL;
    status result = sim_thread_create(&options, &started, err);
    if (result == STATUS_OK) {
        array_push(&s->sim_threads, started);
        s->hosts_running++;
    }
    return result;
}

static status start_sim_threads(server *s, error *err)
{
    status result = STATUS_OK;
    for (int i = 0; i < s->options->threads && result == STATUS_OK; i++) {
        result = server_add_sim_thread(s, err);
    }
    return result;
}

static void let_go(server *s)
{
    if (--s->handles == 0) {
        close_storage(s);
        work_deinit(s);
        directory_deinit(&s->worlds);
        array_free(&s->sim_threads);
        permits_deinit(&s->permits);
        free(s);
    }
}

static void on_discarded(uv_handle_t *handle)
{
    let_go(handle->data);
}

static void on_io_discarded(void *context)
{
    let_go(context);
}

// Undoes a server_create that failed: only the handles are left open by then.
static void discard(server *s)
{
    if (s->io != NULL) {
        s->handles++;
        io_threads_close(s->io, on_io_discarded, s);
    }
    uv_close((uv_handle_t *)&s->wake, on_discarded);
    uv_close((uv_handle_t *)&s->drain_timer, on_discarded);
    uv_close((uv_handle_t *)&s->expiry, on_discarded);
    uv_close((uv_handle_t *)&s->late_lists[0], on_discarded);
    uv_close((uv_handle_t *)&s->late_lists[1], on_discarded);
    uv_close((uv_handle_t *)&s->tidying, on_discarded);
    uv_close((uv_handle_t *)&s->more, on_discarded);
    uv_close((uv_handle_t *)&s->turn_end, on_discarded);
}

// A server whose worlds cannot store commands is not ready for players, although its worlds still
// run.
static bool is_ready(void *context, error *err)
{
    server *s = context;
    const uint32_t coming = s->restoring.left + s->starting;
    if (s->stage != SERVER_SERVING) {
        error_set(err, STATUS_UNAVAILABLE, "the server is shutting down");
        return false;
    }
    if (coming > 0) {
        error_set(err, STATUS_UNAVAILABLE, "%llu %s being created or restored",
                  COUNTED(coming, "world is", "worlds are"));
        return false;
    }
    if (s->storage != NULL && storage_takes_nothing(s->storage, err)) {
        error_prefix(err, "no world with a log takes commands");
        return false;
    }
    const uint32_t broken = directory_broken(&s->worlds);
    if (broken > 0) { // only a count, since everyone may read this page
        error_set(err, STATUS_UNAVAILABLE,
                  "%llu %s not served, as the log and 'carom doctor' say why",
                  COUNTED(broken, "world is", "worlds are"));
    }
    return true;
}

// Adds the option with which the operator chooses another address.
static status name_option(status opened, const char *option, error *err)
{
    if (opened != STATUS_UNAVAILABLE) {
        return opened;
    }
    const error why = *err;
    return error_set(err, opened, "%s; %s HOST:PORT names another address", why.text, option);
}

static status start_http(server *s, const network_handler *sessions, error *err)
{
    http_options options = {
        .host = s->options->http_host,
        .port = s->options->http_port,
        .given = s->options->http_sockets,
        .limits = s->limits,
        .origins = s->options->origins,
        .origin_count = s->options->origin_count,
        .viewer_servers = s->options->viewer_servers,
        .www = s->options->www,
        .docs = s->options->docs,
        .viewer_server_count = s->options->viewer_server_count,
        .proxies = s->options->proxies,
        .tls = s->options->tls,
        .io = s->io,
        .turn = &s->turn,
    };
    http_handler handler = {
        .context = s,
        .sessions = *sessions,
        .fenced = session_fenced,
        .refused = session_refused,
        .ready = is_ready,
        .metrics = scrape_write,
    };
    if (options.host == NULL) {
        return STATUS_OK;
    }
    status opened =
        name_option(http_open(s->loop, &options, &handler, &s->http, err), "--http", err);
    if (opened == STATUS_UNAVAILABLE && s->options->http_optional) {
        log_warn("no HTTP and no WebSocket: %s", err->text);
        return STATUS_OK;
    }
    s->listeners += opened == STATUS_OK ? 1 : 0;
    return opened;
}

static status start_network(server *s, error *err)
{
    network_handler handler = {
        .context = s,
        .opened = on_opened,
        .received = session_received,
        .ended = session_ended,
        .worked = work_run,
        .written = session_written,
        .flushed = on_flushed,
        .swept = session_swept,
        .closed = session_closed,
        .finished = on_network_finished,
    };
    status opened = STATUS_OK;
    if (s->options->io_threads > 1) {
        opened = io_threads_open(s->loop, s->options->io_threads, s->limits, &s->io, err);
    }
    if (opened == STATUS_OK) {
        opened = network_open(s->loop, s->options->host, s->options->port, s->options->rpc_sockets,
                              s->limits, &handler, &s->network, err);
        opened = name_option(opened, "--listen", err);
    }
    if (opened != STATUS_OK) {
        return opened;
    }
    network_share_turn(s->network, &s->turn);
    network_trust(s->network, s->options->proxies);
    if (s->io != NULL) {
        network_relay(s->network, s->io);
    }
    if (s->options->tls != NULL) {
        encode_closing(&s->plain_answer, STATUS_UNAUTHENTICATED,
                       "this port speaks TLS 1.3 alone: connect to caroms:// instead of carom://");
        network_secure(s->network, s->options->tls, s->plain_answer.data, s->plain_answer.size);
    }
    s->listeners = 1;
    return start_http(s, &handler, err);
}

// Warns of a proxy: it connects from this machine, but passes on connections from others.
static void warn_of_proxied(const server *s)
{
    const server_options *o = s->options;
    const char *by = o->proxies != NULL ? "--proxy-from" : NULL;
    for (uint32_t i = 0; by == NULL && i < o->origin_count; i++) {
        by = origin_is_public(o->origins[i]) ? o->origins[i] : NULL;
    }
    if (by != NULL) {
        log_warn("anyone who comes through a proxy (%s) could do everything: give --keys FILE, or "
                 "--insecure",
                 by);
    }
}

// Without keys everyone is an admin, so only clients on this machine may connect.
static status check_address(const server *s, error *err)
{
    bool local = network_is_local(s->network);
    bool http_local = s->http == NULL || http_is_local(s->http);
    if (s->keys != NULL && s->options->tls == NULL && !(local && http_local)) {
        log_warn("tokens and worlds go over %s unencrypted: --tls-cert and --tls-key protect them, "
                 "or a proxy in front",
                 local ? http_address(s->http, 0) : network_address(s->network, 0));
    }
    if (s->keys != NULL || s->guests != ROLE_NONE || s->options->insecure) {
        return STATUS_OK;
    }
    if (local && http_local) {
        warn_of_proxied(s);
        return STATUS_OK;
    }
    return error_set(err, STATUS_INVALID_ARGUMENT,
                     "anyone who reaches %s could do everything: give --keys FILE or --guests "
                     "ROLE, listen on 127.0.0.1, or say --insecure",
                     local ? http_address(s->http, 0) : network_address(s->network, 0));
}

// ---- a fleet: restored worlds are claimed before clients come

static void on_claimed(void *context, const error *err, const world_record *winner)
{
    server *s = context;
    const restored_world *w = &s->restored.data[s->claimed];
    (void)winner;
    if (err == NULL) {
        fleet_keep(s->options->fleet, w->name);
    } else if (err->status == STATUS_ALREADY_EXISTS) {
        log_error("%s: keeping the stale copy in '%s'", err->text, s->options->data);
        if (w->broken == NULL) {
            session_store_note_stale(s, w->epoch, restore_marks(w));
        }
        restored_worlds_remove(&s->restored, s->claimed);
        s->claimed--;
    } else {
        s->claim_error = *err;
    }
    s->claimed++;
}

// One after another, as each takes some milliseconds, and nobody is served yet.
static status claim_restored(server *s, error *err)
{
    s->claimed = 0;
    s->claim_error = (error){.status = STATUS_OK};
    while (s->options->fleet != NULL && s->claimed < s->restored.count) {
        const uint32_t before = s->restored.count - s->claimed;
        fleet_claim(s->options->fleet, s->restored.data[s->claimed].name, s->options->hz,
                    on_claimed, s);
        while (s->restored.count - s->claimed == before) {
            (void)uv_run(s->loop, UV_RUN_ONCE);
        }
        if (s->claim_error.status != STATUS_OK) {
            return error_set(err, s->claim_error.status, "%s", s->claim_error.text);
        }
    }
    for (uint32_t i = s->options->fleet != NULL ? s->restored.count : 0; i > 0; i--) {
        if (fleet_term(s->options->fleet, s->restored.data[i - 1].name) == 0) {
            restored_worlds_remove(&s->restored, i - 1); // lost while others were claimed
        }
    }
    return STATUS_OK;
}

status server_create(uv_loop_t *loop, const server_options *options, server **out, error *err)
{
    server *s = calloc(1, sizeof *s);
    ASSERT_MEMORY(s != NULL);
    ASSERT(options->threads > 0 && options->world_threads > 0);
    s->loop = loop;
    s->options = options;
    s->limits = options->limits;
    s->keys = options->keys;
    s->guests = options->guests;
    s->next_subscription = 1;
    s->session_store.fd = -1;
    s->started_ns = clock_now_ns();
    directory_init(&s->worlds);
    s->next_session = s->worlds.next_number = options->first_number > 0 ? options->first_number : 1;
    status stored = open_storage(s, err);
    if (stored == STATUS_OK) {
        stored = claim_restored(s, err);
        if (stored != STATUS_OK) {
            close_storage(s);
        }
    }
    if (stored != STATUS_OK) {
        free(s);
        return stored;
    }
    buffer_init(&s->scratch, WIRE_REPLY_BYTES_MAX);
    buffer_init(&s->plain_answer, 2 * ERROR_TEXT_MAX);
    int result = uv_async_init(loop, &s->wake, on_wake);
    ASSERT(result == 0);
    uv_timer_init(loop, &s->drain_timer);
    uv_timer_init(loop, &s->tidying);
    s->wake.data = s->drain_timer.data = s->tidying.data = s;
    if (!options->turned) {
        tidying_begin(s);
    }
    resume_init(s);
    work_init(s);
    start_permits(s);
    worlds_list_init(s);
    s->handles = 8;
    status begun = start_network(s, err);
    if (begun != STATUS_OK && s->network == NULL) {
        discard(s);
        return begun;
    }
    begun = begun == STATUS_OK ? check_address(s, err) : begun;
    if (begun == STATUS_OK) {
        begun = start_sim_threads(s, err);
    }
    if (begun == STATUS_OK && options->fleet != NULL && options->fleet_host != NULL) {
        begun = pairs_open(s, err);
    }
    if (begun != STATUS_OK) {
        s->failed = true;
        s->failure = *err;
        server_drain(s, "the server could not start");
    }
    *out = s;
    s->starting = 1; // counts this function, so that `ready` is not called before it ends
    if (s->stage != SERVER_DRAINING) {
        session_store_open(s);
        server_check_keys(s);
        worlds_begin_restored(s);
        session_store_subscribe(s);
        session_store_end_stale(s);
    }
    if (options->replay != NULL && s->stage != SERVER_DRAINING) {
        error why;
        if (worlds_replay(s, &why) != STATUS_OK) {
            error_prefix(&why, "--replay");
            server_note_started(s, &why);
        }
    }
    for (uint32_t i = 0; i < options->world_count && s->stage != SERVER_DRAINING; i++) {
        // otherwise it was restored
        if (directory_find(&s->worlds, options->worlds[i].name) == NULL) {
            s->starting++;
            start_world(s, &options->worlds[i]);
        }
    }
    server_note_started(s, NULL);
    return STATUS_OK;
}
