// Piles that must stay up: stacks, towers, the pyramid, a card house; heavy on light; symmetry;
// sleep and waking.
#include "tests/support/cases.h"
#include "tests/unit/physics/scene_helpers.h"

#include <math.h>

static void stack_of_ten_boxes_stands_for_thirty_seconds(void **state)
{
    (void)state;
    world_def wd = world_def_default();
    wd.sleep = false;
    physics_world *world = make_world_of(&wd);
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id boxes[10];
    for (int i = 0; i < 10; i++) {
        boxes[i] = put_at(world, 0.0, 0.5 + i, &box);
    }
    run(world, 30 * 60);
    for (int i = 0; i < 10; i++) {
        body_info b = look(world, boxes[i]);
        assert_near(b.position.x, 0.0, 0.01);
        assert_near(b.position.y, 0.5 + i, 0.03);
        assert_near(b.angle, 0.0, 0.005);
    }
    world_free(world);
}

static void tower_of_thirty_boxes_stands_for_a_minute(void **state)
{
    (void)state;
    world_def wd = world_def_default();
    wd.sleep = false;
    physics_world *world = make_world_of(&wd);
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id top = 0;
    for (int i = 0; i < 30; i++) {
        top = put_at(world, 0.0, 0.5 + i, &box);
    }
    run(world, 60 * 60);
    body_info b = look(world, top);
    assert_near(b.position.x, 0.0, 0.1);
    assert_near(b.position.y, 29.5, 0.25);
    world_free(world);
}

// ---- small bodies: they sink into each other in proportion to their size

static const double RATES[] = {30.0, 60.0, 120.0, 240.0};

static physics_world *make_restless_world(double hz)
{
    world_def wd = world_def_default();
    wd.sleep = false;
    wd.hz = hz;
    return make_world_of(&wd);
}

static double fastest_of(const physics_world *world)
{
    double fastest = 0.0;
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        const vec2d v = look(world, id).velocity;
        fastest = fmax(fastest, hypot(v.x, v.y));
    }
    return fastest;
}

// Checks that the top of a stack of boxes of `size` is within `share` of its height after `time`.
static void check_small_stack(double hz, double size, int count, double time, double share)
{
    physics_world *world = make_restless_world(hz);
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(size, size);
    body_id top = 0;
    for (int i = 0; i < count; i++) {
        top = put_at(world, 0.0, (0.5 + i) * size, &box);
    }
    run(world, (int)(time * hz));
    const double height = (count - 0.5) * size;
    assert_near(look(world, top).position.y, height, share * height);
    assert_near(look(world, top).position.x, 0.0, 0.01 * size);
    assert_near(look(world, top).angle, 0.0, 0.005);
    assert_near(fastest_of(world), 0.0, 0.01);
    world_free(world);
}

static void stacks_of_small_boxes_stand_as_high_as_they_are(void **state)
{
    (void)state;
    const double sizes[] = {0.005, 0.01, 0.02, 0.05};
    for (int i = 0; i < CASES_OF(16); i++) {
        const int k = i % 4;
        const double size = sizes[(i / 4 + i) % 4];
        check_small_stack(RATES[k], size, 10, 30.0, k == 0 ? 0.085 : 0.03);
        check_small_stack(RATES[k], size, 20, 10.0, k == 0 ? 0.17 : 0.05);
    }
}

// Thick and thin bodies share the solver's vectors, which must have no effect: separate bodies
// behave, to the bit, as if they were alone.
static void thin_bodies_leave_thick_ones_their_bits(void **state)
{
    (void)state;
    vec2d where[2][2];
    for (int with = 0; with < 2; with++) {
        physics_world *world = make_restless_world(60.0);
        put_floor(world, 0.6, 0.0);
        shape_def box = make_box(1.0, 1.0);
        shape_def chip = make_box(0.01, 0.01);
        const body_id low = put_at(world, 0.0, 0.6, &box);
        const body_id high = put_at(world, 0.3, 1.8, &box);
        for (int i = 0; with == 1 && i < 3; i++) {
            put_at(world, 20.0, 0.006 + 0.011 * i, &chip);
        }
        run(world, 120);
        where[with][0] = look(world, low).position;
        where[with][1] = look(world, high).position;
        world_free(world);
    }
    assert_memory_equal(where[0], where[1], sizeof where[0]);
}

