// Start of the server, its end, and its table of sessions; see server.h. Network thread, except for
// wake_loop.
#include "server/session/server_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "proto/limits.h"
#include "server/base/clock.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"
#include "server/fleet/fleet.h"
#include "server/session/calls/replies.h"
#include "server/session/calls/rights.h"
#include "server/session/pair/pairs.h"
#include "server/session/placement/worlds_build.h"
#include "server/session/placement/worlds_restored.h"
#include "server/session/relay/upstreams.h"
#include "server/session/resume/handover.h"
#include "server/session/resume/resume.h"
#include "server/session/tidying.h"

session *server_find_session(const server *s, session_key key)
{
    session *found = key.slot < s->sessions.count ? s->sessions.data[key.slot] : NULL;
    ASSERT(found == NULL || found->key.slot == key.slot);
    return found != NULL && found->key.number == key.number ? found : NULL;
}

session *server_find_number(const server *s, uint64_t number)
{
    uint32_t slot = 0;
    return session_numbers_find(&s->numbers, number, &slot)
               ? server_find_session(s, (session_key){.slot = slot, .number = number})
               : NULL;
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
        if (s->listening_told) {
            loop_turn_begin(&s->turn); // a signal begins it
        }
        rights_check_keys(s, s->listening_told);
    }
}

// ---- the end

void server_close_storage(server *s)
{
    error err;
    restored_worlds_free(&s->restored);
    aside_drop(&s->aside);
    if (s->storage != NULL && storage_close(s->storage, &err) != STATUS_OK) {
        log_error("%s", err.text);
    }
    s->storage = NULL;
}

void server_destroy(server *s)
{
    ASSERT(s->session_count == 0 && s->detached.count == 0 && s->sim_threads.count == 0);
    tidying_end(s);
    work_deinit(s);
    worlds_list_deinit(s);
    decodings_deinit(&s->decodings);
    session_store_close(s);
    server_close_storage(s);
    detached_deinit(&s->detached);
    array_free(&s->sim_threads);
    permits_deinit(&s->permits);
    array_free(&s->moves);
    array_free(&s->written);
    array_free(&s->sessions);
    array_free(&s->free_slots);
    directory_deinit(&s->worlds);
    quota_owners_deinit(&s->quota_owners);
    session_numbers_deinit(&s->numbers);
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
        server_close_storage(s);
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

// Limits the worlds' own threads (own_thread.c) that work at once to the processors for them and
// their helpers.
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
        server_close_storage(s);
        work_deinit(s);
        directory_deinit(&s->worlds);
        array_free(&s->sim_threads);
        permits_deinit(&s->permits);
        free(s);
    }
}

void server_close_handles(server *s, uv_close_cb closed)
{
    uv_close((uv_handle_t *)&s->wake, closed);
    uv_close((uv_handle_t *)&s->drain_timer, closed);
    uv_close((uv_handle_t *)&s->expiry, closed);
    uv_close((uv_handle_t *)&s->late_lists[0], closed);
    uv_close((uv_handle_t *)&s->late_lists[1], closed);
    uv_close((uv_handle_t *)&s->tidying, closed);
    uv_close((uv_handle_t *)&s->more, closed);
    uv_close((uv_handle_t *)&s->turn_end, closed);
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
    server_close_handles(s, on_discarded);
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

// The data directory and the worlds that it has. On errors nothing is left open.
static status open_data(server *s, error *err)
{
    status stored = open_storage(s, err);
    if (stored == STATUS_OK) {
        stored = claim_restored(s, err);
        if (stored != STATUS_OK) {
            server_close_storage(s);
        }
    }
    return stored;
}

static void init_handles(server *s)
{
    int result = uv_async_init(s->loop, &s->wake, on_wake);
    ASSERT(result == 0);
    uv_timer_init(s->loop, &s->drain_timer);
    uv_timer_init(s->loop, &s->tidying);
    s->wake.data = s->drain_timer.data = s->tidying.data = s;
    if (!s->options->turned) {
        tidying_begin(s);
    }
    resume_init(s);
    work_init(s);
    start_permits(s);
    worlds_list_init(s);
    s->handles = SERVER_HANDLES;
}

// The parts that serve, once the sockets are there.
static status start_parts(server *s, error *err)
{
    status begun = server_check_address(s, err);
    if (begun == STATUS_OK) {
        begun = start_sim_threads(s, err);
    }
    if (begun == STATUS_OK && s->options->peers != NULL) {
        begun = pairs_open(s, err);
    }
    if (begun == STATUS_OK && s->options->relay.count > 0) {
        upstreams_open(s);
    }
    return begun;
}

// The worlds of the data directory, of a recording and of the options.
static void start_worlds(server *s)
{
    const server_options *options = s->options;
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
    s->session_store.fd = s->session_store.rewriting.fd = -1;
    s->started_ns = clock_now_ns();
    directory_init(&s->worlds);
    s->next_session = s->worlds.next_number = options->first_number > 0 ? options->first_number : 1;
    const status stored = open_data(s, err);
    if (stored != STATUS_OK) {
        free(s);
        return stored;
    }
    buffer_init(&s->scratch, WIRE_REPLY_BYTES_MAX);
    buffer_init(&s->plain_answer, 2 * ERROR_TEXT_MAX);
    init_handles(s);
    status begun = server_listen(s, err);
    if (begun != STATUS_OK && s->network == NULL) {
        discard(s);
        return begun;
    }
    begun = begun == STATUS_OK ? start_parts(s, err) : begun;
    if (begun != STATUS_OK) {
        s->failed = true;
        s->failure = *err;
        server_drain(s, "the server could not start");
    }
    *out = s;
    start_worlds(s);
    return STATUS_OK;
}
