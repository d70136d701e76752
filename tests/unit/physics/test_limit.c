// Definitions that are refused: every field of every definition, with its name in the text; and
// every limit is reached.
#include "common/physics/overlaps.h"
#include "common/physics/image.h"
#include "common/physics/validate.h"
#include "tests/golden/wild.h"
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void refused(status s, const error *err, const char *field)
{
    assert_int_equal(s, STATUS_INVALID_ARGUMENT);
    if (strstr(err->text, field) == NULL) {
        fail_msg("'%s' does not name %s", err->text, field);
    }
}

static void world_definition_out_of_range_names_the_field(void **state)
{
    (void)state;
    physics_world *world = NULL;
    error err;
    world_def def = world_def_default();
    def.gravity.y = (double)INFINITY;
    refused(world_create(&def, &world, &err), &err, "gravity");
    def = world_def_default();
    def.hz = 0.0;
    refused(world_create(&def, &world, &err), &err, "hz");
    def.hz = 1001.0;
    refused(world_create(&def, &world, &err), &err, "hz");
    def = world_def_default();
    def.substeps = 0;
    refused(world_create(&def, &world, &err), &err, "substeps");
    def.substeps = PHYSICS_SUBSTEPS_MAX + 1;
    refused(world_create(&def, &world, &err), &err, "substeps");
    def = world_def_default();
    def.bodies_max = 0;
    refused(world_create(&def, &world, &err), &err, "max_bodies");
    assert_null(world);
}

static void body_definition_out_of_range_names_the_field(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct {
            size_t offset;
            const char *name;
        } fields[] = {
            {offsetof(body_def, position.x), "position"},
            {offsetof(body_def, position.y), "position"},
            {offsetof(body_def, angle), "angle"},
            {offsetof(body_def, velocity.x), "velocity"},
            {offsetof(body_def, angular_velocity), "angular_velocity"},
            {offsetof(body_def, linear_damping), "linear_damping"},
            {offsetof(body_def, angular_damping), "angular_damping"},
            {offsetof(body_def, gravity_scale), "gravity_scale"},
            {offsetof(body_def, mass), "mass"},
        };
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            body_def def = body_def_default();
            memcpy((char *)&def + fields[k].offset, &bad[i], sizeof bad[i]);
            body_id id;
            error err;
            refused(body_create(world, &def, &id, &err), &err, fields[k].name);
        }
    }
    body_def def = body_def_default();
    def.type = (body_type)7;
    body_id id;
    error err;
    refused(body_create(world, &def, &id, &err), &err, "type");
    char tag[PHYSICS_TAG_BYTES_MAX + 2];
    memset(tag, 'x', sizeof tag);
    tag[sizeof tag - 1] = '\0';
    def = body_def_default();
    def.tag = tag;
    refused(body_create(world, &def, &id, &err), &err, "tag");
    assert_int_equal(world_count(world).bodies, 0);
    world_free(world);
}

static void shape_definition_out_of_range_names_the_field(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id id = put_at(world, 0.0, 0.0, &ball);
    const struct {
        size_t offset;
        const char *name;
    } fields[] = {
        {offsetof(shape_def, density), "density"},
        {offsetof(shape_def, friction), "friction"},
        {offsetof(shape_def, restitution), "restitution"},
        {offsetof(shape_def, rolling_resistance), "rolling_resistance"},
        {offsetof(shape_def, tangent_speed), "tangent_speed"},
    };
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            shape_def def = make_circle(0.5);
            memcpy((char *)&def + fields[k].offset, &bad[i], sizeof bad[i]);
            shape_id shape;
            error err;
            refused(shape_add(world, id, &def, &shape, &err), &err, fields[k].name);
        }
    }
    shape_def def = make_circle(0.0);
    shape_id shape;
    error err;
    refused(shape_add(world, id, &def, &shape, &err), &err, "radius");
    def = make_circle(0.5);
    def.events = 1u << 20;
    refused(shape_add(world, id, &def, &shape, &err), &err, "events");
    def = make_circle(0.5);
    def.form = FORM_CHAIN;
    vec2 points[2] = {{0.0f, 0.0f}, {0.0f, 0.0f}};
    def.points = points;
    def.point_count = 1;
    refused(shape_add(world, id, &def, &shape, &err), &err, "vertices");
    def.point_count = 2;
    refused(shape_add(world, id, &def, &shape, &err), &err, "vertices[0]");
    assert_int_equal(world_count(world).shapes, 1);
    world_free(world);
}

