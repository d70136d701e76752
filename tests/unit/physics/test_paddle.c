// Fast kinematic bodies hit bodies in their path: flying paddles and turning bats of every shape,
// against dynamic bodies of 2 cm to 1 m that rest, sleep, approach or are bullets. A ball that was
// hit leaves with the speed of the paddle plus its rebound.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

#include "tests/golden/scenes.h"

static const double RATES[] = {30.0, 60.0, 120.0, 240.0};
enum { RATE_COUNT = sizeof RATES / sizeof *RATES };

static double pick(int seed, int what, double low, double high)
{
    return low + 0.5 * (scene_noise((uint64_t)what, (uint64_t)seed) + 1.0) * (high - low);
}

static physics_world *make_table(double hz)
{
    world_def def = world_def_default();
    def.hz = hz;
    def.gravity = (vec2d){0.0, 0.0};
    return make_world_of(&def);
}

static shape_def of_restitution(shape_def form, double restitution)
{
    form.restitution = restitution;
    form.friction = 0.0;
    return form;
}

// ---- paddles that fly

typedef enum manner { RESTS, SLEEPS, COMES, IS_BULLET, MANNERS } manner;

typedef struct serve {
    double hz, speed, radius, restitution;
    bool box; // false: a ball
    manner manner;
} serve;

enum { PHASES = 5 };

// Whether the ball stays in front of the paddle; *share is its final speed, divided by the expected
// one.
static bool meets(const serve *s, int phase, double *share)
{
    physics_world *world = make_table(s->hz);
    const shape_def form =
        of_restitution(s->box ? make_box(2.0 * s->radius, 2.0 * s->radius) : make_circle(s->radius),
                       s->restitution);
    const double comes = s->manner == COMES ? 0.5 * s->speed : 0.0;
    body_def def = body_def_default();
    def.position.y = 0.3 * (phase - 2);
    def.velocity.x = -comes;
    def.bullet = s->manner == IS_BULLET;
    const body_id ball = put(world, &def, &form, 1);
    run(world, s->manner == SLEEPS ? (int)s->hz : 0);
    assert_true(s->manner != SLEEPS || !look(world, ball).awake);

    const shape_def plate = of_restitution(make_box(0.02, 4.0), s->restitution);
    def = body_def_default();
    def.type = BODY_KINEMATIC;
    def.velocity.x = s->speed;
    def.bullet = phase % 2 == 0; // being a bullet makes no difference
    def.position.x = -s->radius - 0.02 - (phase + 0.5) / PHASES * 2.0 * s->speed / s->hz;
    const body_id paddle = put(world, &def, &plate, 1);
    bool before = true;
    for (int tick = 0; tick < (int)(8.0 + 0.05 * s->hz) && before; tick++) {
        world_step(world);
        before = look(world, paddle).position.x < look(world, ball).position.x;
    }
    *share = look(world, ball).velocity.x / (s->speed + s->restitution * (s->speed + comes));
    world_free(world);
    return before;
}

static void check_serve(const serve *s)
{
    for (int phase = 0; phase < PHASES; phase++) {
        double share;
        const bool met = meets(s, phase, &share);
        if (!met || share < 0.99 || share > 1.02) {
            fail_msg("%s of %g m, restitution %g, manner %d, %g m/s, %g Hz, phase %d: %s, %g of "
                     "its speed",
                     s->box ? "box" : "ball", 2.0 * s->radius, s->restitution, (int)s->manner,
                     s->speed, s->hz, phase, met ? "met" : "passed", share);
        }
    }
}

static void paddle_hits_whatever_is_on_its_way(void **state)
{
    (void)state;
    static const double SPEEDS[] = {10.0, 30.0, 100.0, 300.0};
    static const double RADII[] = {0.01, 0.05, 0.2, 0.5};
    static const double RESTITUTIONS[] = {0.0, 0.5, 1.0};
    for (int i = 0; i < 4 * 4 * RATE_COUNT * 3 * 2 * MANNERS; i++) {
        const serve s = {
            .hz = RATES[i % 4],
            .speed = SPEEDS[i / 4 % 4],
            .radius = RADII[i / 16 % 4],
            .manner = (manner)(i / 64 % MANNERS),
            .box = i / 256 % 2 == 1,
            .restitution = RESTITUTIONS[i / 512],
        };
        check_serve(&s);
    }
}

