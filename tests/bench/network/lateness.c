// The lateness of ticks, compared with a bare loop that sleeps to absolute deadlines during the
// same seconds.
//
// Each case has a server of its own, so that percentiles belong to this case alone. The world is
// paused until all clients have subscribed. The bare loop only sleeps (clock_nanosleep,
// TIMER_ABSTIME) and reads the clock; it is one hundredth faster than the world, so that it meets
// all phases of the world's ticks.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/caromd.h"
#include "tests/bench/clock.h"
#include "tests/bench/network/crowd.h"
#include "tests/bench/network/parts.h"
#include "tests/bench/statistics.h"

enum { BALLS = 1000, PLAYERS = 100, SERIES = 8 };

#define SECONDS      20.0
#define COMMANDS_HZ  30.0
#define SNAPSHOTS    120000.0 // per second, to all clients together: two processors can handle it
#define SETTLE_US    300000
#define BARE_FASTER  1.01
#define SHARES_COUNT 4

// ---- the bare loop

typedef struct bare_loop {
    double hz, seconds;
    double *late; // lateness of each wake-up [s]
    size_t count;
    pthread_t thread;
} bare_loop;

static void *sleep_and_look(void *argument)
{
    bare_loop *b = argument;
    const size_t wanted = (size_t)(b->seconds * b->hz);
    const double begin = clock_seconds(CLOCK_WALL);
    for (b->count = 0; b->count < wanted; b->count++) {
        const double due = begin + (double)(b->count + 1) / b->hz;
        const time_t whole = (time_t)due;
        const struct timespec until = {whole, (long)((due - (double)whole) * 1e9)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
        }
        const double late = clock_seconds(CLOCK_WALL) - due;
        b->late[b->count] = late > 0.0 ? late : 0.0;
    }
    return NULL;
}

static void bare_begin(bare_loop *b, double hz, double seconds)
{
    *b = (bare_loop){.hz = BARE_FASTER * hz, .seconds = seconds};
    b->late = calloc((size_t)(b->seconds * b->hz) + 1, sizeof *b->late);
    if (b->late == NULL || pthread_create(&b->thread, NULL, sleep_and_look, b) != 0) {
        give_up("no bare loop");
    }
}

// ---- a case

typedef struct lateness {
    double hz;
    bool loaded;
    // P50, p99, p99.9 and the largest [s]; of the server, of the loop
    double shares[2][SHARES_COUNT];
    double ticks, ticks_late, server_cpu, crowd_cpu;
} lateness;

static void measure(const bench_run *run, lateness *l)
{
    static const double SHARES[SHARES_COUNT] = {0.5, 0.99, 0.999, 1.0};
    const double seconds = run->seconds > 0.0 ? run->seconds : SECONDS;
    const int watchers = (int)(SNAPSHOTS / l->hz) - PLAYERS;
    const crowd_plan plan = {.players = PLAYERS < run->most ? PLAYERS : run->most,
                             .watchers = watchers < run->most ? watchers : run->most,
                             .rate = COMMANDS_HZ,
                             .encoding = "packed",
                             .cpu = -1};
    bench_server s;
    bare_loop bare;
    crowd *clients = NULL;
    server_begin(&s, run->caromd, NULL, -1);
    carom_client *control = control_open(&s);
    arena a = arena_make(control, "arena", l->hz, BALLS);
    if (l->loaded) {
        clients = crowd_open(&s, &plan);
        crowd_subscribe(clients, &a, 1);
        crowd_start(clients, &a, 1);
        usleep(SETTLE_US); // full snapshots are sent before the first tick
    }
    const double cpu = server_cpu(&s);
    bare_begin(&bare, l->hz, seconds);
    arena_resume(control, &a);
    (void)pthread_join(bare.thread, NULL);
    const server_counts n = control_counts(control);
    l->server_cpu = (server_cpu(&s) - cpu) / seconds;
    if (l->loaded) {
        crowd_stop(clients);
        l->crowd_cpu = crowd_counted(clients).cpu / seconds;
        crowd_close(clients);
    }
    const double served[SHARES_COUNT] = {n.p50, n.p99, n.p999, n.most};
    for (int i = 0; i < SHARES_COUNT; i++) {
        l->shares[0][i] = served[i];
        l->shares[1][i] = quantile(bare.late, bare.count, SHARES[i]);
    }
    l->ticks = n.ticks;
    l->ticks_late = n.ticks_late;
    free(bare.late);
    arena_deinit(&a);
    carom_free(control);
    server_end(&s);
}

