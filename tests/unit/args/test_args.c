// Command lines read by a grammar: every way to write an option, and the error for each mistake.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "common/args/args.h"

static const args_operand operands[] = {
    {"WORLD", ARGS_WORLD, true, false, NULL}, {"BODY", ARGS_ID, false, true, NULL}, {0}};
static const args_option options[] = {{"rate", 'r', ARGS_NUMBER, "N", "how fast", NULL},
                                      {"at", 'a', ARGS_VECTOR, "X,Y", "where", NULL},
                                      {"area", 0, ARGS_AREA, "X0,Y0,X1,Y1", "where", NULL},
                                      {"size", 0, ARGS_SIZE, "WxH", "how large", NULL},
                                      {"for", 0, ARGS_SECONDS, "TIME", "how long", NULL},
                                      {"count", 'n', ARGS_WHOLE, "N", "how many", NULL},
                                      {"times", 0, ARGS_COUNT, "N", "how often", NULL},
                                      {"paused", 'p', ARGS_FLAG, NULL, "stopped", NULL},
                                      {"type", 0, ARGS_CHOICE, "T", "which", "static|dynamic"},
                                      {0}};
static const args_option globals[] = {{"json", 'j', ARGS_FLAG, NULL, "as JSON", NULL}, {0}};
static const args_grammar grammar = {operands, options, globals};

enum { WORDS_MAX = 16 };

// Reads and checks words that end with NULL.
static bool read_words(args *a, const char *const *words)
{
    int count = 0;
    while (words[count] != NULL) {
        count++;
    }
    assert_true(args_init(a, count));
    int at = 0;
    return args_read(a, &grammar, false, count, words, &at) && args_check(a, &grammar);
}

#define READ(a, ...) read_words((a), (const char *const[WORDS_MAX]){__VA_ARGS__})

static void option_every_form_is_read(void **state)
{
    (void)state;
    static const char *const forms[][3] = {
        {"w", "--rate=2.5", NULL}, {"w", "-r2.5", NULL}, {"--rate=2.5", "w", NULL}};
    for (size_t i = 0; i < 3; i++) {
        args a;
        assert_true(read_words(&a, forms[i]));
        assert_true(args_number(&a, "rate", 0.0) == 2.5);
        assert_string_equal(args_word(&a, 0), "w");
        args_deinit(&a);
    }
    args a;
    assert_true(READ(&a, "w", "--rate", "2.5", "-p", "-j"));
    assert_true(args_number(&a, "rate", 0.0) == 2.5);
    assert_true(args_has(&a, "paused") && args_has(&a, "json"));
    assert_false(args_has(&a, "at"));
    args_deinit(&a);
}

static void option_given_twice_the_last_counts(void **state)
{
    (void)state;
    args a;
    assert_true(READ(&a, "w", "-n", "1", "--count", "2"));
    assert_int_equal(args_whole(&a, "count", 0), 2);
    args_deinit(&a);
}

static void option_not_given_the_fallback_holds(void **state)
{
    (void)state;
    args a;
    double v[4] = {7.0, 7.0, 7.0, 7.0};
    assert_true(READ(&a, "w"));
    assert_true(args_number(&a, "rate", 3.0) == 3.0);
    assert_true(args_seconds(&a, "for", 4.0) == 4.0);
    assert_int_equal(args_whole(&a, "count", 5), 5);
    assert_string_equal(args_text(&a, "type", "static"), "static");
    assert_false(args_numbers(&a, "at", v));
    assert_true(v[0] == 7.0);
    args_deinit(&a);
}

static void values_of_all_kinds_come_back(void **state)
{
    (void)state;
    args a;
    double v[4];
    assert_true(READ(&a, "w", "--at", "-1,2", "--area", "-1,-2,3,4", "--size", "8x4", "--for",
                     "250ms", "--type", "dynamic"));
    assert_true(args_numbers(&a, "at", v) && v[0] == -1.0 && v[1] == 2.0);
    assert_true(args_numbers(&a, "area", v) && v[3] == 4.0);
    assert_true(args_numbers(&a, "size", v) && v[0] == 8.0 && v[1] == 4.0);
    assert_true(args_seconds(&a, "for", 0.0) == 0.25);
    assert_string_equal(args_text(&a, "type", ""), "dynamic");
    args_deinit(&a);
}

static void word_negative_number_is_no_option(void **state)
{
    (void)state;
    static const args_operand vectors[] = {
        {"FROM", ARGS_VECTOR, true, false, NULL}, {"TO", ARGS_FILE, true, false, NULL}, {0}};
    static const args_grammar own = {vectors, NULL, globals};
    const char *const words[] = {"-1,2", "-"};
    args a;
    int at = 0;
    assert_true(args_init(&a, 2));
    assert_true(args_read(&a, &own, false, 2, words, &at) && args_check(&a, &own));
    assert_string_equal(args_word(&a, 0), "-1,2");
    assert_string_equal(args_word(&a, 1), "-");
    assert_null(args_word(&a, 2));
    args_deinit(&a);
}