// ---- bats that turn

typedef struct swing {
    double half, thickness, spin; // size and speed of the bat
    double radius, at, angle;     // the ball's radius, distance from the pivot, and angle
} swing;

static shape_def shape_of_bat(int seed, swing *s)
{
    shape_def form = make_box(2.0 * s->half, s->thickness);
    const vec2 ends[4] = {{(float)-s->half, 0.0f},
                          {(float)(-0.3 * s->half), 0.0f},
                          {(float)(0.3 * s->half), 0.0f},
                          {(float)s->half, 0.0f}};
    static vec2 points[4];
    switch (seed % 4) {
    case 0:
        form = shape_def_default();
        form.geometry.kind = SHAPE_SEGMENT;
        form.geometry.segment = (segment){ends[0], ends[3]};
        s->thickness = 0.0;
        break;
    case 1:
        form = shape_def_default();
        form.geometry.kind = SHAPE_CAPSULE;
        form.geometry.capsule = (capsule){ends[0], ends[3], (float)(0.5 * s->thickness)};
        break;
    case 2: // the right side of the bat faces the direction of its turn
        form = shape_def_default();
        form.form = FORM_CHAIN;
        for (int i = 0; i < 4; i++) {
            points[i] = ends[3 - i];
        }
        form.points = points;
        form.point_count = 4;
        s->thickness = 0.0;
        break;
    default:
        break;
    }
    return form;
}

// Whether the ball moves away before the bat has passed through it.
static bool bat_meets(int seed, double hz, double restitution)
{
    swing s = {.half = pick(seed, 1, 0.5, 3.0),
               .thickness = pick(seed, 2, 0.01, 0.2),
               .spin = pick(seed, 3, 2.0, 60.0),
               .radius = pick(seed, 4, 0.01, 0.4)};
    s.at = pick(seed, 5, 0.1, 0.95) * s.half;
    s.angle = pick(seed, 6, 0.0, 1.5) + (s.thickness + s.radius) / s.at + 0.02;
    if (s.angle > 2.5 || s.at < 2.0 * s.radius) { // the ball must not lie over the pivot
        return true;
    }
    physics_world *world = make_table(hz);
    const shape_def ball = of_restitution(seed % 3 == 0 ? make_box(2.0 * s.radius, 2.0 * s.radius)
                                                        : make_circle(s.radius),
                                          restitution);
    body_def def = body_def_default();
    def.position = (vec2d){s.at * cos(s.angle), s.at * sin(s.angle)};
    const body_id id = put(world, &def, &ball, 1);
    const shape_def bat = of_restitution(shape_of_bat(seed, &s), restitution);
    def = body_def_default();
    def.type = BODY_KINEMATIC;
    def.angular_velocity = s.spin;
    put(world, &def, &bat, 1);
    // Ticks until the bat has passed, and one in which the ball is struck.
    run(world, (int)(s.angle / s.spin * hz) + 3);
    const vec2d v = look(world, id).velocity;
    world_free(world);
    return hypot(v.x, v.y) > 0.1 * s.spin * s.at;
}

static void bat_hits_whatever_is_on_its_way(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int seed = 0; seed < 600; seed++) {
            if (!bat_meets(seed, RATES[r], seed / 4 % 2 == 0 ? 0.0 : 1.0)) {
                fail_msg("seed %d at %g Hz: passed", seed, RATES[r]);
            }
        }
    }
}

// ---- several bodies