static void add_row(table *t, const lateness *l)
{
    char name[32];
    snprintf(name, sizeof name, "%.0f Hz, %s", l->hz, l->loaded ? "loaded" : "idle");
    table_text(t, name);
    for (int i = 0; i < SHARES_COUNT - 1; i++) {
        table_number(t, l->shares[0][i] * 1e6, 3);
        table_number(t, l->shares[1][i] * 1e6, 3);
    }
    table_ratio(t, l->shares[0][1] / l->shares[1][1]);
    table_number(t, l->ticks, 1);
    table_number(t, l->ticks_late, 1);
    table_number(t, l->server_cpu, 3);
    table_number(t, l->crowd_cpu, 3);
}

// Draws lateness over 1 / (1 - share): the rarity of a later wake-up.
static void draw(const bench_run *run, const lateness *all, int count)
{
    static const char *const COLORS[SERIES] = {"#1f77b4", "#aec7e8", "#d62728", "#ff9896",
                                               "#2ca02c", "#98df8a", "#9467bd", "#c5b0d5"};
    static const double RARE[SHARES_COUNT - 1] = {2.0, 100.0, 1000.0};
    static plot_series series[SERIES];
    static char names[SERIES][40];
    for (int i = 0; i < 2 * count; i++) {
        const lateness *l = &all[i / 2];
        snprintf(names[i], sizeof *names, "%.0f Hz %s%s", l->hz, l->loaded ? "loaded" : "idle",
                 i % 2 == 1 ? ", bare" : "");
        series[i] = (plot_series){.name = names[i], .color = COLORS[i]};
        for (int k = 0; k < SHARES_COUNT - 1; k++) {
            if (l->shares[i % 2][k] > 0.0) {
                series[i].x[series[i].count] = RARE[k];
                series[i].y[series[i].count++] = l->shares[i % 2][k] * 1e6;
            }
        }
    }
    const plot p = {.title = "How late ticks begin",
                    .x_title = "one tick in so many is later",
                    .y_title = "us",
                    .series = series,
                    .count = 2 * count};
    report_plot(run->report, "lateness", &p);
}

void part_lateness(const bench_run *run)
{
    static const char *const HEADS[] = {"<world",   "p50 [us]",   "bare p50",      "p99 [us]",
                                        "bare p99", "p99.9 [us]", "bare p99.9",    "p99 : bare",
                                        "ticks",    "late ticks", "server's CPUs", "clients' CPUs",
                                        NULL};
    lateness all[] = {
        {.hz = 60.0}, {.hz = 60.0, .loaded = true}, {.hz = 128.0}, {.hz = 128.0, .loaded = true}};
    const int count = (int)(sizeof all / sizeof *all);
    char title[280];
    table *t = table_create(HEADS);
    for (int i = 0; i < count; i++) {
        measure(run, &all[i]);
        add_row(t, &all[i]);
    }
    snprintf(title, sizeof title,
             "How late ticks of a world of %d moving bodies begin, and a bare loop in the same "
             "seconds; loaded: %d players at\n%.0f commands a second, and watchers so that %.0f "
             "packed snapshots a second are sent:",
             BALLS, PLAYERS, COMMANDS_HZ, SNAPSHOTS);
    report_add(run->report, "lateness", title, t);
    draw(run, all, count);
}
