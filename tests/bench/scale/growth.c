// Measures worlds of growing size in rounds, fits powers to the medians and prints them; see
// growth.h. Main thread.
#include "tests/bench/scale/growth.h"

#include "common/base/block.h"
#include "tests/bench/clock.h"
#include "tests/bench/scale/memory.h"
#include "tests/bench/plot.h"
#include "tests/bench/statistics.h"
#include "tests/bench/table.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>

enum {
    WARM_STEPS = 30,     // boxes overlap, colours are assigned, arrays have grown
    STEPS_MIN = 10,      // least steps timed in a round
    STEPS_MAX = 300,     // the same
    SETTLE_STEPS = 2000, // steps after which everything sleeps
    // Steps of a sleeping world timed together: a single one is shorter than reading the clock
    BATCH_STEPS = 100,
    GROWTH_FROM = 1000 // bodies: below that, the fixed cost dominates a step
};

#define SECONDS_A_SIZE 1.0   // time of timed steps in a round
#define SETTLE_SECONDS 100.0 // longest wait for sleep

static const uint32_t SIZES[] = {100,   200,   500,   1000,   2000,  5000,
                                 10000, 20000, 50000, 100000, 200000};

// ---- measuring

// All allocations are in the main thread's heap.
static double allocated_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd + (double)block_mapped_bytes();
}

static void step_many(subject *s, int steps)
{
    for (int i = 0; i < steps; i++) {
        subject_step(s);
    }
}

static void settle(subject *s)
{
    double begin = clock_seconds(CLOCK_CPU);
    for (int i = 0; i < SETTLE_STEPS && subject_awake(s) > 0 &&
                    clock_seconds(CLOCK_CPU) - begin < SETTLE_SECONDS;
         i++) {
        subject_step(s);
    }
    if (subject_awake(s) > 0) {
        fprintf(stderr, "carom-bench-scale: %u bodies do not come to rest\n", subject_awake(s));
    }
}

static double median_step(subject *s, int batch)
{
    double samples[STEPS_MAX];
    double begin = clock_seconds(CLOCK_CPU);
    double now = begin;
    size_t count = 0;
    while (count < STEPS_MAX && (count < STEPS_MIN || now - begin < SECONDS_A_SIZE)) {
        double start = clock_seconds(CLOCK_CPU);
        step_many(s, batch);
        now = clock_seconds(CLOCK_CPU);
        samples[count++] = (now - start) * 1e3 / batch;
    }
    return median(samples, count);
}

static void measure(figures *f, int engine, kind what, uint32_t bodies)
{
    double before = allocated_bytes();
    subject *s = subject_create(engine, what, bodies);
    if (what == ASLEEP) {
        settle(s);
    }
    step_many(s, WARM_STEPS);
    f->round_ms[f->rounds] = median_step(s, what == ASLEEP ? BATCH_STEPS : 1);
    f->bytes_per_body = (allocated_bytes() - before) / bodies;
    f->contacts = subject_contacts(s);
    subject_free(s);
    if (engine == 0) {
        f->sweep_ms[f->rounds] = memory_sweep_ms((size_t)(f->bytes_per_body * bodies));
    }
    f->rounds++;
}

// Measures one round. A sleeping world takes long to settle and always costs the same, so it is
// measured only once.
static void measure_round(growth *g, int round)
{
    for (int i = 0; i < g->sizes; i++) {
        for (int k = 0; k < (round == 0 ? KIND_COUNT : ASLEEP); k++) {
            for (int e = 0; e < g->engines; e++) {
                measure(&g->of[e][i][k], e, (kind)k, g->bodies[i]);
            }
        }
    }
}

static void take_medians(figures *f)
{
    f->ms = median(f->round_ms, (size_t)f->rounds);
    f->bare_ms = median(f->sweep_ms, (size_t)f->rounds);
}

void growth_measure(growth *g, double most, int rounds)
{
    *g = (growth){.engines = subject_engines()};
    while (g->sizes < (int)(sizeof SIZES / sizeof *SIZES) && SIZES[g->sizes] <= most) {
        g->bodies[g->sizes] = SIZES[g->sizes];
        g->sizes++;
    }
    for (int round = 0; round < rounds; round++) {
        measure_round(g, round);
    }
    for (int e = 0; e < g->engines; e++) {
        for (int i = 0; i < g->sizes; i++) {
            for (int k = 0; k < KIND_COUNT; k++) {
                take_medians(&g->of[e][i][k]);
            }
        }
    }
}

// ---- printing

static void print_table(const growth *g, int engine)
{
    static const char *const HEADS[] = {"bodies",    "spread ms",  "us/body",    "bytes/body",
                                        "piled ms",  "us/body",    "bytes/body", "contacts",
                                        "asleep ms", "bytes/body", NULL};
    table *t = table_create(HEADS);
    for (int i = 0; i < g->sizes; i++) {
        table_number(t, g->bodies[i], 1);
        for (int k = 0; k < KIND_COUNT; k++) {
            const figures *f = &g->of[engine][i][k];
            table_number(t, f->ms, 3);
            if (k != ASLEEP) {
                table_number(t, f->ms * 1e3 / g->bodies[i], 3);
            }
            table_number(t, f->bytes_per_body, 1);
            if (k == PILED) {
                table_number(t, f->contacts, 1);
            }
        }
    }
    printf("%s:\n\n", subject_engine(engine));
    table_print(t, stdout);
    table_free(t);
    printf("\n");
}

static int first_of_growth(const growth *g)
{
    int first = 0;
    while (first < g->sizes - 2 && g->bodies[first] < GROWTH_FROM) {
        first++;
    }
    return first;
}

