// Drives a server's threads turn by turn; see life.h.
#include "tests/simulation/life.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/net/internal.h"
#include "server/storage/internal.h"
#include "tests/simulation/fake_uv.h"
#include "tests/simulation/oracle.h"
#include "tests/simulation/sim_client.h"
#include "tests/simulation/sim.h"

enum {
    TURNS_MAX = 100000, // turns within which a server must stop
    NUMBERS_A_LIFE = 1000000,
    // The closing message may exceed a connection's bound.
    FAREWELL_BYTES = 2 * ERROR_TEXT_MAX
};

static int64_t fake_clock(void)
{
    return sim.now_ns;
}

static uint64_t pick(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t of[] = {a, b, c};
    return of[sim_random(3)];
}

static void choose_limits(limits *l)
{
    *l = limits_default();
    l->connections = pick(3, 8, 4096);
    l->commands_per_connection = pick(1, 4, 4096);
    l->commands_per_world = pick(2, 16, 65536);
    l->command_bytes = pick(4096, 16384, l->command_bytes);
    l->output_bytes = pick(65536, 100000, l->output_bytes);
    l->subscriptions_per_connection = pick(1, 3, 64);
    l->worlds = pick(2, 4, 256);
    // The smallest values are below those that an operator may set
    l->events_kept = pick(2, 8, 65536);
    // together with the number of events, so that few of a message's bytes are kept, too
    l->event_bytes_kept = l->events_kept <= 8 ? 200 * l->events_kept : l->event_bytes_kept;
    l->message_bytes_per_tick = l->events_kept <= 8 ? 300 : l->message_bytes_per_tick;
    l->removals_kept = pick(16, 20, 65536);
    l->describe_bytes = pick(65536, 65536, l->describe_bytes);
    l->catch_up_ms = pick(0, 50, 250);
    l->stall_ms = pick(200, 2000, 30000);
    l->resume_ms = pick(100, 2000, 30000);
    l->detached_sessions = pick(1, 2, 4096);
    l->requests_per_second = pick(100, 1000, 20000);
    l->request_burst = pick(20, 100, 40000);
    l->half_closed_ms = pick(50, 1000, 10000);
    l->first_message_ms = pick(500, 2000, 10000);
}

static void on_listening(void *context, const char *address, const char *http)
{
    (void)context;
    (void)address;
    (void)http;
}

static void on_ready(void *context)
{
    (void)context;
}

static void on_finished(void *context, const error *err)
{
    life *l = context;
    l->finished = true;
    SIM_CHECK(err == NULL || l->disk.stopped || l->troubled, "the server could not begin: %s",
              err->text);
}

void life_init(life *l)
{
    *l = (life){0};
    fake_disk_init(&l->disk, sim_random(UINT64_MAX));
    l->disk.trace = sim.trace;
    choose_limits(&l->limits);
    static const char ARENA[] = "{\"seats\": 2, \"idle_s\": 1}";
    const status parsed = template_parse("arena", ARENA, sizeof ARENA - 1, &l->arena, NULL);
    ASSERT(parsed == STATUS_OK && l->arena.seats == SIM_SEATS);
    l->storage = storage_options_default();
    l->storage.disk = &l->disk.base;
    l->storage.clock = fake_clock;
    l->storage.queue_bytes = pick(2000, 50000, l->storage.queue_bytes);
    l->storage.segment_bytes = pick(3000, 20000, 1000000);
    l->storage.log_bytes = pick(10000, 100000, 10000000);
    l->storage.sync_ms = (uint32_t)pick(0, 20, 1000);
    l->options = (server_options){.host = "127.0.0.1",
                                  .port = 1,
                                  .hz = 60,
                                  .threads = 1 + (int)sim_random(2),
                                  .world_threads = 1,
                                  .limits = &l->limits,
                                  .data = "simulated",
                                  .storage = &l->storage,
                                  .turned = true,
                                  .templates = &l->arena,
                                  .template_count = 1,
                                  .context = l,
                                  .listening = on_listening,
                                  .ready = on_ready,
                                  .finished = on_finished};
}

void life_deinit(life *l)
{
    ASSERT(l->server == NULL);
    fake_disk_deinit(&l->disk);
    template_deinit(&l->arena);
}

// ---- turns

static void turn_loop(life *l)
{
    (void)fake_uv_turn();
    (void)l;
}

static void turn_storage(life *l)
{
    if (l->server->storage != NULL) {
        (void)storage_turn(l->server->storage);
    }
}

static void turn_sim_thread(life *l)
{
    if (l->server->sim_threads.count > 0) {
        (void)sim_thread_turn(
            l->server->sim_threads.data[sim_random(l->server->sim_threads.count)]);
    }
}

static void pass_time(void)
{
    if (sim_one_in(3000)) { // models a suspended machine
        sim_pass((int64_t)sim_random(4000) * 1000000);
    } else {
        sim_pass((int64_t)sim_random(4000000));
    }
    if (sim_one_in(3000)) { // models a change of the system's clock
        sim.wall_ns += ((int64_t)sim_random(7200) - 3600) * 1000000000;
    }
}

