// Words become values: JSON, vectors with commas, and texts if the method expects one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <carom/json.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"

enum { WORDS_MAX = 24 };

// A command line of `spawn` as it would be after reading.
static void read_spawn(cli *c, const char *const *words)
{
    int count = 0;
    int at = 0;
    while (words[count] != NULL) {
        count++;
    }
    *c = (cli){.command = &command_spawn};
    args_grammar grammar = {c->command->operands, c->command->options, NULL};
    assert_true(args_init(&c->args, count));
    assert_true(args_read(&c->args, &grammar, false, count, words, &at));
}

#define READ(c, ...) read_spawn((c), (const char *const[WORDS_MAX]){__VA_ARGS__})

static void assert_json(carom_value *value, const char *wanted)
{
    char *text = carom_json_print(value, 0, NULL);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    carom_free_text(text);
    carom_value_free(value);
}

static void value_is_what_it_looks_like(void **state)
{
    (void)state;
    assert_json(params_value("3", PARAMS_ANY), "3");
    assert_json(params_value("true", PARAMS_ANY), "true");
    assert_json(params_value("null", PARAMS_ANY), "null");
    assert_json(params_value("[1,[2]]", PARAMS_ANY), "[1,[2]]");
    assert_json(params_value("1,-2.5", PARAMS_ANY), "[1.0,-2.5]");
    assert_json(params_value("0,0,4,4", PARAMS_ANY), "[0.0,0.0,4.0,4.0]");
    assert_json(params_value("static", PARAMS_ANY), "\"static\"");
    assert_json(params_value("", PARAMS_ANY), "\"\"");
}

static void value_of_a_text_stays_text(void **state)
{
    (void)state;
    assert_json(params_value("12", PARAMS_TEXT), "\"12\"");
    assert_json(params_value("true", PARAMS_TEXT), "\"true\"");
    assert_json(params_value("a,b", PARAMS_TEXT), "\"a,b\"");
}

static void value_of_words_is_split_at_commas(void **state)
{
    (void)state;
    assert_json(params_value("begin,end", PARAMS_WORDS), "[\"begin\",\"end\"]");
    assert_json(params_value("hit", PARAMS_WORDS), "[\"hit\"]");
    assert_json(params_value("[\"hit\"]", PARAMS_WORDS), "[\"hit\"]");
}

static void pairs_follow_the_table_of_methods(void **state)
{
    (void)state;
    cli c;
    READ(&c, "w", "tag=7", "bullet=true", "position=1,2");
    carom_value *into = carom_map();
    assert_int_equal(params_pairs(&c, 1, "body.spawn", into), CLI_OK);
    assert_string_equal(carom_get_str(into, "tag", ""), "7");
    assert_true(carom_get_bool(into, "bullet", false));
    assert_true(carom_get_real(into, "position[1]", 0.0) == 2.0);
    carom_value_free(into);
    args_deinit(&c.args);
}

static void pairs_with_a_slip_are_refused(void **state)
{
    (void)state;
    static const char *const slips[] = {"positon=1,2", "position", "=1", "zzz=1"};
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        cli c;
        READ(&c, "w", slips[i]);
        carom_value *into = carom_map();
        assert_int_equal(params_pairs(&c, 1, "body.spawn", into), CLI_USAGE);
        carom_value_free(into);
        args_deinit(&c.args);
    }
}

static void pairs_of_an_unknown_method_pass(void **state)
{
    (void)state;
    cli c;
    READ(&c, "w", "zzz=1");
    carom_value *into = carom_map();
    assert_int_equal(params_pairs(&c, 1, "later.method", into), CLI_OK);
    assert_int_equal(carom_get_int(into, "zzz", 0), 1);
    carom_value_free(into);
    args_deinit(&c.args);
}

static void shapes_come_in_their_order_with_their_matter(void **state)
{
    (void)state;
    cli c;
    READ(&c, "w", "--circle", "0.5", "--box", "2x1", "--friction", "0.25", "--sensor");
    carom_value *shapes = carom_array();
    assert_int_equal(params_shapes(&c, shapes), CLI_OK);
    assert_json(shapes, "[{\"kind\":\"circle\",\"radius\":0.5,\"friction\":0.25,\"sensor\":true},"
                        "{\"kind\":\"box\",\"size\":[2.0,1.0],\"friction\":0.25,\"sensor\":true}]");
    args_deinit(&c.args);
}

static void shape_every_option_makes_its_kind(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value;
        const char *json;
    } cases[] = {
        {"--capsule", "-1,0,1,0,0.25",
         "[{\"kind\":\"capsule\",\"a\":[-1.0,0.0],\"b\":[1.0,0.0],\"radius\":0.25}]"},
        {"--polygon", "0,0 1,0 0,1",
         "[{\"kind\":\"polygon\",\"vertices\":[[0.0,0.0],[1.0,0.0],[0.0,1.0]]}]"},
        {"--segment", "0,0,1,0", "[{\"kind\":\"segment\",\"a\":[0.0,0.0],\"b\":[1.0,0.0]}]"},
        {"--chain", "0,0;1,0", "[{\"kind\":\"chain\",\"vertices\":[[0.0,0.0],[1.0,0.0]]}]"},
        {"--loop", "0,0 1,0 0,1 ",
         "[{\"kind\":\"chain\",\"vertices\":[[0.0,0.0],[1.0,0.0],[0.0,1.0]],\"loop\":true}]"},
        {"--shape", "{\"kind\":\"box\",\"size\":[1,2]}", "[{\"kind\":\"box\",\"size\":[1,2]}]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cli c;
        READ(&c, "w", cases[i].option, cases[i].value);
        carom_value *shapes = carom_array();
        assert_int_equal(params_shapes(&c, shapes), CLI_OK);
        assert_json(shapes, cases[i].json);
        args_deinit(&c.args);
    }
}

static void shape_malformed_is_a_usage_error(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"--capsule", "1,2,3"}, {"--capsule", "a,b,c,d,e"},
                                           {"--polygon", "0,0"},   {"--polygon", "0,0 1"},
                                           {"--chain", ""},        {"--shape", "{\"kind\":"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cli c;
        READ(&c, "w", cases[i][0], cases[i][1]);
        carom_value *shapes = carom_array();
        assert_int_equal(params_shapes(&c, shapes), CLI_USAGE);
        carom_value_free(shapes);
        args_deinit(&c.args);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_is_what_it_looks_like),
        cmocka_unit_test(value_of_a_text_stays_text),
        cmocka_unit_test(value_of_words_is_split_at_commas),
        cmocka_unit_test(pairs_follow_the_table_of_methods),
        cmocka_unit_test(pairs_with_a_slip_are_refused),
        cmocka_unit_test(pairs_of_an_unknown_method_pass),
        cmocka_unit_test(shapes_come_in_their_order_with_their_matter),
        cmocka_unit_test(shape_every_option_makes_its_kind),
        cmocka_unit_test(shape_malformed_is_a_usage_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