static void impulse_that_is_not_finite_or_too_large_is_refused(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id id = put_at(world, 0.0, 0.0, &ball);
    error err;
    refused(body_apply_impulse(world, id, (vec2d){(double)NAN, 0.0}, NULL, &err), &err, "impulse");
    refused(body_apply_impulse(world, id, (vec2d){0.0, 1e13}, NULL, &err), &err, "impulse");
    refused(body_apply_impulse(world, id, (vec2d){0.0, 1.0}, &(vec2d){(double)NAN, 0.0}, &err),
            &err, "point");
    refused(body_set_force(world, id, (vec2d){(double)INFINITY, 0.0}, NULL, &err), &err, "force");
    refused(body_set_torque(world, id, (double)NAN, &err), &err, "torque");
    refused(body_apply_angular_impulse(world, id, (double)NAN, &err), &err, "impulse");
    assert_int_equal(body_set_torque(world, 77, 1.0, &err), STATUS_NOT_FOUND);
    // The largest allowed impulse leaves the body finite, at the speed limit.
    assert_int_equal(body_apply_impulse(world, id, (vec2d){1e12, 1e12}, &(vec2d){0.2, 0.1}, &err),
                     STATUS_OK);
    world_step(world);
    body_info b = look(world, id);
    assert_true(hypot(b.velocity.x, b.velocity.y) <= PHYSICS_SPEED_MAX * 1.001);
    assert_true(fabs(b.angular_velocity) <= PHYSICS_SPIN_MAX);
    world_free(world);
}

static void world_with_its_most_bodies_takes_no_more(void **state)
{
    (void)state;
    world_def wd = world_def_default();
    wd.bodies_max = 3;
    physics_world *world = make_world_of(&wd);
    body_def def = body_def_default();
    body_id id;
    error err;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(body_create(world, &def, &id, &err), STATUS_OK);
    }
    assert_int_equal(body_create(world, &def, &id, &err), STATUS_LIMIT_EXCEEDED);
    assert_int_equal(body_remove(world, 2, &err), STATUS_OK);
    assert_int_equal(body_create(world, &def, &id, &err), STATUS_OK);
    world_free(world);
}

static void world_with_its_most_contacts_makes_no_more(void **state)
{
    (void)state;
    enum { BALLS = 6, MOST = 7 }; // 6 balls in one place have 15 pairs
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    world_lower_contacts_max(world, MOST);
    body_id balls[BALLS];
    for (int i = 0; i < BALLS; i++) {
        balls[i] = put_at(world, 0.01 * i, 0.0, &ball);
    }
    run(world, 1);
    assert_int_equal(world_count(world).pairs, MOST);
    world_validate(world);
    run(world, 120);
    world_validate(world);
    // Room freed by removed bodies is used again.
    error err;
    for (int i = 1; i < BALLS; i++) {
        assert_int_equal(body_remove(world, balls[i], &err), STATUS_OK);
    }
    body_info first = look(world, balls[0]);
    put_at(world, first.position.x + 0.3, first.position.y, &ball);
    run(world, 1);
    assert_int_equal(world_count(world).pairs, 1);
    world_free(world);
}

// With the usual limits: the room for contacts follows from the number of shapes.
static void crowd_has_contacts_by_its_shapes(void **state)
{
    (void)state;
    enum { BALLS = 500, PAIRS = BALLS * (BALLS - 1) / 2 };
    const uint32_t most = PHYSICS_CONTACTS_LEAST + PHYSICS_CONTACTS_PER_SHAPE * BALLS;
    assert_true(PAIRS > most);
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    for (int i = 0; i < BALLS; i++) {
        put_at(world, 0.0001 * i, 0.0, &ball);
    }
    assert_false(world_contacts_full(world));
    run(world, 1);
    assert_int_equal(world_count(world).pairs, most);
    assert_true(world_contacts_full(world));
    world_validate(world);
    world_free(world);
}

static void run_one_by_one(void *pool, task_function *task, void *context, uint32_t count)
{
    (void)pool;
    for (uint32_t i = count; i > 0; i--) {
        task(context, i - 1);
    }
}

// The state's hash after some steps of a crowd in which only `pairs` of the overlapping pairs have
// contacts.
static uint64_t hash_of_crowd(physics_world *world, uint32_t pairs)
{
    world_lower_contacts_max(world, pairs);
    run(world, 1);
    assert_int_equal(world_count(world).pairs, pairs);
    run(world, 5);
    world_validate(world);
    const uint64_t hash = world_hash(world);
    world_free(world);
    return hash;
}

