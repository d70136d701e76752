// Friction and rest: the incline with and without sliding, the box dropped flat and on a corner,
// push-out of overlap, rolling, conveyor.
#include "tests/golden/scenes.h"
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

static double deepest_overlap(const physics_world *world)
{
    contact_info contacts[16];
    uint32_t count = world_contacts(world, contacts, 16);
    double deepest = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < contacts[i].count; k++) {
            deepest = fmax(deepest, (double)contacts[i].depth[k]);
        }
    }
    return deepest;
}

// A slope of `angle` through the origin, and a box on it. Friction of both is `friction`.
static physics_world *make_incline(double angle, double friction, const shape_def *on_it,
                                   double height, body_id *id)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.angle = angle;
    shape_def slope = make_box_at(400.0, 2.0, (vec2){0.0f, -1.0f}, 0.0);
    slope.friction = friction;
    put(world, &def, &slope, 1);
    body_def rider = body_def_default();
    rider.angle = angle;
    rider.position = (vec2d){-sin(angle) * height, cos(angle) * height};
    shape_def shape = *on_it;
    shape.friction = friction;
    *id = put(world, &rider, &shape, 1);
    return world;
}

// a = g (sin θ - μ cos θ)
static void box_on_an_incline_above_the_friction_angle_slides_by_the_formula(void **state)
{
    (void)state;
    const double angle = 30.0 * PI_D / 180.0;
    const double mu = 0.3;
    shape_def box = make_box(1.0, 0.5);
    body_id id;
    physics_world *world = make_incline(angle, mu, &box, 0.25, &id);
    run(world, 30);
    body_info b0 = look(world, id);
    run(world, 60);
    body_info b1 = look(world, id);
    double v0 = hypot(b0.velocity.x, b0.velocity.y);
    double v1 = hypot(b1.velocity.x, b1.velocity.y);
    assert_near(v1 - v0, 10.0 * (sin(angle) - mu * cos(angle)), 0.05);
    assert_near(b1.angle, angle, 0.01);
    world_free(world);
}

static void box_on_an_incline_below_the_friction_angle_stays(void **state)
{
    (void)state;
    shape_def box = make_box(1.0, 0.5);
    body_id id;
    physics_world *world = make_incline(20.0 * PI_D / 180.0, 0.5, &box, 0.25, &id);
    run(world, 60);
    vec2d before = look(world, id).position;
    run(world, 300);
    vec2d after = look(world, id).position;
    assert_near(hypot(after.x - before.x, after.y - before.y), 0.0, 1e-3);
    world_free(world);
}

static bool slides(double degrees, double mu)
{
    shape_def box = make_box(1.0, 0.25);
    body_id id;
    physics_world *world = make_incline(degrees * PI_D / 180.0, mu, &box, 0.125, &id);
    run(world, 60);
    vec2d before = look(world, id).position;
    run(world, 240);
    vec2d after = look(world, id).position;
    world_free(world);
    return hypot(after.x - before.x, after.y - before.y) > 0.02;
}

// tan θ = μ, to half a degree.
static void friction_angle_is_the_arctangent_of_the_coefficient(void **state)
{
    (void)state;
    for (int i = 1; i <= 4; i++) {
        double mu = 0.2 * i;
        double critical = atan(mu) * 180.0 / PI_D;
        assert_false(slides(critical - 0.5, mu));
        assert_true(slides(critical + 0.5, mu));
    }
}

// A solid disc rolls down without sliding at a = 2/3 g sin θ.
static void disc_rolls_down_an_incline_at_two_thirds(void **state)
{
    (void)state;
    const double angle = 15.0 * PI_D / 180.0;
    shape_def disc = make_circle(0.5);
    body_id id;
    physics_world *world = make_incline(angle, 0.8, &disc, 0.5, &id);
    run(world, 120);
    body_info b = look(world, id);
    double v = hypot(b.velocity.x, b.velocity.y);
    assert_near(v, 2.0 / 3.0 * 10.0 * sin(angle) * 2.0, 0.05);
    assert_near(fabs(b.angular_velocity), v / 0.5, 0.05);
    world_free(world);
}

static void rolling_resistance_brings_a_rolling_ball_to_rest(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def free_ball = make_circle(0.5);
    shape_def braked = free_ball;
    braked.rolling_resistance = 0.1;
    body_def def = body_def_default();
    def.velocity = (vec2d){3.0, 0.0};
    def.angular_velocity = -6.0;
    def.position = (vec2d){0.0, 0.5};
    body_id a = put(world, &def, &free_ball, 1);
    def.position = (vec2d){0.0, 0.5};
    def.position.x = -10.0;
    body_id b = put(world, &def, &braked, 1);
    run(world, 300);
    assert_near(look(world, a).velocity.x, 3.0, 0.05);
    assert_near(look(world, b).velocity.x, 0.0, 0.01);
    world_free(world);
}