// The slope of the straight line through the points, by least squares.
static double slope(const double *x, const double *y, int count)
{
    double mean_x = 0.0;
    double mean_y = 0.0;
    for (int i = 0; i < count; i++) {
        mean_x += x[i] / count;
        mean_y += y[i] / count;
    }
    double xx = 0.0;
    double xy = 0.0;
    for (int i = 0; i < count; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return xy / xx;
}

// The exponent with which a cost, given for each size, grows with the number of bodies: 1 is
// proportional. Fitted to all sizes, so that no two of them decide.
static double power_of(const growth *g, const double *costs)
{
    double x[SIZES_MAX];
    double y[SIZES_MAX];
    int count = 0;
    for (int i = first_of_growth(g); i < g->sizes; i++) {
        x[count] = log(g->bodies[i]);
        y[count++] = log(costs[i]);
    }
    return slope(x, y, count);
}

typedef enum cost { COST_STEP, COST_BARE_SWEEP, COST_N_LOG_N } cost;

static double power_of_cost(const growth *g, cost of, int engine, int what)
{
    double costs[SIZES_MAX];
    for (int i = 0; i < g->sizes; i++) {
        const figures *f = &g->of[engine][i][what];
        double n = g->bodies[i];
        costs[i] = of == COST_STEP ? f->ms : of == COST_BARE_SWEEP ? f->bare_ms : n * log(n);
    }
    return power_of(g, costs);
}

static void print_kinds(const growth *g, cost of, int engine, int kinds)
{
    for (int k = 0; k < kinds; k++) {
        printf("%s %.2f (%s)", k > 0 ? "," : "", power_of_cost(g, of, engine, k),
               kind_name((kind)k));
    }
}

static void print_powers(const growth *g)
{
    printf("Cost grows from %u to %u bodies as their number to the power of", //
           g->bodies[first_of_growth(g)], g->bodies[g->sizes - 1]);
    for (int e = 0; e < g->engines; e++) {
        print_kinds(g, COST_STEP, e, KIND_COUNT);
        printf(" in %s;", subject_engine(e));
    }
    printf(" n log n would be %.2f.\nA bare sweep over as much memory as carom's worlds take:",
           power_of_cost(g, COST_N_LOG_N, 0, 0));
    print_kinds(g, COST_BARE_SWEEP, 0, ASLEEP);
    printf(".\n");
}

// Prints the cost of a step compared with a bare sweep over the world's memory.
static void print_memory(const growth *g)
{
    static const char *const HEADS[] = {"bodies",    "spread, MB", "sweep ms",     "step / sweep",
                                        "piled, MB", "sweep ms",   "step / sweep", NULL};
    table *t = table_create(HEADS);
    for (int i = 0; i < g->sizes; i++) {
        table_number(t, g->bodies[i], 1);
        for (int k = 0; k < ASLEEP; k++) {
            const figures *f = &g->of[0][i][k];
            table_number(t, f->bytes_per_body * g->bodies[i] * 1e-6, 2);
            table_number(t, f->bare_ms, 3);
            table_number(t, f->ms / f->bare_ms, 2);
        }
    }
    printf("carom's worlds, and one bare sweep over as much memory:\n\n");
    table_print(t, stdout);
    table_free(t);
    printf("\n");
}

static void print_ratios(const growth *g, int engine)
{
    static const char *const HEADS[] = {"bodies", "spread", "piled", "asleep", NULL};
    table *t = table_create(HEADS);
    for (int i = 0; i < g->sizes; i++) {
        table_number(t, g->bodies[i], 1);
        for (int k = 0; k < KIND_COUNT; k++) {
            table_ratio(t, g->of[0][i][k].ms / g->of[engine][i][k].ms);
        }
    }
    printf("carom / %s:\n\n", subject_engine(engine));
    table_print(t, stdout);
    table_free(t);
    printf("\n");
}

void growth_print(const growth *g)
{
    for (int e = 0; e < g->engines; e++) {
        print_table(g, e);
    }
    for (int e = 1; e < g->engines; e++) {
        print_ratios(g, e);
    }
    print_memory(g);
    print_powers(g);
}

// The guide line: proportional growth through the first point of the pile.
static plot_series guide_of(const growth *g)
{
    plot_series guide = {.name = "n log n", .color = "#999", .dashed = true, .count = g->sizes};
    double first = g->bodies[0] * log(g->bodies[0]);
    for (int i = 0; i < g->sizes; i++) {
        double n = g->bodies[i];
        guide.x[i] = n;
        guide.y[i] = g->of[0][0][PILED].ms * n * log(n) / first;
    }
    return guide;
}

bool growth_plot(const growth *g, const char *path)
{
    static const char *const COLORS[ENGINES_MAX][KIND_COUNT] = {{"#1f77b4", "#d62728", "#2ca02c"},
                                                                {"#aec7e8", "#ff9896", "#98df8a"}};
    static plot_series series[ENGINES_MAX * KIND_COUNT + 1];
    static char names[ENGINES_MAX * KIND_COUNT][40];
    int count = 0;
    for (int e = 0; e < g->engines; e++) {
        for (int k = 0; k < KIND_COUNT; k++) {
            snprintf(names[count], sizeof *names, "%s, %s", kind_name((kind)k), subject_engine(e));
            plot_series *s = &series[count];
            *s = (plot_series){.name = names[count++], .color = COLORS[e][k], .count = g->sizes};
            for (int i = 0; i < g->sizes; i++) {
                s->x[i] = g->bodies[i];
                s->y[i] = g->of[e][i][k].ms;
            }
        }
    }
    series[count++] = guide_of(g);
    const plot p = {.title = "Time of a step",
                    .x_title = "bodies",
                    .y_title = "ms",
                    .series = series,
                    .count = count};
    return plot_write_svg(&p, path);
}
