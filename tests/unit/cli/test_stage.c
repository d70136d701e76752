// Shapes of the protocol become outlines, and other values become nothing. Also the displayed
// rates, and the displayed part of a world.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <carom/json.h>

#include "client/cli/picture/frame.h"
#include "client/cli/picture/stage.h"
#include "client/cli/picture/watch.h"

static carom_value *parsed(const char *json)
{
    carom_value *value = NULL;
    assert_int_equal(carom_json_parse(json, strlen(json), &value, NULL), CAROM_OK);
    return value;
}

static bool made(outline *o, const char *json)
{
    carom_value *shape = parsed(json);
    bool done = outline_from_value(o, shape);
    carom_value_free(shape);
    return done;
}

static void shape_every_kind_has_its_outline(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        outline_kind kind;
        size_t count;
        double reach;
        bool sensor;
    } cases[] = {
        {"{\"kind\":\"circle\",\"radius\":2,\"center\":[3,4]}", OUTLINE_CIRCLE, 1, 7.0, false},
        {"{\"kind\":\"box\",\"size\":[6,8],\"sensor\":true}", OUTLINE_POLYGON, 4, 5.0, true},
        {"{\"kind\":\"box\",\"size\":[6,8],\"radius\":1,\"angle\":0.5}", OUTLINE_POLYGON, 4, 6.0,
         false},
        {"{\"kind\":\"polygon\",\"vertices\":[[0,0],[3,0],[3,4]]}", OUTLINE_POLYGON, 3, 5.0, false},
        {"{\"kind\":\"capsule\",\"a\":[-1,0],\"b\":[2,0],\"radius\":0.5}", OUTLINE_CAPSULE, 2, 2.5,
         false},
        {"{\"kind\":\"segment\",\"a\":[0,0],\"b\":[0,9]}", OUTLINE_LINE, 2, 9.0, false},
        {"{\"kind\":\"chain\",\"vertices\":[[0,0],[1,0],[1,1]]}", OUTLINE_LINE, 3,
         1.4142135623730951, false},
        {"{\"kind\":\"chain\",\"vertices\":[[0,0],[1,0],[1,1]],\"loop\":true}", OUTLINE_LINE, 4,
         1.4142135623730951, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        outline o = {0};
        assert_true(made(&o, cases[i].json));
        assert_int_equal(o.kind, cases[i].kind);
        assert_int_equal(o.count, cases[i].count);
        assert_int_equal(o.sensor, cases[i].sensor);
        assert_true(fabs(outline_reach(&o) - cases[i].reach) < 1e-9);
        outline_deinit(&o);
    }
}

static void shape_of_no_kind_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}",
                                        "{\"kind\":\"blob\"}",
                                        "{\"kind\":\"polygon\"}",
                                        "{\"kind\":\"chain\",\"vertices\":[[0,0]]}",
                                        "[]",
                                        "null"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        outline o = {0};
        assert_false(made(&o, texts[i]));
        assert_null(o.points);
    }
}

// A large world's first snapshot may come seconds after the subscription: the ticks before it do
// not count.
static void meter_counts_from_the_first_snapshot(void **state)
{
    (void)state;
    watch_meter m = {0};
    watch_meter_update(&m, 10.0, 0, 0, 0);
    watch_meter_update(&m, 12.0, 28345, 1, 1000);
    assert_false(m.measured);
    watch_meter_update(&m, 13.0, 28405, 31, 4000);
    assert_true(m.measured);
    assert_true(fabs(m.ticks_per_s - 60.0) < 1e-9);
    assert_true(fabs(m.snapshots_per_s - 30.0) < 1e-9);
    assert_true(fabs(m.bytes_per_s - 3000.0) < 1e-9);
}