// Every contact of a tower carries the weight above it in every sub-step: its normal impulse over a
// step is that weight times the step.
static void contacts_of_a_tower_bear_what_stands_above(void **state)
{
    (void)state;
    enum { BOXES = 8 };
    world_def wd = world_def_default();
    wd.gravity = (vec2d){0.0, -10.0};
    wd.sleep = false;
    physics_world *world = make_world_of(&wd);
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    for (int i = 0; i < BOXES; i++) {
        put_at(world, 0.0, 0.5 + i, &box);
    }
    run(world, 600);
    contact_info contacts[BOXES];
    assert_int_equal(world_contacts(world, contacts, BOXES), BOXES);
    bool seen[BOXES] = {false};
    for (int i = 0; i < BOXES; i++) {
        const contact_info *c = &contacts[i];
        double weight = (double)(c->impulse[0] + c->impulse[1]) * 60.0 / 10.0; // weight in boxes
        int above = (int)lround(weight);
        assert_in_range(above, 1, BOXES);
        assert_near(weight, above, 0.005);
        assert_false(seen[above - 1]);
        seen[above - 1] = true;
    }
    world_free(world);
}

static void put_card(physics_world *world, double x, double y, double angle, double length)
{
    shape_def card = make_box(0.05, length);
    card.friction = 0.7;
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    def.angle = angle;
    put(world, &def, &card, 1);
}

static void card_house_stands_for_a_minute(void **state)
{
    (void)state;
    world_def wd = world_def_default();
    wd.sleep = false;
    wd.gravity = (vec2d){0.0, -10.0};
    physics_world *world = make_world_of(&wd);
    put_floor(world, 0.7, 0.0);
    const double lean = 20.0 * PI_D / 180.0;
    const double rise = cos(lean) + 0.05 * sin(lean); // height of a leaning pair
    const double half = 0.5 * sin(lean) + 0.025 * cos(lean);
    double y = 0.0;
    for (int row = 3; row >= 1; row--) {
        for (int i = 0; i < row; i++) {
            double x = (i - 0.5 * (row - 1)) * 4.0 * half;
            put_card(world, x - half, y + 0.5 * rise, -lean, 1.0);
            put_card(world, x + half, y + 0.5 * rise, lean, 1.0);
        }
        y += rise;
        for (int i = 0; i + 1 < row; i++) {
            double x = (i - 0.5 * (row - 2)) * 4.0 * half;
            // not quite touching the next card
            put_card(world, x, y + 0.025, 0.5 * PI_D, 3.8 * half);
        }
        y += 0.05;
    }
    double highest_before = 0.0;
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        highest_before = fmax(highest_before, look(world, id).position.y);
    }
    run(world, 60 * 60);
    double highest = 0.0;
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        highest = fmax(highest, look(world, id).position.y);
    }
    assert_near(highest, highest_before, 0.1);
    world_free(world);
}

