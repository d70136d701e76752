// Worlds, bodies and measurements for the engine's tests (scene_helpers.h).
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/physics/image.h"

static void expect_ok(status s, const error *err)
{
    if (s != STATUS_OK) {
        fail_msg("%s: %s", status_code(s), err->text);
    }
}

physics_world *make_world_of(const world_def *def)
{
    physics_world *world = NULL;
    error err = {0};
    expect_ok(world_create(def, &world, &err), &err);
    return world;
}

physics_world *make_world(vec2d gravity)
{
    world_def def = world_def_default();
    def.gravity = gravity;
    return make_world_of(&def);
}

shape_def make_circle(double radius)
{
    shape_def def = shape_def_default();
    def.geometry.kind = SHAPE_CIRCLE;
    def.geometry.circle = (circle){{0.0f, 0.0f}, (float)radius};
    return def;
}

shape_def make_box_at(double width, double height, vec2 center, double angle)
{
    shape_def def = shape_def_default();
    error err = {0};
    def.geometry.kind = SHAPE_POLYGON;
    expect_ok(polygon_make_box((vec2){(float)width, (float)height}, center, angle, 0.0f,
                               &def.geometry.polygon, &err),
              &err);
    return def;
}

shape_def make_box(double width, double height)
{
    return make_box_at(width, height, (vec2){0.0f, 0.0f}, 0.0);
}

body_id put(physics_world *world, const body_def *def, const shape_def *shapes, int count)
{
    body_id id = 0;
    error err = {0};
    expect_ok(body_spawn(world, def, shapes, count, &id, NULL, &err), &err);
    return id;
}

body_id put_at(physics_world *world, double x, double y, const shape_def *shape)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    return put(world, &def, shape, 1);
}

body_id put_floor(physics_world *world, double friction, double restitution)
{
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.position = (vec2d){0.0, -1.0};
    shape_def top = make_box(400.0, 2.0);
    top.friction = friction;
    top.restitution = restitution;
    return put(world, &def, &top, 1);
}

body_info look(const physics_world *world, body_id body)
{
    body_info info = {0};
    error err = {0};
    expect_ok(body_get(world, body, &info, &err), &err);
    return info;
}

void run(physics_world *world, int ticks)
{
    for (int i = 0; i < ticks; i++) {
        world_step(world);
    }
}

physics_world *restored(const physics_world *world)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    physics_world *made = NULL;
    world_save(world, &bytes, &size);
    assert_int_equal(world_restore(bytes, size, &made, NULL), STATUS_OK);
    free(bytes);
    return made;
}

void set_velocity(physics_world *world, body_id body, double x, double y)
{
    body_def values = body_def_default();
    values.velocity = (vec2d){x, y};
    error err = {0};
    expect_ok(body_set(world, body, BODY_FIELD_VELOCITY, &values, &err), &err);
}

totals measure(const physics_world *world)
{
    totals t = {0};
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        body_info b = look(world, id);
        if (b.type != BODY_DYNAMIC) {
            continue;
        }
        double speed_squared = b.velocity.x * b.velocity.x + b.velocity.y * b.velocity.y;
        t.mass += b.mass;
        t.px += b.mass * b.velocity.x;
        t.py += b.mass * b.velocity.y;
        t.angular += b.inertia * b.angular_velocity +
                     b.mass * (b.center.x * b.velocity.y - b.center.y * b.velocity.x);
        t.energy += 0.5 * b.mass * speed_squared +
                    0.5 * b.inertia * b.angular_velocity * b.angular_velocity;
    }
    return t;
}

int count_events(const physics_world *world, event_kind kind, physics_event *first)
{
    uint32_t count;
    const physics_event *events = world_events(world, &count);
    int found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (events[i].kind == kind) {
            if (found++ == 0 && first != NULL) {
                *first = events[i];
            }
        }
    }
    return found;
}

void assert_near_(double actual, double expected, double tolerance, const char *what,
                  const char *file, int line)
{
    if (!(fabs(actual - expected) <= tolerance)) {
        print_error("%s is %.9g, expected %.9g within %g\n", what, actual, expected, tolerance);
        _fail(file, line);
    }
}
