// Systems of joints: free ragdolls keep their momenta, equal bodies stay symmetric, the same calls
// give the same bits.
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// xorshift64* (Vigna 2016): the seeds of the tests.
static double random_between(uint64_t *seed, double lower, double upper)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    uint64_t bits = (*seed * 0x2545F4914F6CDD1DULL) >> 11;
    return lower + (upper - lower) * (double)bits / 9007199254740992.0;
}

enum { LIMBS = 10 };

// Ten boxes in a tree, each joined to an earlier one by a joint of a random kind with random limits
// and springs.
static void make_ragdoll(rig *r, uint64_t *seed, body_id *limbs)
{
    for (int i = 0; i < LIMBS; i++) {
        double x = random_between(seed, -2.0, 2.0);
        double y = random_between(seed, -2.0, 2.0);
        limbs[i] = rig_box(r, x, y, random_between(seed, 0.2, 1.0), random_between(seed, 0.2, 0.6));
        rig_push(r, limbs[i], random_between(seed, -3.0, 3.0), random_between(seed, -3.0, 3.0),
                 random_between(seed, -5.0, 5.0));
    }
    const joint_kind kinds[] = {JOINT_REVOLUTE, JOINT_REVOLUTE, JOINT_WELD,
                                JOINT_DISTANCE, JOINT_WHEEL,    JOINT_PRISMATIC};
    for (int i = 1; i < LIMBS; i++) {
        joint_kind kind = kinds[(int)random_between(seed, 0.0, 5.999)];
        body_id other = limbs[(int)random_between(seed, 0.0, i - 0.001)];
        body_info b = rig_body(r, limbs[i]);
        joint_def def = rig_def(kind, other, limbs[i]);
        if (kind != JOINT_DISTANCE) {
            def.fields = JOINT_FIELD_ANCHOR;
            def.anchor = b.position;
        }
        if (kind == JOINT_PRISMATIC) {
            def.fields |= JOINT_FIELD_AXIS;
            def.axis = (vec2){(float)random_between(seed, 0.1, 1.0),
                              (float)random_between(seed, -1.0, 1.0)};
        }
        if (kind == JOINT_REVOLUTE) {
            def.fields |= JOINT_FIELD_LOWER | JOINT_FIELD_UPPER | JOINT_FIELD_HERTZ;
            def.lower = random_between(seed, -1.0, 0.0);
            def.upper = random_between(seed, 0.0, 1.0);
            def.hertz = random_between(seed, 0.0, 4.0);
        }
        rig_join(r, &def);
    }
}

typedef struct momenta {
    double x, y, angular, energy;
} momenta;

static momenta measure(const rig *r, const body_id *limbs)
{
    momenta m = {0};
    for (int i = 0; i < LIMBS; i++) {
        body_info b = rig_body(r, limbs[i]);
        m.x += b.mass * b.velocity.x;
        m.y += b.mass * b.velocity.y;
        m.angular += b.inertia * b.angular_velocity +
                     b.mass * (b.center.x * b.velocity.y - b.center.y * b.velocity.x);
        m.energy += 0.5 * b.mass * (b.velocity.x * b.velocity.x + b.velocity.y * b.velocity.y) +
                    0.5 * b.inertia * b.angular_velocity * b.angular_velocity;
    }
    return m;
}

static void ragdoll_free_keeps_its_momenta_over_seeds(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 40; i++) {
        uint64_t seed = i * 0x9E3779B97F4A7C15ULL;
        rig r = rig_open(0.0);
        body_id limbs[LIMBS];
        make_ragdoll(&r, &seed, limbs);
        momenta before = measure(&r, limbs);
        rig_step(&r, 120);
        momenta after = measure(&r, limbs);
        double scale = sqrt(2.0 * before.energy * LIMBS);
        assert_near(after.x, before.x, 1e-4 * scale);
        assert_near(after.y, before.y, 1e-4 * scale);
        assert_near(after.angular, before.angular, 2e-4 * scale);
        assert_true(after.energy < before.energy * 1.05);
        rig_close(&r);
    }
}

