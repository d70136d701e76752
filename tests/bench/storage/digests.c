// The cost of digests of bodies beside a log (proto/log/log_digest.h): a hash of a world alone, and
// the same with a block of digests, which a world with a log writes once a second.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/log/log_digest.h"
#include "tests/bench/clock.h"
#include "tests/bench/statistics.h"
#include "tests/bench/table.h"
#include "tests/support/command_line.h"

enum { ROUNDS = 21, ROWS_OF_BALLS = 20, COLUMNS_MAX = 9000 }; // a floor's half width in metres

static body_id spawn(physics_world *world, body_type type, vec2d position, shape_geometry geometry)
{
    body_def def = body_def_default();
    shape_def shape = shape_def_default();
    body_id id = 0;
    error err = {0};
    def.type = type;
    def.position = position;
    shape.geometry = geometry;
    if (body_spawn(world, &def, &shape, 1, &id, NULL, &err) != STATUS_OK) {
        fprintf(stderr, "carom-bench-digests: %s\n", err.text);
        exit(EXIT_FAILURE);
    }
    return id;
}

// Makes a world of balls that fall onto each other in a bed of 20 rows or more, or of static ones.
static physics_world *make_world(uint32_t bodies, bool moving)
{
    const uint32_t wanted = bodies / ROWS_OF_BALLS + 1;
    const uint32_t columns = wanted < COLUMNS_MAX ? wanted : COLUMNS_MAX;
    const float half = (float)columns;
    world_def def = world_def_default();
    physics_world *world = NULL;
    if (world_create(&def, &world, NULL) != STATUS_OK) {
        exit(EXIT_FAILURE);
    }
    spawn(world, BODY_STATIC, (vec2d){0.0, 0.0},
          (shape_geometry){.kind = SHAPE_SEGMENT, .segment = {{-half, 0.0f}, {half, 0.0f}}});
    for (uint32_t i = 1; i < bodies; i++) {
        const vec2d at = {1.02 * (i % columns) - 0.5 * columns, 0.55 + 1.01 * (i / columns)};
        spawn(world, moving ? BODY_DYNAMIC : BODY_STATIC, at,
              (shape_geometry){.kind = SHAPE_CIRCLE, .circle = {{0.0f, 0.0f}, 0.5f}});
    }
    for (int i = 0; i < 10; i++) {
        world_step(world);
    }
    return world;
}

static void measure(table *t, uint32_t bodies, bool moving)
{
    physics_world *world = make_world(bodies, moving);
    log_digests digests = {0};
    double step[ROUNDS];
    double hash[ROUNDS];
    double both[ROUNDS];
    size_t bytes = 0;
    for (int i = 0; i < ROUNDS; i++) {
        buffer out;
        buffer_init(&out, LOG_DIGEST_BYTES_MAX);
        double at[4];
        at[0] = clock_seconds(CLOCK_WALL);
        world_step(world);
        at[1] = clock_seconds(CLOCK_WALL);
        const uint64_t alone = world_hash(world);
        at[2] = clock_seconds(CLOCK_WALL);
        const uint64_t beside = log_digests_write(&digests, world, &out);
        at[3] = clock_seconds(CLOCK_WALL);
        if (alone != beside) {
            fprintf(stderr, "carom-bench-digests: the hashes are two\n");
            exit(EXIT_FAILURE);
        }
        step[i] = 1e3 * (at[1] - at[0]);
        hash[i] = 1e3 * (at[2] - at[1]);
        both[i] = 1e3 * (at[3] - at[2]);
        bytes = out.size;
        buffer_deinit(&out);
    }
    table_number(t, bodies, 1);
    table_text(t, moving ? "all" : "none");
    table_number(t, world_count(world).pairs, 1);
    table_number(t, median(step, ROUNDS), 3);
    table_number(t, median(hash, ROUNDS), 3);
    table_number(t, median(both, ROUNDS), 3);
    table_number(t, (double)bytes, 1);
    log_digests_deinit(&digests);
    world_free(world);
}

static const args_option OPTIONS[] = {
    {"bodies", 0, ARGS_TEXT, "N", "one world of N moving bodies; otherwise all sizes", NULL},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-bench-digests",
    "",
    "Measures what a record costs that has the digests of a world's parts.\n",
    {.options = OPTIONS}};

int main(int argc, char **argv)
{
    static const char *const HEADS[] = {"bodies",  "moving",           "pairs", "step ms",
                                        "hash ms", "with digests, ms", "bytes", NULL};
    const uint32_t sizes[] = {10000, 65000, 262000};
    table *t = table_create(HEADS);
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    if (command_line_has(&line, "bodies")) {
        const int bodies = command_line_count(&line, "bodies", 1, PHYSICS_BODIES_MAX);
        measure(t, (uint32_t)bodies, true);
    } else {
        for (int i = 0; i < 3; i++) {
            measure(t, sizes[i], true);
        }
        measure(t, sizes[2], false);
        measure(t, PHYSICS_BODIES_MAX, false);
    }
    table_print(t, stdout);
    table_free(t);
    return 0;
}
