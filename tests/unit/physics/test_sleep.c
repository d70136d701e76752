// Bodies sleep or stay awake: a force that moves a body keeps it awake; a body that rests or only
// coasts falls asleep. At the rates that games use.
#include "tests/unit/physics/scene_helpers.h"

#include "common/physics/joint.h"

#include <math.h>
#include <string.h>

static const double RATES[] = {30.0, 60.0, 120.0, 240.0};
enum { RATE_COUNT = sizeof RATES / sizeof *RATES };

static const double DOWN = -9.81;

static physics_world *open_at(double hz, double gx, double gy)
{
    world_def def = world_def_default();
    def.hz = hz;
    def.gravity = (vec2d){gx, gy};
    return make_world_of(&def);
}

static void run_for(physics_world *world, double seconds)
{
    run(world, (int)(seconds * world_definition(world).hz + 0.5));
}

static body_id put_mass(physics_world *world, double x, double y, double mass)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    def.mass = mass;
    shape_def box = make_box(1.0, 1.0);
    return put(world, &def, &box, 1);
}

static joint_id join(physics_world *world, const joint_def *def)
{
    joint_id id = 0;
    error err = {0};
    if (joint_create(world, def, &id, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return id;
}

static joint_def joint_at(joint_kind kind, body_id a, body_id b, double x, double y)
{
    joint_def def = joint_def_default(kind);
    def.a = a;
    def.b = b;
    def.fields = JOINT_FIELD_ANCHOR;
    def.anchor = (vec2d){x, y};
    return def;
}

// Seconds until all bodies sleep; fails after `most`.
static double time_to_rest(physics_world *world, double most)
{
    const double hz = world_definition(world).hz;
    int ticks = 0;
    while (world_count(world).awake > 0) {
        run(world, 1);
        if (++ticks > most * hz) {
            fail_msg("%u bodies are awake after %g s at %g Hz", world_count(world).awake, most, hz);
        }
    }
    return ticks / hz;
}

// ---- causes of motion

static void force_moves_as_newton_says(void **state)
{
    (void)state;
    const double forces[] = {50.0, 5.0, 1.0}; // forces on a ton
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int lies = 0; lies < 2; lies++) {
            for (int k = 0; k < 3; k++) {
                physics_world *world = open_at(RATES[r], 0.0, lies ? DOWN : 0.0);
                put_floor(world, 0.0, 0.0);
                const body_id body = put_mass(world, 0.0, lies ? 0.5 : 5.0, 1000.0);
                assert_int_equal(body_set_force(world, body, (vec2d){forces[k], 0.0}, NULL, NULL),
                                 STATUS_OK);
                run_for(world, 20.0);
                const double way = 0.5 * forces[k] / 1000.0 * 400.0;
                assert_near(look(world, body).position.x, way, 0.01 * way);
                world_free(world);
            }
        }
    }
}

static void torque_turns_as_newton_says(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        physics_world *world = open_at(RATES[r], 0.0, 0.0);
        const body_id body = put_mass(world, 0.0, 0.0, 1000.0);
        assert_int_equal(body_set_torque(world, body, 1.0, NULL), STATUS_OK);
        run_for(world, 10.0);
        assert_near(look(world, body).angular_velocity, 10.0 / look(world, body).inertia, 1e-4);
        world_free(world);
    }
}

static void weak_gravity_draws_what_is_free(void **state)
{
    (void)state;
    const double gravity[] = {0.05, 0.0005};
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int k = 0; k < 2; k++) {
            physics_world *world = open_at(RATES[r], 0.0, -gravity[k]);
            const body_id body = put_mass(world, 0.0, 10.0, 1.0);
            run_for(world, 10.0);
            assert_near(10.0 - look(world, body).position.y, 50.0 * gravity[k], 0.6 * gravity[k]);
            world_free(world);
        }
    }
}

// A slope of 0.2° without friction, with Earth's gravity and with a weak one; and with damping,
// where the speed approaches a / damping.
static void slope_is_slid_down(void **state)
{
    (void)state;
    const double gravity[] = {9.81, 0.5};
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int k = 0; k < 4; k++) {
            const double g = gravity[k % 2];
            const double damping = k < 2 ? 0.0 : 2.0;
            const double along = g * sin(0.2 * PI_D / 180.0);
            physics_world *world = open_at(RATES[r], along, -sqrt(g * g - along * along));
            put_floor(world, 0.0, 0.0);
            body_def def = body_def_default();
            def.position.y = 0.5;
            def.linear_damping = damping;
            shape_def box = make_box(1.0, 1.0);
            box.friction = 0.0;
            const body_id body = put(world, &def, &box, 1);
            run_for(world, 10.0);
            const double way = damping > 0.0 ? along * (20.0 - 1.0) / 4.0 : 50.0 * along;
            assert_near(look(world, body).position.x, way, 0.02 * way);
            world_free(world);
        }
    }
}

