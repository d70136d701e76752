// Heavy loads on light bodies with joints (common/physics/step/solver/truss): links hold, pins stay
// closed, forces follow statics, at each of the usual rates.
#include "tests/unit/physics/joint_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "common/physics/step/solver/truss/truss_matrix.h"

static const double G = 9.81;
static const double RATES[] = {30.0, 60.0, 120.0, 240.0};
enum { RATE_COUNT = sizeof RATES / sizeof *RATES, LINKS_MAX = 64 };

static rig open_at(double hz)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, -G};
    def.sleep = false;
    def.hz = hz;
    return rig_open_def(&def);
}

static void set_mass(rig *r, body_id id, double mass)
{
    body_def values = body_def_default();
    values.mass = mass;
    assert_int_equal(body_set(r->world, id, BODY_FIELD_MASS, &values, NULL), STATUS_OK);
}

static double apart(const rig *r, joint_id id, double wanted)
{
    return fabs(rig_info(r, id).length - wanted);
}

// ---- chains: links of 1 kg and half a metre from the ground, and a load at the end

typedef struct chain {
    joint_id joints[LINKS_MAX];
    body_id bodies[LINKS_MAX]; // the load is the last body
    int count;                 // number of joints
} chain;

static chain hang_chain(rig *r, joint_kind kind, int links, double load, bool level)
{
    const double l = 0.5;
    chain c = {.count = links + 1};
    body_id before = r->ground;
    for (int i = 0; i <= links; i++) {
        const double from = l * i;
        const double middle = from + (i < links ? 0.5 * l : 0.5);
        const double width = i < links ? l : 1.0;
        const double height = i < links ? 0.1 : 1.0;
        const body_id id = level ? rig_box(r, middle, 0.0, width, height)
                                 : rig_box(r, 0.0, -middle, height, width);
        set_mass(r, id, i < links ? 1.0 : load);
        joint_def def = rig_def_at(kind, before, id, level ? from : 0.0, level ? 0.0 : -from);
        c.joints[i] = rig_join(r, &def);
        before = c.bodies[i] = id;
    }
    return c;
}

static double energy_of(const rig *r, const chain *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        sum += rig_energy(r, c->bodies[i]);
    }
    return sum;
}

static double widest(const rig *r, const chain *c)
{
    double most = 0.0;
    for (int i = 0; i < c->count; i++) {
        most = fmax(most, apart(r, c->joints[i], 0.0));
    }
    return most;
}

static void chain_swings_without_stretching(void **state)
{
    (void)state;
    const double loads[] = {30.0, 1000.0, 10000.0};
    for (int k = 0; k < RATE_COUNT; k++) {
        for (int n = 0; n < 3; n++) {
            rig r = open_at(RATES[k]);
            const chain c = hang_chain(&r, JOINT_REVOLUTE, 10, loads[n], true);
            const double begin = energy_of(&r, &c);
            for (int i = 0; i < (int)(5.0 * RATES[k]); i++) {
                rig_step(&r, 1);
                assert_near(widest(&r, &c), 0.0, 0.006);
                const vec2d end = rig_info(&r, c.joints[10]).anchor_b;
                assert_near(fmax(hypot(end.x, end.y), 5.0), 5.0, 0.01);
                assert_true(energy_of(&r, &c) < begin + 0.01 * loads[n] * G * 5.0);
            }
            rig_close(&r);
        }
    }
}

static void hanging_chain_bears_the_weight_below(void **state)
{
    (void)state;
    const double loads[] = {25.0, 1000.0, 100000.0};
    for (int k = 0; k < RATE_COUNT; k++) {
        for (int n = 0; n < 3; n++) {
            rig r = open_at(RATES[k]);
            const chain c = hang_chain(&r, JOINT_REVOLUTE, 10, loads[n], false);
            rig_step(&r, (int)(2.0 * RATES[k]));
            for (int i = 0; i <= 10; i++) {
                const double below = (loads[n] + 10 - i) * G;
                assert_near(rig_info(&r, c.joints[i]).force.y, below, 0.002 * below);
            }
            assert_near(widest(&r, &c), 0.0, 1e-3);
            rig_close(&r);
        }
    }
}

static void welded_beam_carries_a_ton_without_sagging(void **state)
{
    (void)state;
    for (int k = 0; k < RATE_COUNT; k++) {
        rig r = open_at(RATES[k]);
        const chain c = hang_chain(&r, JOINT_WELD, 5, 1000.0, true);
        rig_step(&r, (int)(2.0 * RATES[k]));
        assert_near(rig_body(&r, c.bodies[5]).position.y, 0.0, 0.01);
        const double moment = 1000.0 * G * 3.0 + 5.0 * G * 1.25; // moment about the wall
        assert_near(rig_info(&r, c.joints[0]).torque, moment, 0.01 * moment);
        rig_close(&r);
    }
}

