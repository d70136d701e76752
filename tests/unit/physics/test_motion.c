// Free motion, checked by formulas: projectile, circular motion under a force, damping, torque, an
// impulse at a point.
#include "common/physics/joint.h"
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

// Semi-implicit Euler in n sub-steps a step is exact to first order: x(t) = v t + g t (t + h) / 2.
static void projectile_after_two_seconds_follows_the_parabola(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -9.81});
    shape_def ball = make_circle(0.1);
    body_id id = put_at(world, 0.0, 100.0, &ball);
    set_velocity(world, id, 12.0, 15.0);
    run(world, 120);
    body_info b = look(world, id);
    double h = 1.0 / 240.0;
    assert_near(b.position.x, 24.0, 1e-3);
    assert_near(b.position.y, 100.0 + 15.0 * 2.0 - 9.81 * 2.0 * (2.0 + h) / 2.0, 1e-3);
    assert_near(b.velocity.y, 15.0 - 9.81 * 2.0, 1e-3);
    assert_near(world_time(world), 2.0, 1e-12);
    world_free(world);
}

static void gravity_scale_of_zero_and_of_minus_one_float_and_rise(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    shape_def ball = make_circle(0.1);
    body_def def = body_def_default();
    def.gravity_scale = 0.0;
    body_id floating = put(world, &def, &ball, 1);
    def.gravity_scale = -1.0;
    def.position.x = 5.0;
    body_id rising = put(world, &def, &ball, 1);
    run(world, 60);
    assert_near(look(world, floating).position.y, 0.0, 0.0);
    assert_near(look(world, rising).velocity.y, 10.0, 1e-4);
    world_free(world);
}

// A force that is always at right angles to the velocity bends the path to a circle of radius m v²
// / F.
static void circular_motion_under_a_turning_force_closes_its_circle(void **state)
{
    (void)state;
    world_def wd = world_def_default();
    wd.gravity = (vec2d){0.0, 0.0};
    wd.hz = 240.0;
    wd.substeps = 8;
    physics_world *world = make_world_of(&wd);
    shape_def ball = make_circle(0.5);
    body_id id = put_at(world, 3.0, 0.0, &ball);
    const double speed = 2.0 * PI_D * 3.0 / 4.0; // once around in 4 s
    set_velocity(world, id, 0.0, speed);
    const double mass = look(world, id).mass;
    double least = 1e9;
    double most = 0.0;
    for (int i = 0; i < 960; i++) {
        body_info b = look(world, id);
        double r = hypot(b.position.x, b.position.y);
        double pull = mass * speed * speed / 3.0;
        vec2d force = {-pull * b.position.x / r, -pull * b.position.y / r};
        error err;
        assert_int_equal(body_set_force(world, id, force, NULL, &err), STATUS_OK);
        world_step(world);
        r = hypot(look(world, id).position.x, look(world, id).position.y);
        least = r < least ? r : least;
        most = r > most ? r : most;
    }
    body_info b = look(world, id);
    assert_near(b.position.x, 3.0, 0.06);
    assert_near(b.position.y, 0.0, 0.06);
    assert_true(least > 2.94 && most < 3.06);
    world_free(world);
}

static void continuous_force_keeps_acting_until_it_is_set_to_zero(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(1.0, 1.0); // 1 kg
    body_id id = put_at(world, 0.0, 0.0, &box);
    error err;
    assert_int_equal(body_set_force(world, id, (vec2d){3.0, 0.0}, NULL, &err), STATUS_OK);
    run(world, 60);
    assert_near(look(world, id).velocity.x, 3.0, 1e-4);
    assert_int_equal(body_set_force(world, id, (vec2d){0.0, 0.0}, NULL, &err), STATUS_OK);
    run(world, 60);
    assert_near(look(world, id).velocity.x, 3.0, 1e-4);
    world_free(world);
}

// T = I w' ; a unit box of 1 kg has I = 1/6.
static void continuous_torque_spins_up_by_torque_over_inertia(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.0, &box);
    assert_near(look(world, id).inertia, 1.0 / 6.0, 1e-6);
    error err;
    assert_int_equal(body_set_torque(world, id, 0.5, &err), STATUS_OK);
    run(world, 120);
    assert_near(look(world, id).angular_velocity, 0.5 * 6.0 * 2.0, 1e-3);
    world_free(world);
}