// Three storeys of leaning pairs, decks between them. Returns the uppermost card.
static body_id build_card_house(physics_world *world, double thick, double length, double lean)
{
    enum { STOREYS = 3 };
    shape_def card = make_box(thick, length);
    card.friction = 0.6;
    const double rise = length * cos(lean) + thick * sin(lean);
    const double half = 0.5 * length * sin(lean) + 0.5 * thick * cos(lean);
    shape_def deck = make_box(thick, 3.8 * half);
    deck.friction = 0.6;
    body_id top = 0;
    double y = 0.0;
    for (int row = STOREYS; row >= 1; row--) {
        body_def def = body_def_default();
        for (int i = 0; i < 2 * row; i++) {
            const double side = i % 2 == 0 ? -1.0 : 1.0;
            const double middle = (i / 2 - 0.5 * (row - 1)) * 4.0 * half;
            def.position = (vec2d){middle + side * half, y + 0.5 * rise};
            def.angle = side * lean;
            top = put(world, &def, &card, 1);
        }
        y += rise;
        for (int i = 0; i + 1 < row; i++) {
            def.position = (vec2d){(i - 0.5 * (row - 2)) * 4.0 * half, y + 0.5 * thick};
            def.angle = 0.5 * PI_D;
            put(world, &def, &deck, 1);
        }
        y += thick;
    }
    return top;
}

static void check_card_house(double hz, double thick, double length, double lean)
{
    physics_world *world = make_restless_world(hz);
    put_floor(world, 0.6, 0.0);
    const body_id top = build_card_house(world, thick, length, lean * PI_D / 180.0);
    const vec2d before = look(world, top).position;
    run(world, (int)(10.0 * hz));
    assert_near(look(world, top).position.x, before.x, 0.003);
    assert_near(look(world, top).position.y, before.y, 0.002);
    assert_near(fastest_of(world), 0.0, 0.001);
    world_free(world);
}

static void houses_of_real_cards_stand(void **state)
{
    (void)state;
    for (int k = 1; k < 1 + CASES_OF(3); k++) { // at 30 Hz no card house stands
        check_card_house(RATES[k], 0.003, 0.06, 15.0);
        check_card_house(RATES[k], 0.005, 0.06, 20.0);
        check_card_house(RATES[k], 0.005, 0.09, 15.0);
        check_card_house(RATES[k], 0.005, 0.09, 20.0);
    }
    for (int k = 2; k < 2 + CASES_OF(2); k++) {
        check_card_house(RATES[k], 0.002, 0.06, 15.0);
        check_card_house(RATES[k], 0.003, 0.09, 15.0);
    }
}

// The scene of the benchmarks: base 100, 5050 boxes, 500 steps. Under a sanitizer the base is 20.
static void pyramid_of_base_100_keeps_its_top_and_comes_to_rest(void **state)
{
    (void)state;
    world_def wd = world_def_default();
    wd.sleep = false;
    wd.gravity = (vec2d){0.0, -10.0};
    physics_world *world = make_world_of(&wd);
    body_def ground = body_def_default();
    ground.type = BODY_STATIC;
    ground.position = (vec2d){0.0, -1.0};
    shape_def floor_ = make_box(200.0, 2.0);
    put(world, &ground, &floor_, 1);
    shape_def box = make_box(1.0, 1.0);
    body_id top = 0;
    const int base = CASES_OF(100);
    for (int i = 0; i < base; i++) {
        for (int j = i; j < base; j++) {
            top = put_at(world, (i + 1) * 0.5 + (j - i) - 0.5 * base, i + 0.5, &box);
        }
    }
    run(world, 500);
    double fastest = 0.0;
    for (body_id id = 0; (id = world_next_body(world, id)) != 0;) {
        vec2d v = look(world, id).velocity;
        fastest = fmax(fastest, hypot(v.x, v.y));
    }
    print_message("pyramid: top %.3f m, fastest body %.4f m/s\n", look(world, top).position.y,
                  fastest);
    assert_true(look(world, top).position.y >= base - 1.23);
    assert_near(look(world, top).position.x, 0.0, 0.1); // the pyramid does not lean
    assert_true(fastest <= 0.02);
    static contact_info contacts[16384];
    uint32_t count = world_contacts(world, contacts, 16384);
    for (uint32_t i = 0; i < count && i < 16384; i++) {
        for (int k = 0; k < contacts[i].count; k++) {
            assert_true(contacts[i].depth[k] < 0.02f);
        }
    }
    world_free(world);
}

