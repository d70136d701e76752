// Makes each scene's world as the golden tests do and reads it back as plain data; see scene_data.h
// for the reason. Main thread.
#include "tests/bench/physics/scene_data.h"

#include "common/base/array.h"
#include "common/physics/joint.h"
#include "common/physics/physics.h"
#include "tests/golden/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_kind {
    const char *name;
    int settle;
    bool still;
    // The body may not sleep: otherwise some engines would sleep, and a step's median would be zero
    bool awake;
    scene_bounds bounds;
} bench_kind;

#define FAR 1.0e6

// The walls of containers are a metre thick: a body behind them is out.
static const bench_kind KINDS[] = {
    {"pyramid", 0, true, false, {{-FAR, -1.0}, {FAR, FAR}}},
    {"heap", 0, false, true, {{-20.5, -0.5}, {20.5, FAR}}},
    {"drum", 0, false, false, {{-15.0, -5.0}, {15.0, 25.0}}},
    {"free", 0, false, false, {{-FAR, -FAR}, {FAR, FAR}}},
    {"rest", 0, true, false, {{-FAR, -1.0}, {FAR, FAR}}},
    {"asleep", 300, true, false, {{-FAR, -1.0}, {FAR, FAR}}},
    {"joints", 0, false, false, {{-FAR, -FAR}, {FAR, FAR}}},
    {"washer", 0, false, false, {{-18.0, -8.0}, {18.0, 28.0}}},
    {"spinner", 0, false, false, {{-40.0, -8.0}, {40.0, 72.0}}},
    {"smash", 0, false, false, {{-FAR, -FAR}, {FAR, FAR}}},
    {"compounds", 0, false, false, {{-40.5, -0.5}, {40.5, FAR}}},
};

enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

// A scene while it is read.
typedef struct reader {
    const physics_world *world;
    ARRAY(scene_body) bodies;
    ARRAY(body_id) ids; // ids of the bodies
    ARRAY(scene_shape) shapes;
    ARRAY(scene_hinge) hinges;
    ARRAY(scene_point) points;
} reader;

const char *const *scene_data_names(int *count)
{
    static const char *names[KIND_COUNT];
    for (int i = 0; i < KIND_COUNT; i++) {
        names[i] = KINDS[i].name;
    }
    *count = KIND_COUNT;
    return names;
}

