// Rebounds of all shapes but lone discs (test_impacts.c): a fast body rebounds instead of stopping,
// at whichever moment of a step it arrives; and no impact makes energy.
#include "tests/support/cases.h"
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>
#include <stdio.h>

#include "common/physics/joint.h"
#include "tests/golden/scenes.h"

static const double RATES[] = {30.0, 60.0, 120.0, 240.0};
enum { RATE_COUNT = sizeof RATES / sizeof *RATES };

static double pick(int seed, uint32_t which, double low, double high)
{
    return low + (high - low) * 0.5 * (1.0 + scene_noise((uint32_t)seed + 1, which));
}

static physics_world *make_table(double hz, double threshold, double gravity)
{
    world_def def = world_def_default();
    def.hz = hz;
    def.gravity = (vec2d){0.0, gravity};
    def.sleep = false;
    def.restitution_threshold = threshold;
    return make_world_of(&def);
}

static shape_def bounces(shape_def form, double restitution)
{
    form.restitution = restitution;
    form.friction = 0.0;
    return form;
}

static physics_world *make_room(double hz, double threshold)
{
    return make_table(hz, threshold, 0.0);
}

// ---- bodies

typedef enum figure { BOX, BAR, CAPSULE, TRIANGLE, CROSS, BALL_ON_ROD, FIGURES } figure;

static const char *const NAMES[FIGURES] = {"box",      "bar",   "capsule",
                                           "triangle", "cross", "ball on a rod"};

typedef struct figure_shapes {
    shape_def shapes[2];
    int count;
} figure_shapes;

// A figure about a metre wide, whose right side is flat or round.
static figure_shapes shapes_of(figure kind, double restitution)
{
    figure_shapes f = {.count = 1};
    shape_def pill = shape_def_default();
    shape_def wedge = shape_def_default();
    const vec2 corners[] = {{-0.5f, 0.0f}, {0.25f, -0.5f}, {0.25f, 0.5f}};
    error err;
    switch (kind) {
    case BAR:
        f.shapes[0] = make_box(1.2, 0.3);
        break;
    case CAPSULE:
        pill.geometry.kind = SHAPE_CAPSULE;
        pill.geometry.capsule = (capsule){{0.0f, -0.3f}, {0.0f, 0.3f}, 0.25f};
        f.shapes[0] = pill;
        break;
    case TRIANGLE:
        wedge.geometry.kind = SHAPE_POLYGON;
        assert_int_equal(polygon_make(corners, 3, 0.0f, &wedge.geometry.polygon, &err), STATUS_OK);
        f.shapes[0] = wedge;
        break;
    case CROSS:
        f.shapes[0] = make_box(1.0, 0.3);
        f.shapes[1] = make_box(0.3, 1.0);
        f.count = 2;
        break;
    case BALL_ON_ROD:
        f.shapes[0] = make_circle(0.5);
        break;
    default:
        f.shapes[0] = make_box(1.0, 1.0);
    }
    for (int i = 0; i < f.count; i++) {
        f.shapes[i] = bounces(f.shapes[i], restitution);
    }
    return f;
}

static body_id put_figure(physics_world *world, figure kind, const body_def *def,
                          double restitution)
{
    const figure_shapes f = shapes_of(kind, restitution);
    return put(world, def, f.shapes, f.count);
}

// The far end of a rod, so long that its body moves along a line.
static void hang_on_rod(physics_world *world, body_id hook, body_id body, vec2d at)
{
    joint_def rod = joint_def_default(JOINT_DISTANCE);
    rod.a = hook;
    rod.b = body;
    rod.anchor_a = (vec2d){at.x, at.y + 500.0};
    rod.fields = JOINT_FIELD_ANCHOR_A | JOINT_FIELD_ANCHOR_B;
    joint_id id;
    error err;
    assert_int_equal(joint_create(world, &rod, &id, &err), STATUS_OK);
}

// ---- single rebounds

enum { PHASES = CASES_OF(40) };

// Bodies fly at a wall and arrive at many phases of a step.
static void check_rebounds(figure kind, double hz, double speed, double restitution)
{
    physics_world *world = make_room(hz, 0.5);
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    const shape_def wall = bounces(make_box_at(1.0, 4000.0, (vec2){0.5f, 0.0f}, 0.0), 0.0);
    put(world, &def, &wall, 1);
    const body_id hook = put(world, &def, NULL, 0); // joined bodies do not collide
    body_id bodies[PHASES];
    for (int i = 0; i < PHASES; i++) {
        def = body_def_default();
        def.position = (vec2d){-0.7 - pick(i, 0, 0.0, 2.0 * speed / hz), 3.0 * i - 60.0};
        def.velocity = (vec2d){speed, 0.0};
        bodies[i] = put_figure(world, kind, &def, restitution);
        if (kind == BALL_ON_ROD) {
            hang_on_rod(world, hook, bodies[i], def.position);
        }
    }
    run(world, (int)(hz * (0.8 + 2.0 * speed / hz) / speed) + 3);
    for (int i = 0; i < PHASES; i++) {
        const double kept = -look(world, bodies[i]).velocity.x / (restitution * speed);
        if (!(kept > 0.98 && kept < 1.01)) {
            fail_msg("%s at %g Hz, %g m/s, restitution %g: %g of the rebound", NAMES[kind], hz,
                     speed, restitution, kept);
        }
    }
    world_free(world);
}

