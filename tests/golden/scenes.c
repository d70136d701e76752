// The table of golden scenes, and their common parts: bodies, shapes and the run of a scene.
#include "tests/golden/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const scene_kind KINDS[] = {
    {"pyramid", build_pyramid, NULL, {0.0, -10.0}, false, 100, 20, 500},
    {"heap", build_heap, NULL, {0.0, -10.0}, true, 50, 14, 900},
    {"drum", build_drum, NULL, {0.0, -10.0}, true, 45, 14, 750},
    {"free", build_free, NULL, {0.0, 0.0}, true, 100, 0, 600},
    {"rest", build_rest, NULL, {0.0, -10.0}, false, 100, 0, 300},
    {"asleep", build_rest, NULL, {0.0, -10.0}, true, 100, 0, 600},
    {"joints", build_joints, NULL, {0.0, -10.0}, false, 100, 12, 300},
    {"washer", build_washer, NULL, {0.0, -10.0}, true, 90, 16, 500},
    {"spinner", build_spinner, NULL, {0.0, -10.0}, true, 6076, 0, 500},
    {"smash", build_smash, NULL, {0.0, 0.0}, true, 120, 0, 300},
    {"compounds", build_compounds, NULL, {0.0, -10.0}, true, 150, 6, 500},
    {"ragdolls", build_ragdolls, NULL, {0.0, -10.0}, true, 200, 10, 500},
    {"machines", build_machines, NULL, {0.0, -10.0}, true, 200, 4, 500},
    {"bullets", build_bullets, act_bullets, {0.0, -10.0}, true, 200, 8, 500},
    {"rain", build_rain, act_rain, {0.0, -10.0}, true, 5000, 120, 1000},
    {"ledges", build_ledges, act_ledges, {0.0, -10.0}, true, 1000, 90, 500},
};

const scene_kind *scene_kinds(int *count)
{
    *count = (int)(sizeof KINDS / sizeof *KINDS);
    return KINDS;
}

const scene_kind *scene_find(const char *name)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (strcmp(KINDS[i].name, name) == 0) {
            return &KINDS[i];
        }
    }
    return NULL;
}

static void expect(status s, const error *err)
{
    if (s != STATUS_OK) {
        fprintf(stderr, "scene: %s: %s\n", status_code(s), err->text);
        abort();
    }
}

physics_world *scene_create(const scene_kind *kind, int scale, vec2d origin)
{
    world_def def = world_def_default();
    def.gravity = kind->gravity;
    def.sleep = kind->sleep;
    physics_world *world = NULL;
    error err = {0};
    expect(world_create(&def, &world, &err), &err);
    kind->build(world, scale, origin);
    return world;
}

void scene_step(const scene_kind *kind, physics_world *world, int scale, vec2d origin)
{
    if (kind->act != NULL) {
        kind->act(world, scale, origin);
    }
    world_step(world);
}

shape_def scene_box_at(double half_width, double half_height, vec2 center, double angle)
{
    shape_def def = shape_def_default();
    error err = {0};
    vec2 size = {(float)(2.0 * half_width), (float)(2.0 * half_height)};
    def.geometry.kind = SHAPE_POLYGON;
    expect(polygon_make_box(size, center, angle, 0.0f, &def.geometry.polygon, &err), &err);
    return def;
}

shape_def scene_box(double half_width, double half_height)
{
    return scene_box_at(half_width, half_height, (vec2){0.0f, 0.0f}, 0.0);
}

shape_def scene_circle(double radius)
{
    shape_def def = shape_def_default();
    def.geometry.kind = SHAPE_CIRCLE;
    def.geometry.circle = (circle){{0.0f, 0.0f}, (float)radius};
    return def;
}

shape_def scene_capsule(double half_length, double radius)
{
    shape_def def = shape_def_default();
    float half = (float)half_length;
    def.geometry.kind = SHAPE_CAPSULE;
    def.geometry.capsule = (capsule){{-half, 0.0f}, {half, 0.0f}, (float)radius};
    return def;
}

shape_def scene_polygon(const vec2 *points, int count)
{
    shape_def def = shape_def_default();
    error err = {0};
    def.geometry.kind = SHAPE_POLYGON;
    expect(polygon_make(points, count, 0.0f, &def.geometry.polygon, &err), &err);
    return def;
}

body_id scene_put(physics_world *world, const body_def *def, const shape_def *shapes, int count)
{
    body_id id = 0;
    error err = {0};
    expect(body_spawn(world, def, shapes, count, &id, NULL, &err), &err);
    return id;
}

body_id scene_put_at(physics_world *world, body_type type, vec2d origin, double x, double y,
                     const shape_def *shape)
{
    body_def def = body_def_default();
    def.type = type;
    def.position = (vec2d){origin.x + x, origin.y + y};
    return scene_put(world, &def, shape, 1);
}

double scene_noise(uint64_t seed, uint64_t index)
{
    // SplitMix64 (Steele, Lea, Flood 2014) of seed and index.
    uint64_t z = seed * 0xD1342543DE82EF95ULL + index * 0x9E3779B97F4A7C15ULL;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}