// ---- long chains without a load

enum { ROPE_MAX = 60 };

typedef struct rope {
    joint_id joints[ROPE_MAX];
    body_id bodies[ROPE_MAX];
    int links;
    double length;
} rope;

static rope hang_rope(rig *r, int links, double link, bool level)
{
    rope of = {.links = links, .length = links * link};
    body_id before = r->ground;
    for (int i = 0; i < links; i++) {
        const double from = link * i;
        const double middle = from + 0.5 * link;
        of.bodies[i] =
            level ? rig_box(r, middle, 0.0, link, 0.05) : rig_box(r, 0.0, -middle, 0.05, link);
        joint_def def = rig_def_at(JOINT_REVOLUTE, before, of.bodies[i], level ? from : 0.0,
                                   level ? 0.0 : -from);
        of.joints[i] = rig_join(r, &def);
        before = of.bodies[i];
    }
    return of;
}

static double rope_energy(const rig *r, const rope *of)
{
    double sum = 0.0;
    for (int i = 0; i < of->links; i++) {
        sum += rig_energy(r, of->bodies[i]);
    }
    return sum;
}

static void check_rope(double hz, int links, double link)
{
    rig r = open_at(hz);
    const rope of = hang_rope(&r, links, link, true);
    const double mass = rig_body(&r, of.bodies[0]).mass * links;
    const double begin = rope_energy(&r, &of);
    for (int i = 0; i < (int)(8.0 * hz); i++) {
        rig_step(&r, 1);
        for (int k = 0; k < links; k++) {
            assert_near(apart(&r, of.joints[k], 0.0), 0.0, 0.02 * of.length);
        }
        const vec2d end = rig_body(&r, of.bodies[links - 1]).position;
        assert_true(hypot(end.x, end.y) + 0.5 * link < 1.02 * of.length);
        assert_true(rope_energy(&r, &of) < begin + 0.02 * mass * G * of.length);
    }
    rig_close(&r);
}

// The rope begins level and falls, and its end is whipped round.
static void ropes_of_many_links_keep_their_length(void **state)
{
    (void)state;
    for (int k = 0; k < RATE_COUNT; k++) {
        check_rope(RATES[k], 10, 0.2);
        check_rope(RATES[k], 30, 0.1);
        check_rope(RATES[k], 30, 0.2);
        check_rope(RATES[k], 60, 0.2);
    }
}

// A rope that sags a little in its joints when it is released still falls asleep.
static void hanging_rope_falls_asleep(void **state)
{
    (void)state;
    for (int k = 0; k < RATE_COUNT; k++) {
        world_def def = world_def_default();
        def.hz = RATES[k];
        rig r = rig_open_def(&def);
        hang_rope(&r, 30, 0.2, false);
        rig_step(&r, (int)(20.0 * RATES[k]));
        assert_int_equal(world_count(r.world).awake, 0);
        rig_close(&r);
    }
}

// ---- rods and ropes

static void two_rods_keep_their_length(void **state)
{
    (void)state;
    for (int k = 0; k < RATE_COUNT; k++) {
        rig r = open_at(RATES[k]);
        const body_id light = rig_point(&r, 1.0, 0.0, 1.0);
        const body_id heavy = rig_point(&r, 2.0, 0.0, 10000.0);
        joint_def first = rig_def(JOINT_DISTANCE, r.ground, light);
        joint_def second = rig_def(JOINT_DISTANCE, light, heavy);
        const joint_id rods[] = {rig_join(&r, &first), rig_join(&r, &second)};
        for (int i = 0; i < (int)(5.0 * RATES[k]); i++) {
            rig_step(&r, 1);
            assert_near(apart(&r, rods[0], 1.0), 0.0, 0.008);
            assert_near(apart(&r, rods[1], 1.0), 0.0, 0.008);
            assert_true(rig_energy(&r, heavy) < 0.01 * 10000.0 * G);
        }
        rig_close(&r);
    }
}

// The load falls by a metre before the ropes are taut.
static void slack_ropes_catch_a_load(void **state)
{
    (void)state;
    for (int k = 0; k < RATE_COUNT; k++) {
        rig r = open_at(RATES[k]);
        const body_id light = rig_point(&r, 0.3, -0.9, 1.0);
        const body_id heavy = rig_point(&r, 0.0, -1.0, 1000.0);
        joint_def def = rig_def(JOINT_DISTANCE, r.ground, light);
        def.fields |= JOINT_FIELD_UPPER;
        def.upper = 1.0;
        const joint_id upper = rig_join(&r, &def);
        def.a = light;
        def.b = heavy;
        const joint_id lower = rig_join(&r, &def);
        for (int i = 0; i < (int)(4.0 * RATES[k]); i++) {
            rig_step(&r, 1);
            assert_true(rig_info(&r, upper).length < 1.1);
            assert_true(rig_info(&r, lower).length < 1.1);
        }
        assert_near(rig_info(&r, upper).length, 1.0, 0.002);
        assert_near(rig_info(&r, lower).length, 1.0, 0.002);
        rig_close(&r);
    }
}

