// The worlds of image_scenes.h.
#include "tests/unit/physics/image_scenes.h"

#include "common/physics/joint.h"

physics_world *heap_scene(void)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.2);
    for (int i = 0; i < 120; i++) {
        shape_def form = i % 2 == 0 ? make_box(0.5, 0.5) : make_circle(0.25);
        form.restitution = i % 5 == 0 ? 0.5 : 0.0;
        form.rolling_resistance = i % 7 == 0 ? 0.05 : 0.0;
        put_at(world, (i % 12) * 0.6 + 0.01 * (i % 5), 0.5 + (i / 12) * 0.7, &form);
    }
    return world;
}

static physics_world *drum_scene(void)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    body_def def = body_def_default();
    def.type = BODY_KINEMATIC;
    def.angular_velocity = 1.0;
    shape_def walls[4] = {make_box_at(0.5, 6.0, (vec2){3.0f, 0.0f}, 0.0),
                          make_box_at(0.5, 6.0, (vec2){-3.0f, 0.0f}, 0.0),
                          make_box_at(6.0, 0.5, (vec2){0.0f, 3.0f}, 0.0),
                          make_box_at(6.0, 0.5, (vec2){0.0f, -3.0f}, 0.0)};
    put(world, &def, walls, 4);
    shape_def box = make_box(0.3, 0.3);
    for (int i = 0; i < 100; i++) {
        put_at(world, (i % 10) * 0.4 - 2.0, (i / 10) * 0.4 - 2.0, &box);
    }
    return world;
}

static joint_id join(physics_world *world, joint_kind kind, body_id a, body_id b, double x,
                     double y)
{
    joint_def def = joint_def_default(kind);
    def.a = a;
    def.b = b;
    def.anchor = (vec2d){x, y};
    def.fields |= JOINT_FIELD_ANCHOR;
    joint_id id = 0;
    error err = {0};
    if (joint_create(world, &def, &id, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return id;
}

// Chains of links that swing and come to rest, a chain shape to fall on, a sensor, tags, forces.
physics_world *mixed_scene(void)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    vec2 points[6] = {{20.0f, 3.0f},  {10.0f, 0.0f},  {5.0f, -1.0f},
                      {-5.0f, -1.0f}, {-10.0f, 0.0f}, {-20.0f, 3.0f}};
    shape_def ground = shape_def_default();
    ground.form = FORM_CHAIN;
    ground.points = points;
    ground.point_count = 6;
    shape_def gate = make_box(2.0, 2.0);
    gate.sensor = true;
    shape_def both[2] = {ground, gate};
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.tag = "ground";
    body_id fixed = put(world, &def, both, 2);
    shape_def link = make_box(0.8, 0.2);
    for (int k = 0; k < 3; k++) {
        body_id last = fixed;
        for (int i = 0; i < 6; i++) {
            body_id next = put_at(world, k * 6.0 - 6.0 + i * 0.8 + 0.4, 6.0, &link);
            join(world, JOINT_REVOLUTE, last, next, k * 6.0 - 6.0 + i * 0.8, 6.0);
            last = next;
        }
    }
    shape_def capsule_ = shape_def_default();
    capsule_.geometry.kind = SHAPE_CAPSULE;
    capsule_.geometry.capsule = (capsule){{-0.3f, 0.0f}, {0.3f, 0.0f}, 0.2f};
    for (int i = 0; i < 20; i++) {
        body_id id = put_at(world, i * 0.9 - 9.0, 3.0 + 0.1 * i, &capsule_);
        error err;
        if (i % 4 == 0) {
            body_set_force(world, id, (vec2d){0.5, 0.0}, &(vec2d){i * 0.9 - 9.0, 3.2}, &err);
        }
        if (i % 5 == 0) {
            body_set_torque(world, id, 0.1, &err);
        }
        if (i % 6 == 0) {
            body_remove(world, id, &err); // leaves free slots with generations
        }
    }
    return world;
}

// Everything falls asleep, is partly removed, and is hit again.
static physics_world *sleeping_scene(void)
{
    physics_world *world = heap_scene();
    run(world, 400);
    shape_def ball = make_circle(0.5);
    body_id id = put_at(world, 3.0, 40.0, &ball);
    set_velocity(world, id, 0.0, -5.0);
    return world;
}

// Boxes that slide between walls, squeezed deep into both: contacts so deep have no friction, which
// an image does not store but which follows from its contents.
static physics_world *deep_scene(void)
{
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(0.5, 0.5);
    shape_def walls[2] = {make_box_at(1.0, 40.0, (vec2){-0.6f, 0.0f}, 0.0),
                          make_box_at(1.0, 40.0, (vec2){0.6f, 0.0f}, 0.0)};
    for (int i = 0; i < 20; i++) {
        body_def wall = body_def_default();
        wall.type = BODY_STATIC;
        wall.position.x = 10.0 * i;
        put(world, &wall, walls, 2);
        body_id id = put_at(world, 10.0 * i, 0.0, &box);
        set_velocity(world, id, 0.0, 0.01 * (i + 1));
    }
    return world;
}

const image_scene IMAGE_SCENES[IMAGE_SCENE_COUNT] = {{"heap", heap_scene},
                                                     {"drum", drum_scene},
                                                     {"mixed", mixed_scene},
                                                     {"deep", deep_scene},
                                                     {"sleeping", sleeping_scene}};
