// A body that rocks on a round one is a pendulum: small motions have the frequency of Lagrange's
// equation, and neither grow nor fade. Also rolling resistance.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

static const double G = 10.0;
static const double LOG_RADIUS = 1.0;
static const double WHEEL_RADIUS = 0.5;

enum { TICKS = 1200, QUARTER = TICKS / 4 };

typedef struct rocking {
    double frequency;   // [rad/s]
    double first, last; // amplitudes in the first and in the last quarter of the time [rad]
} rocking;

// Angles are seen from where the body is at rest, upright.
static rocking watch(physics_world *world, body_id id)
{
    rocking r = {0.0, 0.0, 0.0};
    double before = look(world, id).angle;
    double began = 0.0; // tick of the first passage
    double ended = 0.0;
    int passages = 0;
    for (int tick = 1; tick <= TICKS; tick++) {
        run(world, 1);
        double now = look(world, id).angle;
        if (before * now < 0.0) {
            ended = tick - now / (now - before);
            began = passages++ == 0 ? ended : began;
        }
        if (tick <= QUARTER) {
            r.first = fmax(r.first, fabs(now));
        } else if (tick > TICKS - QUARTER) {
            r.last = fmax(r.last, fabs(now));
        }
        before = now;
    }
    assert_true(passages > 10);
    r.frequency = PI_D * (passages - 1) / ((ended - began) / 60.0);
    return r;
}

static physics_world *make_world_in(int substeps)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, -G};
    def.sleep = false;
    def.substeps = substeps;
    return make_world_of(&def);
}

static void put_static(physics_world *world, double y, shape_def shape)
{
    shape.friction = 1.0;
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.position = (vec2d){0.0, y};
    put(world, &def, &shape, 1);
}

static shape_def make_capsule(vec2 from, vec2 to, double radius)
{
    shape_def def = make_circle(radius);
    def.geometry = (shape_geometry){.kind = SHAPE_CAPSULE, .capsule = {from, to, (float)radius}};
    return def;
}

static const double PLANK_HALF = 0.1; // thickness

// Grass brakes as a rough ball does: the larger resistance counts. A disc that rolls is slowed by
// rr g / (1 + 1/2).
static void either_surface_resists_rolling(void **state)
{
    (void)state;
    const double rates[] = {30.0, 60.0, 120.0, 240.0};
    const double resistances[][2] = {{0.0, 0.05}, {0.05, 0.0}, {0.05, 0.05}, {0.02, 0.05}};
    for (int r = 0; r < 4; r++) {
        for (int k = 0; k < 4; k++) {
            world_def wd = world_def_default();
            wd.gravity = (vec2d){0.0, -G};
            wd.hz = rates[r];
            physics_world *world = make_world_of(&wd);
            body_def ground = body_def_default();
            ground.type = BODY_STATIC;
            ground.position.y = -0.5;
            shape_def floor = make_box(100.0, 1.0);
            floor.rolling_resistance = resistances[k][0];
            put(world, &ground, &floor, 1);
            shape_def ball = make_circle(0.5);
            ball.rolling_resistance = resistances[k][1];
            const body_id id = put_at(world, 0.0, 0.5, &ball);
            body_def moving = body_def_default();
            moving.velocity.x = 2.0;
            moving.angular_velocity = -4.0;
            assert_int_equal(body_set(world, id, BODY_FIELD_VELOCITY | BODY_FIELD_ANGULAR_VELOCITY,
                                      &moving, NULL),
                             STATUS_OK);
            run(world, (int)(10.0 * rates[r]));
            const double way = 2.0 * 2.0 / (2.0 * 0.05 * G / 1.5);
            assert_near(look(world, id).position.x, way, 0.02 * way);
            world_free(world);
        }
    }
}

// A plank across a round shape of LOG_RADIUS, pushed so that it rolls on its lower side.
static void plank_rocks_on(shape_def log, shape_def plank, int substeps)
{
    physics_world *world = make_world_in(substeps);
    const double speed = 0.4;
    put_static(world, -LOG_RADIUS, log);
    plank.friction = 1.0;
    body_def def = body_def_default();
    def.position = (vec2d){0.0, PLANK_HALF};
    def.velocity = (vec2d){-PLANK_HALF * speed, 0.0};
    def.angular_velocity = speed;
    body_id id = put(world, &def, &plank, 1);
    body_info b = look(world, id);
    const double arm = b.inertia / b.mass + PLANK_HALF * PLANK_HALF;
    const double expected = sqrt(G * (LOG_RADIUS - PLANK_HALF) / arm);
    rocking r = watch(world, id);
    assert_near(r.frequency, expected, 0.01 * expected);
    assert_near(r.first, speed / expected, 0.05 * r.first);
    assert_near(r.last, r.first, 0.05 * r.first);
    world_free(world);
}

static void plank_on_a_log_rocks(int substeps)
{
    plank_rocks_on(make_circle(LOG_RADIUS), make_box(2.0, 2.0 * PLANK_HALF), substeps);
}