// ---- contacts that load joints

static body_id drop_box(rig *r, double mass, double height)
{
    body_def def = body_def_default();
    def.position = (vec2d){0.0, 1.0 + height};
    def.mass = mass;
    def.fixed_rotation = true;
    shape_def s = shape_def_default();
    s.geometry.kind = SHAPE_POLYGON;
    assert_int_equal(polygon_make_box((vec2){1.0f, 1.0f}, (vec2){0.0f, 0.0f}, 0.0, 0.0f,
                                      &s.geometry.polygon, NULL),
                     STATUS_OK);
    body_id id = 0;
    assert_int_equal(body_spawn(r->world, &def, &s, 1, &id, NULL, NULL), STATUS_OK);
    return id;
}

static body_id wheel_at(rig *r, double x, double y, double mass, double radius)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    def.mass = mass;
    shape_def s = shape_def_default();
    s.geometry.kind = SHAPE_CIRCLE;
    s.geometry.circle.radius = (float)radius;
    body_id id = 0;
    assert_int_equal(body_spawn(r->world, &def, &s, 1, &id, NULL, NULL), STATUS_OK);
    return id;
}

static void pin_of_a_light_wheel_stays_shut(void **state)
{
    (void)state;
    const double masses[] = {50.0, 1000.0};
    for (int k = 0; k < RATE_COUNT; k++) {
        for (int n = 0; n < 4; n++) {
            rig r = open_at(RATES[k]);
            const body_id wheel = wheel_at(&r, 0.0, 0.0, 0.1, 0.5);
            joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, wheel, 0.0, 0.0);
            const joint_id pin = rig_join(&r, &def);
            const body_id box = drop_box(&r, masses[n / 2], n % 2);
            for (int i = 0; i < (int)(2.0 * RATES[k]); i++) {
                rig_step(&r, 1);
                assert_near(apart(&r, pin, 0.0), 0.0, 0.001);
            }
            assert_near(rig_body(&r, box).position.y, 1.0, 0.001);
            assert_near(rig_body(&r, box).velocity.y, 0.0, 0.001);
            const double weight = (masses[n / 2] + 0.1) * G;
            assert_near(rig_info(&r, pin).force.y, weight, 0.002 * weight);
            rig_close(&r);
        }
    }
}

static void heavy_cart_stands_on_light_wheels(void **state)
{
    (void)state;
    for (int k = 0; k < RATE_COUNT; k++) {
        rig r = open_at(RATES[k]);
        body_def ground = body_def_default();
        ground.type = BODY_STATIC;
        shape_def s = shape_def_default();
        s.geometry.kind = SHAPE_SEGMENT;
        s.geometry.segment.a = (vec2){-50.0f, 0.0f};
        s.geometry.segment.b = (vec2){50.0f, 0.0f};
        body_id id = 0;
        assert_int_equal(body_spawn(r.world, &ground, &s, 1, &id, NULL, NULL), STATUS_OK);
        const body_id cart = rig_box(&r, 0.0, 1.2, 3.0, 1.0);
        set_mass(&r, cart, 1000.0);
        const body_id wheels[] = {wheel_at(&r, -1.2, 0.4, 1.0, 0.4),
                                  wheel_at(&r, 1.2, 0.4, 1.0, 0.4)};
        joint_id axles[2];
        for (int i = 0; i < 2; i++) {
            joint_def def = rig_def_at(JOINT_REVOLUTE, cart, wheels[i], i == 0 ? -1.2 : 1.2, 0.4);
            axles[i] = rig_join(&r, &def);
        }
        for (int i = 0; i < (int)(2.0 * RATES[k]); i++) {
            rig_step(&r, 1);
            assert_near(apart(&r, axles[0], 0.0), 0.0, 0.001);
            assert_near(apart(&r, axles[1], 0.0), 0.0, 0.001);
        }
        assert_near(rig_body(&r, cart).position.y, 1.2, 0.002);
        rig_close(&r);
    }
}

// ---- joints that form no truss