static void meter_is_steady_and_begins_anew_with_the_world(void **state)
{
    (void)state;
    watch_meter m = {0};
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t tick = 60 * i + (i % 2 == 0 ? 0 : 4); // seconds of 56 and 64 ticks
        watch_meter_update(&m, 1.0 + (double)i, tick, 30 * i + 1, 100 * i);
        if (i >= WATCH_MARKS) {
            assert_true(fabs(m.ticks_per_s - 60.0) <= 1.0);
        }
    }
    watch_meter_update(&m, 21.0, 5, 700, 2000);
    watch_meter_update(&m, 22.0, 35, 730, 2100);
    assert_true(fabs(m.ticks_per_s - 30.0) < 1e-9);
}

// ---- frames

enum { HEAP = 40, BODIES_MAX = 600 };

static frame_body ball(double x, double y, double speed)
{
    return (frame_body){
        .at = {x, y}, .speed = speed, .bounds = {x - 0.5, y - 0.5, x + 0.5, y + 0.5}};
}

// A ground of 60 m and a heap on it.
static size_t make_heap(frame_body *out)
{
    out[0] = (frame_body){.at = {0, -1}, .fixed = true, .bounds = {-30, -2, 30, 0}};
    for (int i = 0; i < HEAP; i++) {
        out[1 + i] = ball(i % 8 - 4, 0.5 + i / 8, 0.0);
    }
    return 1 + HEAP;
}

static void assert_framed(box b)
{
    assert_true(b.x0 <= -4.5 && b.x1 >= 3.5 && b.y0 <= 0.0 && b.y1 >= 5.0);
    assert_true(b.x1 - b.x0 < 80.0 && b.y1 - b.y0 < 40.0);
}

static void frame_leaves_out_bodies_that_fell_off(void **state)
{
    (void)state;
    static frame_body bodies[BODIES_MAX];
    box b;
    static const int FALLEN[] = {0, 1, 30, 500};
    for (size_t k = 0; k < sizeof FALLEN / sizeof *FALLEN; k++) {
        size_t count = make_heap(bodies);
        // some bodies still fall, others are frozen at the end of the world
        for (int i = 0; i < FALLEN[k]; i++) {
            bodies[count++] = ball(31 + i, -4.9 * i * i - 20.0, 9.81 * i + 20.0);
        }
        assert_true(frame_find(bodies, count, NULL, &b));
        assert_framed(b);
        count = make_heap(bodies);
        for (int i = 0; i < FALLEN[k]; i++) {
            bodies[count++] = ball(40 + i, -1e6, 0.0);
        }
        assert_true(frame_find(bodies, count, NULL, &b));
        assert_framed(b);
    }
}

static void frame_is_the_first_one_when_all_fell_off(void **state)
{
    (void)state;
    static frame_body bodies[BODIES_MAX];
    box home;
    box b;
    size_t count = make_heap(bodies);
    assert_true(frame_find(bodies, count, NULL, &home));
    count = make_heap(bodies);
    for (size_t i = 1; i < count; i++) {
        bodies[i] = ball((double)i * 50.0, -3000.0, 240.0);
    }
    assert_true(frame_find(bodies, count, &home, &b));
    assert_memory_equal(&b, &home, sizeof b);
    assert_true(frame_find(bodies, 0, &home, &b));
    assert_memory_equal(&b, &home, sizeof b);
    assert_true(frame_find(bodies, 0, NULL, &b));
    assert_true(box_is_empty(b));
    (void)make_heap(bodies);
    bodies[10] = ball(300, 20, 0.0); // a body that was built there later
    assert_true(frame_find(bodies, 11, &home, &b));
    assert_true(b.x1 >= 300.0);
    bodies[0] = bodies[1] = ball(300, 20, 0.0);
    bodies[2] = ball(0, 5, 9.0); // fast, but within its home
    assert_true(frame_find(bodies, 3, &home, &b));
    assert_true(b.x0 <= 0.0);
}