static void ragdoll_same_calls_give_the_same_hash(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int run = 0; run < 2; run++) {
        uint64_t seed = 7;
        rig r = rig_open(-9.81);
        body_id limbs[LIMBS];
        make_ragdoll(&r, &seed, limbs);
        rig_step(&r, 200);
        hashes[run] = world_hash(r.world);
        rig_close(&r);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Two equal bodies on one joint, mirrored about x = 0.
static void joint_between_equal_bodies_stays_symmetric(void **state)
{
    (void)state;
    const joint_kind kinds[] = {JOINT_REVOLUTE, JOINT_DISTANCE, JOINT_WELD};
    for (int i = 0; i < 3; i++) {
        rig r = rig_open(0.0);
        body_id a = rig_box(&r, -1.0, 0.0, 1.0, 0.3);
        body_id b = rig_box(&r, 1.0, 0.0, 1.0, 0.3);
        joint_def def = rig_def(kinds[i], a, b);
        if (kinds[i] != JOINT_DISTANCE) {
            def.fields = JOINT_FIELD_ANCHOR;
        }
        rig_join(&r, &def);
        rig_push(&r, a, 0.5, 1.0, 2.0);
        rig_push(&r, b, -0.5, 1.0, -2.0);
        rig_step(&r, 240);
        body_info ia = rig_body(&r, a);
        body_info ib = rig_body(&r, b);
        assert_near(ia.position.x, -ib.position.x, 1e-3);
        assert_near(ia.position.y, ib.position.y, 1e-3);
        assert_near(ia.angle, -ib.angle, 2e-3);
        rig_close(&r);
    }
}

static void chain_with_a_heavy_end_holds_together(void **state)
{
    (void)state;
    rig r = rig_open(-9.81);
    body_id before = r.ground;
    for (int i = 0; i < 20; i++) {
        body_id link = rig_box(&r, 0.25 + 0.5 * i, 0.0, 0.5, 0.1); // 50 g
        joint_def def = rig_def_at(JOINT_REVOLUTE, before, link, 0.5 * i, 0.0);
        rig_join(&r, &def);
        before = link;
    }
    body_id weight = rig_point(&r, 10.0, 0.0, 5.0);
    joint_def def = rig_def_at(JOINT_REVOLUTE, before, weight, 10.0, 0.0);
    rig_join(&r, &def);
    double widest = 0.0;
    for (int i = 0; i < 600; i++) {
        rig_step(&r, 1);
        for (joint_id id = 0; (id = world_next_joint(r.world, id)) != 0;) {
            widest = fmax(widest, rig_info(&r, id).length);
        }
    }
    assert_true(widest < 0.08);
    rig_close(&r);
}

// A net of boxes, each joined to four others: loops, and more equations than freedoms.
static void net_of_joints_comes_to_rest(void **state)
{
    (void)state;
    enum { SIDE = 10 };
    rig r = rig_open(-9.81);
    body_id net[SIDE][SIDE];
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            net[y][x] = rig_box(&r, x, -y, 0.4, 0.4);
            joint_def up =
                rig_def_at(JOINT_REVOLUTE, y > 0 ? net[y - 1][x] : r.ground, net[y][x], x, 0.5 - y);
            rig_join(&r, &up);
            if (x > 0) {
                joint_def left = rig_def_at(JOINT_REVOLUTE, net[y][x - 1], net[y][x], x - 0.5, -y);
                rig_join(&r, &left);
            }
        }
    }
    rig_step(&r, 300);
    for (int x = 0; x < SIDE; x++) {
        body_info low = rig_body(&r, net[SIDE - 1][x]);
        assert_near(low.position.y, -(SIDE - 1), 0.02);
        assert_near(low.velocity.y, 0.0, 1e-3);
    }
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ragdoll_free_keeps_its_momenta_over_seeds),
        cmocka_unit_test(ragdoll_same_calls_give_the_same_hash),
        cmocka_unit_test(joint_between_equal_bodies_stays_symmetric),
        cmocka_unit_test(chain_with_a_heavy_end_holds_together),
        cmocka_unit_test(net_of_joints_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