static void force_at_a_point_turns_with_the_body(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.0, &box);
    error err;
    // A force straight through the centre never causes spin.
    assert_int_equal(body_set_force(world, id, (vec2d){0.0, 1.0}, &(vec2d){0.0, -0.5}, &err),
                     STATUS_OK);
    run(world, 30);
    assert_near(look(world, id).angular_velocity, 0.0, 1e-6);
    // The force acts at the right rim: arm 0.5, torque 0.5, for one step.
    body_info b = look(world, id);
    vec2d rim = {b.position.x + 0.5, b.position.y};
    assert_int_equal(body_set_force(world, id, (vec2d){0.0, 1.0}, &rim, &err), STATUS_OK);
    world_step(world);
    assert_near(look(world, id).angular_velocity, 0.5 * 6.0 / 60.0, 1e-4);
    world_free(world);
}

static void impulse_at_a_point_changes_velocity_and_spin_at_once(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 10.0, 10.0, &box);
    error err;
    assert_int_equal(body_apply_impulse(world, id, (vec2d){0.0, 2.0}, &(vec2d){10.5, 10.0}, &err),
                     STATUS_OK);
    body_info b = look(world, id);
    assert_near(b.velocity.y, 2.0, 1e-6);
    assert_near(b.angular_velocity, 0.5 * 2.0 * 6.0, 1e-5);
    assert_int_equal(body_apply_angular_impulse(world, id, -1.0, &err), STATUS_OK);
    assert_near(look(world, id).angular_velocity, 0.0, 1e-5);
    world_free(world);
}

// v(t) = v0 e^(-ct) in the limit of small steps.
static void damping_decays_velocity_and_spin_exponentially(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(1.0, 1.0);
    body_def def = body_def_default();
    def.velocity = (vec2d){4.0, 0.0};
    def.angular_velocity = 3.0;
    def.linear_damping = 0.5;
    def.angular_damping = 1.0;
    body_id id = put(world, &def, &box, 1);
    run(world, 120);
    assert_near(look(world, id).velocity.x, 4.0 * exp(-1.0), 0.01);
    assert_near(look(world, id).angular_velocity, 3.0 * exp(-2.0), 0.01);
    world_free(world);
}

// A body's angle does not show whole turns: the number nearest to the expected angle is assumed.
static void body_turns_by_its_angular_velocity(void **state)
{
    (void)state;
    static const double RATES[] = {30.0, 60.0, 120.0, 240.0};
    static const double SPINS[] = {0.01, 1.0, 72.0, -300.0, 380.0, 1000.0, -3999.0};
    for (size_t r = 0; r < sizeof RATES / sizeof *RATES; r++) {
        world_def def = world_def_default();
        def.hz = RATES[r];
        def.gravity = (vec2d){0.0, 0.0};
        def.sleep = false;
        physics_world *world = make_world_of(&def);
        for (size_t i = 0; i < sizeof SPINS / sizeof *SPINS; i++) {
            shape_def ball = make_circle(0.5);
            body_def body = body_def_default();
            body.position = (vec2d){4.0 * (double)i, 0.0};
            body.angular_velocity = SPINS[i];
            put(world, &body, &ball, 1);
        }
        run(world, 2 * (int)RATES[r]);
        body_row rows[sizeof SPINS / sizeof *SPINS];
        const uint32_t count = world_rows(world, rows, sizeof SPINS / sizeof *SPINS);
        assert_int_equal(count, sizeof SPINS / sizeof *SPINS);
        for (uint32_t i = 0; i < count; i++) {
            const double off = remainder((double)rows[i].angle - 2.0 * SPINS[i], 2.0 * PI_D);
            assert_near(off, 0.0, 1e-6 * fabs(2.0 * SPINS[i]) + 1e-6);
        }
        world_free(world);
    }
}

static void fixed_rotation_never_turns(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    body_def def = body_def_default();
    def.position = (vec2d){0.0, 3.0};
    def.angle = 0.4;
    def.fixed_rotation = true;
    shape_def box = make_box(1.0, 1.0);
    body_id id = put(world, &def, &box, 1);
    error err;
    assert_int_equal(body_apply_angular_impulse(world, id, 5.0, &err), STATUS_OK);
    run(world, 120);
    assert_near(look(world, id).angle, 0.4, 1e-6);
    world_free(world);
}