// A light door on a heavy body carries nothing: its hinge's motor turns it by its own inertia.
static void light_door_on_a_heavy_body_is_not_made_heavier(void **state)
{
    (void)state;
    for (int k = 0; k < RATE_COUNT; k++) {
        world_def world = world_def_default();
        world.gravity = (vec2d){0.0, 0.0};
        world.hz = RATES[k];
        rig r = rig_open_def(&world);
        const body_id ship = rig_box(&r, -5.0, 0.0, 10.0, 4.0);
        set_mass(&r, ship, 10000.0);
        const body_id door = rig_box(&r, 0.5, 0.0, 1.0, 0.1);
        set_mass(&r, door, 5.0);
        joint_def def = rig_def_at(JOINT_REVOLUTE, ship, door, 0.0, 0.0);
        def.fields |= JOINT_FIELD_MOTOR_SPEED | JOINT_FIELD_MAX_TORQUE;
        def.motor_speed = 100.0;
        def.max_torque = 2.0;
        rig_join(&r, &def);
        rig_step(&r, (int)RATES[k]);
        const body_info d = rig_body(&r, door);
        const double turning = d.inertia + d.mass * 0.25;
        assert_near(d.angular_velocity, 2.0 / turning, 0.02 * 2.0 / turning);
        rig_close(&r);
    }
}

// More bodies and loops than one system accepts: the sweeps solve the rest, and the time is
// bounded.
static void net_of_many_loops_hangs_finite(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    rig r = open_at(60.0);
    static body_id net[SIDE][SIDE];
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            net[y][x] = rig_point(&r, 0.5 * x, -0.5 * y, y == SIDE - 1 ? 50.0 : 1.0);
            for (int way = 0; way < 2; way++) {
                if ((way == 0 ? x : y) > 0) {
                    joint_def def = rig_def(JOINT_DISTANCE, net[y][x],
                                            way == 0 ? net[y][x - 1] : net[y - 1][x]);
                    rig_join(&r, &def);
                }
            }
        }
    }
    joint_def def = rig_def_at(JOINT_REVOLUTE, r.ground, net[0][0], 0.0, 0.0);
    rig_join(&r, &def);
    for (int i = 0; i < 30; i++) {
        rig_step(&r, 1);
        assert_true(fabs(rig_body(&r, net[SIDE - 1][SIDE - 1]).position.y) < 100.0);
    }
    rig_close(&r);
}

// ---- the matrix

// Bodies 0 to 3: 0 and 1 are tied to 2, and 2 and 0 are tied to 3.
static void matrix_solves_what_was_multiplied(void **state)
{
    (void)state;
    truss_matrix m = {0};
    item_pair pair[] = {{0, 2}, {0, 3}, {1, 2}, {2, 3}};
    const item_pairs pairs = {.data = pair, .count = 4};
    assert_false(truss_matrix_lay_out(&m, 4, &pairs, 3));
    assert_int_equal(m.columns.count, 0);
    assert_true(truss_matrix_lay_out(&m, 4, &pairs, 100));
    double full[12][12] = {{0}};
    truss_matrix_zero(&m, 0, 4);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            full[3 * i + k][3 * i + k] = m.columns.data[i].diagonal.at[k][k] = 10.0 + i + k;
        }
    }
    for (uint32_t p = 0; p < 4; p++) {
        truss_cell *cell = &m.cells.data[truss_matrix_cell(&m, pair[p].a, pair[p].b)];
        assert_int_equal(cell->row, pair[p].b);
        for (uint32_t i = 0; i < 3; i++) {
            for (uint32_t k = 0; k < 3; k++) {
                const double value = 0.1 * (double)p + 0.3 * i - 0.2 * k;
                cell->block.at[i][k] = value;
                full[3 * pair[p].b + i][3 * pair[p].a + k] = value;
                full[3 * pair[p].a + k][3 * pair[p].b + i] = value;
            }
        }
    }
    double right[12] = {0};
    double again[12];
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 12; k++) {
            right[i] += full[i][k] * (k - 4.0);
        }
        again[i] = 2.0 * right[i];
    }
    truss_matrix_solve(&m, 0, 4, right);
    truss_matrix_solve_again(&m, 0, 4, again);
    for (int i = 0; i < 12; i++) {
        assert_near(right[i], i - 4.0, 1e-12);
        assert_near(again[i], 2.0 * (i - 4.0), 1e-12);
    }
    truss_matrix_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_swings_without_stretching),
        cmocka_unit_test(hanging_chain_bears_the_weight_below),
        cmocka_unit_test(welded_beam_carries_a_ton_without_sagging),
        cmocka_unit_test(ropes_of_many_links_keep_their_length),
        cmocka_unit_test(hanging_rope_falls_asleep),
        cmocka_unit_test(two_rods_keep_their_length),
        cmocka_unit_test(slack_ropes_catch_a_load),
        cmocka_unit_test(pin_of_a_light_wheel_stays_shut),
        cmocka_unit_test(heavy_cart_stands_on_light_wheels),
        cmocka_unit_test(light_door_on_a_heavy_body_is_not_made_heavier),
        cmocka_unit_test(net_of_many_loops_hangs_finite),
        cmocka_unit_test(matrix_solves_what_was_multiplied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