static void conveyor_carries_a_box_at_the_speed_of_its_surface(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    def.position = (vec2d){0.0, -1.0};
    shape_def belt = make_box(400.0, 2.0);
    belt.tangent_speed = 2.0;
    put(world, &def, &belt, 1);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.5, &box);
    run(world, 120);
    // The tangent is the upward normal turned clockwise: to the right.
    assert_near(look(world, id).velocity.x, 2.0, 0.01);
    world_free(world);
}

static void box_dropped_flat_comes_to_rest_flat(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 3.0, &box);
    run(world, 240);
    body_info b = look(world, id);
    assert_near(b.position.x, 0.0, 1e-3);
    assert_near(b.position.y, 0.5, 0.005);
    assert_near(b.angle, 0.0, 1e-3);
    assert_false(b.awake);
    world_free(world);
}

static void box_dropped_on_a_corner_tumbles_to_a_side(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_def def = body_def_default();
    def.position = (vec2d){0.0, 3.0};
    def.angle = 0.6;
    body_id id = put(world, &def, &box, 1);
    run(world, 400);
    body_info b = look(world, id);
    double quarter = b.angle / (PI_D / 2.0);
    assert_near(quarter, round(quarter), 1e-3);
    assert_near(b.position.y, 0.5, 0.005);
    assert_false(b.awake);
    world_free(world);
}

// Overlap is pushed out no faster than PUSH_OUT_SPEED_MAX, until only the slop is left.
static void overlap_is_pushed_out_to_the_slop(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(1.0, 1.0);
    body_id a = put_at(world, 0.0, 0.0, &box);
    body_id b = put_at(world, 0.8, 0.0, &box); // 20 cm deep
    double fastest = 0.0;
    for (int i = 0; i < 120; i++) {
        world_step(world);
        fastest = fmax(fastest, fabs(look(world, b).velocity.x));
    }
    double gap = look(world, b).position.x - look(world, a).position.x;
    assert_near(gap, 1.0, 0.006);
    assert_true(fastest < 0.05); // pushing out adds no speed
    world_free(world);
}

// Deep overlap is pushed out at full speed until 10 cm are left, faster than a spring of the
// contacts' stiffness would push.
static void deep_overlap_is_pushed_out_at_full_speed(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(2.0, 2.0);
    body_id a = put_at(world, 0.0, 0.0, &box);
    body_id b = put_at(world, 1.4, 0.0, &box); // 60 cm deep
    double before = 1.4;
    for (int i = 0; i < 9; i++) { // 5 cm each
        world_step(world);
        double gap = look(world, b).position.x - look(world, a).position.x;
        assert_near(gap - before, 3.0 / 60.0, 0.003);
        before = gap;
    }
    run(world, 60);
    assert_near(look(world, b).position.x - look(world, a).position.x, 2.0, 0.006);
    assert_near(look(world, b).velocity.x, 0.0, 0.05);
    world_free(world);
}

// Two bodies of two shapes each, hooked into each other by an impact: one pair of shapes pushes in
// one direction, the other in the opposite one. Friction must not keep them there.
static void bodies_hooked_into_each_other_come_apart(void **state)
{
    (void)state;
    static const struct {
        double angle_a, angle_b, x, y;
    } POSES[] = {
        {1.9218, -2.0721, -1.2465, -0.0904}, {0.1592, 2.4544, 0.5515, 1.4578},
        {0.2243, 2.4005, 0.5531, 0.9801},    {1.7105, -2.4877, -1.0580, 0.5503},
        {1.7325, -2.9412, -0.5817, 0.4547},
    };
    const vec2 left[3] = {{-1.0f, 0.0f}, {0.5f, 1.0f}, {0.0f, 2.0f}};
    const vec2 right[3] = {{1.0f, 0.0f}, {-0.5f, 1.0f}, {0.0f, 2.0f}};
    shape_def halves[2] = {scene_polygon(left, 3), scene_polygon(right, 3)};
    halves[0].friction = halves[1].friction = 0.5;
    for (int i = 0; i < 5; i++) {
        physics_world *world = make_world((vec2d){0.0, 0.0});
        body_def a = body_def_default();
        a.angle = POSES[i].angle_a;
        put(world, &a, halves, 2);
        body_def b = body_def_default();
        b.angle = POSES[i].angle_b;
        b.position = (vec2d){POSES[i].x, POSES[i].y};
        put(world, &b, halves, 2);
        run(world, 1);
        assert_true(deepest_overlap(world) > 0.5);
        run(world, 300);
        assert_true(deepest_overlap(world) < 0.01);
        world_free(world);
    }
}

