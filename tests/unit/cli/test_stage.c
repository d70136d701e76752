// Shapes as the protocol has them become outlines; what is none becomes nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <carom/json.h>

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

// A large world's first snapshot may come seconds after the subscription: the ticks before it are
// no pace.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shape_every_kind_has_its_outline),
        cmocka_unit_test(shape_of_no_kind_is_refused),
        cmocka_unit_test(meter_counts_from_the_first_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
