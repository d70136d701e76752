// The tree of values: building, owning, reading, comparing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <carom/value.h>
#include <carom/json.h>

static void scalars_have_the_type_they_were_made_with(void **state)
{
    (void)state;
    struct {
        carom_value *value;
        carom_type type;
    } cases[] = {
        {carom_nil(), CAROM_NIL},          {carom_bool(true), CAROM_BOOL},
        {carom_int(-5), CAROM_INT},        {carom_int(5), CAROM_UINT},
        {carom_uint(5), CAROM_UINT},       {carom_real(0.5), CAROM_REAL},
        {carom_str("a"), CAROM_STR},       {carom_str(NULL), CAROM_NIL},
        {carom_bin("a", 1), CAROM_BIN},    {carom_array(), CAROM_ARRAY},
        {carom_map(), CAROM_MAP},          {carom_vec(1, 2), CAROM_ARRAY},
        {carom_strn("abc", 2), CAROM_STR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(carom_value_type(cases[i].value), cases[i].type);
        assert_true(carom_value_ok(cases[i].value));
        carom_value_free(cases[i].value);
    }
    assert_int_equal(carom_value_type(NULL), CAROM_NIL);
}

static void number_is_read_as_what_it_fits(void **state)
{
    (void)state;
    carom_value *real = carom_real(3.0);
    carom_value *half = carom_real(0.5);
    carom_value *large = carom_uint(UINT64_MAX);
    carom_value *small = carom_int(INT64_MIN);
    carom_value *huge = carom_real(1e300);
    carom_value *nan = carom_real((double)NAN);
    assert_int_equal(carom_as_int(real, 9), 3);
    assert_int_equal(carom_as_uint(real, 9), 3);
    assert_int_equal(carom_as_int(half, 9), 9);
    assert_int_equal(carom_as_int(large, 9), 9);
    assert_true(carom_as_uint(large, 9) == UINT64_MAX);
    assert_true(carom_as_int(small, 9) == INT64_MIN);
    assert_int_equal(carom_as_uint(small, 9), 9);
    assert_int_equal(carom_as_int(huge, 9), 9);
    assert_int_equal(carom_as_uint(huge, 9), 9);
    assert_int_equal(carom_as_int(nan, 9), 9);
    assert_int_equal(carom_as_uint(nan, 9), 9);
    assert_true(carom_as_real(small, 0) == -9223372036854775808.0);
    assert_true(carom_as_real(NULL, 2.5) == 2.5);
    carom_value_free(real);
    carom_value_free(half);
    carom_value_free(large);
    carom_value_free(small);
    carom_value_free(huge);
    carom_value_free(nan);
}

static void other_type_is_answered_with_the_fallback(void **state)
{
    (void)state;
    carom_value *text = carom_str("7");
    assert_int_equal(carom_as_int(text, 4), 4);
    assert_true(carom_as_bool(text, true));
    assert_true(carom_as_real(text, 1.5) == 1.5);
    assert_string_equal(carom_as_str(text, "x"), "7");
    carom_value *bin = carom_bin("\0\1", 2);
    assert_string_equal(carom_as_str(bin, "x"), "x");
    size_t size;
    const unsigned char *bytes = carom_as_bytes(bin, &size);
    assert_int_equal(size, 2);
    assert_int_equal(bytes[1], 1);
    assert_null(carom_as_bytes(NULL, &size));
    assert_int_equal(size, 0);
    carom_value_free(text);
    carom_value_free(bin);
}

static void vector_is_read_from_two_numbers_only(void **state)
{
    (void)state;
    carom_vec2 fallback = {8, 9};
    carom_value *good = carom_push(carom_push(carom_array(), carom_int(-1)), carom_real(2.5));
    carom_value *three = carom_push(carom_vec(1, 2), carom_int(3));
    carom_value *words = carom_push(carom_push(carom_array(), carom_str("a")), carom_int(1));
    assert_true(carom_as_vec(good, fallback).x == -1 && carom_as_vec(good, fallback).y == 2.5);
    assert_true(carom_as_vec(three, fallback).x == 8);
    assert_true(carom_as_vec(words, fallback).y == 9);
    assert_true(carom_as_vec(NULL, fallback).y == 9);
    carom_value_free(good);
    carom_value_free(three);
    carom_value_free(words);
}

static carom_value *sample(void)
{
    carom_value *body = carom_set(carom_map(), "position", carom_vec(1.5, -2));
    carom_set(body, "tag", carom_str("ball"));
    carom_set(body, "body", carom_uint(12));
    carom_set(body, "awake", carom_bool(true));
    carom_value *list = carom_push(carom_push(carom_array(), carom_nil()), body);
    return carom_set(carom_set(carom_map(), "bodies", list), "a.b", carom_int(-3));
}

static void path_leads_to_nested_value(void **state)
{
    (void)state;
    carom_value *v = sample();
    assert_true(carom_get_real(v, "bodies[1].position[1]", 0) == -2);
    assert_true(carom_get_vec(v, "bodies[1].position", (carom_vec2){0, 0}).x == 1.5);
    assert_int_equal(carom_get_uint(v, "bodies[1].body", 0), 12);
    assert_int_equal(carom_get_int(v, "bodies[1].body", 0), 12);
    assert_true(carom_get_bool(v, "bodies[1].awake", false));
    assert_string_equal(carom_get_str(v, "bodies[1].tag", ""), "ball");
    assert_ptr_equal(carom_value_path(v, ""), v);
    const carom_value *list = carom_value_get(v, "bodies");
    assert_string_equal(carom_get_str(list, "[1].tag", ""), "ball");
    assert_int_equal(carom_as_int(carom_value_get(v, "a.b"), 0), -3);
    carom_value_free(v);
}

static void path_that_leads_nowhere_is_null(void **state)
{
    (void)state;
    static const char *const PATHS[] = {
        "nothing",
        "bodies[2]",
        "bodies[",
        "bodies[]",
        "bodies[x]",
        "bodies[1",
        "bodies[1]tag",
        "bodies.tag",
        ".bodies",
        "bodies.",
        "bodies[1].tag.x",
        "bodies[1].tag[0]",
        "bodies[99999999999999999999]",
        "bodies[-1]",
        "bodies[1]..tag",
        "bodies]",
    };
    carom_value *v = sample();
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        if (carom_value_path(v, PATHS[i]) != NULL) {
            fail_msg("'%s' leads somewhere", PATHS[i]);
        }
    }
    assert_null(carom_value_path(v, NULL));
    assert_null(carom_value_path(NULL, "a"));
    carom_value_free(v);
}