// The same pairs get contacts for any shape of the trees, and with several threads.
static void crowd_of_more_pairs_than_have_room_is_cut_alike(void **state)
{
    (void)state;
    enum { BALLS = 200, ROOM = 300 }; // 200 balls have 19 900 pairs, which are cut at 4 096
    physics_world *worlds[3] = {make_world((vec2d){0.0, 0.0})};
    shape_def ball = make_circle(0.5);
    for (int i = 0; i < BALLS; i++) {
        put_at(worlds[0], 0.001 * (i * 37 % BALLS), 0.001 * (i * 11 % BALLS), &ball);
    }
    size_t size = 0;
    uint8_t *image = NULL;
    world_save(worlds[0], &image, &size);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(world_restore(image, size, &worlds[i], NULL), STATUS_OK);
    }
    free(image);
    world_set_runner(worlds[2], (task_runner){.run = run_one_by_one, .threads = 3, .eager = true});
    const uint64_t hash = hash_of_crowd(worlds[0], ROOM);
    assert_int_equal(hash_of_crowd(worlds[1], ROOM), hash);
    assert_int_equal(hash_of_crowd(worlds[2], ROOM), hash);
}

// Balls that meet, some of them fast, in more pairs than a step examines: they pass through each
// other, and collide with balls that come later.
static void crowd_of_more_pairs_than_a_step_looks_at_passes_by(void **state)
{
    (void)state;
    enum { BALLS = 200, MOST = 6000 }; // 200 balls have 19 900 pairs
    for (int threads = 1; threads <= 3; threads += 2) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        shape_def ball = make_circle(0.5);
        world_lower_meetings_max(world, MOST);
        world_set_runner(world,
                         (task_runner){.run = run_one_by_one, .threads = threads, .eager = true});
        for (int i = 0; i < BALLS; i++) {
            body_id id = put_at(world, 0.001 * i, 0.0, &ball);
            set_velocity(world, id, 0.0, i % 2 == 0 ? 0.0 : 300.0);
        }
        run(world, 1);
        assert_int_equal(world_count(world).pairs, 0);
        run(world, 3);
        world_validate(world);
        put_at(world, 0.0, 0.0, &ball);
        run(world, 1);
        assert_int_equal(world_count(world).pairs, BALLS / 2); // the others are 20 m away
        world_free(world);
    }
}

enum { CROWD = 240, HALF_ROOM = 2 };

static void wall_in(physics_world *world, bool kinematic)
{
    const double at = HALF_ROOM + 0.5;
    const double side = 2.0 * HALF_ROOM + 2.0;
    for (int i = 0; i < 4; i++) {
        const bool level = i < 2;
        const double sign = i % 2 == 0 ? -1.0 : 1.0;
        const shape_def wall = level ? make_box(side, 1.0) : make_box(1.0, side);
        body_def def = body_def_default();
        def.type = kinematic ? BODY_KINEMATIC : BODY_STATIC;
        def.position = level ? (vec2d){0.0, sign * at} : (vec2d){sign * at, 0.0};
        put(world, &def, &wall, 1);
    }
}

// Puts a crowd in one place, in a room whose walls have the highest slots. Checks that no body
// leaves the room; returns the hash after some seconds.
static uint64_t hash_of_walled_crowd(uint32_t contacts, uint32_t meetings, bool kinematic,
                                     int threads)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    const shape_def ball = make_circle(0.4);
    body_id balls[CROWD];
    world_lower_contacts_max(world, contacts);
    world_lower_meetings_max(world, meetings);
    if (threads > 1) {
        const task_runner several = {.run = run_one_by_one, .threads = threads, .eager = true};
        world_set_runner(world, several);
    }
    for (int i = 0; i < CROWD; i++) {
        balls[i] = put_at(world, 0.001 * (i * 37 % CROWD), 0.001 * i, &ball);
        set_velocity(world, balls[i], i % 7 - 3.0, i % 5 - 2.0);
    }
    wall_in(world, kinematic);
    for (int second = 0; second < 2; second++) {
        run(world, 60);
        for (int i = 0; i < CROWD; i++) {
            const vec2d at = look(world, balls[i]).position;
            assert_true(fabs(at.x) < HALF_ROOM && fabs(at.y) < HALF_ROOM);
        }
    }
    world_validate(world);
    const uint64_t hash = world_hash(world);
    world_free(world);
    return hash;
}

