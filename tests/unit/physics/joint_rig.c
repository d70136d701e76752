// Worlds and measurements for the tests of joints (joint_rig.h).
#include "tests/unit/physics/joint_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

rig rig_open_def(const world_def *def)
{
    rig r = {0};
    error err;
    assert_int_equal(world_create(def, &r.world, &err), STATUS_OK);
    body_def ground = body_def_default();
    ground.type = BODY_STATIC;
    assert_int_equal(body_create(r.world, &ground, &r.ground, &err), STATUS_OK);
    return r;
}

rig rig_open(double gravity_y)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, gravity_y};
    def.sleep = false;
    return rig_open_def(&def);
}

void rig_close(rig *r)
{
    world_free(r->world);
    r->world = NULL;
}

static body_id add(rig *r, const body_def *def, shape_def *s)
{
    s->filter.group = -1;
    body_id id = 0;
    error err;
    if (body_spawn(r->world, def, s, 1, &id, NULL, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return id;
}

body_id rig_box(rig *r, double x, double y, double width, double height)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    shape_def s = shape_def_default();
    s.geometry.kind = SHAPE_POLYGON;
    error err;
    assert_int_equal(polygon_make_box((vec2){(float)width, (float)height}, (vec2){0.0f, 0.0f}, 0.0,
                                      0.0f, &s.geometry.polygon, &err),
                     STATUS_OK);
    return add(r, &def, &s);
}

static body_id ball(rig *r, double x, double y, double radius, double mass, bool fixed)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    def.mass = mass;
    def.fixed_rotation = fixed;
    shape_def s = shape_def_default();
    s.geometry.kind = SHAPE_CIRCLE;
    s.geometry.circle.radius = (float)radius;
    return add(r, &def, &s);
}

body_id rig_ball(rig *r, double x, double y, double radius)
{
    return ball(r, x, y, radius, 0.0, false);
}

body_id rig_point(rig *r, double x, double y, double mass)
{
    return ball(r, x, y, 0.1, mass, true);
}

joint_id rig_join(rig *r, const joint_def *def)
{
    joint_id id = 0;
    error err;
    if (joint_create(r->world, def, &id, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return id;
}

joint_def rig_def(joint_kind kind, body_id a, body_id b)
{
    joint_def def = joint_def_default(kind);
    def.a = a;
    def.b = b;
    return def;
}

joint_def rig_def_at(joint_kind kind, body_id a, body_id b, double x, double y)
{
    joint_def def = rig_def(kind, a, b);
    def.fields = JOINT_FIELD_ANCHOR;
    def.anchor = (vec2d){x, y};
    return def;
}

void rig_step(rig *r, int steps)
{
    for (int i = 0; i < steps; i++) {
        world_step(r->world);
    }
}

body_info rig_body(const rig *r, body_id id)
{
    body_info info = {0};
    assert_int_equal(body_get(r->world, id, &info, NULL), STATUS_OK);
    return info;
}

joint_info rig_info(const rig *r, joint_id id)
{
    joint_info info = {0};
    assert_int_equal(joint_get(r->world, id, &info, NULL), STATUS_OK);
    return info;
}

void rig_push(rig *r, body_id id, double vx, double vy, double spin)
{
    body_def values = body_def_default();
    values.velocity = (vec2d){vx, vy};
    values.angular_velocity = spin;
    assert_int_equal(
        body_set(r->world, id, BODY_FIELD_VELOCITY | BODY_FIELD_ANGULAR_VELOCITY, &values, NULL),
        STATUS_OK);
}

void check_near(double value, double wanted, double tolerance, const char *what, int line)
{
    double off = value > wanted ? value - wanted : wanted - value;
    if (!(off <= tolerance)) {
        fail_msg("line %d: %s is %.9g, not within %.3g of %.9g", line, what, value, tolerance,
                 wanted);
    }
}

double rig_period(rig *r, rig_sample sample, uint64_t id, double middle, int steps)
{
    double dt = 1.0 / world_definition(r->world).hz;
    double before = sample(r, id) - middle;
    double first = 0.0;
    double last = 0.0;
    int crossings = 0;
    for (int i = 0; i < steps; i++) {
        world_step(r->world);
        double now = sample(r, id) - middle;
        if (before < 0.0 && now >= 0.0) {
            last = (i + before / (before - now)) * dt; // linear between two steps
            first = crossings == 0 ? last : first;
            crossings++;
        }
        before = now;
    }
    assert_true(crossings >= 2);
    return (last - first) / (crossings - 1);
}

double rig_energy(const rig *r, body_id id)
{
    body_info b = rig_body(r, id);
    double g = -world_definition(r->world).gravity.y;
    double speed_squared = b.velocity.x * b.velocity.x + b.velocity.y * b.velocity.y;
    return 0.5 * b.mass * speed_squared +
           0.5 * b.inertia * b.angular_velocity * b.angular_velocity + b.mass * g * b.center.y;
}

rig_sums rig_sums_of(const rig *r, body_id a, body_id b)
{
    const body_info of[2] = {rig_body(r, a), rig_body(r, b)};
    double mass = of[0].mass + of[1].mass;
    double x = (of[0].mass * of[0].position.x + of[1].mass * of[1].position.x) / mass;
    double y = (of[0].mass * of[0].position.y + of[1].mass * of[1].position.y) / mass;
    rig_sums sums = {0};
    for (int i = 0; i < 2; i++) {
        const body_info *body = &of[i];
        double px = body->mass * body->velocity.x;
        double py = body->mass * body->velocity.y;
        sums.momentum_x += px;
        sums.momentum_y += py;
        sums.angular += (body->position.x - x) * py - (body->position.y - y) * px +
                        body->inertia * body->angular_velocity;
        sums.energy += 0.5 * (body->velocity.x * px + body->velocity.y * py) +
                       0.5 * body->inertia * body->angular_velocity * body->angular_velocity;
    }
    return sums;
}