static void penetration_at_rest_is_under_a_centimetre(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    shape_def ball = make_circle(0.5);
    for (int i = 0; i < 60; i++) {
        put_at(world, (i % 6) * 1.2 + 0.1 * (i / 6), 1.0 + (i / 6) * 1.2,
               i % 3 == 0 ? &ball : &box);
    }
    run(world, 600);
    contact_info contacts[512];
    uint32_t count = world_contacts(world, contacts, 512);
    assert_true(count > 20);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < contacts[i].count; k++) {
            assert_true(contacts[i].depth[k] < 0.01f);
        }
    }
    world_free(world);
}

static void box_of_hundredfold_mass_rests_on_a_light_one(void **state)
{
    (void)state;
    world_def wd = world_def_default();
    wd.sleep = false;
    physics_world *world = make_world_of(&wd);
    put_floor(world, 0.6, 0.0);
    shape_def light = make_box(1.0, 1.0);
    shape_def heavy = make_box(1.0, 1.0);
    heavy.density = 100.0;
    body_id below = put_at(world, 0.0, 0.5, &light);
    body_id above = put_at(world, 0.0, 1.5, &heavy);
    run(world, 600);
    assert_near(look(world, below).position.y, 0.5, 0.05);
    assert_near(look(world, above).position.y, 1.5, 0.1);
    assert_near(look(world, above).position.x, 0.0, 0.05);
    world_free(world);
}

// Each disc touches a hundred others, of all masses: there are far too many paths of four contacts
// through them for a step to follow all of them.
static void heap_of_uneven_masses_in_one_place_is_stepped(void **state)
{
    (void)state;
    enum { DISCS = 300 };
    static const double MASSES[] = {1.0, 1e-4, 1e3};
    physics_world *world = make_world((vec2d){0.0, 0.0});
    for (int i = 0; i < DISCS; i++) {
        shape_def disc = make_circle(0.5);
        disc.density = MASSES[i % 3];
        put_at(world, 0.1 * (i % 17), 0.1 * (i / 17), &disc);
    }
    run(world, 20);
    assert_int_equal(world_tick(world), 20);
    world_free(world);
}

// Two mirrored towers 20 m apart fall and rest as mirror images.
static void symmetric_scene_stays_symmetric(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def ball = make_circle(0.5);
    shape_def box = make_box(1.0, 1.0);
    body_id left[8];
    body_id right[8];
    for (int i = 0; i < 8; i++) {
        left[i] = put_at(world, -10.0 - 0.2 * i, 1.0 + 1.2 * i, i % 2 == 0 ? &ball : &box);
        right[i] = put_at(world, 10.0 + 0.2 * i, 1.0 + 1.2 * i, i % 2 == 0 ? &ball : &box);
    }
    // Chaos doubles rounding: the tower is compared while it falls and lands.
    run(world, 60);
    for (int i = 0; i < 8; i++) {
        body_info a = look(world, left[i]);
        body_info b = look(world, right[i]);
        assert_near(a.position.x, -b.position.x, 1e-3);
        assert_near(a.position.y, b.position.y, 1e-3);
        assert_near(a.angular_velocity, -b.angular_velocity, 1e-2);
    }
    world_free(world);
}

// ---- sleep

static void resting_world_falls_asleep_and_costs_no_awake_body(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    for (int i = 0; i < 5; i++) {
        put_at(world, 0.0, 0.5 + i, &box);
    }
    int slept = 0;
    for (int i = 0; i < 180; i++) {
        world_step(world);
        slept += count_events(world, EVENT_SLEEP, NULL);
    }
    assert_int_equal(slept, 5);
    assert_int_equal(world_count(world).awake, 0);
    assert_int_equal(world_count(world).contacts, 5); // they are still touching
    world_free(world);
}

