// The cost of a rollback: a copy of the confirmed world, and a step with its hash for each tick of
// the lead. All bodies are awake: a pile in a bin, dropped one second before.
#include <malloc.h>
#include <stdlib.h>

#include "common/physics/image.h"
#include "tests/bench/clock.h"
#include "tests/bench/distance/parts.h"
#include "tests/bench/statistics.h"
#include "tests/bench/table.h"

enum { DEPTH = 8, ROUNDS_MAX = 1000, TICKS_BEFORE = 60 }; // 8 ticks: 100 ms at 60 Hz, and slack

static void put_box(physics_world *world, vec2d at, vec2 size, body_type type)
{
    body_def def = body_def_default();
    shape_def box = shape_def_default();
    def.type = type;
    def.position = at;
    box.geometry.kind = SHAPE_POLYGON;
    polygon_make_box(size, (vec2){0.0f, 0.0f}, 0.0, 0.0f, &box.geometry.polygon, NULL);
    body_id id;
    body_spawn(world, &def, &box, 1, &id, NULL, NULL);
}

static physics_world *make_pile(int bodies)
{
    const world_def def = world_def_default();
    physics_world *world = NULL;
    if (world_create(&def, &world, NULL) != STATUS_OK) {
        exit(1);
    }
    int columns = 4;
    while (columns * columns < bodies) {
        columns++;
    }
    const double half = 0.6 * columns;
    put_box(world, (vec2d){0.0, -1.0}, (vec2){(float)(2.0 * half + 4.0), 2.0f}, BODY_STATIC);
    put_box(world, (vec2d){-half - 1.0, half}, (vec2){2.0f, (float)(4.0 * half)}, BODY_STATIC);
    put_box(world, (vec2d){half + 1.0, half}, (vec2){2.0f, (float)(4.0 * half)}, BODY_STATIC);
    for (int i = 0; i < bodies; i++) {
        const double shift = i / columns % 2 == 0 ? 0.2 : -0.2;
        const vec2d at = {-half + 0.6 + 1.15 * (i % columns) + shift, 0.6 + 1.1 * (i / columns)};
        put_box(world, at, (vec2){1.0f, 1.0f}, BODY_DYNAMIC);
    }
    world_want_events(world, 0);
    for (int i = 0; i < TICKS_BEFORE; i++) {
        world_step(world);
    }
    return world;
}

static double through_an_image(const physics_world *world)
{
    uint8_t *bytes;
    size_t size;
    physics_world *twin = NULL;
    const double start = clock_seconds(CLOCK_CPU);
    world_save(world, &bytes, &size);
    if (world_restore(bytes, size, &twin, NULL) != STATUS_OK) {
        exit(1);
    }
    const double took = clock_seconds(CLOCK_CPU) - start;
    world_free(twin);
    free(bytes);
    return took;
}

typedef struct samples {
    double copy[ROUNDS_MAX], image[ROUNDS_MAX], steps[ROUNDS_MAX], hash[ROUNDS_MAX],
        all[ROUNDS_MAX];
} samples;

static void measure(const physics_world *world, physics_world *target, int rounds, samples *s)
{
    for (int i = 0; i < rounds; i++) {
        double hashing = 0.0;
        volatile uint64_t sum = 0;
        const double start = clock_seconds(CLOCK_CPU);
        world_copy(target, world);
        s->copy[i] = clock_seconds(CLOCK_CPU) - start;
        for (int k = 0; k < DEPTH; k++) {
            world_step(target);
            const double before = clock_seconds(CLOCK_CPU);
            sum += world_hash(target);
            hashing += clock_seconds(CLOCK_CPU) - before;
        }
        s->all[i] = clock_seconds(CLOCK_CPU) - start;
        s->hash[i] = hashing / DEPTH;
        s->steps[i] = (s->all[i] - s->copy[i] - hashing) / DEPTH;
        s->image[i] = i < 5 ? through_an_image(world) : s->image[0];
    }
}

// Bytes allocated now, including mappings.
static double allocated(void)
{
    const struct mallinfo2 m = mallinfo2();
    return (double)(m.uordblks + m.hblkhd);
}

// Makes the predicted world, a copy of the confirmed one, and measures its memory.
static physics_world *make_target(const physics_world *world, double *bytes)
{
    const world_def def = world_definition(world);
    physics_world *target = NULL;
    const double before = allocated();
    if (world_create(&def, &target, NULL) != STATUS_OK) {
        exit(1);
    }
    world_copy(target, world);
    *bytes = allocated() - before;
    return target;
}

void bench_rollback(int rounds)
{
    static const int SIZES[] = {10, 100, 500, 1000, 5000};
    static samples s;
    table *t = table_create((const char *const[]){"bodies", "awake", "contacts", "copy us",
                                                  "image us", "step us", "hash us",
                                                  "8 ticks again ms", "p95 ms", "memory kB", NULL});
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        physics_world *world = make_pile(SIZES[i]);
        double bytes;
        physics_world *target = make_target(world, &bytes);
        const world_counts counts = world_count(world);
        const size_t count = (size_t)rounds;
        measure(world, target, rounds, &s);
        table_number(t, SIZES[i], 1);
        table_number(t, counts.awake, 1);
        table_number(t, counts.contacts, 1);
        table_number(t, 1e6 * median(s.copy, count), 3);
        table_number(t, 1e6 * median(s.image, count), 3);
        table_number(t, 1e6 * median(s.steps, count), 3);
        table_number(t, 1e6 * median(s.hash, count), 3);
        table_number(t, 1e3 * median(s.all, count), 3);
        table_number(t, 1e3 * quantile(s.all, count, 0.95), 3);
        table_number(t, 1e-3 * bytes, 3);
        world_free(world);
        world_free(target);
    }
    printf(
        "A rollback: a copy, and 8 ticks with their hashes (one thread, its processor time)\n\n");
    table_print(t, stdout);
    table_free(t);
}