static bool stalls(life *l, int which)
{
    if (sim_one_in(500)) {
        l->stalled_until[which] = sim.steps + sim_random(300);
    }
    return sim.steps < l->stalled_until[which];
}

void life_turn(life *l)
{
    uint64_t which = sim_random(4);
    if (which == 3) {
        pass_time();
    } else if (l->server != NULL && !l->finished && !stalls(l, (int)which)) {
        if (which == 0) {
            turn_loop(l);
        } else if (which == 1) {
            turn_storage(l);
        } else {
            turn_sim_thread(l);
        }
    }
}

void life_turn_all(life *l)
{
    turn_loop(l);
    if (!l->finished) {
        turn_storage(l);
        for (uint32_t i = 0; i < l->server->sim_threads.count; i++) {
            (void)sim_thread_turn(l->server->sim_threads.data[i]);
        }
    }
    sim_pass(1000000);
}

// ---- beginning and end

bool life_start(life *l)
{
    ASSERT(l->server == NULL);
    sim.activity = "starting";
    sim_trace("life %" PRIu64 " begins", l->lives);
    l->finished = false;
    memset(l->stalled_until, 0, sizeof l->stalled_until);
    l->options.first_number = 1 + NUMBERS_A_LIFE * l->lives++;
    error err;
    status s = server_create(&l->loop, &l->options, &l->server, &err);
    if (s == STATUS_OK) {
        return true;
    }
    l->server = NULL;
    for (int i = 0; i < TURNS_MAX && fake_uv_turn(); i++) {
    }
    SIM_CHECK(l->disk.stopped || l->troubled, "the server refuses to start: %s", err.text);
    return false;
}

// Runs until all handles are closed and freed.
static void end_server(life *l)
{
    server_drain(l->server, "the run ends it");
    for (int i = 0; i < TURNS_MAX && !l->finished; i++) {
        life_turn_all(l);
    }
    SIM_CHECK(l->finished, "the server does not end");
    SIM_CHECK(!fake_uv_turn(), "the server ended and left something open");
    server_destroy(l->server);
    l->server = NULL;
}

bool life_close(life *l)
{
    sim.activity = "closing";
    if (l->server != NULL) {
        end_server(l);
    }
    return !l->disk.stopped;
}

void life_crash(life *l, crash_kind kind)
{
    sim_trace("crash of kind %d", (int)kind);
    fake_uv_freeze();
    l->disk.stopped = true;
    if (l->server != NULL) { // only frees its memory
        sim.activity = "crashing";
        end_server(l);
    }
    fake_disk_crash(&l->disk, kind);
    fake_uv_thaw();
}

// ---- bounds

void life_check_bounds(const life *l)
{
    const server *s = l->server;
    if (s == NULL || l->finished) {
        return;
    }
    const limits *b = s->limits;
    SIM_CHECK(s->command_bytes <= b->command_bytes, "command_bytes is exceeded");
    SIM_CHECK(s->session_count <= b->connections, "connections is exceeded");
    SIM_CHECK(s->detached.count <= b->detached_sessions, "detached_sessions is exceeded");
    for (uint32_t i = 0; i < s->sessions.count; i++) {
        const session *one = s->sessions.data[i];
        if (one == NULL) {
            continue;
        }
        SIM_CHECK(one->calls.in_flight <= b->commands_per_connection || one->connection == NULL ||
                      one->key.generation > 0,
                  "commands_per_connection is exceeded");
        SIM_CHECK(one->subscriptions.count <= b->subscriptions_per_connection,
                  "subscriptions_per_connection is exceeded");
        SIM_CHECK(one->connection == NULL ||
                      one->connection->output.queue.size <= b->output_bytes + FAREWELL_BYTES,
                  "output_bytes is exceeded");
    }
    if (s->storage != NULL) {
        storage_figures f = storage_read_figures(s->storage);
        SIM_CHECK(f.queue_bytes <= l->storage.queue_bytes + STORAGE_RECORD_BYTES_MAX,
                  "the storage's queue is exceeded");
    }
}

// ---- the disk

void life_trouble_disk(life *l, bool crashes)
{
    static const int ERRORS[] = {EIO, ENOSPC};
    fake_disk *d = &l->disk;
    switch (sim_random(crashes ? 4 : 3)) {
    case 0:
        d->fail_at = d->operations + 1 + sim_random(50);
        d->fail_count = 1 + sim_random(3);
        d->fail_errno = ERRORS[sim_random(2)];
        break;
    case 1:
        d->fail_one_in = 20 + (uint32_t)sim_random(100);
        break;
    case 2:
        d->capacity = 20000 + sim_random(100000);
        break;
    default:
        d->crash_at = d->operations + 1 + sim_random(300);
        break;
    }
}

void life_heal_disk(life *l)
{
    l->disk.fail_at = l->disk.fail_count = l->disk.capacity = 0;
    l->disk.fail_one_in = 0;
}