_Noreturn static void give_up(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void expect(status s, const error *err)
{
    if (s != STATUS_OK) {
        give_up(err->text);
    }
}

static void add_points(reader *r, scene_shape *shape, const vec2 *points, int count)
{
    shape->first_point = r->points.count;
    shape->point_count = (uint32_t)count;
    for (int i = 0; i < count; i++) {
        scene_point p = {(double)points[i].x, (double)points[i].y};
        array_push(&r->points, p);
    }
}

static void read_geometry(reader *r, scene_shape *shape, const shape_def *def)
{
    if (def->form == FORM_CHAIN) {
        if (!def->loop) {
            give_up("open chains are not compared: engines differ in what their ends are");
        }
        shape->form = SCENE_LOOP;
        add_points(r, shape, def->points, def->point_count);
        return;
    }
    const shape_geometry *g = &def->geometry;
    switch (g->kind) {
    case SHAPE_CIRCLE:
        shape->form = SCENE_CIRCLE;
        shape->radius = (double)g->circle.radius;
        add_points(r, shape, &g->circle.center, 1);
        return;
    case SHAPE_CAPSULE: {
        const vec2 ends[2] = {g->capsule.a, g->capsule.b};
        shape->form = SCENE_CAPSULE;
        shape->radius = (double)g->capsule.radius;
        add_points(r, shape, ends, 2);
        return;
    }
    case SHAPE_POLYGON:
        shape->form = SCENE_POLYGON;
        shape->radius = (double)g->polygon.radius;
        add_points(r, shape, g->polygon.vertices, g->polygon.count);
        return;
    default:
        give_up("a scene has a shape that not every engine has");
    }
}

static void read_shape(reader *r, shape_id id)
{
    shape_info info;
    error err = {0};
    expect(shape_get(r->world, id, &info, &err), &err);
    scene_shape shape = {
        .density = info.def.density,
        .friction = info.def.friction,
        .restitution = info.def.restitution,
        .group = info.def.filter.group,
    };
    read_geometry(r, &shape, &info.def);
    array_push(&r->shapes, shape);
}

static void read_body(reader *r, body_id id)
{
    static const scene_motion MOTIONS[] = {
        [BODY_STATIC] = SCENE_STATIC,
        [BODY_KINEMATIC] = SCENE_KINEMATIC,
        [BODY_DYNAMIC] = SCENE_DYNAMIC,
    };
    body_info info;
    error err = {0};
    expect(body_get(r->world, id, &info, &err), &err);
    scene_body body = {
        .motion = MOTIONS[info.type],
        .position = {info.position.x, info.position.y},
        .velocity = {info.velocity.x, info.velocity.y},
        .angle = info.angle,
        .spin = info.angular_velocity,
        .awake = info.awake,
        .first_shape = r->shapes.count,
    };
    for (shape_id s = 0; (s = body_next_shape(r->world, id, s)) != 0;) {
        read_shape(r, s);
    }
    body.shape_count = r->shapes.count - body.first_shape;
    array_push(&r->bodies, body);
    array_push(&r->ids, id);
}

// Ids were assigned in ascending order of slots, and scenes remove nothing, so ids ascend.
static uint32_t find_body(const reader *r, body_id id)
{
    uint32_t low = 0;
    uint32_t high = r->ids.count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (r->ids.data[middle] <= id) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (r->ids.data[low] != id) {
        give_up("a joint's body is not in the scene");
    }
    return low;
}

static void read_joint(reader *r, joint_id id)
{
    joint_info info;
    error err = {0};
    expect(joint_get(r->world, id, &info, &err), &err);
    if (info.def.kind != JOINT_REVOLUTE) {
        give_up("only revolute joints are compared");
    }
    scene_hinge hinge = {
        .a = find_body(r, info.def.a),
        .b = find_body(r, info.def.b),
        .anchor = {info.anchor_a.x, info.anchor_a.y},
        .motor = (info.def.fields & JOINT_FIELD_MOTOR_SPEED) != 0,
        .speed = info.def.motor_speed,
        .torque = info.def.max_torque,
    };
    array_push(&r->hinges, hinge);
}

scene_data *scene_data_read(const physics_world *world)
{
    reader r = {.world = world};
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        read_body(&r, id);
    }
    for (joint_id id = 0; (id = world_next_joint(world, id)) != 0;) {
        read_joint(&r, id);
    }
    scene_data *scene = calloc(1, sizeof *scene);
    if (scene == NULL) {
        give_up("no memory");
    }
    array_fit(&r.bodies);
    array_fit(&r.shapes);
    array_fit(&r.hinges);
    array_fit(&r.points);
    scene->bodies = r.bodies.data;
    scene->body_count = r.bodies.count;
    scene->shapes = r.shapes.data;
    scene->shape_count = r.shapes.count;
    scene->hinges = r.hinges.data;
    scene->hinge_count = r.hinges.count;
    scene->points = r.points.data;
    scene->point_count = r.points.count;
    array_free(&r.ids);
    return scene;
}

static const bench_kind *find_kind(const char *name)
{
    for (int i = 0; i < KIND_COUNT; i++) {
        if (strcmp(KINDS[i].name, name) == 0) {
            return &KINDS[i];
        }
    }
    return NULL;
}

scene_data *scene_data_create(const char *name, double fraction)
{
    const bench_kind *kind = find_kind(name);
    const scene_kind *source = scene_find(name);
    if (kind == NULL || source == NULL) {
        return NULL;
    }
    int scale = (int)(fraction * source->full_scale + 0.5);
    scale = scale < 1 ? 1 : scale;
    physics_world *world = scene_create(source, scale, (vec2d){0.0, 0.0});
    scene_data *scene = scene_data_read(world);
    world_free(world);
    scene->name = kind->name;
    scene->scale = scale;
    scene->gravity = (scene_point){source->gravity.x, source->gravity.y};
    scene->sleep = source->sleep && !kind->awake;
    scene->settle = kind->settle;
    scene->steps = source->steps;
    scene->still = kind->still;
    scene->bounds = kind->bounds;
    return scene;
}

void scene_data_free(scene_data *scene)
{
    if (scene == NULL) {
        return;
    }
    array_release(scene->bodies, scene->body_count, sizeof *scene->bodies);
    array_release(scene->shapes, scene->shape_count, sizeof *scene->shapes);
    array_release(scene->hinges, scene->hinge_count, sizeof *scene->hinges);
    array_release(scene->points, scene->point_count, sizeof *scene->points);
    free(scene);
}
