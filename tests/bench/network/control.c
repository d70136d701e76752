// See control.h.
#include "tests/bench/network/control.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WAIT_MS = 60000, BATCH = 500 };

static void check(carom_status s, const carom_error *why)
{
    if (s != CAROM_OK) {
        give_up(why->text);
    }
}

carom_client *control_open(const bench_server *s)
{
    carom_client *c = NULL;
    carom_error why;
    check(carom_connect("127.0.0.1", s->port, WAIT_MS, NULL, &c, &why), &why);
    return c;
}

static double read_number(const carom_value *stats, const char *path)
{
    const double value = carom_get_real(stats, path, -1.0);
    if (value < 0.0) {
        fprintf(stderr, "%s: ", path);
        give_up("server.stats has no such number");
    }
    return value;
}

server_counts control_counts(carom_client *c)
{
    carom_value *stats = NULL;
    carom_error why;
    check(carom_call(c, "server.stats", NULL, WAIT_MS, &stats, &why), &why);
    const server_counts n = {
        .ticks = read_number(stats, "counters.ticks"),
        .ticks_late = read_number(stats, "counters.ticks_late"),
        .requests_failed = read_number(stats, "counters.requests_failed"),
        .snapshots_sent = read_number(stats, "counters.snapshots_sent"),
        .bytes_sent = read_number(stats, "counters.bytes_sent"),
        .p50 = read_number(stats, "latencies.delay.p50"),
        .p99 = read_number(stats, "latencies.delay.p99"),
        .p999 = read_number(stats, "latencies.delay.p999"),
        .most = read_number(stats, "latencies.delay.max"),
    };
    carom_value_free(stats);
    return n;
}

// ---- arenas

carom_vec2 arena_place(const arena *a, int index)
{
    return (carom_vec2){ARENA_PITCH_M * (index % a->columns + 0.5),
                        ARENA_TOP_M - ARENA_PITCH_M * (index / a->columns + 0.5)};
}

static void add_walls(carom_batch *batch, const arena *a)
{
    const double side = ARENA_PITCH_M * a->columns;
    const double low = ARENA_TOP_M - side;
    const carom_vec2 corners[] = {{0.0, low}, {0.0, ARENA_TOP_M}, {side, ARENA_TOP_M}, {side, low}};
    carom_shape walls = carom_shape_chain(corners, 4, true);
    walls.restitution = 1.0;
    walls.friction = 0.0;
    carom_body_options box = carom_body_options_default();
    box.type = CAROM_STATIC;
    box.shapes = &walls;
    box.shape_count = 1;
    (void)carom_batch_spawn(batch, &box);
}

static void add_ball(carom_batch *batch, const arena *a, int index)
{
    carom_shape circle = carom_shape_circle(0.5);
    circle.restitution = 1.0;
    circle.friction = 0.0;
    carom_body_options ball = carom_body_options_default();
    ball.position = arena_place(a, index);
    ball.velocity = (carom_vec2){3.0 * sin(index * 12.9898), 3.0 * sin(index * 78.233)};
    ball.shapes = &circle;
    ball.shape_count = 1;
    (void)carom_batch_spawn(batch, &ball);
}

static void fill(carom_client *c, arena *a)
{
    carom_batch *batch = carom_batch_create();
    carom_error why;
    add_walls(batch, a);
    check(carom_batch_apply(batch, c, a->name, NULL, WAIT_MS, NULL, &why), &why);
    for (int done = 0; done < a->balls; done += BATCH) {
        const int part = a->balls - done < BATCH ? a->balls - done : BATCH;
        carom_batch_clear(batch);
        for (int i = 0; i < part; i++) {
            add_ball(batch, a, done + i);
        }
        check(carom_batch_apply(batch, c, a->name, NULL, WAIT_MS, NULL, &why), &why);
        for (int i = 0; i < part; i++) {
            a->ids[done + i] = carom_batch_id(batch, (size_t)i);
        }
    }
    carom_batch_free(batch);
}

arena arena_make(carom_client *c, const char *name, double hz, int balls)
{
    arena a = {name, hz, balls, (int)ceil(sqrt(balls)), calloc((size_t)balls, sizeof *a.ids)};
    carom_world_options options = carom_world_options_default();
    carom_error why;
    if (a.ids == NULL) {
        give_up("no memory");
    }
    options.hz = hz;
    options.gravity = (carom_vec2){0.0, 0.0};
    options.paused = true;
    options.sleep = false;
    options.restitution_threshold = 0.0;
    check(carom_world_create(c, name, &options, WAIT_MS, NULL, &why), &why);
    fill(c, &a);
    return a;
}

void arena_deinit(arena *a)
{
    free(a->ids);
}

void arena_resume(carom_client *c, const arena *a)
{
    carom_error why;
    check(carom_world_resume(c, a->name, WAIT_MS, NULL, &why), &why);
}

void arena_resume_all(carom_client *c, const arena *list, int count)
{
    carom_error why;
    for (int i = 0; i < count; i++) {
        check(carom_world_resume(c, list[i].name, CAROM_NO_REPLY, NULL, &why), &why);
    }
    check(carom_flush(c, WAIT_MS, &why), &why);
}