static void frame_of_many_bodies_is_that_of_most(void **state)
{
    (void)state;
    static frame_body bodies[BODIES_MAX];
    box b;
    for (int i = 0; i < BODIES_MAX - 2; i++) {
        bodies[i] = ball(i % 30, i / 30, 0.0);
    }
    bodies[BODIES_MAX - 2] = ball(5000, 0, 0.0);
    bodies[BODIES_MAX - 1] = ball(0, -7000, 0.0);
    assert_true(frame_find(bodies, BODIES_MAX, NULL, &b));
    assert_true(b.x0 <= 1.0 && b.x1 >= 28.0 && b.y0 <= 1.0 && b.y1 >= 18.0);
    assert_true(b.x1 - b.x0 < 50.0 && b.y1 - b.y0 < 40.0);
}

// Two of twenty bodies, and two of five, lie far away and hardly move.
static void frame_leaves_out_a_minority_that_rests_far_away(void **state)
{
    (void)state;
    frame_body bodies[BODIES_MAX];
    static const struct {
        size_t count; // with the ground
        double x, y;
    } CASES[] = {{20, 1e4, 0}, {20, 0, -1e4}, {20, 7071, -7071},
                 {21, 1e4, 0}, {5, 1e4, 0},   {20, 2000, -9}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        box home;
        box b;
        const size_t count = CASES[k].count;
        for (int with_home = 0; with_home < 2; with_home++) {
            (void)make_heap(bodies);
            bodies[count - 2] = ball(CASES[k].x, CASES[k].y, 0.01);
            bodies[count - 1] = ball(CASES[k].x + 3.0, CASES[k].y, 0.01);
            assert_true(frame_find(bodies, count, with_home ? &home : NULL, &b));
            assert_true(b.x0 <= -4.5 && b.x1 >= -3.0 && b.y0 <= 0.0 && b.y1 >= 1.0);
            assert_true(b.x1 - b.x0 < 80.0 && b.y1 - b.y0 < 40.0);
            home = with_home ? home : b;
        }
        assert_memory_equal(&b, &home, sizeof b); // the world keeps its view
    }
    // Where most bodies are far from home, both places are shown.
    box home = {-5, -1, 5, 5};
    box b;
    for (int i = 0; i < 30; i++) {
        bodies[i] = ball(i < 10 ? i % 4 : 1e4 + i, 0.5, 0.0);
    }
    assert_true(frame_find(bodies, 30, &home, &b));
    assert_true(b.x0 <= 0.0 && b.x1 >= 1e4);
}

static void frame_of_few_bodies_has_room_around_them(void **state)
{
    (void)state;
    frame_body bodies[BODIES_MAX];
    box b;
    (void)make_heap(bodies);
    bodies[1] = ball(-4, 2.2, 3.0); // a pendulum, which swings between -4 and 4
    assert_true(frame_find(bodies, 2, NULL, &b));
    assert_true(b.x0 <= -4.0 && b.x1 >= 4.0 && b.y0 <= -1.0 && b.y1 >= 2.2);
    assert_true(b.x1 - b.x0 < 30.0);
    bodies[0] = (frame_body){.bounds = {-0.01, -0.01, 0.01, 0.01}};
    assert_true(frame_find(bodies, 1, NULL, &b));
    assert_true(b.x1 - b.x0 > 0.1 && b.x1 - b.x0 < 0.5); // small bodies at their size
    bodies[0].bounds = box_empty();                      // a body without shapes
    assert_true(frame_find(bodies, 1, NULL, &b));
    assert_true(box_is_empty(b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_every_kind_has_its_outline),
        cmocka_unit_test(shape_of_no_kind_is_refused),
        cmocka_unit_test(meter_counts_from_the_first_snapshot),
        cmocka_unit_test(meter_is_steady_and_begins_anew_with_the_world),
        cmocka_unit_test(frame_leaves_out_bodies_that_fell_off),
        cmocka_unit_test(frame_is_the_first_one_when_all_fell_off),
        cmocka_unit_test(frame_of_many_bodies_is_that_of_most),
        cmocka_unit_test(frame_leaves_out_a_minority_that_rests_far_away),
        cmocka_unit_test(frame_of_few_bodies_has_room_around_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
