// Steps small worlds on several threads, each with worlds of its own; see worlds.h. Called from the
// main thread.
#include "tests/bench/scale/worlds.h"

#include "common/physics/physics.h"
#include "tests/bench/clock.h"
#include "tests/bench/table.h"
#include "tests/golden/scenes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORLDS = 64, WORLD_BODIES = 100, THREADS_MAX = 64 };

// Makes a world of one bowl of balls, which is kept awake.
static physics_world *make_world(uint32_t seed)
{
    world_def def = world_def_default();
    def.sleep = false;
    physics_world *world = NULL;
    error err = {0};
    if (world_create(&def, &world, &err) != STATUS_OK) {
        fprintf(stderr, "carom-bench-scale: %s\n", err.text);
        exit(1);
    }
    const vec2d origin = {0.0, 0.0};
    shape_def floor = scene_box(12.0, 0.5);
    shape_def wall = scene_box(0.5, 20.0);
    scene_put_at(world, BODY_STATIC, origin, 0.0, -0.5, &floor);
    scene_put_at(world, BODY_STATIC, origin, -12.0, 20.0, &wall);
    scene_put_at(world, BODY_STATIC, origin, 12.0, 20.0, &wall);
    shape_def ball = scene_circle(0.4);
    shape_def box = scene_box(0.4, 0.4);
    for (uint32_t i = 0; i < WORLD_BODIES; i++) {
        double x = -9.0 + 2.0 * (i % 10) + 0.5 * scene_noise(seed, i);
        scene_put_at(world, BODY_DYNAMIC, origin, x, 1.0 + 1.5 * (i / 10), i % 2 ? &ball : &box);
    }
    return world;
}

typedef struct simulation { // the worlds of one thread
    pthread_t id;
    physics_world *worlds[WORLDS];
    int count;
    double seconds;
    double steps; // came to
} simulation;

static void *simulate(void *context)
{
    simulation *s = context;
    double end = clock_seconds(CLOCK_WALL) + s->seconds;
    while (clock_seconds(CLOCK_WALL) < end) {
        for (int i = 0; i < s->count; i++) {
            world_step(s->worlds[i]);
        }
        s->steps += s->count;
    }
    return NULL;
}

// Steps per second of all worlds, on `threads` threads.
static double measure(int threads, double seconds)
{
    static simulation of[THREADS_MAX];
    for (int t = 0; t < threads; t++) {
        of[t] = (simulation){.seconds = seconds};
    }
    for (int i = 0; i < WORLDS; i++) {
        simulation *s = &of[i % threads];
        s->worlds[s->count++] = make_world((uint32_t)i);
    }
    for (int t = 0; t < threads; t++) {
        if (pthread_create(&of[t].id, NULL, simulate, &of[t]) != 0) {
            fprintf(stderr, "carom-bench-scale: no thread\n");
            exit(1);
        }
    }
    double steps = 0.0;
    for (int t = 0; t < threads; t++) {
        pthread_join(of[t].id, NULL);
        steps += of[t].steps;
        for (int i = 0; i < of[t].count; i++) {
            world_free(of[t].worlds[i]);
        }
    }
    return steps / seconds;
}

void worlds_print(int threads_max, double seconds)
{
    static const char *const HEADS[] = {"threads", "steps/s", "to one", "worlds at 60 Hz", NULL};
    threads_max = threads_max < THREADS_MAX ? threads_max : THREADS_MAX;
    table *t = table_create(HEADS);
    double one = 0.0;
    for (int threads = 1; threads <= threads_max; threads++) {
        double rate = measure(threads, seconds);
        one = threads == 1 ? rate : one;
        table_number(t, threads, 1);
        table_number(t, rate, 3);
        table_ratio(t, rate / one);
        table_number(t, rate / 60.0, 3);
    }
    printf("\n%d worlds of %d bodies, awake, on several threads:\n\n", WORLDS, WORLD_BODIES);
    table_print(t, stdout);
    table_free(t);
}
