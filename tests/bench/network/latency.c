// Command to acknowledgement and to snapshot, as `carom bench` sees them, and whether a world keeps
// its rate under many clients.
//
// `carom bench` has the players, which read every snapshot of an area of their own, and runs beside
// the server on the same machine, as it would for anybody who tries it; clients that only watch are
// a crowd that throws away what comes: to decode a thousand pictures of a thousand bodies takes
// more processors than the machine has. Latencies run from the moment a command was due. An
// acknowledgement waits for the tick that applies it, so its p99 cannot be under 0.99 of a tick;
// the goal is a tick and 1 ms.
#include <stdio.h>

#include "tests/bench/caromd.h"
#include "tests/bench/clock.h"
#include "tests/bench/network/control.h"
#include "tests/bench/network/crowd.h"
#include "tests/bench/network/load_tool.h"
#include "tests/bench/network/parts.h"

#define SECONDS 15.0
#define AREA    "24x18" // of each player
#define WAIT_S  60.0    // for what `carom bench` does before and after

enum { NUMBER_BYTES = 24 };

typedef struct load_case {
    const char *name;
    int players, watchers, bodies, hz;
} load_case;

static const load_case CASES[] = {
    {"100 players, 60 Hz", 100, 0, 1000, 60},
    {"100 players, 128 Hz", 100, 0, 1000, 128},
    {"100 players, 1000 watchers, 60 Hz", 100, 1000, 1000, 60},
    {"1000 players of 10000 bodies, 30 Hz", 1000, 0, 9000, 30},
};

enum { CASES_COUNT = sizeof CASES / sizeof *CASES };

typedef struct load_found {
    carom_value *report;
    double cpu; // of the server, processors
} load_found;

static int at_most(const bench_run *run, int count)
{
    return count < run->most ? count : run->most;
}

static carom_value *run_load(const bench_run *run, const bench_server *s, const load_case *c)
{
    char numbers[2][NUMBER_BYTES];
    const double seconds = run->seconds > 0.0 ? run->seconds : SECONDS;
    snprintf(numbers[0], NUMBER_BYTES, "%d", at_most(run, c->players));
    snprintf(numbers[1], NUMBER_BYTES, "%.0fms", seconds * 1e3);
    const char *arguments[] = {
        "--world",    "arena",  "--connections", numbers[0], "--time", numbers[1], "--rate", "30",
        "--encoding", "packed", "--timeout",     "30s",      "--area", AREA,       NULL};
    return load_tool_run(run->carom, s, arguments, seconds + WAIT_S);
}

static load_found run_case(const bench_run *run, const load_case *c)
{
    const crowd_plan plan = {
        .watchers = at_most(run, c->watchers), .encoding = "packed", .cpu = -1};
    bench_server s;
    server_begin(&s, run->caromd, NULL, -1);
    carom_client *control = control_open(&s);
    arena a = arena_make(control, "arena", c->hz, c->bodies);
    crowd *watchers = NULL;
    if (c->watchers > 0) {
        watchers = crowd_open(&s, &plan);
        crowd_start(watchers, &a);
        crowd_subscribe(watchers, &a);
    }
    arena_resume(control, &a);
    const double cpu = server_cpu(&s);
    const double begin = clock_seconds(CLOCK_WALL);
    load_found found = {.report = run_load(run, &s, c)};
    found.cpu = (server_cpu(&s) - cpu) / (clock_seconds(CLOCK_WALL) - begin);
    if (watchers != NULL) {
        crowd_stop(watchers);
        crowd_close(watchers);
    }
    arena_deinit(&a);
    carom_free(control);
    server_end(&s);
    return found;
}

static void add_times(table *t, const carom_value *result, const char *metric)
{
    static const char *const SHARES[] = {"p50", "p99", "p99.9"};
    const carom_value *times = carom_value_get(carom_value_get(result, "metrics"), metric);
    for (int i = 0; i < 3; i++) {
        table_number(t, carom_as_real(carom_value_get(times, SHARES[i]), -1e-3) * 1e3, 3);
    }
}

