// Two players who push one pile from both sides, each with three keys a second: the distance of the
// client's own body, when a tick is first predicted, from its place on the server at that tick;
// and, in the same run, its distance from the server's present if it were drawn from snapshots,
// delayed by one way and two snapshots at 30 per second.
#include <math.h>
#include <stdio.h>

#include "client/prediction/prediction.h"
#include "tests/bench/distance/parts.h"
#include "tests/bench/statistics.h"
#include "tests/bench/table.h"
#include "tests/unit/client/simulated_server.h"

enum { HZ = 60, TICKS_MAX = 600 * HZ, WARM_SECONDS = 2, BODIES = 15, KEPT = 1024 };

static const double KEYS_A_SECOND = 3.0;
static const double SNAPSHOTS_S = 2.0 / 30.0;

typedef struct place {
    uint64_t tick;
    vec2d at;
} place;

typedef struct errors {
    place foreseen[KEPT], served[KEPT]; // indexed by tick
    double predicted[TICKS_MAX], interpolated[TICKS_MAX];
    size_t count;
} errors;

static void keep(place *places, const physics_world *world, body_id body)
{
    body_info state;
    const uint64_t tick = world_tick(world);
    place *p = &places[tick % KEPT];
    if (p->tick != tick && body_get(world, body, &state, NULL) == STATUS_OK) {
        *p = (place){tick, state.position};
    }
}

static double distance(const place *a, const place *b)
{
    return hypot(a->at.x - b->at.x, a->at.y - b->at.y);
}

static void compare(errors *e, const sim *s)
{
    const uint64_t tick = world_tick(s->server);
    const uint64_t behind = (uint64_t)ceil((s->options.delay_s + SNAPSHOTS_S) * HZ);
    const place *now = &e->served[tick % KEPT];
    const place *foreseen = &e->foreseen[tick % KEPT];
    const place *drawn = &e->served[(tick - behind) % KEPT];
    if (foreseen->tick == tick && drawn->tick == tick - behind && e->count < TICKS_MAX) {
        e->predicted[e->count] = distance(now, foreseen);
        e->interpolated[e->count++] = distance(now, drawn);
    }
}

static void run(sim *s, errors *e, double seconds)
{
    for (int i = 0; i < seconds * HZ; i++) {
        sim_pass(s, 1.0 / HZ);
        keep(e->served, s->server, s->own);
        compare(e, s);
        sim_frame(s);
        keep(e->foreseen, prediction_world(s->predicted), s->own);
    }
}

static void row(table *t, double rtt_ms, double stalls, int seconds)
{
    static errors e;
    sim_options o = {.seed = 1,
                     .bodies = BODIES,
                     .pile = true,
                     .delay_s = rtt_ms * 0.0005,
                     .jitter_s = 0.005,
                     .stall_share = stalls,
                     .stall_s = rtt_ms * 0.001 + 0.01,
                     .own_share = KEYS_A_SECOND / HZ,
                     .other_share = KEYS_A_SECOND / HZ};
    o.predict = prediction_options_default();
    e = (errors){.count = 0};
    sim *s = sim_create(&o);
    sim_run(s, WARM_SECONDS);
    run(s, &e, seconds);
    const prediction_figures f = prediction_figures_now(s->predicted);
    table_number(t, rtt_ms, 1);
    table_number(t, 100.0 * stalls, 1);
    table_number(t, 100.0 * f.right, 3);
    table_number(t, f.depth, 2);
    table_number(t, 100.0 * median(e.predicted, e.count), 2);
    table_number(t, 100.0 * quantile(e.predicted, e.count, 0.95), 2);
    table_number(t, 100.0 * quantile(e.predicted, e.count, 1.0), 2);
    table_number(t, 100.0 * median(e.interpolated, e.count), 2);
    table_number(t, 100.0 * quantile(e.interpolated, e.count, 0.95), 2);
    sim_free(s);
}

void bench_pile(int seconds)
{
    static const double RTT_MS[] = {50.0, 100.0, 200.0};
    static const double STALLS[] = {0.0, 0.01};
    table *t = table_create((const char *const[]){"round trip ms", "stalls %", "right %",
                                                  "ticks each", "own error cm", "p95 cm",
                                                  "largest cm", "interpolated cm", "p95 cm", NULL});
    for (size_t i = 0; i < sizeof RTT_MS / sizeof *RTT_MS; i++) {
        for (size_t k = 0; k < sizeof STALLS / sizeof *STALLS; k++) {
            row(t, RTT_MS[i], STALLS[k], seconds);
        }
    }
    printf("\nTwo players push one pile of %d boxes, three keys a second each\n\n", BODIES);
    table_print(t, stdout);
    table_free(t);
}