static void fixed_rotation_holds_whatever_the_body_is_told(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    body_def def = body_def_default();
    def.fixed_rotation = true;
    def.angular_velocity = 3.0;
    shape_def box = make_box(1.0, 1.0);
    body_id id = put(world, &def, &box, 1);
    assert_true(look(world, id).angular_velocity == 0.0);
    error err;
    assert_int_equal(body_set(world, id, BODY_FIELD_ANGULAR_VELOCITY, &def, &err), STATUS_OK);
    assert_true(look(world, id).angular_velocity == 0.0);
    def.type = BODY_KINEMATIC; // a kinematic body keeps its velocity
    assert_int_equal(body_set(world, id, BODY_FIELD_TYPE | BODY_FIELD_ANGULAR_VELOCITY, &def, &err),
                     STATUS_OK);
    assert_true(look(world, id).angular_velocity == 3.0);
    def.type = BODY_DYNAMIC;
    assert_int_equal(body_set(world, id, BODY_FIELD_TYPE, &def, &err), STATUS_OK);
    assert_true(look(world, id).angular_velocity == 0.0);
    run(world, 10);
    assert_true(look(world, id).angle == 0.0);
    world_free(world);
}

static void kinematic_body_follows_its_velocity_and_nothing_else(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    body_def def = body_def_default();
    def.type = BODY_KINEMATIC;
    def.velocity = (vec2d){1.0, 0.5};
    def.angular_velocity = PI_D;
    shape_def box = make_box(1.0, 1.0);
    body_id id = put(world, &def, &box, 1);
    body_id hit = put_at(world, 2.0, 1.0, &box);
    error err;
    assert_int_equal(body_apply_impulse(world, id, (vec2d){100.0, 0.0}, NULL, &err), STATUS_OK);
    run(world, 60);
    body_info b = look(world, id);
    assert_near(b.position.x, 1.0, 1e-4);
    assert_near(b.position.y, 0.5, 1e-4);
    assert_near(fabs(b.angle), PI_D, 2e-3);
    assert_near(b.mass, 0.0, 0.0);
    assert_true(look(world, hit).velocity.y != 0.0);
    world_free(world);
}

// A body's velocity is that of its centre of mass, which need not be its origin.
static void compound_body_turns_about_its_centre_of_mass(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def shapes[2] = {make_box_at(1.0, 1.0, (vec2){0.0f, 0.0f}, 0.0),
                           make_box_at(1.0, 1.0, (vec2){2.0f, 0.0f}, 0.0)};
    body_def def = body_def_default();
    body_id id = put(world, &def, shapes, 2);
    body_info b = look(world, id);
    assert_near(b.mass, 2.0, 1e-6);
    assert_near(b.center.x, 1.0, 1e-6);
    // Two unit boxes, each 1 m from the middle: 2 (1/6 + 1).
    assert_near(b.inertia, 2.0 * (1.0 / 6.0 + 1.0), 1e-5);
    error err;
    assert_int_equal(body_apply_angular_impulse(world, id, b.inertia * 2.0, &err), STATUS_OK);
    run(world, 60);
    b = look(world, id);
    assert_near(b.center.x, 1.0, 1e-4);
    assert_near(b.center.y, 0.0, 1e-4);
    // 240 first-order rotations of 1/120 rad, each short of the angle by its cube over three.
    assert_near(b.angle, 2.0, 1e-3);
    assert_near(hypot(b.position.x - 1.0, b.position.y), 1.0, 1e-4);
    world_free(world);
}

static void mass_override_scales_inertia_with_it(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    body_def def = body_def_default();
    def.mass = 12.0;
    shape_def box = make_box(1.0, 1.0);
    body_info b = look(world, put(world, &def, &box, 1));
    assert_near(b.mass, 12.0, 1e-5);
    assert_near(b.inertia, 2.0, 1e-5);
    world_free(world);
}

// The same throw at the origin and 100 km away gives the same path to a micrometre.
static void projectile_far_from_the_origin_flies_the_same(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -9.81});
    shape_def ball = make_circle(0.1);
    body_id here = put_at(world, 0.0, 50.0, &ball);
    body_id there = put_at(world, 100000.0, 100050.0, &ball);
    set_velocity(world, here, 3.0, 4.0);
    set_velocity(world, there, 3.0, 4.0);
    run(world, 180);
    body_info a = look(world, here);
    body_info b = look(world, there);
    assert_near(b.position.x - 100000.0, a.position.x, 1e-6);
    assert_near(b.position.y - 100000.0, a.position.y, 1e-6);
    world_free(world);
}