// A wheel that is heavy at its lower side, given a push; on a floor or, with `log`, on the top of
// a log of that radius. When it rolls by an angle, its middle moves by the radius times that angle
// along the surface; its centre of mass is `low` below the middle.
static void heavy_sided_wheel_rocks(double log, int substeps)
{
    physics_world *world = make_world_in(substeps);
    const double speed = 0.3;
    if (log > 0.0) {
        put_static(world, -log, make_circle(log));
    } else {
        put_floor(world, 1.0, 0.0);
    }
    shape_def parts[] = {make_circle(WHEEL_RADIUS), make_circle(0.15)};
    parts[0].friction = 1.0;
    parts[0].density = 0.2;
    parts[1].density = 10.0;
    parts[1].geometry.circle.center = (vec2){0.0f, -0.3f};
    body_def def = body_def_default();
    def.position = (vec2d){0.0, WHEEL_RADIUS};
    body_id id = put(world, &def, parts, 2);
    body_info b = look(world, id);
    const double low = b.position.y - b.center.y;
    const double arm = WHEEL_RADIUS - low; // distance of the centre of mass from the touching point
    // Height of the centre of mass, as the wheel turns by t: approximately -(low - sunk) cos t.
    const double sunk = log > 0.0 ? WHEEL_RADIUS * WHEEL_RADIUS / (log + WHEEL_RADIUS) : 0.0;
    const double expected = sqrt(G * (low - sunk) / (b.inertia / b.mass + arm * arm));
    def.velocity = (vec2d){-arm * speed, 0.0};
    def.angular_velocity = speed;
    error err;
    assert_int_equal(
        body_set(world, id, BODY_FIELD_VELOCITY | BODY_FIELD_ANGULAR_VELOCITY, &def, &err),
        STATUS_OK);
    rocking r = watch(world, id);
    assert_near(r.frequency, expected, 0.01 * expected);
    assert_near(r.first, speed / expected, 0.05 * r.first);
    assert_near(r.last, r.first, 0.05 * r.first);
    world_free(world);
}

static void plank_rocks_on_a_log_for_ever(void **state)
{
    (void)state;
    plank_on_a_log_rocks(4);
}

static void plank_rocks_on_the_end_of_a_capsule_and_a_capsule_on_a_log(void **state)
{
    (void)state;
    plank_rocks_on(make_capsule((vec2){0.0f, -2.0f}, (vec2){0.0f, 0.0f}, LOG_RADIUS),
                   make_box(2.0, 2.0 * PLANK_HALF), 4);
    plank_rocks_on(make_circle(LOG_RADIUS),
                   make_capsule((vec2){-1.0f, 0.0f}, (vec2){1.0f, 0.0f}, PLANK_HALF), 4);
}

static void heavy_sided_wheel_rocks_on_a_floor_for_ever(void **state)
{
    (void)state;
    heavy_sided_wheel_rocks(0.0, 4);
}

static void heavy_sided_wheel_rocks_on_a_log_for_ever(void **state)
{
    (void)state;
    heavy_sided_wheel_rocks(2.0, 4);
}

static void what_rocks_does_so_in_any_number_of_sub_steps(void **state)
{
    (void)state;
    static const int SUBSTEPS[] = {2, 3, 8};
    for (size_t i = 0; i < sizeof SUBSTEPS / sizeof *SUBSTEPS; i++) {
        plank_on_a_log_rocks(SUBSTEPS[i]);
        heavy_sided_wheel_rocks(0.0, SUBSTEPS[i]);
        heavy_sided_wheel_rocks(2.0, SUBSTEPS[i]);
    }
}

// A ball on a floor, at speeds below and above ROLLS_TURN (3 rad/s at 60 Hz, 1.5 m/s when it
// rolls), from which its contact point is placed ahead, and ROLLS_SHARE (4 m/s), from which it
// counts as sliding.
static void ball_keeps(double friction, double speed, double spin)
{
    physics_world *world = make_world_in(4);
    put_floor(world, friction, 0.0);
    shape_def ball = make_circle(WHEEL_RADIUS);
    ball.friction = friction;
    body_def def = body_def_default();
    def.position = (vec2d){0.0, WHEEL_RADIUS};
    def.velocity.x = speed;
    def.angular_velocity = spin;
    body_id id = put(world, &def, &ball, 1);
    run(world, 240);
    body_info b = look(world, id);
    assert_near(b.velocity.x, speed, 1e-3 * fmax(1.0, speed));
    assert_near(b.velocity.y, 0.0, 1e-3);
    assert_near(b.angular_velocity, spin, 3e-3 * fmax(1.0, fabs(spin)));
    assert_near(b.position.x, 4.0 * speed, 2e-3 * fmax(1.0, speed));
    assert_near(b.position.y, WHEEL_RADIUS, 1e-4);
    world_free(world);
}

static void ball_that_rolls_or_slides_keeps_its_speed_at_any_speed(void **state)
{
    (void)state;
    static const double SPEEDS[] = {0.001, 0.1, 1.4, 1.6, 3.9, 4.1, 12.0};
    static const double SPINS[] = {0.0, 2.9, -3.1, 20.0};
    for (size_t i = 0; i < sizeof SPEEDS / sizeof *SPEEDS; i++) {
        ball_keeps(1.0, SPEEDS[i], -SPEEDS[i] / WHEEL_RADIUS);
        for (size_t k = 0; k < sizeof SPINS / sizeof *SPINS; k++) {
            ball_keeps(0.0, SPEEDS[i], SPINS[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(either_surface_resists_rolling),
        cmocka_unit_test(plank_rocks_on_a_log_for_ever),
        cmocka_unit_test(plank_rocks_on_the_end_of_a_capsule_and_a_capsule_on_a_log),
        cmocka_unit_test(heavy_sided_wheel_rocks_on_a_floor_for_ever),
        cmocka_unit_test(heavy_sided_wheel_rocks_on_a_log_for_ever),
        cmocka_unit_test(what_rocks_does_so_in_any_number_of_sub_steps),
        cmocka_unit_test(ball_that_rolls_or_slides_keeps_its_speed_at_any_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