static void no_rebound_is_lost_at_any_phase_of_a_step(void **state)
{
    (void)state;
    static const double SPEEDS[] = {0.6, 1.0, 2.0, 10.0};
    for (figure kind = 0; kind < FIGURES; kind++) {
        for (int r = 0; r < RATE_COUNT; r++) {
            for (size_t s = 0; s < sizeof SPEEDS / sizeof *SPEEDS; s++) {
                check_rebounds(kind, RATES[r], SPEEDS[s], 1.0);
                check_rebounds(kind, RATES[r], SPEEDS[s], 0.5);
            }
        }
    }
}

static void box_that_lands_flat_does_not_turn(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int i = 0; i < PHASES; i++) {
            physics_world *world = make_room(RATES[r], 0.5);
            put_floor(world, 0.0, 0.0);
            body_def def = body_def_default();
            def.position = (vec2d){0.0, 0.2 + pick(i, 1, 0.0, 0.3)};
            def.velocity = (vec2d){1.0, -3.0};
            const body_id box = put_figure(world, BAR, &def, 0.8);
            run(world, (int)(RATES[r] / 3.0));
            assert_near(look(world, box).velocity.y, 2.4, 0.01);
            assert_near(look(world, box).angular_velocity, 0.0, 1e-3);
            world_free(world);
        }
    }
}

// A falling box rebounds at the floor's surface, and rises as high as the formulas say, except for
// the integrator's error of first order.
static void box_rebounds_from_the_surface(void **state)
{
    (void)state;
    static const double RESTITUTIONS[] = {0.3, 0.5, 0.8, 1.0};
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int i = 0; i < 4 * PHASES; i++) {
            const double restitution = RESTITUTIONS[i % 4];
            const double drop = 1.0 + 0.007 * i;
            physics_world *world = make_table(RATES[r], 0.5, -9.81);
            put_floor(world, 0.0, 0.0);
            body_def def = body_def_default();
            def.position = (vec2d){0.0, drop + 0.5};
            const body_id box = put_figure(world, BOX, &def, restitution);
            double lowest = drop;
            double highest = 0.0;
            int rises = 0; // 1 in the first rebound, 2 after it
            for (int tick = 0; tick < (int)(2.0 * RATES[r]); tick++) {
                world_step(world);
                const body_info b = look(world, box);
                lowest = fmin(lowest, b.position.y - 0.5);
                rises = rises == 0 && b.velocity.y > 0.1 ? 1 : rises;
                rises = rises == 1 && b.velocity.y < 0.0 ? 2 : rises;
                highest = rises == 1 ? fmax(highest, b.position.y - 0.5) : highest;
            }
            assert_true(lowest > -0.01);
            assert_near(highest / (restitution * restitution * drop), 1.0, 4.0 / RATES[r]);
            world_free(world);
        }
    }
}

// A figure lands on a corner, at any angle: the rebound there is elastic, so all energy is kept.
static void figure_that_lands_askew_keeps_its_energy(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        for (int i = 0; i < 5 * PHASES; i++) {
            physics_world *world = make_room(RATES[r], 0.0);
            put_floor(world, 0.0, 0.0);
            body_def def = body_def_default();
            def.position = (vec2d){0.0, 1.0 + pick(i, 1, 0.0, 0.3)};
            def.velocity = (vec2d){1.0, -pick(i, 2, 0.6, 12.0)};
            def.angle = pick(i, 3, -3.1, 3.1);
            def.angular_velocity = pick(i, 4, -6.0, 6.0);
            put_figure(world, (figure)(i % BALL_ON_ROD), &def, 1.0);
            const double before = measure(world).energy;
            run(world, (int)RATES[r]);
            assert_near(measure(world).energy / before, 1.0, 1e-3);
            world_free(world);
        }
    }
}

// ---- gases

