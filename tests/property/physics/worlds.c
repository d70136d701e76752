// Random worlds for the property tests of physics (worlds.h).
#include "tests/property/physics/worlds.h"

#include <math.h>
#include <stdlib.h>

static void expect(status s, const error *err)
{
    if (s != STATUS_OK) {
        fail_msg("%s: %s", status_code(s), err->text);
    }
}

physics_world *random_world(rng *r, vec2d gravity, double substeps_min)
{
    world_def def = world_def_default();
    def.gravity = gravity;
    do {
        def.hz = (double[]){30.0, 60.0, 60.0, 60.0, 120.0}[rng_below(r, 5)];
        def.substeps = (int[]){2, 4, 4, 4, 8}[rng_below(r, 5)];
    } while (def.hz * def.substeps < substeps_min);
    physics_world *world = NULL;
    error err = {0};
    expect(world_create(&def, &world, &err), &err);
    return world;
}

shape_def random_shape(rng *r, variety v)
{
    shape_def def = shape_def_default();
    error err = {0};
    float size = (float)rng_range(r, v == ALIKE ? 0.3 : 0.1, v == ALIKE ? 0.45 : 0.5);
    switch (rng_below(r, 5)) {
    case 0:
        def.geometry.kind = SHAPE_CIRCLE;
        def.geometry.circle.radius = size;
        break;
    case 1:
        def.geometry.kind = SHAPE_CAPSULE;
        def.geometry.capsule = (capsule){{-size, 0.0f}, {size, 0.0f}, 0.6f * size};
        break;
    case 2: {
        vec2 points[POLYGON_VERTICES_MAX];
        int count = 3 + rng_below(r, 6);
        double turn = rng_range(r, 0.0, 6.0);
        for (int i = 0; i < count; i++) {
            double sine;
            double cosine;
            sin_cos(turn + 2.0 * PI_D * (i + 0.3 * rng_unit(r)) / count, &sine, &cosine);
            points[i] = (vec2){size * (float)cosine, size * (float)sine};
        }
        def.geometry.kind = SHAPE_POLYGON;
        float rounding = rng_below(r, 2) == 0 ? 0.0f : 0.1f * size;
        expect(polygon_make(points, count, rounding, &def.geometry.polygon, &err), &err);
        break;
    }
    default:
        def.geometry.kind = SHAPE_POLYGON;
        expect(polygon_make_box(
                   (vec2){2.0f * size, (float)rng_range(r, v == ALIKE ? 1.0 : 0.5, 2.0) * size},
                   (vec2){0.0f, 0.0f}, 0.0, 0.0f, &def.geometry.polygon, &err),
               &err);
        break;
    }
    def.friction = rng_range(r, 0.1, 1.0);
    def.restitution = rng_below(r, 3) == 0 ? rng_range(r, 0.0, 0.8) : 0.0;
    def.rolling_resistance = rng_below(r, 3) == 0 ? 0.1 : 0.0;
    def.density = v == ALIKE ? 1.0 : rng_range(r, 0.5, 2.0);
    def.events |= SHAPE_EVENT_HIT;
    return def;
}

body_id random_body(physics_world *world, rng *r, variety v, vec2d at)
{
    body_def def = body_def_default();
    def.position = at;
    def.angle = rng_range(r, -3.0, 3.0);
    def.bullet = rng_below(r, 10) == 0;
    shape_def shape = random_shape(r, v);
    body_id id = 0;
    error err = {0};
    expect(body_spawn(world, &def, &shape, 1, &id, NULL, &err), &err);
    return id;
}

void put_bin(physics_world *world, double half_width)
{
    const double places[3][4] = {{0.0, -0.5, 2.0 * half_width + 2.0, 1.0},
                                 {-half_width - 0.5, 20.0, 1.0, 40.0},
                                 {half_width + 0.5, 20.0, 1.0, 40.0}};
    for (int i = 0; i < 3; i++) {
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        def.position = (vec2d){places[i][0], places[i][1]};
        shape_def shape = shape_def_default();
        shape.geometry.kind = SHAPE_POLYGON;
        error err = {0};
        expect(polygon_make_box((vec2){(float)places[i][2], (float)places[i][3]},
                                (vec2){0.0f, 0.0f}, 0.0, 0.0f, &shape.geometry.polygon, &err),
               &err);
        body_id id;
        expect(body_spawn(world, &def, &shape, 1, &id, NULL, &err), &err);
    }
}

