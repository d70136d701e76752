// Collisions against formulas: oblique elastic impact of unequal balls, restitution, billiards, a
// cradle; momentum and energy.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>
#include <stdio.h>

static shape_def make_ball(double radius, double restitution)
{
    shape_def def = make_circle(radius);
    def.restitution = restitution;
    def.friction = 0.0;
    return def;
}

// Two smooth balls: along the line of centres at impact, velocities follow from momentum and
// energy; across it they do not change.
static void oblique_elastic_collision_of_unequal_balls_follows_the_formula(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def small = make_ball(0.5, 1.0);
    shape_def large = make_ball(1.0, 1.0);
    large.density = 2.0;
    body_id a = put_at(world, -5.0, 0.6, &small);
    body_id b = put_at(world, 0.0, 0.0, &large);
    set_velocity(world, a, 6.0, 0.0);
    set_velocity(world, b, -1.0, 0.5);
    body_info a0 = look(world, a);
    body_info b0 = look(world, b);
    totals before = measure(world);
    vec2d normal = {0.0, 0.0};
    for (int i = 0; i < 180; i++) {
        world_step(world);
        physics_event begin;
        if (count_events(world, EVENT_BEGIN, &begin) > 0) {
            double side = begin.a == a ? 1.0 : -1.0;
            normal = (vec2d){side * (double)begin.normal.x, side * (double)begin.normal.y};
        }
    }
    assert_true(normal.x != 0.0 && normal.y != 0.0); // they met, and not head-on
    totals after = measure(world);
    assert_near(after.px, before.px, 1e-4);
    assert_near(after.py, before.py, 1e-4);
    assert_near(after.angular, before.angular, 1e-3 * fabs(before.angular));
    assert_near(after.energy, before.energy, 1e-3 * before.energy);
    double along_a = a0.velocity.x * normal.x + a0.velocity.y * normal.y;
    double along_b = b0.velocity.x * normal.x + b0.velocity.y * normal.y;
    double m = a0.mass + b0.mass;
    double push_a = 2.0 * b0.mass / m * (along_b - along_a);
    double push_b = 2.0 * a0.mass / m * (along_a - along_b);
    body_info a1 = look(world, a);
    body_info b1 = look(world, b);
    assert_near(a1.velocity.x, a0.velocity.x + push_a * normal.x, 1e-3);
    assert_near(a1.velocity.y, a0.velocity.y + push_a * normal.y, 1e-3);
    assert_near(b1.velocity.x, b0.velocity.x + push_b * normal.x, 1e-3);
    assert_near(b1.velocity.y, b0.velocity.y + push_b * normal.y, 1e-3);
    assert_near(a1.angular_velocity, 0.0, 1e-6);
    world_free(world);
}

// After a glancing elastic impact of equal balls, one at rest, the paths separate at a right angle.
static void equal_billiard_balls_part_at_a_right_angle(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_ball(0.5, 1.0);
    body_id cue = put_at(world, -4.0, 0.4, &ball);
    body_id object = put_at(world, 0.0, 0.0, &ball);
    set_velocity(world, cue, 5.0, 0.0);
    run(world, 120);
    vec2d u = look(world, cue).velocity;
    vec2d v = look(world, object).velocity;
    assert_true(hypot(v.x, v.y) > 1.0);
    assert_near(u.x * v.x + u.y * v.y, 0.0, 1e-2);
    world_free(world);
}

static double bounce_height(double restitution, double drop)
{
    world_def wd = world_def_default();
    wd.gravity = (vec2d){0.0, -10.0};
    wd.hz = 240.0;
    physics_world *world = make_world_of(&wd);
    put_floor(world, 0.0, 0.0);
    shape_def ball = make_ball(0.5, restitution);
    body_id id = put_at(world, 0.0, 0.5 + drop, &ball);
    bool bounced = false;
    double top = 0.0;
    for (int i = 0; i < 240 * 4; i++) {
        world_step(world);
        body_info b = look(world, id);
        if (!bounced && b.velocity.y > 0.0) {
            bounced = true;
        }
        if (bounced && b.velocity.y < 0.0) {
            break;
        }
        if (bounced && b.position.y - 0.5 > top) {
            top = b.position.y - 0.5;
        }
    }
    world_free(world);
    return top;
}

// h1 = e² h0
static void dropped_ball_rises_to_the_square_of_its_restitution(void **state)
{
    (void)state;
    assert_near(bounce_height(1.0, 4.0), 4.0, 0.12);
    assert_near(bounce_height(0.8, 4.0), 0.64 * 4.0, 0.08);
    assert_near(bounce_height(0.5, 4.0), 0.25 * 4.0, 0.05);
    assert_near(bounce_height(0.0, 4.0), 0.0, 0.01);
}