static void set_replaces_and_keeps_the_order(void **state)
{
    (void)state;
    carom_value *v = carom_set(carom_set(carom_map(), "b", carom_int(1)), "a", carom_int(2));
    carom_set(v, "b", carom_str("new"));
    assert_int_equal(carom_value_count(v), 2);
    size_t size;
    assert_string_equal(carom_value_key(v, 0, &size), "b");
    assert_int_equal(size, 1);
    assert_string_equal(carom_as_str(carom_value_at(v, 0), ""), "new");
    assert_null(carom_value_key(v, 2, NULL));
    assert_null(carom_value_at(v, 2));
    carom_value_free(v);
}

static void child_can_be_built_on_after_it_was_put_in(void **state)
{
    (void)state;
    carom_value *root = carom_array();
    carom_value *child = carom_map();
    carom_push(root, child);
    for (int i = 0; i < 100; i++) {
        carom_push(root, carom_int(i)); // the array moves, but the child does not
    }
    carom_set(child, "late", carom_bool(true));
    assert_true(carom_get_bool(root, "[0].late", false));
    carom_value_free(root);
}

static void take_gives_the_value_away(void **state)
{
    (void)state;
    carom_value *v = sample();
    carom_value *list = carom_value_take(v, "bodies");
    assert_int_equal(carom_value_count(v), 1);
    assert_null(carom_value_take(v, "bodies"));
    carom_value_free(v);
    assert_string_equal(carom_get_str(list, "[1].tag", ""), "ball");
    carom_value_free(list);
}

static void container_with_a_missing_child_is_broken(void **state)
{
    (void)state;
    carom_value *inner = carom_push(carom_array(), NULL);
    assert_false(carom_value_ok(inner));
    carom_value *outer = carom_set(carom_map(), "inner", inner);
    assert_false(carom_value_ok(outer));
    carom_value *copy = carom_value_clone(outer);
    assert_false(carom_value_ok(copy));
    carom_value *wrong = carom_push(carom_map(), carom_int(1));
    assert_false(carom_value_ok(wrong));
    carom_value *scalar = carom_set(carom_int(1), "a", carom_int(1));
    assert_false(carom_value_ok(scalar));
    assert_null(carom_json_print(outer, false, NULL));
    assert_null(carom_push(NULL, carom_int(1)));
    assert_null(carom_set(NULL, "a", carom_int(1)));
    assert_false(carom_value_ok(NULL));
    carom_value_free(outer);
    carom_value_free(copy);
    carom_value_free(wrong);
    carom_value_free(scalar);
}

static void clone_is_equal_and_independent(void **state)
{
    (void)state;
    carom_value *v = sample();
    carom_value *copy = carom_value_clone(v);
    assert_true(carom_value_equal(v, copy));
    carom_set(copy, "more", carom_int(1));
    assert_false(carom_value_equal(v, copy));
    assert_null(carom_value_get(v, "more"));
    carom_value_free(v);
    assert_string_equal(carom_get_str(copy, "bodies[1].tag", ""), "ball");
    carom_value_free(copy);
}

