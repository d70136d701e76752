// Worlds to measure, made in carom or through another engine's table of functions. One thread each.
#include "tests/bench/scale/subject.h"

#include "common/physics/physics.h"
#include "tests/bench/physics/engine.h"
#include "tests/golden/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WALL_ROWS = 20 };

struct subject {
    physics_world *world; // world of carom; NULL: of another engine
    const engine *engine;
    void *peer; // its world
};

// Besides carom.
static const engine *const PEERS[] = {
#ifdef HAVE_BOX2D3
    &ENGINE_BOX2D3,
#endif
    NULL};

const char *kind_name(kind of)
{
    static const char *const NAMES[KIND_COUNT] = {"spread", "piled", "asleep"};
    return NAMES[of];
}

int subject_engines(void)
{
    return (int)(sizeof PEERS / sizeof *PEERS);
}

const char *subject_engine(int which)
{
    return which == 0 ? "carom" : PEERS[which - 1]->name;
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
    // The floor consists of pieces: one shape may not be so long.
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

static world_def definition_of(kind what)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, what == SPREAD ? 0.0 : -10.0};
    def.sleep = what == ASLEEP;
    return def;
}

static physics_world *make_world(kind what, uint32_t bodies)
{
    world_def def = definition_of(what);
    physics_world *world = NULL;
    error err = {0};
    if (world_create(&def, &world, &err) != STATUS_OK) {
        fprintf(stderr, "carom-bench-scale: %s\n", err.text);
        exit(1);
    }
    if (what == SPREAD) {
        build_spread(world, bodies);
    } else {
        build_wall(world, bodies);
    }
    return world;
}

// Makes the world of another engine from the data of carom's world.
static void *make_peer(const engine *of, kind what, const physics_world *world)
{
    world_def def = definition_of(what);
    scene_data *scene = scene_data_read(world);
    scene->gravity = (scene_point){def.gravity.x, def.gravity.y};
    scene->sleep = def.sleep;
    const engine_options options = {.threads = 1};
    void *peer = of->create(scene, &options);
    scene_data_free(scene);
    return peer;
}

subject *subject_create(int which, kind what, uint32_t bodies)
{
    subject *s = calloc(1, sizeof *s);
    if (s == NULL) {
        abort();
    }
    s->world = make_world(what, bodies);
    if (which > 0) {
        s->engine = PEERS[which - 1];
        s->peer = make_peer(s->engine, what, s->world);
        world_free(s->world);
        s->world = NULL;
    }
    return s;
}

void subject_free(subject *s)
{
    world_free(s->world);
    if (s->peer != NULL) {
        s->engine->destroy(s->peer);
    }
    free(s);
}

void subject_step(subject *s)
{
    if (s->world != NULL) {
        world_step(s->world);
    } else {
        s->engine->step(s->peer);
    }
}

uint32_t subject_contacts(const subject *s)
{
    return s->world != NULL ? world_count(s->world).contacts : s->engine->contacts(s->peer);
}

uint32_t subject_awake(const subject *s)
{
    return s->world != NULL ? world_count(s->world).awake : s->engine->awake(s->peer);
}