// There are 28 680 pairs, and those with the walls. A world of so many shapes has room for 16
// contacts a shape.
static void crowd_without_room_for_its_pairs_stays_within_its_walls(void **state)
{
    (void)state;
    const struct {
        uint32_t contacts, meetings;
    } bounds[] = {{16 * CROWD, UINT32_MAX}, {UINT32_MAX / 2, 4000}, {16 * CROWD, 4000}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        for (int kinematic = 0; kinematic < 2; kinematic++) {
            const uint64_t hash =
                hash_of_walled_crowd(bounds[i].contacts, bounds[i].meetings, kinematic > 0, 1);
            assert_int_equal(
                hash_of_walled_crowd(bounds[i].contacts, bounds[i].meetings, kinematic > 0, 3),
                hash);
        }
    }
}

static void body_with_its_most_shapes_takes_no_more(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id id = put_at(world, 0.0, 0.0, &ball);
    shape_id shape;
    error err;
    for (int i = 1; i < PHYSICS_BODY_SHAPES_MAX; i++) {
        assert_int_equal(shape_add(world, id, &ball, &shape, &err), STATUS_OK);
    }
    assert_int_equal(shape_add(world, id, &ball, &shape, &err), STATUS_LIMIT_EXCEEDED);
    world_free(world);
}

static void body_that_leaves_the_world_is_frozen_and_told(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(0.5);
    body_id id = put_at(world, PHYSICS_EXTENT_MAX - 10.0, 0.0, &ball);
    body_id other = put_at(world, 0.0, 0.0, &ball);
    set_velocity(world, id, 1000.0, 0.0);
    set_velocity(world, other, 1.0, 0.0);
    physics_event e = {0};
    run(world, 1);
    assert_int_equal(count_events(world, EVENT_FREEZE, &e), 1);
    assert_int_equal(e.a, id);
    body_info b = look(world, id);
    assert_true(b.frozen);
    assert_false(b.enabled);
    assert_near(b.velocity.x, 0.0, 0.0);
    assert_int_equal(world_count(world).frozen, 1);
    run(world, 59);
    assert_near(look(world, other).position.x, 1.0, 1e-4); // no other body was affected
    // The frozen body can be brought back.
    body_def values = body_def_default();
    values.position = (vec2d){5.0, 0.0};
    error err;
    assert_int_equal(body_set(world, id, BODY_FIELD_POSITION | BODY_FIELD_ENABLED, &values, &err),
                     STATUS_OK);
    assert_false(look(world, id).frozen);
    world_free(world);
}

// ---- speeds

static body_id put_free(physics_world *world, double x, double mass)
{
    shape_def box = make_box(0.05, 0.05);
    body_id id = put_at(world, x, 0.0, &box);
    body_def values = body_def_default();
    values.mass = mass;
    error err;
    assert_int_equal(body_set(world, id, BODY_FIELD_MASS, &values, &err), STATUS_OK);
    return id;
}

// body_get() reports speeds within the limits, and body_set() accepts them.
static void assert_within_limits(physics_world *world, body_id id)
{
    const body_info b = look(world, id);
    const double speed = PHYSICS_SPEED_MAX;
    assert_true(fabs(b.velocity.x) <= speed && fabs(b.velocity.y) <= speed);
    assert_true(fabs(b.angular_velocity) <= PHYSICS_SPIN_MAX);
    assert_true(isfinite(b.position.x) && isfinite(b.position.y) && isfinite(b.angle));
    body_def values = body_def_default();
    values.velocity = b.velocity;
    values.angular_velocity = b.angular_velocity;
    error err;
    assert_int_equal(
        body_set(world, id, BODY_FIELD_VELOCITY | BODY_FIELD_ANGULAR_VELOCITY, &values, &err),
        STATUS_OK);
}

static void stiff_spring_far_from_its_target_reaches_the_limit(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    body_id ground = put_free(world, 0.0, 0.0);
    body_def still = body_def_default();
    still.type = BODY_STATIC;
    error err;
    assert_int_equal(body_set(world, ground, BODY_FIELD_TYPE, &still, &err), STATUS_OK);
    body_id turned = put_free(world, 0.0, 0.0);
    body_id drawn = put_free(world, 5.0, 0.0);
    joint_def spring = joint_def_default(JOINT_REVOLUTE);
    spring.fields = JOINT_FIELD_ANCHOR | JOINT_FIELD_HERTZ | JOINT_FIELD_TARGET_ANGLE;
    spring.a = ground;
    spring.b = turned;
    spring.hertz = JOINT_HERTZ_MAX;
    spring.target_angle = JOINT_LIMIT_MAX;
    joint_def mouse = joint_def_default(JOINT_MOUSE);
    mouse.fields = JOINT_FIELD_TARGET | JOINT_FIELD_ANCHOR_B | JOINT_FIELD_HERTZ;
    mouse.b = drawn;
    mouse.hertz = JOINT_HERTZ_MAX;
    mouse.target = (vec2d){9e5, 0.0};
    joint_id joint;
    assert_int_equal(joint_create(world, &spring, &joint, &err), STATUS_OK);
    assert_int_equal(joint_create(world, &mouse, &joint, &err), STATUS_OK);
    run(world, 1);
    assert_near(look(world, turned).angular_velocity, PHYSICS_SPIN_MAX, 0.0);
    assert_near(look(world, drawn).velocity.x, PHYSICS_SPEED_MAX, 0.0);
    assert_near(look(world, drawn).position.x, 5.0 + PHYSICS_SPEED_MAX / 60.0, 0.01);
    for (int i = 0; i < 30; i++) {
        assert_within_limits(world, turned);
        assert_within_limits(world, drawn);
        run(world, 1);
    }
    world_free(world);
}

