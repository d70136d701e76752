// Predictions over simulated networks: with the simulated server of the tests
// (tests/unit/client/simulated_server.h). The client pushes its box among others in seven ticks of
// ten; the other player pushes another box into the same heap in one tick of ten.
#include <stdio.h>

#include "tests/bench/clock.h"
#include "tests/bench/distance/parts.h"
#include "tests/bench/statistics.h"
#include "tests/bench/table.h"
#include "tests/unit/client/simulated_server.h"

enum { FRAMES_MAX = 600 * 60, WARM_SECONDS = 2, BODIES = 40 };

static void row(table *t, double rtt_ms, double stalls, double others, int seconds)
{
    static double frames[FRAMES_MAX];
    sim_options o = {.seed = 1,
                     .bodies = BODIES,
                     .delay_s = rtt_ms * 0.0005,
                     .jitter_s = 0.005,
                     .stall_share = stalls,
                     .stall_s = rtt_ms * 0.001 + 0.01,
                     .other_share = others};
    o.predict = prediction_options_default();
    sim *s = sim_create(&o);
    sim_run(s, WARM_SECONDS);
    const prediction_figures before = prediction_figures_now(s->predicted);
    size_t count = 0;
    for (; count < (size_t)seconds * 60; count++) {
        sim_pass(s, 1.0 / 60.0);
        const double start = clock_seconds(CLOCK_CPU);
        sim_frame(s);
        frames[count] = clock_seconds(CLOCK_CPU) - start;
    }
    const prediction_figures f = prediction_figures_now(s->predicted);
    const double ticks = (double)(f.ticks - before.ticks);
    table_number(t, rtt_ms, 1);
    table_number(t, 100.0 * stalls, 1);
    table_number(t, 60.0 * others, 1);
    table_number(t, 100.0 * (double)(f.ticks_right - before.ticks_right) / ticks, 3);
    table_number(t, (double)(f.rollback_count - before.rollback_count) / seconds, 2);
    table_number(t, f.depth, 2);
    table_number(t, f.lead, 2);
    table_number(t, 100.0 * (double)(f.late - before.late) / (double)(f.sent - before.sent), 2);
    table_number(t, 100.0 * f.error, 2);
    table_number(t, 100.0 * f.error_others, 2);
    table_number(t, 1e3 * quantile(frames, count, 0.95), 2);
    sim_free(s);
}

void bench_network(int seconds)
{
    static const double RTT_MS[] = {50.0, 100.0, 200.0};
    static const double STALLS[] = {0.0, 0.01, 0.02};
    table *t = table_create((const char *const[]){
        "round trip ms", "stalls %", "others' commands /s", "right %", "rollbacks /s", "ticks each",
        "lead", "late %", "own error cm", "others' cm", "frame p95 ms", NULL});
    for (size_t i = 0; i < sizeof RTT_MS / sizeof *RTT_MS; i++) {
        for (size_t k = 0; k < sizeof STALLS / sizeof *STALLS; k++) {
            row(t, RTT_MS[i], STALLS[k], 0.0, seconds);
            row(t, RTT_MS[i], STALLS[k], 0.1, seconds);
        }
    }
    printf("\nPredictions of 42 bodies, jitter 0 to 5 ms each way; errors: the largest correction "
           "of the last 8 s\n\n");
    table_print(t, stdout);
    table_free(t);
}
