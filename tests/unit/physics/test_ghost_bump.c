// Ghost bumps: a body that slides or rolls over a floor of 500 pieces loses no more speed than over
// one piece.
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>
#include <stdlib.h>

enum { PIECES = 500 };
static const double SPEED = 15.0;
static const int TICKS = 600; // 10 s, so 150 m at most

// Makes a chain from x = 250 to 0, half a metre per piece, from right to left, so that its upper
// side collides.
static shape_def make_chain(int pieces, vec2 *points, double friction)
{
    for (int i = 0; i <= pieces; i++) {
        points[i] = (vec2){250.0f - 250.0f * (float)i / (float)pieces, 0.0f};
    }
    shape_def def = shape_def_default();
    def.form = FORM_CHAIN;
    def.points = points;
    def.point_count = pieces + 1;
    def.friction = friction;
    return def;
}

// The speed of the shape after TICKS on a chain of `pieces` pieces.
static double speed_after(int pieces, shape_def rider, double height, double friction)
{
    physics_world *world = make_world((vec2d){0.0, -10.0});
    vec2 points[PIECES + 1];
    shape_def chain = make_chain(pieces, points, friction);
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    put(world, &def, &chain, 1);
    rider.friction = friction;
    body_def body = body_def_default();
    body.position = (vec2d){10.0, height};
    body.velocity = (vec2d){SPEED, 0.0};
    if (rider.geometry.kind == SHAPE_CIRCLE) {
        body.angular_velocity = -SPEED / height; // rolls
    }
    body_id id = put(world, &body, &rider, 1);
    double highest = 0.0;
    for (int i = 0; i < TICKS; i++) {
        world_step(world);
        highest = fmax(highest, look(world, id).position.y);
    }
    body_info b = look(world, id);
    assert_near(highest, height, 0.01); // the body never hopped
    assert_near(b.position.y, height, 0.003);
    world_free(world);
    return b.velocity.x;
}

static shape_def make_capsule(void)
{
    shape_def def = shape_def_default();
    def.geometry.kind = SHAPE_CAPSULE;
    def.geometry.capsule = (capsule){{-0.5f, 0.0f}, {0.5f, 0.0f}, 0.3f};
    return def;
}

static void box_slides_over_a_chain_of_500_pieces_as_over_one(void **state)
{
    (void)state;
    assert_near(speed_after(PIECES, make_box(1.0, 1.0), 0.5, 0.0), SPEED, 1e-3);
    double one = speed_after(1, make_box(1.0, 1.0), 0.5, 0.1);
    double many = speed_after(PIECES, make_box(1.0, 1.0), 0.5, 0.1);
    print_message("box, friction 0.1: %.4f m/s over one piece, %.4f over 500\n", one, many);
    assert_near(SPEED - many, SPEED - one, 0.02 * (SPEED - one));
}

static void capsule_slides_over_a_chain_of_500_pieces_as_over_one(void **state)
{
    (void)state;
    assert_near(speed_after(PIECES, make_capsule(), 0.3, 0.0), SPEED, 1e-3);
    double one = speed_after(1, make_capsule(), 0.3, 0.1);
    double many = speed_after(PIECES, make_capsule(), 0.3, 0.1);
    assert_near(SPEED - many, SPEED - one, 0.02 * (SPEED - one));
}

static void ball_rolls_over_a_chain_of_500_pieces_as_over_one(void **state)
{
    (void)state;
    double one = speed_after(1, make_circle(0.5), 0.5, 0.6);
    double many = speed_after(PIECES, make_circle(0.5), 0.5, 0.6);
    assert_near(many, one, 0.01);
    assert_near(many, SPEED, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_slides_over_a_chain_of_500_pieces_as_over_one),
        cmocka_unit_test(capsule_slides_over_a_chain_of_500_pieces_as_over_one),
        cmocka_unit_test(ball_rolls_over_a_chain_of_500_pieces_as_over_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
