// carom-bench-scale: what a step costs and what a body takes of memory, from a hundred bodies to
// two hundred thousand.
//
//   spread  balls that move freely, each on its own 16 m²: broad phase and integration
//   piled   a wall of bricks 20 high, as wide as it must be, kept awake: contacts
//   asleep  the same wall at rest and asleep: should cost nothing, however long
//
// Last, what many small worlds gain by several threads.
//
// The wall grows sideways so that a body's part of the work stays the same: what grows with the
// number of bodies more than the number itself is the engine's.
#include "common/physics/physics.h"
#include "tests/bench/clock.h"
#include "tests/bench/scale/plot.h"
#include "tests/bench/scale/worlds.h"
#include "tests/bench/statistics.h"
#include "tests/bench/table.h"
#include "tests/golden/scenes.h"

#include <getopt.h>
#include <malloc.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WALL_ROWS = 20,
    WARM_STEPS = 30,     // boxes touch, colours are found, arrays have grown
    STEPS_MIN = 15,      // timed
    STEPS_MAX = 300,     // the same
    SETTLE_STEPS = 2000, // by then everything sleeps
    BATCH_STEPS = 100 // asleep: timed together, for one alone is shorter than a look at the clock
};

#define SECONDS_A_SIZE 3.0 // of timed steps
#define WORLDS_SECONDS 3.0 // for each number of threads

static const uint32_t SIZES[] = {100,   200,   500,   1000,   2000,  5000,
                                 10000, 20000, 50000, 100000, 200000};

typedef enum kind { SPREAD, PILED, ASLEEP, KIND_COUNT } kind;

static const char *const NAMES[KIND_COUNT] = {"spread", "piled", "asleep"};

typedef struct figures {
    uint32_t bodies, contacts;
    double ms;             // median of a step
    double bytes_per_body; // allocated
} figures;

enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

typedef struct results {
    int sizes;
    figures of[SIZE_COUNT][KIND_COUNT];
} results;

// Everything is on the main thread's heap.
static double allocated_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static void build_spread(physics_world *world, uint32_t count)
{
    shape_def ball = scene_circle(0.5);
    uint32_t side = (uint32_t)ceil(sqrt((double)count));
    for (uint32_t i = 0; i < count; i++) {
        body_def def = body_def_default();
        def.position = (vec2d){4.0 * (i % side), 4.0 * (i / side)};
        def.velocity = (vec2d){scene_noise(1, i), scene_noise(2, i)};
        scene_put(world, &def, &ball, 1);
    }
}

static void build_wall(physics_world *world, uint32_t count)
{
    const vec2d origin = {0.0, 0.0};
    uint32_t columns = (count + WALL_ROWS - 1) / WALL_ROWS;
    // Of pieces: one shape may not be so long.
    shape_def floor = scene_box(50.0, 0.5);
    for (uint32_t i = 0; 100.0 * i < 1.01 * columns + 10.0; i++) {
        scene_put_at(world, BODY_STATIC, origin, 100.0 * i + 45.0, -0.5, &floor);
    }
    shape_def brick = scene_box(0.5, 0.25);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = i / columns;
        double x = 1.01 * (i % columns) + (row % 2 == 1 ? 0.5 : 0.0);
        scene_put_at(world, BODY_DYNAMIC, origin, x, 0.5 * row + 0.25, &brick);
    }
}

static physics_world *make_world(kind what, uint32_t count)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, what == SPREAD ? 0.0 : -10.0};
    def.sleep = what == ASLEEP;
    physics_world *world = NULL;
    error err = {0};
    if (world_create(&def, &world, &err) != STATUS_OK) {
        fprintf(stderr, "carom-bench-scale: %s\n", err.text);
        exit(1);
    }
    if (what == SPREAD) {
        build_spread(world, count);
    } else {
        build_wall(world, count);
    }
    return world;
}

static void step_many(physics_world *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        world_step(world);
    }
}

static void make_ready(physics_world *world, kind what)
{
    if (what != ASLEEP) {
        step_many(world, WARM_STEPS);
        return;
    }
    for (int i = 0; i < SETTLE_STEPS && world_count(world).awake > 0; i++) {
        world_step(world);
    }
    if (world_count(world).awake > 0) {
        fprintf(stderr, "carom-bench-scale: %u bodies do not come to rest\n",
                world_count(world).awake);
    }
    step_many(world, WARM_STEPS);
}

static double median_step(physics_world *world, kind what)
{
    double samples[STEPS_MAX];
    int batch = what == ASLEEP ? BATCH_STEPS : 1;
    double begin = clock_seconds(CLOCK_CPU);
    double now = begin;
    size_t count = 0;
    while (count < STEPS_MAX && (count < STEPS_MIN || now - begin < SECONDS_A_SIZE)) {
        double start = clock_seconds(CLOCK_CPU);
        step_many(world, batch);
        now = clock_seconds(CLOCK_CPU);
        samples[count++] = (now - start) * 1e3 / batch;
    }
    return median(samples, count);
}

static figures measure(kind what, uint32_t count)
{
    double before = allocated_bytes();
    physics_world *world = make_world(what, count);
    make_ready(world, what);
    figures f = {.bodies = count};
    f.ms = median_step(world, what);
    f.contacts = world_count(world).contacts;
    f.bytes_per_body = (allocated_bytes() - before) / count;
    world_free(world);
    return f;
}

