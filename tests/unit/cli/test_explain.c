// The explanation of why a body does not move: each reason, from the server's possible answers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <carom/json.h>

#include "client/cli/explain.h"

static carom_value *json(const char *text)
{
    carom_value *value = NULL;
    assert_int_equal(carom_json_parse(text, strlen(text), &value, NULL), CAROM_OK);
    return value;
}

// The explanation for these answers; NULL for no joints or contacts.
static carom_value *explain(const char *body, const char *info, const char *joints,
                            const char *contacts)
{
    carom_value *b = json(body);
    carom_value *i = json(info);
    carom_value *j = joints != NULL ? json(joints) : NULL;
    carom_value *k = contacts != NULL ? json(contacts) : NULL;
    carom_value *why = explain_body(b, i, j, k);
    carom_value_free(b);
    carom_value_free(i);
    carom_value_free(j);
    carom_value_free(k);
    assert_true(carom_value_ok(why));
    return why;
}

static bool has_reason(const carom_value *why, const char *reason)
{
    const carom_value *reasons = carom_value_get(why, "reasons");
    for (size_t i = 0; i < carom_value_count(reasons); i++) {
        if (strcmp(carom_get_str(carom_value_at(reasons, i), "reason", ""), reason) == 0) {
            return true;
        }
    }
    return false;
}

#define WORLD   "{\"world\": \"w\", \"paused\": false, \"gravity\": [0, -10]}"
#define STEPPED "{\"world\": \"w\", \"paused\": true, \"rate\": 15.0, \"gravity\": [0, -10]}"
#define PAUSED  "{\"world\": \"w\", \"paused\": true, \"gravity\": [0, -10]}"
#define SPACE   "{\"world\": \"w\", \"paused\": false, \"gravity\": [0, 0]}"
#define BODY(more)                                                                                 \
    "{\"body\": 3, \"velocity\": [0, 0], \"angular_velocity\": 0, \"gravity_scale\": 1, "          \
    "\"force\": [0, 0], \"torque\": 0, \"enabled\": true, \"awake\": true, " more "}"

static void each_state_gives_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *body, *info, *reason;
    } cases[] = {
        {BODY("\"type\": \"dynamic\""), PAUSED, "paused"},
        {BODY("\"type\": \"static\""), STEPPED, "static"},
        {BODY("\"type\": \"static\""), WORLD, "static"},
        {BODY("\"type\": \"kinematic\""), WORLD, "kinematic"},
        {"{\"body\": 3, \"type\": \"dynamic\", \"enabled\": false}", WORLD, "disabled"},
        {BODY("\"type\": \"dynamic\", \"frozen\": true"), WORLD, "frozen"},
        {"{\"body\": 3, \"type\": \"dynamic\", \"awake\": false}", WORLD, "asleep"},
        {BODY("\"type\": \"dynamic\""), SPACE, "weightless"},
        {BODY("\"type\": \"dynamic\""), SPACE, "unforced"},
        {"{\"body\": 3, \"type\": \"dynamic\", \"gravity_scale\": 0}", WORLD, "weightless"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        carom_value *why = explain(cases[i].body, cases[i].info, NULL, NULL);
        assert_false(carom_get_bool(why, "moves", true));
        if (!has_reason(why, cases[i].reason)) {
            fail_msg("%s is missing", cases[i].reason);
        }
        carom_value_free(why);
    }
}

static void body_that_moves_has_no_reasons(void **state)
{
    (void)state;
    carom_value *why =
        explain("{\"body\": 3, \"type\": \"kinematic\", \"velocity\": [1, 0]}", WORLD, NULL, NULL);
    assert_true(carom_get_bool(why, "moves", false));
    assert_int_equal(carom_value_count(carom_value_get(why, "reasons")), 0);
    carom_value_free(why);
}

static void body_at_rest_on_another_is_supported(void **state)
{
    (void)state;
    static const char below[] = "[{\"a\": 1, \"b\": 3, \"normal\": [0, 1], \"points\": "
                                "[{\"impulse\": 2.0}, {\"impulse\": 1.0}]}, {\"a\": 8, \"b\": 9}]";
    carom_value *why = explain(BODY("\"type\": \"dynamic\""), WORLD, NULL, below);
    assert_true(has_reason(why, "supported"));
    // bodies 8 and 9 are elsewhere
    assert_int_equal(carom_value_count(carom_value_get(why, "touches")), 1);
    assert_int_equal(carom_get_uint(why, "touches[0].body", 0), 1);
    assert_float_equal(carom_get_real(why, "touches[0].impulse", 0.0), 3.0, 1e-9);
    carom_value_free(why);
    // The same contact from the other side: a ceiling supports nothing.
    static const char above[] = "[{\"a\": 3, \"b\": 1, \"normal\": [0, 1], \"points\": []}]";
    why = explain(BODY("\"type\": \"dynamic\""), WORLD, NULL, above);
    assert_false(has_reason(why, "supported"));
    assert_float_equal(carom_get_vec(why, "touches[0].normal", (carom_vec2){0, 0}).y, -1.0, 1e-9);
    carom_value_free(why);
}

static void joints_of_the_body_hold_it(void **state)
{
    (void)state;
    static const char joints[] =
        "[{\"joint\": 7, \"kind\": \"weld\", \"a\": 1, \"b\": 3}, {\"joint\": 8, \"kind\": "
        "\"weld\", \"a\": 1, \"b\": 2}]";
    carom_value *why = explain(BODY("\"type\": \"dynamic\""), WORLD, joints, NULL);
    assert_true(has_reason(why, "held"));
    assert_int_equal(carom_value_count(carom_value_get(why, "joints")), 1);
    assert_int_equal(carom_get_uint(why, "joints[0].other", 0), 1);
    carom_value_free(why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_gives_its_reason),
        cmocka_unit_test(body_that_moves_has_no_reasons),
        cmocka_unit_test(body_at_rest_on_another_is_supported),
        cmocka_unit_test(joints_of_the_body_hold_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