static void ball_rolls_down_a_gentle_slope(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        const double along = 0.03;
        physics_world *world = open_at(RATES[r], along, DOWN);
        put_floor(world, 0.6, 0.0);
        shape_def ball = make_circle(0.5);
        const body_id body = put_at(world, 0.0, 0.5, &ball);
        run_for(world, 10.0);
        assert_near(look(world, body).position.x, 50.0 * along * 2.0 / 3.0, 0.02);
        world_free(world);
    }
}

static void slow_motor_turns_at_its_speed(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int heavy = 0; heavy < 2; heavy++) {
            physics_world *world = open_at(RATES[r], 0.0, heavy ? DOWN : 0.0);
            const body_id ground = put_floor(world, 0.6, 0.0);
            shape_def wheel = make_circle(0.5);
            const body_id body = put_at(world, 0.0, 5.0, &wheel);
            joint_def def = joint_at(JOINT_REVOLUTE, ground, body, 0.0, 5.0);
            def.fields |= JOINT_FIELD_MOTOR_SPEED;
            def.motor_speed = 0.002;
            join(world, &def);
            run_for(world, 30.0);
            assert_near(look(world, body).angle, 0.06, 0.001);
            world_free(world);
        }
    }
}

static void slow_belt_carries(void **state)
{
    (void)state;
    const double speeds[] = {0.02, 0.001};
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int k = 0; k < 2; k++) {
            physics_world *world = open_at(RATES[r], 0.0, DOWN);
            body_def def = body_def_default();
            def.type = BODY_STATIC;
            def.position.y = -0.5;
            shape_def belt = make_box(100.0, 1.0);
            belt.tangent_speed = speeds[k];
            put(world, &def, &belt, 1);
            shape_def box = make_box(1.0, 1.0);
            const body_id lower = put_at(world, 0.0, 0.5, &box);
            const body_id upper = put_at(world, 0.0, 1.5, &box);
            run_for(world, 20.0);
            assert_near(fabs(look(world, lower).position.x), 20.0 * speeds[k], 0.4 * speeds[k]);
            assert_near(fabs(look(world, upper).position.x), 20.0 * speeds[k], 0.4 * speeds[k]);
            world_free(world);
        }
    }
}

// So slow a swing is always below the threshold, and at each turning point the body stands still.
static void soft_spring_swings_on(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        physics_world *world = open_at(RATES[r], 0.0, 0.0);
        const body_id ground = put_floor(world, 0.6, 0.0);
        const body_id body = put_mass(world, 0.0, 5.01, 1.0);
        joint_def def = joint_def_default(JOINT_DISTANCE);
        def.a = ground;
        def.b = body;
        def.fields = JOINT_FIELD_ANCHOR_A | JOINT_FIELD_LENGTH | JOINT_FIELD_HERTZ;
        def.anchor_a = (vec2d){0.0, 3.0 - look(world, ground).position.y};
        def.length = 2.0;
        def.hertz = 0.25;
        join(world, &def);
        run_for(world, 60.0); // 15 periods
        assert_near(look(world, body).position.y, 5.01, 0.0005);
        assert_true(look(world, body).awake);
        world_free(world);
    }
}

static void slow_pendulum_swings_on(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        physics_world *world = open_at(RATES[r], 0.0, DOWN);
        const body_id ground = put_floor(world, 0.6, 0.0);
        const body_id body = put_mass(world, 0.02, 2.0, 1.0);
        joint_def def = joint_at(JOINT_REVOLUTE, ground, body, 0.0, 12.0);
        join(world, &def);
        run_for(world, 60.0);
        assert_true(look(world, body).awake);
        world_free(world);
    }
}

// ---- bodies at rest

static void stack_sleeps_as_soon_as_it_rests(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        physics_world *world = open_at(RATES[r], 0.0, DOWN);
        put_floor(world, 0.6, 0.0);
        shape_def box = make_box(1.0, 1.0);
        for (int i = 0; i < 10; i++) {
            put_at(world, 0.0, 0.5 + i, &box);
        }
        assert_true(time_to_rest(world, 2.0) >= 0.5);
        world_free(world);
    }
}

// Friction, a joint or another force withstands the force.
static void force_that_is_withstood_lets_sleep(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        physics_world *world = open_at(RATES[r], 0.0, DOWN);
        const body_id ground = put_floor(world, 0.6, 0.0);
        const body_id crate = put_mass(world, 0.0, 0.5, 10.0);
        const body_id held = put_mass(world, 5.0, 5.0, 10.0);
        const body_id carried = put_mass(world, 9.0, 5.0, 10.0);
        joint_def def = joint_at(JOINT_WELD, ground, held, 5.0, 5.0);
        join(world, &def);
        body_set_force(world, crate, (vec2d){20.0, 0.0}, NULL, NULL);
        body_set_force(world, held, (vec2d){20.0, 10.0}, NULL, NULL);
        body_set_force(world, carried, (vec2d){0.0, -10.0 * DOWN}, NULL, NULL);
        time_to_rest(world, 3.0);
        world_free(world);
    }
}