// The change of a body's velocity in a tick [m/s], in a heap that has rested for 15 s.
static double trembling_of_heap(int scale)
{
    enum { BODIES_MAX = 2000, TICKS = 300 };
    static body_row before[BODIES_MAX];
    static body_row now[BODIES_MAX];
    physics_world *world = scene_create(scene_find("heap"), scale, (vec2d){0.0, 0.0});
    error err = {0};
    assert_int_equal(world_set_sleep(world, false, &err), STATUS_OK);
    run(world, 900);
    double sum = 0.0;
    uint32_t count = world_rows(world, before, BODIES_MAX);
    for (int tick = 0; tick < TICKS; tick++) {
        world_step(world);
        world_rows(world, now, count);
        for (uint32_t i = 0; i < count; i++) {
            vec2 change = vec2_sub(now[i].velocity, before[i].velocity);
            sum += (double)vec2_length(change);
            before[i] = now[i];
        }
    }
    world_free(world);
    return sum / (count * TICKS);
}

// Balls wedged between boxes do not tremble, as they would if a point of contact did not follow a
// rolling ball: velocities do not change. (Some balls keep rolling on level surfaces, so a heap may
// still be settling, but not most heaps.)
static void boxes_and_balls_kept_awake_do_not_tremble(void **state)
{
    (void)state;
    int at_rest = 0;
    for (int scale = 20; scale < 25; scale++) {
        at_rest += trembling_of_heap(scale) < 3e-5;
    }
    assert_in_range(at_rest, 3, 5);
}

// The normal impulse of a resting box, over a step, is its weight times the step; friction stays
// below its share.
static void resting_contact_carries_the_weight_and_clamps_friction(void **state)
{
    (void)state;
    world_def wd = world_def_default();
    wd.gravity = (vec2d){1.0, -10.0};
    wd.sleep = false;
    physics_world *world = make_world_of(&wd);
    put_floor(world, 0.5, 0.0);
    shape_def box = make_box(1.0, 1.0);
    box.friction = 0.5;
    put_at(world, 0.0, 0.5, &box);
    run(world, 120);
    contact_info c;
    assert_int_equal(world_contacts(world, &c, 1), 1);
    assert_int_equal(c.count, 2);
    double normal = (double)(c.impulse[0] + c.impulse[1]);
    assert_near(normal, 10.0 / 60.0, 1e-3);
    assert_true(c.impulse[0] >= 0.0f && c.impulse[1] >= 0.0f);
    for (int i = 0; i < 2; i++) {
        // tangent_impulse is that of the last sub-step, a quarter of the step
        assert_true(fabs((double)c.tangent_impulse[i]) <=
                    0.5 * (double)c.impulse[i] / 4.0 * 1.01 + 1e-6);
    }
    assert_near((double)(c.tangent_impulse[0] + c.tangent_impulse[1]) * 4.0,
                -1.0 / 60.0 * (c.normal.y > 0 ? 1 : -1), 2e-3);
    world_free(world);
}

static void contact_of_two_resting_circles_has_normal_depth_and_a_point_between(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_circle(1.0);
    body_id a = put_at(world, 0.0, 0.0, &ball);
    put_at(world, 1.2, 1.6, &ball); // exactly 2 m apart, less a little
    set_velocity(world, a, 0.06, 0.08);
    run(world, 1);
    contact_info c;
    assert_int_equal(world_contacts(world, &c, 1), 1);
    assert_int_equal(c.count, 1);
    assert_near((double)c.normal.x, 0.6, 1e-3);
    assert_near((double)c.normal.y, 0.8, 1e-3);
    assert_near(c.points[0].x, 0.6, 0.01);
    assert_near(c.points[0].y, 0.8, 0.01);
    assert_near((double)c.depth[0], 0.0, 0.005);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_on_an_incline_above_the_friction_angle_slides_by_the_formula),
        cmocka_unit_test(box_on_an_incline_below_the_friction_angle_stays),
        cmocka_unit_test(friction_angle_is_the_arctangent_of_the_coefficient),
        cmocka_unit_test(disc_rolls_down_an_incline_at_two_thirds),
        cmocka_unit_test(rolling_resistance_brings_a_rolling_ball_to_rest),
        cmocka_unit_test(conveyor_carries_a_box_at_the_speed_of_its_surface),
        cmocka_unit_test(box_dropped_flat_comes_to_rest_flat),
        cmocka_unit_test(box_dropped_on_a_corner_tumbles_to_a_side),
        cmocka_unit_test(overlap_is_pushed_out_to_the_slop),
        cmocka_unit_test(deep_overlap_is_pushed_out_at_full_speed),
        cmocka_unit_test(bodies_hooked_into_each_other_come_apart),
        cmocka_unit_test(boxes_and_balls_kept_awake_do_not_tremble),
        cmocka_unit_test(resting_contact_carries_the_weight_and_clamps_friction),
        cmocka_unit_test(contact_of_two_resting_circles_has_normal_depth_and_a_point_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