static void add_latency(table *t, const load_case *c, const load_found *f)
{
    table_text(t, c->name);
    add_times(t, f->report, "ack");
    table_number(t, 1e3 / c->hz + 1.0, 3);
    table_number(t, carom_get_real(f->report, "metrics.above.p99", -1e-3) * 1e3, 3);
    add_times(t, f->report, "seen");
}

static void add_rate(table *t, const load_case *c, const load_found *f)
{
    const carom_value *r = f->report;
    table_text(t, c->name);
    table_number(t, carom_get_real(r, "server.ticks", -1.0), 1);
    table_number(t, carom_get_real(r, "server.ticks_late", -1.0), 1);
    table_number(t, carom_get_real(r, "server.rate_share", -1.0), 4);
    table_number(t, carom_get_real(r, "snapshots_per_second", -1.0), 3);
    table_number(t, carom_get_real(r, "snapshots_skipped", -1.0), 1);
    table_number(t, carom_get_real(r, "bytes_in_per_client_second", -1.0) * 8e-3, 3);
    table_number(t, carom_get_real(r, "server.step_mean", -1e-3) * 1e3, 3);
    table_number(t, f->cpu, 3);
}

static void draw(const bench_run *run, const load_found *found)
{
    static const char *const COLORS[CASES_COUNT] = {"#1f77b4", "#2ca02c", "#d62728", "#9467bd"};
    static const char *const SHARES[] = {"p50", "p90", "p99", "p99.9"};
    static const double RARE[] = {2.0, 10.0, 100.0, 1000.0};
    static plot_series series[CASES_COUNT];
    for (int i = 0; i < CASES_COUNT; i++) {
        const carom_value *times =
            carom_value_get(carom_value_get(found[i].report, "metrics"), "ack");
        series[i] = (plot_series){.name = CASES[i].name, .color = COLORS[i]};
        for (int k = 0; k < 4; k++) {
            const double ms = carom_as_real(carom_value_get(times, SHARES[k]), 0.0) * 1e3;
            if (ms > 0.0) {
                series[i].x[series[i].count] = RARE[k];
                series[i].y[series[i].count++] = ms;
            }
        }
    }
    const plot p = {.title = "Command to acknowledgement",
                    .x_title = "one command in so many takes longer",
                    .y_title = "ms",
                    .series = series,
                    .count = CASES_COUNT};
    report_plot(run->report, "latency", &p);
}

void part_latency(const bench_run *run)
{
    static const char *const TIMES[] = {"<clients",      "ack p50 [ms]",
                                        "p99",           "p99.9",
                                        "a tick + 1 ms", "above the wait, p99",
                                        "seen p50 [ms]", "seen p99",
                                        "seen p99.9",    NULL};
    static const char *const RATES[] = {"<clients",      "ticks",   "late ticks",      "rate : hz",
                                        "snapshots/s",   "skipped", "kbit/s a client", "tick [ms]",
                                        "server's CPUs", NULL};
    table *times = table_create(TIMES);
    table *rates = table_create(RATES);
    load_found found[CASES_COUNT];
    for (int i = 0; i < CASES_COUNT; i++) {
        found[i] = run_case(run, &CASES[i]);
        add_latency(times, &CASES[i], &found[i]);
        add_rate(rates, &CASES[i], &found[i]);
    }
    report_add(run->report, "latency",
               "Commands, 30 a second of each player, as `carom bench` sees them beside the "
               "server; packed "
               "snapshots of 24 m x 18 m:",
               times);
    report_add(
        run->report, "rate",
        "The worlds meanwhile; rate : hz is that of the worst second, a tick's time its mean:",
        rates);
    draw(run, found);
    for (int i = 0; i < CASES_COUNT; i++) {
        carom_value_free(found[i].report);
    }
}