// A ball rebounds from the paddle onto a box, and comes to rest in the paddle's path within the
// step.
static void row_before_a_paddle_is_driven_on(void **state)
{
    (void)state;
    for (int i = 0; i < 8 * RATE_COUNT * 3; i++) {
        const double hz = RATES[i % RATE_COUNT];
        const double speed = 30.0 * (1 << (i / RATE_COUNT % 3));
        physics_world *world = make_table(hz);
        const shape_def ball = of_restitution(make_circle(0.15), 1.0);
        const shape_def box = of_restitution(make_box(0.3, 0.3), 1.0);
        const body_id row[3] = {put_at(world, 0.0, 0.0, &ball), put_at(world, 0.5, 0.0, &box),
                                put_at(world, 0.9, 0.0, &ball)};
        body_def def = body_def_default();
        def.type = BODY_KINEMATIC;
        def.velocity.x = speed;
        def.position.x = -0.2 - (i / RATE_COUNT / 3 + 0.5) / 8.0 * speed / hz;
        const shape_def plate = of_restitution(make_box(0.02, 4.0), 1.0);
        const body_id paddle = put(world, &def, &plate, 1);
        for (int tick = 0; tick < 10; tick++) {
            world_step(world);
            for (int k = 0; k < 3; k++) {
                assert_true(look(world, row[k]).position.x > look(world, paddle).position.x);
            }
        }
        world_free(world);
    }
}

// A ball that a paddle drives against a wall stays before the wall; the paddle goes through both.
static void paddle_drives_nothing_through_a_wall(void **state)
{
    (void)state;
    for (int i = 0; i < 40 * RATE_COUNT; i++) {
        physics_world *world = make_table(RATES[i % RATE_COUNT]);
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        def.position.x = pick(i, 10, 0.3, 2.0);
        const shape_def wall = make_box(0.02, 20.0);
        put(world, &def, &wall, 1);
        const shape_def form = i % 2 == 0 ? make_circle(0.1) : make_box(0.2, 0.15);
        const body_id ball = put_at(world, 0.0, 0.0, &form);
        def = body_def_default();
        def.type = BODY_KINEMATIC;
        def.velocity.x = pick(i, 11, 10.0, 300.0);
        def.position.x = -pick(i, 12, 0.2, 4.0);
        const shape_def plate = make_box(0.02, 4.0);
        put(world, &def, &plate, 1);
        const double face = pick(i, 10, 0.3, 2.0);
        for (int tick = 0; tick < 20; tick++) {
            world_step(world);
            assert_true(look(world, ball).position.x < face);
        }
        world_free(world);
    }
}

// A ball that a paddle drives through a thin sensor is seen, however far it is driven in a tick.
static void sensor_sees_what_a_paddle_drives_through(void **state)
{
    (void)state;
    for (int i = 0; i < 10 * RATE_COUNT; i++) {
        physics_world *world = make_table(RATES[i % RATE_COUNT]);
        body_def def = body_def_default();
        def.type = BODY_STATIC;
        def.position.x = pick(i, 20, 0.3, 3.0);
        shape_def line = make_box(0.02, 20.0);
        line.sensor = true;
        put(world, &def, &line, 1);
        const shape_def ball = make_circle(0.05);
        put_at(world, 0.0, 0.0, &ball);
        def = body_def_default();
        def.type = BODY_KINEMATIC;
        def.velocity.x = 300.0;
        def.position.x = -pick(i, 21, 0.2, 2.0);
        const shape_def plate = make_box(0.02, 4.0);
        put(world, &def, &plate, 1);
        int seen[2] = {0};
        for (int tick = 0; tick < 10; tick++) {
            world_step(world);
            seen[0] += count_events(world, EVENT_SENSOR_BEGIN, NULL);
            seen[1] += count_events(world, EVENT_SENSOR_END, NULL);
        }
        assert_int_equal(seen[0], 2); // the ball and the paddle
        assert_int_equal(seen[1], 2);
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paddle_hits_whatever_is_on_its_way),
        cmocka_unit_test(bat_hits_whatever_is_on_its_way),
        cmocka_unit_test(row_before_a_paddle_is_driven_on),
        cmocka_unit_test(paddle_drives_nothing_through_a_wall),
        cmocka_unit_test(sensor_sees_what_a_paddle_drives_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