// One ball comes in, one ball leaves, the others stay at rest.
static void cradle_passes_momentum_through_to_the_last_ball(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_ball(0.5, 1.0);
    body_id balls[5];
    for (int i = 0; i < 5; i++) {
        balls[i] = put_at(world, 1.001 * i, 0.0, &ball);
    }
    body_id striker = put_at(world, -3.0, 0.0, &ball);
    set_velocity(world, striker, 4.0, 0.0);
    run(world, 120);
    assert_near(look(world, striker).velocity.x, 0.0, 0.05);
    for (int i = 0; i < 4; i++) {
        assert_near(look(world, balls[i]).velocity.x, 0.0, 0.05);
    }
    assert_near(look(world, balls[4]).velocity.x, 4.0, 0.05);
    world_free(world);
}

// The blow runs through the row even if only a few pairs approach fast when the step begins.
static void blow_runs_through_a_long_row_in_one_step(void **state)
{
    (void)state;
    enum { ROW = 24 };
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def ball = make_ball(0.5, 1.0);
    body_id balls[ROW];
    for (int i = 0; i < ROW; i++) {
        balls[i] = put_at(world, 1.0 * i, 0.0, &ball);
    }
    body_id striker = put_at(world, -2.0, 0.0, &ball);
    set_velocity(world, striker, 20.0, 0.0);
    for (int i = 0; i < 10 && look(world, striker).velocity.x > 10.0; i++) {
        assert_near(look(world, balls[ROW - 1]).velocity.x, 0.0, 1e-3);
        world_step(world);
    }
    assert_near(look(world, striker).velocity.x, 0.0, 0.05);
    assert_near(look(world, balls[ROW / 2]).velocity.x, 0.0, 0.05);
    assert_near(look(world, balls[ROW - 1]).velocity.x, 20.0, 0.05);
    world_free(world);
}

// A closed box of smooth elastic balls keeps its energy; without walls, momentum too.
static void free_world_of_colliding_boxes_keeps_momentum_for_every_seed(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        uint32_t r = seed * 2654435761u;
        physics_world *world = make_world((vec2d){0.0, 0.0});
        for (int i = 0; i < 60; i++) {
            shape_def box = make_box(0.8, 0.5);
            box.friction = 0.5;
            body_def def = body_def_default();
            def.position = (vec2d){(i % 8) * 1.1, (i / 8) * 1.1};
            r = r * 1664525u + 1013904223u;
            def.angle = (r >> 8) * 1e-7;
            r = r * 1664525u + 1013904223u;
            def.velocity =
                (vec2d){((r >> 8) % 1000) * 0.008 - 4.0, ((r >> 18) % 1000) * 0.008 - 4.0};
            put(world, &def, &box, 1);
        }
        totals before = measure(world);
        double energy = before.energy;
        for (int i = 0; i < 120; i++) {
            world_step(world);
            totals now = measure(world);
            if (fabs(now.px - before.px) > 1e-3 || fabs(now.py - before.py) > 1e-3 ||
                fabs(now.angular - before.angular) > 0.15 || now.energy > energy * 1.02) {
                print_error("seed %u, tick %d: momentum %g %g, was %g %g; angular %g, was %g; "
                            "energy %g, was %g\n",
                            seed, i + 1, now.px, now.py, before.px, before.py, now.angular,
                            before.angular, now.energy, energy);
                fail();
            }
            energy = now.energy;
        }
        world_free(world);
    }
}

static void box_meets_box_head_on_and_swaps_velocity(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(1.0, 1.0);
    box.restitution = 1.0;
    body_id a = put_at(world, -3.0, 0.0, &box);
    body_id b = put_at(world, 0.0, 0.0, &box);
    set_velocity(world, a, 4.0, 0.0);
    run(world, 120);
    assert_near(look(world, a).velocity.x, 0.0, 1e-3);
    assert_near(look(world, b).velocity.x, 4.0, 1e-3);
    assert_near(look(world, b).angular_velocity, 0.0, 1e-3);
    world_free(world);
}

// A box struck off centre rotates: it rebounds with spin.
static void box_struck_off_centre_spins(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, 0.0});
    shape_def box = make_box(1.0, 1.0);
    box.restitution = 0.5;
    body_id a = put_at(world, -3.0, 0.6, &box);
    body_id b = put_at(world, 0.0, 0.0, &box);
    set_velocity(world, a, 4.0, 0.0);
    totals before = measure(world);
    run(world, 90);
    totals after = measure(world);
    assert_true(look(world, b).angular_velocity < -0.1);
    assert_near(after.px, before.px, 1e-4);
    assert_near(after.angular, before.angular, 0.05);
    assert_true(after.energy < before.energy);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oblique_elastic_collision_of_unequal_balls_follows_the_formula),
        cmocka_unit_test(equal_billiard_balls_part_at_a_right_angle),
        cmocka_unit_test(dropped_ball_rises_to_the_square_of_its_restitution),
        cmocka_unit_test(cradle_passes_momentum_through_to_the_last_ball),
        cmocka_unit_test(blow_runs_through_a_long_row_in_one_step),
        cmocka_unit_test(free_world_of_colliding_boxes_keeps_momentum_for_every_seed),
        cmocka_unit_test(box_meets_box_head_on_and_swaps_velocity),
        cmocka_unit_test(box_struck_off_centre_spins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
