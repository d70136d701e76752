// Warm starting within a step is done where velocities change (integrate.c): the impulses of a
// sub-step are applied again in the next, without a sweep. Constraints whose directions turn with
// the bodies must not suffer: two bodies that whirl on a revolute, weld, distance, prismatic or
// wheel joint keep momentum and energy. (For gears, which push up to four bodies, see
// test_joint_gear.)
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Two boxes of different mass, joined off their centres, whirl at 8 rad/s: by 2 degrees in a
// sub-step. So they do for ten seconds.
static void whirl(joint_kind kind)
{
    rig r = rig_open(0.0);
    body_id a = rig_box(&r, -0.7, 0.1, 1.0, 0.4);
    body_id b = rig_box(&r, 0.5, 0.0, 0.8, 0.8);
    joint_def def = rig_def_at(kind, a, b, 0.0, 0.05);
    if (kind == JOINT_DISTANCE) {
        def = rig_def(kind, a, b);
    }
    if (kind == JOINT_PRISMATIC || kind == JOINT_WHEEL) {
        def.fields |= JOINT_FIELD_AXIS | JOINT_FIELD_LOWER | JOINT_FIELD_UPPER;
        def.axis = (vec2){1.0f, 0.0f};
        def.lower = def.upper = 0.0;
    }
    rig_join(&r, &def);
    const double spin = 8.0;
    for (int i = 0; i < 2; i++) { // moves the pair as one rigid body, about the origin, and onward
        body_info info = rig_body(&r, i == 0 ? a : b);
        rig_push(&r, i == 0 ? a : b, 1.0 - spin * info.position.y, spin * info.position.x, spin);
    }
    const rig_sums before = rig_sums_of(&r, a, b);
    rig_step(&r, 600);
    const rig_sums after = rig_sums_of(&r, a, b);
    assert_near(after.momentum_x, before.momentum_x, 1e-4 * before.momentum_x);
    assert_near(after.momentum_y, before.momentum_y, 1e-4 * before.momentum_x);
    assert_near(after.angular, before.angular, 1e-4 * before.angular);
    assert_near(after.energy, before.energy, 0.005 * before.energy);
    rig_close(&r);
}

static void whirling_bodies_keep_momentum_and_energy(void **state)
{
    (void)state;
    whirl(JOINT_REVOLUTE);
    whirl(JOINT_WELD);
    whirl(JOINT_DISTANCE);
    whirl(JOINT_PRISMATIC);
    whirl(JOINT_WHEEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whirling_bodies_keep_momentum_and_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