static void sleeping_stack_wakes_as_one_when_it_is_hit(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    for (int i = 0; i < 5; i++) {
        put_at(world, 0.0, 0.5 + i, &box);
    }
    run(world, 180);
    assert_int_equal(world_count(world).awake, 0);
    put_at(world, 0.0, 8.0, &box);
    int woken = 0;
    for (int i = 0; i < 60; i++) {
        world_step(world);
        woken += count_events(world, EVENT_WAKE, NULL);
    }
    assert_int_equal(woken, 5);
    world_free(world);
}

static void removal_of_a_support_wakes_what_rested_on_it(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id support = put_at(world, 0.0, 0.5, &box);
    body_id rider = put_at(world, 0.0, 1.5, &box);
    run(world, 180);
    assert_false(look(world, rider).awake);
    error err;
    assert_int_equal(body_remove(world, support, &err), STATUS_OK);
    run(world, 120);
    assert_near(look(world, rider).position.y, 0.5, 0.01);
    world_free(world);
}

static void impulse_wakes_a_sleeper(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_id id = put_at(world, 0.0, 0.5, &box);
    run(world, 180);
    assert_false(look(world, id).awake);
    error err;
    assert_int_equal(body_apply_impulse(world, id, (vec2d){0.0, 5.0}, NULL, &err), STATUS_OK);
    assert_true(look(world, id).awake);
    world_step(world);
    assert_true(look(world, id).velocity.y > 4.0);
    world_free(world);
}

static void body_that_may_not_sleep_keeps_its_island_awake(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    put_floor(world, 0.6, 0.0);
    shape_def box = make_box(1.0, 1.0);
    body_def def = body_def_default();
    def.position = (vec2d){0.0, 0.5};
    def.allow_sleep = false;
    put(world, &def, &box, 1);
    body_id above = put_at(world, 0.0, 1.5, &box);
    body_id apart = put_at(world, 10.0, 0.5, &box);
    run(world, 300);
    assert_true(look(world, above).awake);
    assert_false(look(world, apart).awake);
    world_free(world);
}

static void moving_platform_keeps_its_rider_awake(void **state)
{
    (void)state;
    physics_world *world = make_world((vec2d){0.0, -10.0});
    body_def def = body_def_default();
    def.type = BODY_KINEMATIC;
    def.velocity = (vec2d){0.01, 0.0}; // below SLEEP_SPEED
    shape_def platform = make_box(4.0, 1.0);
    put(world, &def, &platform, 1);
    shape_def box = make_box(1.0, 1.0);
    body_id rider = put_at(world, 0.0, 1.0, &box);
    run(world, 300);
    assert_true(look(world, rider).awake);
    assert_near(look(world, rider).position.x, 0.05, 0.01);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_of_ten_boxes_stands_for_thirty_seconds),
        cmocka_unit_test(tower_of_thirty_boxes_stands_for_a_minute),
        cmocka_unit_test(stacks_of_small_boxes_stand_as_high_as_they_are),
        cmocka_unit_test(thin_bodies_leave_thick_ones_their_bits),
        cmocka_unit_test(contacts_of_a_tower_bear_what_stands_above),
        cmocka_unit_test(card_house_stands_for_a_minute),
        cmocka_unit_test(houses_of_real_cards_stand),
        cmocka_unit_test(pyramid_of_base_100_keeps_its_top_and_comes_to_rest),
        cmocka_unit_test(penetration_at_rest_is_under_a_centimetre),
        cmocka_unit_test(box_of_hundredfold_mass_rests_on_a_light_one),
        cmocka_unit_test(heap_of_uneven_masses_in_one_place_is_stepped),
        cmocka_unit_test(symmetric_scene_stays_symmetric),
        cmocka_unit_test(resting_world_falls_asleep_and_costs_no_awake_body),
        cmocka_unit_test(sleeping_stack_wakes_as_one_when_it_is_hit),
        cmocka_unit_test(removal_of_a_support_wakes_what_rested_on_it),
        cmocka_unit_test(impulse_wakes_a_sleeper),
        cmocka_unit_test(body_that_may_not_sleep_keeps_its_island_awake),
        cmocka_unit_test(moving_platform_keeps_its_rider_awake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