void fill_bin(physics_world *world, rng *r, variety v, int count, double half_width)
{
    const double pitch = 1.7; // larger than the length of any shape
    int columns = (int)(2.0 * half_width / pitch);
    double left = -0.5 * pitch * (columns - 1);
    for (int i = 0; i < count; i++) {
        vec2d at = {left + pitch * (i % columns), 1.0 + pitch * (i / columns)};
        random_body(world, r, v, at);
    }
}

static body_id random_dynamic(const physics_world *world, rng *r)
{
    uint32_t bodies = world_count(world).bodies;
    body_id id = world_next_body(world, (body_id)rng_below(r, (int)bodies + 1));
    body_info info;
    error err;
    return id != 0 && body_get(world, id, &info, &err) == STATUS_OK && info.type != BODY_STATIC ? id
                                                                                                : 0;
}

void disturb(physics_world *world, rng *r)
{
    error err = {0};
    body_id id = random_dynamic(world, r);
    body_info info;
    body_def values = body_def_default();
    int what = rng_below(r, 9);
    if (id == 0 || what == 0) {
        random_body(world, r, MIXED, (vec2d){rng_range(r, -3.0, 3.0), rng_range(r, 2.0, 12.0)});
        return;
    }
    expect(body_get(world, id, &info, &err), &err);
    switch (what) {
    case 1:
        expect(body_remove(world, id, &err), &err);
        return;
    case 2: {
        vec2d push = {rng_range(r, -5.0, 5.0), rng_range(r, -5.0, 5.0)};
        expect(body_apply_impulse(world, id, push, &info.position, &err), &err);
        return;
    }
    case 3:
        values.type = info.type == BODY_DYNAMIC ? BODY_KINEMATIC : BODY_DYNAMIC;
        expect(body_set(world, id, BODY_FIELD_TYPE, &values, &err), &err);
        return;
    case 4:
        values.enabled = !info.enabled;
        expect(body_set(world, id, BODY_FIELD_ENABLED, &values, &err), &err);
        return;
    case 5:
        values.awake = rng_below(r, 2) == 0;
        expect(body_set(world, id, BODY_FIELD_AWAKE, &values, &err), &err);
        return;
    case 6: {
        shape_def shape = random_shape(r, MIXED);
        shape.sensor = rng_below(r, 2) == 0;
        shape_id added;
        expect(shape_add(world, id, &shape, &added, &err), &err);
        return;
    }
    case 7: {
        shape_id first = body_next_shape(world, id, 0);
        if (first != 0 && info.shape_count > 1) {
            expect(shape_remove(world, first, &err), &err);
        }
        return;
    }
    default:
        values.position = (vec2d){rng_range(r, -3.0, 3.0), rng_range(r, 2.0, 12.0)};
        values.velocity = (vec2d){rng_range(r, -30.0, 30.0), rng_range(r, -30.0, 30.0)};
        expect(body_set(world, id, BODY_FIELD_POSITION | BODY_FIELD_VELOCITY, &values, &err), &err);
        return;
    }
}

state_sum sum_state(const physics_world *world)
{
    state_sum t = {.finite = true};
    vec2d gravity = world_definition(world).gravity;
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        body_info b;
        error err;
        expect(body_get(world, id, &b, &err), &err);
        if (b.type != BODY_DYNAMIC) {
            continue;
        }
        double squared = b.velocity.x * b.velocity.x + b.velocity.y * b.velocity.y;
        t.mass += b.mass;
        t.px += b.mass * b.velocity.x;
        t.py += b.mass * b.velocity.y;
        t.angular += b.inertia * b.angular_velocity +
                     b.mass * (b.center.x * b.velocity.y - b.center.y * b.velocity.x);
        t.kinetic +=
            0.5 * b.mass * squared + 0.5 * b.inertia * b.angular_velocity * b.angular_velocity;
        t.potential -= b.mass * (gravity.x * b.center.x + gravity.y * b.center.y);
        t.speed = fmax(t.speed, sqrt(squared));
        t.travel += b.mass * sqrt(squared) * hypot(b.center.x, b.center.y) +
                    b.inertia * fabs(b.angular_velocity);
        t.finite = t.finite && vec2d_is_finite(b.position) && vec2d_is_finite(b.velocity) &&
                   isfinite(b.angular_velocity) && isfinite(b.angle);
    }
    return t;
}

double deepest_overlap(const physics_world *world)
{
    uint32_t count = world_contacts(world, NULL, 0);
    contact_info *contacts = calloc(count + (size_t)1, sizeof *contacts);
    assert_non_null(contacts);
    world_contacts(world, contacts, count);
    double deepest = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < contacts[i].count; k++) {
            deepest = fmax(deepest, (double)contacts[i].depth[k]);
        }
    }
    free(contacts);
    return deepest;
}