// Puts one body of a crowd, in which each body has its own forces and its own place.
static body_id put_thrown(physics_world *world, int which)
{
    shape_def box = make_box(1.0, 0.6);
    body_def def = body_def_default();
    def.position = (vec2d){1000.0 * which, 0.0};
    def.velocity = (vec2d){1.0 + which, 7.0 - 0.3 * which};
    def.angular_velocity = 0.7 * which;
    def.linear_damping = which % 2 == 0 ? 0.0 : 0.1 * which;
    def.angular_damping = which % 4 == 0 ? 0.0 : 0.2 * which;
    def.gravity_scale = which == 5 ? -0.5 : 1.0;
    body_id id = put(world, &def, &box, 1);
    const vec2d force = {0.5 * which, which == 6 ? 1e9 : 0.2}; // one body reaches the highest speed
    const vec2d rim = {def.position.x + 0.3, 0.2};
    error err;
    if (which % 3 == 0) {
        assert_int_equal(body_set_force(world, id, force, which == 9 ? &rim : NULL, &err),
                         STATUS_OK);
    }
    if (which % 5 == 2) {
        assert_int_equal(body_set_torque(world, id, which == 7 ? 1e9 : 0.3, &err), STATUS_OK);
    }
    return id;
}

static void assert_same_flight(const body_info *a, const body_info *b)
{
    assert_true(a->position.x == b->position.x && a->position.y == b->position.y);
    assert_true(a->velocity.x == b->velocity.x && a->velocity.y == b->velocity.y);
    assert_true(a->angle == b->angle && a->angular_velocity == b->angular_velocity);
}

// A rope that is never taut: a body on it is no longer free, but nothing else changes.
static void put_on_slack_rope(physics_world *world, body_id id, body_id post)
{
    joint_def rope = joint_def_default(JOINT_DISTANCE);
    rope.a = post;
    rope.b = id;
    rope.fields = JOINT_FIELD_UPPER;
    rope.upper = 90000.0;
    joint_id made;
    error err;
    assert_int_equal(joint_create(world, &rope, &made, &err), STATUS_OK);
}

// Bodies are integrated several at a time, and free bodies in a loop of their own.
static void body_flies_the_same_alone_in_a_crowd_and_on_a_slack_rope(void **state)
{
    (void)state;
    enum { CROWD = 11 };
    const vec2d gravity = {0.5, -9.81};
    physics_world *crowd = make_world(gravity);
    physics_world *held = make_world(gravity);
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    body_id post = put(held, &def, NULL, 0);
    body_id ids[CROWD];
    body_id held_ids[CROWD];
    for (int i = 0; i < CROWD; i++) {
        ids[i] = put_thrown(crowd, i);
        held_ids[i] = put_thrown(held, i);
        put_on_slack_rope(held, held_ids[i], post);
    }
    run(crowd, 20);
    run(held, 20);
    for (int i = 0; i < CROWD; i++) {
        physics_world *alone = make_world(gravity);
        body_id id = put_thrown(alone, i);
        run(alone, 20);
        body_info a = look(alone, id);
        body_info b = look(crowd, ids[i]);
        body_info c = look(held, held_ids[i]);
        assert_same_flight(&a, &b);
        assert_same_flight(&a, &c);
        world_free(alone);
    }
    world_free(crowd);
    world_free(held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projectile_after_two_seconds_follows_the_parabola),
        cmocka_unit_test(gravity_scale_of_zero_and_of_minus_one_float_and_rise),
        cmocka_unit_test(circular_motion_under_a_turning_force_closes_its_circle),
        cmocka_unit_test(continuous_force_keeps_acting_until_it_is_set_to_zero),
        cmocka_unit_test(continuous_torque_spins_up_by_torque_over_inertia),
        cmocka_unit_test(force_at_a_point_turns_with_the_body),
        cmocka_unit_test(impulse_at_a_point_changes_velocity_and_spin_at_once),
        cmocka_unit_test(damping_decays_velocity_and_spin_exponentially),
        cmocka_unit_test(body_turns_by_its_angular_velocity),
        cmocka_unit_test(fixed_rotation_never_turns),
        cmocka_unit_test(fixed_rotation_holds_whatever_the_body_is_told),
        cmocka_unit_test(kinematic_body_follows_its_velocity_and_nothing_else),
        cmocka_unit_test(compound_body_turns_about_its_centre_of_mass),
        cmocka_unit_test(mass_override_scales_inertia_with_it),
        cmocka_unit_test(projectile_far_from_the_origin_flies_the_same),
        cmocka_unit_test(body_flies_the_same_alone_in_a_crowd_and_on_a_slack_rope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
