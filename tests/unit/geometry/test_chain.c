// Pieces of a chain: one-sided, and smooth where they meet.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/geometry/manifold.h"
#include "tests/unit/geometry/near.h"
#include "tests/unit/geometry/placed.h"

// Runs from right to left, so that its right side is above; flat unless the ghosts say otherwise.
static chain_segment piece(float before_y, float after_y)
{
    return (chain_segment){{2.0f, before_y}, {{1.0f, 0.0f}, {-1.0f, 0.0f}}, {-2.0f, after_y}};
}

static polygon box_of(float width, float height)
{
    polygon p;
    assert_int_equal(
        polygon_make_box((vec2){width, height}, (vec2){0.0f, 0.0f}, 0.0, 0.0f, &p, NULL),
        STATUS_OK);
    return p;
}

static void chain_is_felt_from_its_right_side_only(void **state)
{
    (void)state;
    chain_segment c = piece(0.0f, 0.0f);
    polygon box = box_of(1.0f, 1.0f);
    circle disc = {{0.0f, 0.0f}, 0.5f};
    capsule rod = {{-0.2f, 0.0f}, {0.2f, 0.0f}, 0.5f};
    transform above = at(0.0f, 0.49f, 0.0);
    transform below = at(0.0f, -0.49f, 0.0);
    assert_int_equal(manifold_chain_polygon(&c, &box, above).count, 2);
    assert_int_equal(manifold_chain_circle(&c, &disc, above).count, 1);
    assert_int_equal(manifold_chain_capsule(&c, &rod, above).count, 2);
    assert_int_equal(manifold_chain_polygon(&c, &box, below).count, 0);
    assert_int_equal(manifold_chain_circle(&c, &disc, below).count, 0);
    assert_int_equal(manifold_chain_capsule(&c, &rod, below).count, 0);
}

// The bump that a plain segment makes: its end touches the side of a box that has sunk in a little.
static void chain_joint_does_not_stop_a_sliding_box(void **state)
{
    (void)state;
    polygon box = box_of(1.0f, 1.0f);
    transform t = at(1.499f, 0.49f, 0.0); // 1 mm over the joint at x = 1, 1 cm deep
    segment plain = {{1.0f, 0.0f}, {-1.0f, 0.0f}};
    manifold bump = manifold_segment_polygon(&plain, &box, t);
    assert_true(bump.count >= 1);
    assert_at(bump.normal, 1.0, 0.0, 1e-6); // the plain segment pushes it back
    chain_segment smooth = piece(0.0f, 0.0f);
    manifold m = manifold_chain_polygon(&smooth, &box, t);
    assert_true(m.count >= 1);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_near(m.points[0].separation, -0.01, 1e-5);
}

static void chain_box_before_the_joint_is_not_touched(void **state)
{
    (void)state;
    polygon box = box_of(1.0f, 1.0f);
    chain_segment smooth = piece(0.0f, 0.0f);
    assert_int_equal(manifold_chain_polygon(&smooth, &box, at(1.51f, 0.49f, 0.0)).count, 0);
    circle disc = {{0.0f, 0.0f}, 0.5f};
    assert_int_equal(manifold_chain_circle(&smooth, &disc, at(1.01f, 0.49f, 0.0)).count, 0);
    capsule rod = {{-0.2f, 0.0f}, {0.2f, 0.0f}, 0.5f};
    assert_int_equal(manifold_chain_capsule(&smooth, &rod, at(1.25f, 0.49f, 0.0)).count, 0);
}

