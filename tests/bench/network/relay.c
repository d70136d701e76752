// How many watchers a relay serves from one log: an origin steps a world of 1 000 moving bodies at
// 60 Hz, a relay follows its log, and the clients of the relay have 20 packed snapshots a second of
// the whole world.
//
// Origin and relay share the processors with the clients, which discard what they get. A number is
// carried if the relay keeps the world's rate and sends 0.99 of the snapshots.
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/bench/caromd.h"
#include "tests/bench/clock.h"
#include "tests/bench/network/crowd.h"
#include "tests/bench/network/parts.h"

enum { BALLS = 1000, WATCHERS_MAX = 2000, WAIT_MS = 60000 };

#define HZ          60.0
#define SNAPSHOT_HZ 20.0
#define SECONDS     5.0
#define SETTLE_US   1000000
#define RATE_LEAST  0.999
#define SENT_LEAST  0.99
#define LIST_US     50000

static const int WATCHERS[] = {1, 250, 500, 1000, WATCHERS_MAX};

// Waits until the relay lists the world, and follows it.
static void await_world(carom_client *relay, const char *name)
{
    carom_world_info found = {0};
    carom_error why;
    int tries = WAIT_MS * 1000 / LIST_US;
    while (carom_world_get_info(relay, name, WAIT_MS, &found, &why) != CAROM_OK) {
        if (--tries == 0) {
            give_up(why.text);
        }
        usleep(LIST_US);
    }
}

static void run_one(const bench_run *run, int watchers, table *t)
{
    static const char *const ORIGIN[] = {"--http", "off", NULL};
    const double wanted = run->seconds > 0.0 ? run->seconds : SECONDS;
    char upstream[32];
    bench_server origin;
    bench_server relay;
    server_begin(&origin, run->caromd, ORIGIN, -1);
    snprintf(upstream, sizeof upstream, "127.0.0.1:%u", (unsigned)origin.port);
    const char *const options[] = {"--http",  "off",
                                   "--relay", upstream,
                                   "--limit", "connections=8192",
                                   "--limit", "connections_per_address=8192",
                                   NULL};
    server_begin(&relay, run->caromd, options, -1);
    carom_client *far = control_open(&origin);
    carom_client *near = control_open(&relay);
    arena a = arena_make(far, "arena", HZ, BALLS);
    await_world(near, a.name);
    const crowd_plan plan = {
        .watchers = watchers, .encoding = "packed", .snapshots = SNAPSHOT_HZ, .cpu = -1};
    crowd *clients = crowd_open(&relay, &plan);
    crowd_start(clients, &a, 1);
    crowd_subscribe(clients, &a, 1);
    arena_resume(far, &a);
    usleep(SETTLE_US);
    const double origin_cpu = server_cpu(&origin);
    const double relay_cpu = server_cpu(&relay);
    const server_counts before = control_counts(near);
    const server_counts log = control_counts(far);
    const double begin = clock_seconds(CLOCK_WALL);
    usleep((useconds_t)(wanted * 1e6));
    const server_counts after = control_counts(near);
    const double seconds = clock_seconds(CLOCK_WALL) - begin;
    const double log_bytes = control_counts(far).bytes_sent - log.bytes_sent;
    const double rate = fmin(1.0, (after.ticks - before.ticks + 1.0) / (HZ * seconds));
    const double sent =
        (after.snapshots_sent - before.snapshots_sent) / (watchers * SNAPSHOT_HZ * seconds);
    table_number(t, watchers, 1);
    table_number(t, rate, 4);
    table_number(t, sent, 4);
    table_number(t, log_bytes * 8e-3 / seconds, 3);
    table_number(t, (after.bytes_sent - before.bytes_sent) * 8e-6 / seconds, 3);
    table_number(t, (server_cpu(&origin) - origin_cpu) / seconds, 3);
    table_number(t, (server_cpu(&relay) - relay_cpu) / seconds, 3);
    table_text(t, rate >= RATE_LEAST && sent >= SENT_LEAST ? "yes" : "no");
    crowd_stop(clients);
    crowd_close(clients);
    arena_deinit(&a);
    carom_free(near);
    carom_free(far);
    server_end(&relay);
    server_end(&origin);
    if (after.requests_failed > before.requests_failed) {
        give_up("the relay has refused a subscription");
    }
}

void part_relay(const bench_run *run)
{
    static const char *const HEADS[] = {"watchers",     "rate : hz",     "snapshots : due",
                                        "log [kbit/s]", "sent [Mbit/s]", "origin's CPUs",
                                        "relay's CPUs", "<carried",      NULL};
    char title[200];
    table *t = table_create(HEADS);
    for (size_t i = 0; i < sizeof WATCHERS / sizeof *WATCHERS; i++) {
        if (i == 0 || WATCHERS[i] <= run->most) {
            run_one(run, WATCHERS[i], t);
        }
    }
    snprintf(title, sizeof title,
             "A relay's watchers, from one log of a world of %d moving bodies at %.0f Hz; packed "
             "snapshots at %.0f Hz:",
             BALLS, HZ, SNAPSHOT_HZ);
    report_add(run->report, "relay", title, t);
}