static void equality_is_of_type_and_content(void **state)
{
    (void)state;
    carom_value *ab = carom_set(carom_set(carom_map(), "a", carom_int(1)), "b", carom_int(2));
    carom_value *ba = carom_set(carom_set(carom_map(), "b", carom_int(2)), "a", carom_int(1));
    carom_value *ac = carom_set(carom_set(carom_map(), "a", carom_int(1)), "c", carom_int(2));
    assert_true(carom_value_equal(ab, ba));
    assert_false(carom_value_equal(ab, ac));
    carom_value *one = carom_int(1);
    carom_value *one_real = carom_real(1.0);
    carom_value *nan = carom_real((double)NAN);
    carom_value *text = carom_str("x");
    carom_value *bin = carom_bin("x", 1);
    assert_false(carom_value_equal(one, one_real));
    assert_false(carom_value_equal(nan, nan));
    assert_false(carom_value_equal(text, bin));
    assert_true(carom_value_equal(NULL, NULL));
    carom_value *all[] = {ab, ba, ac, one, one_real, nan, text, bin};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        carom_value_free(all[i]);
    }
}

static void text_may_hold_zero_bytes(void **state)
{
    (void)state;
    carom_value *v = carom_strn("a\0b", 3);
    size_t size;
    assert_memory_equal(carom_as_bytes(v, &size), "a\0b", 4);
    assert_int_equal(size, 3);
    assert_int_equal(carom_value_count(v), 3);
    carom_value_free(v);
}

// ---- JSON

static void check_round_trip(const char *text)
{
    carom_value *v = NULL;
    carom_error why;
    if (carom_json_parse(text, strlen(text), &v, &why) != CAROM_OK) {
        fail_msg("%s: %s", text, why.text);
    }
    size_t size;
    char *printed = carom_json_print(v, false, &size);
    assert_string_equal(printed, text);
    assert_int_equal(size, strlen(text));
    carom_value *again = NULL;
    assert_int_equal(carom_json_parse(printed, size, &again, NULL), CAROM_OK);
    assert_true(carom_value_equal(v, again));
    carom_free_text(printed);
    carom_value_free(v);
    carom_value_free(again);
}

static void json_reads_back_what_it_prints(void **state)
{
    (void)state;
    check_round_trip("null");
    check_round_trip("[true,false,null,-1,18,0.1,1.0,\"\xc3\xa4\"]");
    check_round_trip("{\"a\":{\"b\":[{}]},\"hash\":{\"$bin\":\"00ff\"}}");
    check_round_trip("{\"mask\":{\"$uint\":\"18446744073709551615\"}}");
    check_round_trip("-9223372036854775808");
}

static void json_that_is_wrong_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "", "{", "[1,]", "{\"a\":1,\"a\":2}", "nul", "1 2", "{\"$ext\":[1,\"00\"]}"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        carom_value *v = NULL;
        carom_error why = {0};
        assert_int_equal(carom_json_parse(TEXTS[i], strlen(TEXTS[i]), &v, &why),
                         CAROM_INVALID_ARGUMENT);
        assert_null(v);
        assert_false(why.from_server);
        assert_true(strlen(why.text) > 0);
    }
}

static void json_nested_too_deeply_is_refused(void **state)
{
    (void)state;
    char text[2 * (CAROM_VALUE_DEPTH_MAX + 1) + 1];
    for (int depth = CAROM_VALUE_DEPTH_MAX; depth <= CAROM_VALUE_DEPTH_MAX + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        carom_value *v = NULL;
        carom_status outcome = carom_json_parse(text, (size_t)depth * 2, &v, NULL);
        assert_int_equal(outcome == CAROM_OK, depth == CAROM_VALUE_DEPTH_MAX);
        carom_value_free(v);
    }
}

static void indented_json_has_lines(void **state)
{
    (void)state;
    carom_value *v = sample();
    char *printed = carom_json_print(v, true, NULL);
    assert_non_null(strchr(printed, '\n'));
    carom_value *again = NULL;
    assert_int_equal(carom_json_parse(printed, strlen(printed), &again, NULL), CAROM_OK);
    assert_true(carom_value_equal(v, again));
    carom_free_text(printed);
    carom_value_free(v);
    carom_value_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_have_the_type_they_were_made_with),
        cmocka_unit_test(number_is_read_as_what_it_fits),
        cmocka_unit_test(other_type_is_answered_with_the_fallback),
        cmocka_unit_test(vector_is_read_from_two_numbers_only),
        cmocka_unit_test(path_leads_to_nested_value),
        cmocka_unit_test(path_that_leads_nowhere_is_null),
        cmocka_unit_test(set_replaces_and_keeps_the_order),
        cmocka_unit_test(child_can_be_built_on_after_it_was_put_in),
        cmocka_unit_test(take_gives_the_value_away),
        cmocka_unit_test(container_with_a_missing_child_is_broken),
        cmocka_unit_test(clone_is_equal_and_independent),
        cmocka_unit_test(equality_is_of_type_and_content),
        cmocka_unit_test(text_may_hold_zero_bytes),
        cmocka_unit_test(json_reads_back_what_it_prints),
        cmocka_unit_test(json_that_is_wrong_is_refused_with_its_place),
        cmocka_unit_test(json_nested_too_deeply_is_refused),
        cmocka_unit_test(indented_json_has_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