static void print_table(const results *r)
{
    static const char *const HEADS[] = {"bodies",    "spread ms",  "us/body",    "bytes/body",
                                        "piled ms",  "us/body",    "bytes/body", "contacts",
                                        "asleep ms", "bytes/body", NULL};
    table *t = table_create(HEADS);
    for (int i = 0; i < r->sizes; i++) {
        table_number(t, r->of[i][SPREAD].bodies, 1);
        for (int k = 0; k < KIND_COUNT; k++) {
            const figures *f = &r->of[i][k];
            table_number(t, f->ms, 3);
            if (k != ASLEEP) {
                table_number(t, f->ms * 1e3 / f->bodies, 3);
            }
            table_number(t, f->bytes_per_body, 1);
            if (k == PILED) {
                table_number(t, f->contacts, 1);
            }
        }
    }
    table_print(t, stdout);
    table_free(t);
}

// The power of the number of bodies by which the cost grows, between two sizes: 1 is
// proportional, n log n from a thousand to 200 000 is 1.11.
static void print_growth(const results *r)
{
    int first = 0;
    while (first < r->sizes - 2 && r->of[first][0].bodies < 1000) {
        first++;
    }
    const figures *a = r->of[first];
    const figures *b = r->of[r->sizes - 1];
    printf("\nCost grows from %u to %u bodies as their number to the power of", a->bodies,
           b->bodies);
    double n = log((double)b->bodies / a->bodies);
    for (int k = 0; k < KIND_COUNT; k++) {
        printf(" %.2f (%s)%s", log(b[k].ms / a[k].ms) / n, NAMES[k],
               k == KIND_COUNT - 1 ? "" : ",");
    }
    printf("; n log n would be %.2f.\n", 1.0 + log(log(b->bodies) / log(a->bodies)) / n);
}

static bool write_plot(const results *r, const char *path)
{
    static const char *const COLORS[KIND_COUNT] = {"#1f77b4", "#d62728", "#2ca02c"};
    static plot_series series[KIND_COUNT + 1];
    for (int k = 0; k < KIND_COUNT; k++) {
        series[k] = (plot_series){.name = NAMES[k], .color = COLORS[k], .count = r->sizes};
        for (int i = 0; i < r->sizes; i++) {
            series[k].x[i] = r->of[i][k].bodies;
            series[k].y[i] = r->of[i][k].ms;
        }
    }
    // Through the first pile.
    plot_series *guide = &series[KIND_COUNT];
    *guide = (plot_series){.name = "n log n", .color = "#999", .dashed = true, .count = r->sizes};
    double first = r->of[0][PILED].bodies * log(r->of[0][PILED].bodies);
    for (int i = 0; i < r->sizes; i++) {
        double n = r->of[i][PILED].bodies;
        guide->x[i] = n;
        guide->y[i] = r->of[0][PILED].ms * n * log(n) / first;
    }
    const plot p = {.title = "Time of a step",
                    .x_title = "bodies",
                    .y_title = "ms",
                    .series = series,
                    .count = KIND_COUNT + 1};
    return plot_write_svg(&p, path);
}

// Of those that this process may use, the last; returns how many those are.
static int pin_to_last(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return 1;
    }
    int processors = CPU_COUNT(&set);
    for (size_t i = CPU_SETSIZE; i-- > 0;) {
        if (CPU_ISSET(i, &set)) {
            CPU_ZERO(&set);
            CPU_SET(i, &set);
            sched_setaffinity(0, sizeof set, &set);
            break;
        }
    }
    return processors;
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {{"svg", required_argument, NULL, 's'},
                                            {"most", required_argument, NULL, 'm'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *svg = NULL;
    double most = 200000;
    for (int c; (c = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        switch (c) {
        case 's':
            svg = optarg;
            break;
        case 'm':
            most = strtod(optarg, NULL);
            break;
        case 'h':
            printf("Usage: carom-bench-scale [--most BODIES] [--svg FILE]\n\n"
                   "Prints what a step costs and what a body takes of memory, by the number of "
                   "bodies,\nand draws a plot of it; and how many small worlds several threads "
                   "step.\n");
            return 0;
        default:
            return 2;
        }
    }
    cpu_set_t all;
    bool known = sched_getaffinity(0, sizeof all, &all) == 0;
    int processors = pin_to_last();
    static results r;
    while (r.sizes < SIZE_COUNT && SIZES[r.sizes] <= most) {
        for (int k = 0; k < KIND_COUNT; k++) {
            r.of[r.sizes][k] = measure((kind)k, SIZES[r.sizes]);
        }
        r.sizes++;
    }
    if (r.sizes == 0) {
        fprintf(stderr, "carom-bench-scale: --most: at least %u\n", SIZES[0]);
        return 2;
    }
    print_table(&r);
    print_growth(&r);
    if (known) {
        sched_setaffinity(0, sizeof all, &all);
    }
    worlds_print(processors, most < 1000 ? 0.05 : WORLDS_SECONDS);
    if (svg != NULL && !write_plot(&r, svg)) {
        fprintf(stderr, "carom-bench-scale: cannot write %s\n", svg);
        return 1;
    }
    return 0;
}