static void words_after_two_dashes_are_operands(void **state)
{
    (void)state;
    args a;
    const char *const words[] = {"--", "--rate", NULL};
    assert_true(read_words(&a, words));
    assert_string_equal(args_word(&a, 0), "--rate");
    args_deinit(&a);
}

static void until_word_stops_before_the_command(void **state)
{
    (void)state;
    const char *const words[] = {"-j", "spawn", "--rate", "3"};
    static const args_grammar before = {NULL, NULL, globals};
    args a;
    int at = 0;
    assert_true(args_init(&a, 4));
    assert_true(args_read(&a, &before, true, 4, words, &at));
    assert_int_equal(at, 1);
    assert_true(args_has(&a, "json"));
    assert_int_equal(a.word_count, 0);
    args_deinit(&a);
}

static void slips_are_told_with_what_was_meant(void **state)
{
    (void)state;
    static const struct {
        const char *words[5];
        const char *told;
    } cases[] = {
        {{"w", "--rat", "3", NULL}, "unknown option '--rat'; did you mean '--rate'?"},
        {{"w", "--jsn", NULL}, "unknown option '--jsn'; did you mean '--json'?"},
        {{"w", "--quux", NULL}, "unknown option '--quux'"},
        {{"w", "-x", NULL}, "unknown option '-x'"},
        {{"w", "--rate", NULL}, "--rate needs a value: --rate N"},
        {{"w", "--rate", "fast", NULL}, "--rate takes a number such as 1.5, not 'fast'"},
        {{"w", "--at", "1", NULL}, "--at takes two numbers such as 1.5,-2, not '1'"},
        {{"w", "--count", "-1", NULL},
         "--count takes a whole number up to 9007199254740992 such as 3, not '-1'"},
        {{"w", "--times", "0", NULL},
         "--times takes a whole number from 1 to 9007199254740992, not '0'"},
        {{"w", "--paused=yes", NULL}, "--paused takes no value"},
        {{"w", "--type", "dynamc", NULL}, "--type cannot be 'dynamc'; did you mean 'dynamic'?"},
        {{"w", "--type", "gas", NULL}, "--type cannot be 'gas'; it is one of static or dynamic"},
        {{NULL}, "WORLD is missing"},
        {{"w", "x", NULL}, "BODY takes an id from 1 to 9007199254740992 such as 12, not 'x'"},
        {{"w", "9007199254740993", NULL},
         "BODY takes an id from 1 to 9007199254740992 such as 12, not '9007199254740993'"},
        {{"w", "0", NULL}, "BODY takes an id from 1 to 9007199254740992 such as 12, not '0'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        args a;
        assert_false(read_words(&a, cases[i].words));
        assert_string_equal(a.error, cases[i].told);
        args_deinit(&a);
    }
}

static void operands_too_many_are_refused(void **state)
{
    (void)state;
    static const args_operand one[] = {{"WORLD", ARGS_WORLD, true, false, NULL}, {0}};
    static const args_grammar own = {one, NULL, NULL};
    const char *const words[] = {"a", "b"};
    args a;
    int at = 0;
    assert_true(args_init(&a, 2));
    assert_true(args_read(&a, &own, false, 2, words, &at));
    assert_false(args_check(&a, &own));
    assert_string_equal(a.error, "'b' is one word too many");
    args_deinit(&a);
}

static void operand_repeated_and_required_needs_one(void **state)
{
    (void)state;
    static const args_operand some[] = {
        {"WORLD", ARGS_WORLD, true, false, NULL}, {"BODY", ARGS_ID, true, true, NULL}, {0}};
    static const args_grammar own = {some, NULL, NULL};
    const char *const words[] = {"w", "1", "2", "3"};
    for (int count = 1; count <= 4; count++) {
        args a;
        int at = 0;
        assert_true(args_init(&a, count));
        assert_true(args_read(&a, &own, false, count, words, &at));
        assert_int_equal(args_check(&a, &own), count > 1);
        args_deinit(&a);
    }
}

static void choice_words_are_found_in_order(void **state)
{
    (void)state;
    char word[16];
    assert_true(args_choice("a|bc|d", 1, word, sizeof word));
    assert_string_equal(word, "bc");
    assert_true(args_choice("a|bc|d", 2, word, sizeof word));
    assert_string_equal(word, "d");
    assert_false(args_choice("a|bc|d", 3, word, sizeof word));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(option_every_form_is_read),
        cmocka_unit_test(option_given_twice_the_last_counts),
        cmocka_unit_test(option_not_given_the_fallback_holds),
        cmocka_unit_test(values_of_all_kinds_come_back),
        cmocka_unit_test(word_negative_number_is_no_option),
        cmocka_unit_test(words_after_two_dashes_are_operands),
        cmocka_unit_test(until_word_stops_before_the_command),
        cmocka_unit_test(slips_are_told_with_what_was_meant),
        cmocka_unit_test(operands_too_many_are_refused),
        cmocka_unit_test(operand_repeated_and_required_needs_one),
        cmocka_unit_test(choice_words_are_found_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