// Impulses computed for the greatest masses act on the smallest ones.
static void masses_that_change_under_pressure_stay_within_limits(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -PHYSICS_GRAVITY_MAX});
    shape_def floor = make_box(10.0, 1.0);
    body_id ground = put_at(world, 0.0, -1.05, &floor);
    body_def values = body_def_default();
    values.type = BODY_STATIC;
    error err;
    assert_int_equal(body_set(world, ground, BODY_FIELD_TYPE, &values, &err), STATUS_OK);
    body_id a = put_free(world, 0.0, PHYSICS_MASS_MAX);
    body_id b = put_free(world, 0.08, PHYSICS_MASS_MAX);
    joint_def weld = joint_def_default(JOINT_WELD);
    weld.a = a;
    weld.b = b;
    joint_id joint;
    assert_int_equal(joint_create(world, &weld, &joint, &err), STATUS_OK);
    for (int i = 0; i < 60; i++) {
        values.mass = i % 2 == 0 ? PHYSICS_MASS_MIN : PHYSICS_MASS_MAX;
        assert_int_equal(body_set(world, a, BODY_FIELD_MASS, &values, &err), STATUS_OK);
        run(world, 1);
        assert_within_limits(world, a);
        assert_within_limits(world, b);
        joint_info j;
        assert_int_equal(joint_get(world, joint, &j, &err), STATUS_OK);
        assert_true(isfinite(j.force.x) && isfinite(j.force.y) && isfinite(j.torque));
    }
    world_free(world);
}

static void worlds_that_break_physics_stay_within_limits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        physics_world *world = wild_create(seed);
        for (int tick = 0; tick < WILD_TICKS; tick++) {
            wild_step(world, seed);
            world_validate(world);
            for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
                const body_info b = look(world, id);
                assert_true(fabs(b.velocity.x) <= PHYSICS_SPEED_MAX &&
                            fabs(b.velocity.y) <= PHYSICS_SPEED_MAX &&
                            fabs(b.angular_velocity) <= PHYSICS_SPIN_MAX);
            }
            for (joint_id id = 0; (id = world_next_joint(world, id)) != 0;) {
                joint_info j;
                error err;
                assert_int_equal(joint_get(world, id, &j, &err), STATUS_OK);
                assert_true(isfinite(j.force.x) && isfinite(j.force.y) && isfinite(j.torque));
            }
        }
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world_definition_out_of_range_names_the_field),
        cmocka_unit_test(body_definition_out_of_range_names_the_field),
        cmocka_unit_test(shape_definition_out_of_range_names_the_field),
        cmocka_unit_test(impulse_that_is_not_finite_or_too_large_is_refused),
        cmocka_unit_test(world_with_its_most_bodies_takes_no_more),
        cmocka_unit_test(world_with_its_most_contacts_makes_no_more),
        cmocka_unit_test(crowd_has_contacts_by_its_shapes),
        cmocka_unit_test(crowd_of_more_pairs_than_have_room_is_cut_alike),
        cmocka_unit_test(crowd_of_more_pairs_than_a_step_looks_at_passes_by),
        cmocka_unit_test(crowd_without_room_for_its_pairs_stays_within_its_walls),
        cmocka_unit_test(body_with_its_most_shapes_takes_no_more),
        cmocka_unit_test(body_that_leaves_the_world_is_frozen_and_told),
        cmocka_unit_test(stiff_spring_far_from_its_target_reaches_the_limit),
        cmocka_unit_test(masses_that_change_under_pressure_stay_within_limits),
        cmocka_unit_test(worlds_that_break_physics_stay_within_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