static double gas_energy_left(figure kind, double hz, double threshold, double seconds)
{
    physics_world *world = make_room(hz, threshold);
    const shape_def walls[] = {bounces(make_box_at(22.0, 1.0, (vec2){0.0f, 10.5f}, 0.0), 0.0),
                               bounces(make_box_at(22.0, 1.0, (vec2){0.0f, -10.5f}, 0.0), 0.0),
                               bounces(make_box_at(1.0, 22.0, (vec2){10.5f, 0.0f}, 0.0), 0.0),
                               bounces(make_box_at(1.0, 22.0, (vec2){-10.5f, 0.0f}, 0.0), 0.0)};
    body_def def = body_def_default();
    def.type = BODY_STATIC;
    put(world, &def, walls, 4);
    for (int i = 0; i < 54; i++) {
        const double angle = pick(i, 20, 0.0, 6.28);
        const double speed = pick(i, 21, 0.0, 6.0);
        def = body_def_default();
        def.position = (vec2d){-8.0 + 2.0 * (i % 9), -7.5 + 3.0 * (i / 9)};
        def.velocity = (vec2d){speed * cos(angle), speed * sin(angle)};
        def.angular_velocity = pick(i, 22, -3.0, 3.0);
        put_figure(world, kind, &def, 1.0);
    }
    const double before = measure(world).energy;
    run(world, (int)(seconds * hz));
    const double left = measure(world).energy / before;
    world_free(world);
    return left;
}

static void gas_of_any_shape_keeps_its_energy(void **state)
{
    (void)state;
    for (figure kind = 0; kind < BALL_ON_ROD; kind++) {
        for (int r = 0; r < RATE_COUNT; r++) {
            const double seconds = 1800.0 / RATES[r];
            const double usual = gas_energy_left(kind, RATES[r], 0.5, seconds);
            const double none = gas_energy_left(kind, RATES[r], 0.0, seconds);
            print_message("%s, %g Hz: %.4f of the energy left, without a threshold %.5f\n",
                          NAMES[kind], RATES[r], usual, none);
            assert_true(usual > 0.985 && usual < 1.002);
            assert_true(none > 0.985 && none < 1.002);
        }
    }
}

static void gas_of_boxes_keeps_its_energy_for_ten_minutes(void **state)
{
    (void)state;
    const double left = gas_energy_left(BOX, 240.0, 0.5, 600.0);
    print_message("%.4f of the energy left\n", left);
    assert_true(left > 0.9 && left < 1.02);
}

// ---- rows

// One box hits a row of touching boxes.
static totals hit_row(int count, double hz, double *last)
{
    physics_world *world = make_room(hz, 0.5);
    const shape_def box = bounces(make_box(1.0, 1.0), 1.0);
    body_id end = {0};
    for (int i = 0; i < count; i++) {
        body_def def = body_def_default();
        def.position = (vec2d){(i == 0 ? -0.6 : 0.0) + i, 0.0};
        def.velocity = (vec2d){i == 0 ? 5.0 : 0.0, 0.0};
        end = put(world, &def, &box, 1);
    }
    run(world, (int)(0.5 * hz));
    *last = look(world, end).velocity.x;
    const totals all = measure(world);
    world_free(world);
    return all;
}

static void impact_runs_through_a_row_of_boxes(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        double last;
        hit_row(50, RATES[r], &last);
        assert_near(last, 5.0, 0.01);
    }
}

// More boxes than rounds: the solver stops the remaining approach, and no energy is made.
static void row_longer_than_the_rounds_keeps_momentum(void **state)
{
    (void)state;
    double last;
    const totals all = hit_row(150, 60.0, &last);
    assert_near(all.px, 5.0, 1e-3);
    assert_true(all.energy <= 12.5 * 1.001);
}

// All pairs of a row approach at once, which needs more sweeps than a round has.
static void row_that_closes_everywhere_makes_no_energy(void **state)
{
    (void)state;
    for (int r = 0; r < RATE_COUNT; r++) {
        physics_world *world = make_room(RATES[r], 0.0);
        const shape_def box = bounces(make_box(1.0, 1.0), 1.0);
        for (int i = 0; i < 100; i++) {
            body_def def = body_def_default();
            def.position = (vec2d){i, 0.0};
            def.velocity = (vec2d){0.1 * (50 - i), 0.0};
            put(world, &def, &box, 1);
        }
        const totals before = measure(world);
        run(world, (int)RATES[r]);
        const totals after = measure(world);
        assert_near(after.px, before.px, 1e-2);
        assert_true(after.energy < before.energy * 1.001);
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rebound_is_lost_at_any_phase_of_a_step),
        cmocka_unit_test(box_that_lands_flat_does_not_turn),
        cmocka_unit_test(box_rebounds_from_the_surface),
        cmocka_unit_test(figure_that_lands_askew_keeps_its_energy),
        cmocka_unit_test(gas_of_any_shape_keeps_its_energy),
        cmocka_unit_test(gas_of_boxes_keeps_its_energy_for_ten_minutes),
        cmocka_unit_test(impact_runs_through_a_row_of_boxes),
        cmocka_unit_test(row_longer_than_the_rounds_keeps_momentum),
        cmocka_unit_test(row_that_closes_everywhere_makes_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