static void chain_convex_joint_gives_the_normals_between(void **state)
{
    (void)state;
    chain_segment hill = piece(-1.0f, -1.0f); // the surface falls off at 45 degrees on both sides
    circle disc = {{0.0f, 0.0f}, 0.5f};
    double s = sin(PI_D / 8.0);
    double c = cos(PI_D / 8.0);
    manifold m =
        manifold_chain_circle(&hill, &disc, at(1.0f + 0.49f * (float)s, 0.49f * (float)c, 0.0));
    assert_int_equal(m.count, 1);
    assert_at(m.normal, s, c, 1e-5);
    assert_near(m.points[0].separation, -0.01, 1e-5);
    // Beyond the neighbour's own direction only the neighbour makes the contact.
    m = manifold_chain_circle(&hill, &disc, at(1.0f + 0.49f * 0.8f, 0.49f * 0.6f, 0.0));
    assert_int_equal(m.count, 0);
    // A box that balances on the joint touches with its own face.
    polygon box = box_of(1.0f, 1.0f);
    m = manifold_chain_polygon(&hill, &box,
                               at(1.0f + 0.49f * (float)s, 0.49f * (float)c, -PI_D / 8.0));
    assert_int_equal(m.count, 1);
    assert_at(m.normal, s, c, 1e-5);
    assert_near(m.points[0].separation, -0.01, 1e-5);
}

static void chain_concave_joint_gives_its_own_normal_alone(void **state)
{
    (void)state;
    chain_segment valley = piece(1.0f, 1.0f);
    circle disc = {{0.0f, 0.0f}, 0.5f};
    manifold m = manifold_chain_circle(&valley, &disc, at(1.2f, 0.45f, 0.0));
    assert_int_equal(m.count, 0); // beside the end the contact belongs to the slope
    m = manifold_chain_circle(&valley, &disc, at(0.8f, 0.49f, 0.0));
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    polygon box = box_of(1.0f, 1.0f);
    m = manifold_chain_polygon(&valley, &box, at(0.7f, 0.7f, PI_D / 4.0));
    assert_int_equal(m.count, 1);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
}

// A big box on a ledge, more than half of it over the edge: the wall below must not push it out.
static void chain_box_over_a_ledge_is_held_by_the_ledge(void **state)
{
    (void)state;
    chain_segment ledge = {{2.0f, -3.0f}, {{2.0f, 0.0f}, {-2.0f, 0.0f}}, {-2.0f, -3.0f}};
    chain_segment wall = {{-2.0f, -3.0f}, {{2.0f, -3.0f}, {2.0f, 0.0f}}, {-2.0f, 0.0f}};
    polygon box = box_of(4.0f, 1.0f);
    const double tilts[] = {0.0, 0.005, -0.005, -0.02, -0.05};
    for (size_t i = 0; i < sizeof tilts / sizeof tilts[0]; i++) {
        // The lowest part is 4 mm deep: the left end, or the part above the ledge's end.
        double lift = tilts[i] > 0.0 ? 0.5 * cos(tilts[i]) + 2.0 * sin(tilts[i])
                                     : 0.5 / cos(tilts[i]) + 0.5 * tan(tilts[i]);
        transform t = at(2.5f, (float)(lift - 0.004), tilts[i]);
        manifold m = manifold_chain_polygon(&ledge, &box, t);
        assert_true(m.count >= 1);
        assert_true(m.normal.y > 0.998f);
        manifold w = manifold_chain_polygon(&wall, &box, t);
        for (int k = 0; k < w.count; k++) {
            assert_true(w.normal.y > 0.998f); // a contact, if there is one, pushes up too
            assert_true(w.points[k].separation > -0.05f);
        }
    }
}

static void chain_thin_plate_at_rest_is_held(void **state)
{
    (void)state;
    chain_segment floor = piece(0.0f, 0.0f);
    polygon plate = box_of(0.5f, 0.002f);
    // Sunk in by as much as a solver leaves, its centre lies below the floor.
    manifold m = manifold_chain_polygon(&floor, &plate, at(0.0f, -0.003f, 0.0));
    assert_int_equal(m.count, 2);
    assert_at(m.normal, 0.0, 1.0, 1e-6);
    assert_near(m.points[0].separation, -0.004, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_is_felt_from_its_right_side_only),
        cmocka_unit_test(chain_joint_does_not_stop_a_sliding_box),
        cmocka_unit_test(chain_box_before_the_joint_is_not_touched),
        cmocka_unit_test(chain_convex_joint_gives_the_normals_between),
        cmocka_unit_test(chain_concave_joint_gives_its_own_normal_alone),
        cmocka_unit_test(chain_box_over_a_ledge_is_held_by_the_ledge),
        cmocka_unit_test(chain_thin_plate_at_rest_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