// A car on springs with its motors off: it rolls a little, but nothing drives it.
static void parked_car_sleeps(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        physics_world *world = open_at(RATES[r], 0.0, DOWN);
        put_floor(world, 0.6, 0.0);
        shape_def box = make_box(3.0, 0.6);
        shape_def wheel = make_circle(0.4);
        const body_id car = put_at(world, 0.0, 1.2, &box);
        for (int i = -1; i <= 1; i += 2) {
            const body_id under = put_at(world, i, 0.7, &wheel);
            joint_def def = joint_at(JOINT_WHEEL, car, under, i, 0.7);
            def.fields |= JOINT_FIELD_HERTZ | JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE;
            def.hertz = 4.0;
            def.motor_speed = 10.0;
            def.max_torque = 0.0;
            join(world, &def);
        }
        time_to_rest(world, 6.0);
        world_free(world);
    }
}

static void what_is_dragged_sleeps_at_its_target(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        physics_world *world = open_at(RATES[r], 0.0, 0.0);
        const body_id body = put_mass(world, 0.0, 0.0, 1.0);
        joint_def def = joint_def_default(JOINT_MOUSE);
        def.b = body;
        def.fields = JOINT_FIELD_TARGET;
        def.target = (vec2d){3.0, 0.0};
        join(world, &def);
        time_to_rest(world, 4.0);
        assert_near(look(world, body).position.x, 3.0, 0.001);
        world_free(world);
    }
}

static void what_coasts_sleeps_below_the_speed_that_is_set(void **state)
{
    (void)state;
    const double speeds[] = {0.05, 0.5, 0.01, 0.0};
    for (int k = 0; k < 4; k++) {
        for (int rolls = 0; rolls < 2; rolls++) {
            physics_world *world = open_at(60.0, 0.0, rolls ? DOWN : 0.0);
            put_floor(world, 0.6, 0.0);
            shape_def ball = make_circle(0.5);
            body_def def = body_def_default();
            def.position.y = rolls ? 0.5 : 5.0;
            def.velocity.x = 0.012;
            def.angular_velocity = rolls ? -0.024 : 0.0;
            const body_id body = put(world, &def, &ball, 1);
            assert_int_equal(world_set_sleep_speed(world, speeds[k], NULL), STATUS_OK);
            run_for(world, 3.0);
            assert_int_equal(look(world, body).awake, speeds[k] < 0.024);
            world_free(world);
        }
    }
}

// ---- the setting

static void sleep_speed_is_checked_and_wakes(void **state)
{
    (void)state;
    physics_world *world = open_at(60.0, 0.0, DOWN);
    error err;
    assert_true(world_definition(world).sleep_speed == 0.05);
    assert_int_equal(world_set_sleep_speed(world, -0.001, &err), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "sleep_speed"));
    assert_int_equal(world_set_sleep_speed(world, PHYSICS_SPEED_MAX * 1.001, &err),
                     STATUS_INVALID_ARGUMENT);
    put_floor(world, 0.6, 0.0);
    put_mass(world, 0.0, 0.5, 1.0);
    time_to_rest(world, 2.0);
    assert_int_equal(world_set_sleep_speed(world, 0.0, &err), STATUS_OK);
    run_for(world, 5.0);
    assert_int_equal(world_count(world).awake, 1);
    world_free(world);
}

// An image keeps running sleep timers and sums of motion: both worlds fall asleep at the same tick.
static void image_keeps_speed_and_timers(void **state)
{
    (void)state;
    physics_world *world = open_at(60.0, 0.0, DOWN);
    assert_int_equal(world_set_sleep_speed(world, 0.125, NULL), STATUS_OK);
    put_floor(world, 0.6, 0.0);
    shape_def ball = make_circle(0.5);
    body_def def = body_def_default();
    def.position.y = 0.5;
    def.velocity.x = 0.05;
    put(world, &def, &ball, 1);
    for (int i = 0; i < 3; i++) {
        put_mass(world, 5.0, 0.5 + i, 1.0);
    }
    run(world, 20);
    physics_world *copy = restored(world);
    assert_true(world_definition(copy).sleep_speed == 0.125);
    for (int i = 0; i < 60; i++) {
        assert_true(world_hash(world) == world_hash(copy));
        run(world, 1);
        run(copy, 1);
    }
    assert_int_equal(world_count(copy).awake, 0);
    world_free(copy);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_moves_as_newton_says),
        cmocka_unit_test(torque_turns_as_newton_says),
        cmocka_unit_test(weak_gravity_draws_what_is_free),
        cmocka_unit_test(slope_is_slid_down),
        cmocka_unit_test(ball_rolls_down_a_gentle_slope),
        cmocka_unit_test(slow_motor_turns_at_its_speed),
        cmocka_unit_test(slow_belt_carries),
        cmocka_unit_test(soft_spring_swings_on),
        cmocka_unit_test(slow_pendulum_swings_on),
        cmocka_unit_test(stack_sleeps_as_soon_as_it_rests),
        cmocka_unit_test(force_that_is_withstood_lets_sleep),
        cmocka_unit_test(parked_car_sleeps),
        cmocka_unit_test(what_is_dragged_sleeps_at_its_target),
        cmocka_unit_test(what_coasts_sleeps_below_the_speed_that_is_set),
        cmocka_unit_test(sleep_speed_is_checked_and_wakes),
        cmocka_unit_test(image_keeps_speed_and_timers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
