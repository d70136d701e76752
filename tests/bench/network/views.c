// The time of a view with an area in a large world.
#include <math.h>
#include <stdio.h>

#include "common/base/assert.h"
#include "server/world/snapshots/publisher.h"
#include "tests/bench/clock.h"
#include "tests/bench/network/parts.h"

enum { SQUARE = 100, VIEW_TICKS = 20 }; // bodies along a side of the world; ticks that are timed

static void drop_snapshot(void *context, reply *r)
{
    double *bytes = context;
    *bytes += (double)r->tail->size;
    reply_free(r);
}

// Makes a world of circles that fly around, 4 m apart.
static physics_world *free_world(void)
{
    world_def def = world_def_default();
    physics_world *world = NULL;
    def.gravity = (vec2d){0.0, 0.0};
    const status made = world_create(&def, &world, NULL);
    ASSERT(made == STATUS_OK);
    body_def body = body_def_default();
    shape_def shape = shape_def_default();
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){{0.0f, 0.0f}, 0.5f};
    body_id id = 0;
    for (int i = 0; i < SQUARE * SQUARE; i++) {
        body.position = (vec2d){4.0 * (i % SQUARE), 4.0 * (i / SQUARE)};
        body.velocity = (vec2d){sin(i * 12.9898), cos(i * 78.233)};
        const status spawned = body_spawn(world, &body, &shape, 1, &id, NULL, NULL);
        ASSERT(spawned == STATUS_OK);
    }
    return world;
}

// Processor time for one view's snapshot, in a world of 10 000 bodies of which the view shows about
// 30 [us].
static double time_of_view(snapshot_encoding encoding, int views)
{
    const limits bounds = limits_default();
    double bytes = 0.0;
    physics_world *world = free_world();
    publisher p;
    publisher_init(&p, &bounds, "lab", 1);
    const session_key session = {.slot = 1, .number = 1};
    for (int i = 0; i < views; i++) {
        const double x = 380.0 * fabs(sin(i * 1.7));
        const double y = 380.0 * fabs(sin(i * 2.9));
        const subscribe_args view = {.encoding = encoding,
                                     .bodies = true,
                                     .precision = {.position = 1.0 / 512.0, .angle = 0.0062},
                                     .has_area = true,
                                     .area = {x, y, x + 20.0, y + 20.0}};
        publisher_subscribe(&p, world, (uint64_t)i + 1, session, session.number, &view);
    }
    double seconds = 0.0;
    for (int i = 0; i <= VIEW_TICKS; i++) {
        world_step(world);
        publisher_note_step(&p, world);
        const double begin = clock_seconds(CLOCK_CPU);
        publisher_publish(&p, world, false, NULL, (reply_sink){drop_snapshot, &bytes});
        for (int k = 0; k < views; k++) {
            publisher_acknowledge(&p, (uint64_t)k + 1);
        }
        seconds += i > 0 ? clock_seconds(CLOCK_CPU) - begin : 0.0; // the first snapshots are full
    }
    publisher_deinit(&p);
    world_free(world);
    return seconds * 1e6 / VIEW_TICKS / views;
}

void part_views(const bench_run *run)
{
    static const char *const HEADS[] = {"<views", "plain [us]", "packed [us]", NULL};
    static const int COUNTS[] = {1, 10, 100, 1000};
    table *t = table_create(HEADS);
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", COUNTS[i]);
        table_text(t, name);
        table_number(t, time_of_view(ENCODING_PLAIN, COUNTS[i]), 3);
        table_number(t, time_of_view(ENCODING_PACKED, COUNTS[i]), 3);
    }
    report_add(run->report, "views",
               "One view's share of a tick's snapshots, areas with some 30 bodies of 10 000:", t);
}
