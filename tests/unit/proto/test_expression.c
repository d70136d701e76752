// The arithmetic of scene files.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/scene/expression.h"

static expression_scope scope;

static int clear_scope(void **state)
{
    (void)state;
    memset(&scope, 0, sizeof scope);
    return 0;
}

static double value_of(const char *text)
{
    double out = -12345.0;
    error err;
    if (expression_evaluate(&scope, text, strlen(text), &out, &err) != STATUS_OK) {
        fail_msg("%s: %s", text, err.text);
    }
    return out;
}

static void assert_value(const char *text, double expected)
{
    double got = value_of(text);
    if (got != expected) {
        fail_msg("%s is %.17g, not %.17g", text, got, expected);
    }
}

static void assert_fails(const char *text, status why, const char *says)
{
    double out = -12345.0;
    error err;
    assert_int_equal(expression_evaluate(&scope, text, strlen(text), &out, &err), why);
    assert_true(out == -12345.0);
    if (strstr(err.text, says) == NULL) {
        fail_msg("%s: '%s' does not say '%s'", text, err.text, says);
    }
}

static void assert_near(double got, double expected, double within)
{
    if (fabs(got - expected) > within) {
        fail_msg("%.17g is not near %.17g", got, expected);
    }
}

static void define(const char *name, double value)
{
    assert_int_equal(expression_define(&scope, name, strlen(name), value, NULL), STATUS_OK);
}

static void number_is_its_value(void **state)
{
    (void)state;
    assert_value("0", 0.0);
    assert_value("42", 42.0);
    assert_value(".5", 0.5);
    assert_value("0.1", 0.1);
    assert_value("1.5e3", 1500.0);
    assert_value("2E-2", 0.02);
    assert_value(" 7 ", 7.0);
}

static void operators_bind_as_in_c(void **state)
{
    (void)state;
    assert_value("1 + 2 * 3", 7.0);
    assert_value("(1 + 2) * 3", 9.0);
    assert_value("10 - 4 - 3", 3.0);
    assert_value("24 / 4 / 2", 3.0);
    assert_value("-2 * -3", 6.0);
    assert_value("2 - -3", 5.0);
    assert_value("1 + 2 < 4 && 3 != 4", 1.0);
    assert_value("1 || 0 && 0", 1.0);
    assert_value("!0 + !5", 1.0);
    assert_value("3 >= 3 == 1", 1.0);
    assert_value("2 < 1 || 2 <= 1 || 2 > 3 || 2 == 3", 0.0);
}

static void modulo_takes_the_sign_of_its_right_side(void **state)
{
    (void)state;
    assert_value("7 % 3", 1.0);
    assert_value("-1 % 5", 4.0);
    assert_value("(0 - 1) % 5", 4.0);
    assert_value("7 % -3", -2.0);
    assert_value("7.5 % 2", 1.5);
    assert_value("-6 % 3", 0.0);
}

static void condition_chooses_and_associates_to_the_right(void **state)
{
    (void)state;
    assert_value("1 ? 2 : 3", 2.0);
    assert_value("0 ? 2 : 3", 3.0);
    assert_value("0 ? 1 : 0 ? 2 : 3", 3.0);
    assert_value("1 ? 0 ? 4 : 5 : 6", 5.0);
    assert_value("2 > 1 ? 10 + 1 : 0", 11.0);
}

static void side_that_is_not_chosen_is_not_computed(void **state)
{
    (void)state;
    assert_value("0 ? 1 / 0 : 3", 3.0);
    assert_value("1 ? 3 : sqrt(-1)", 3.0);
    assert_value("0 && 1 / 0", 0.0);
    assert_value("1 || 1 / 0", 1.0);
    uint64_t before = scope.random;
    assert_value("1 ? 5 : random(0, 1)", 5.0);
    assert_true(scope.random == before);
    assert_fails("1 ? 5 : nothing", STATUS_INVALID_ARGUMENT, "'nothing' is not defined");
}

static void functions_are_computed(void **state)
{
    (void)state;
    assert_value("sqrt(16)", 4.0);
    assert_value("floor(-1.5)", -2.0);
    assert_value("ceil(-1.5)", -1.0);
    assert_value("round(2.5)", 3.0);
    assert_value("abs(-3)", 3.0);
    assert_value("min(2, -3)", -3.0);
    assert_value("max(2, -3)", 2.0);
    assert_value("sin(0)", 0.0);
    assert_value("cos(0)", 1.0);
    assert_near(value_of("sin(pi / 6)"), 0.5, 1e-12);
    assert_near(value_of("cos(pi / 3)"), 0.5, 1e-12);
    assert_near(value_of("4 * atan2(1, 1) - pi"), 0.0, 1e-12);
    assert_value("max(min(5, 3), sqrt(abs(-4)))", 3.0);
}

static void variable_is_its_latest_definition(void **state)
{
    (void)state;
    define("i", 3.0);
    define("row_height", 0.5);
    assert_value("i * row_height", 1.5);
    define("i", 4.0);
    assert_value("i", 4.0);
    scope.count--;
    assert_value("i", 3.0);
}

static void random_is_uniform_and_repeats_with_its_seed(void **state)
{
    (void)state;
    scope.random = 7;
    double sum = 0.0;
    double first = value_of("random(-2, 4)");
    double lowest = first;
    double highest = first;
    for (int i = 0; i < 20000; i++) {
        double v = value_of("random(-2, 4)");
        assert_true(v >= -2.0 && v < 4.0);
        lowest = v < lowest ? v : lowest;
        highest = v > highest ? v : highest;
        sum += v;
    }
    assert_near(sum / 20000.0, 1.0, 0.05);
    assert_true(lowest < -1.99 && highest > 3.99);
    scope.random = 7;
    assert_value("random(-2, 4)", first);
    scope.random = 8;
    assert_true(value_of("random(-2, 4)") != first);
}

// Scenes with random() must stay the same. The values for 1234567 are the published test vector of
// SplitMix64 (6457827717110365317, ...), its upper 53 bits as a fraction.
static void random_gives_golden_values(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        uint64_t fractions[5]; // [2^-53]
    } GOLDEN[] = {
        {1234567,
         {0xb33da02ff611f, 0x58e7e108b0a81, 0x1107d79cb47e4f, 0x7f7dee81d22ef, 0x1c77068ce1196b}},
        {0, {0x1c4415072f63b9, 0xdcf13cd54372c, 0xd88ba3100128, 0x1f1177150e4990, 0x367312d4a350e}},
        {UINT64_MAX,
         {0x1c9b2e2ee36ca5, 0x1d33ff0cfb7ed0, 0x705ff09964e50, 0xda3b66d997530,
          0x169408e5caf00d}}, // the state wraps
    };
    for (size_t i = 0; i < sizeof GOLDEN / sizeof *GOLDEN; i++) {
        scope.random = GOLDEN[i].seed;
        for (int k = 0; k < 5; k++) {
            assert_value("random(0, 1)", (double)GOLDEN[i].fractions[k] * 0x1p-53);
        }
    }
    // The range is a + (b - a) x.
    scope.random = 1234567;
    assert_value("random(-2, 4)", -2.0 + 6.0 * 0xb33da02ff611fp-53);
}

static void text_that_is_no_expression_is_refused_with_its_column(void **state)
{
    (void)state;
    assert_fails("", STATUS_INVALID_ARGUMENT, "column 1: the expression ends");
    assert_fails("1 +", STATUS_INVALID_ARGUMENT, "column 4: the expression ends");
    assert_fails("1 2", STATUS_INVALID_ARGUMENT, "column 3: expected an operator");
    assert_fails("(1", STATUS_INVALID_ARGUMENT, "column 3: expected )");
    assert_fails("1)", STATUS_INVALID_ARGUMENT, "column 2: expected an operator");
    assert_fails("1 ? 2", STATUS_INVALID_ARGUMENT, "column 6: expected :");
    assert_fails("* 3", STATUS_INVALID_ARGUMENT, "column 1: expected a number");
    assert_fails("1.2.3", STATUS_INVALID_ARGUMENT, "column 1: not a number");
    assert_fails("1e", STATUS_INVALID_ARGUMENT, "not a number");
    assert_fails("3x", STATUS_INVALID_ARGUMENT, "not a number");
    assert_fails("1e999", STATUS_INVALID_ARGUMENT, "not a number");
    assert_fails("sin 3", STATUS_INVALID_ARGUMENT, "expected (");
    assert_fails("min(3)", STATUS_INVALID_ARGUMENT, "second argument");
    assert_fails("sin(1, 2)", STATUS_INVALID_ARGUMENT, "expected )");
    assert_fails("exec(1)", STATUS_INVALID_ARGUMENT, "'exec' is not defined");
    assert_fails("a = 3", STATUS_INVALID_ARGUMENT, "'a' is not defined");
    assert_fails("1 & 2", STATUS_INVALID_ARGUMENT, "expected an operator");
    assert_fails("\xc3\xa9", STATUS_INVALID_ARGUMENT, "column 1");
}

static void result_that_is_no_finite_number_is_refused(void **state)
{
    (void)state;
    assert_fails("1 / 0", STATUS_INVALID_ARGUMENT, "division by zero");
    assert_fails("1 % 0", STATUS_INVALID_ARGUMENT, "division by zero");
    assert_fails("0 / (1 - 1)", STATUS_INVALID_ARGUMENT, "division by zero");
    assert_fails("sqrt(-1)", STATUS_INVALID_ARGUMENT, "square root");
    assert_fails("1e300 * 1e300", STATUS_INVALID_ARGUMENT, "too large");
    assert_fails("random(-1e308, 1e308)", STATUS_INVALID_ARGUMENT, "too large");
}

static void nesting_at_the_limit_passes_and_deeper_is_refused(void **state)
{
    (void)state;
    char text[3 * EXPRESSION_DEPTH_MAX];
    uint32_t deep = EXPRESSION_DEPTH_MAX - 1; // the expression itself is the first
    memset(text, '(', deep);
    text[deep] = '1';
    memset(text + deep + 1, ')', deep);
    text[2 * deep + 1] = '\0';
    assert_value(text, 1.0);
    memset(text, '(', deep + 1);
    text[deep + 1] = '\0';
    assert_fails(text, STATUS_LIMIT_EXCEEDED, "nested too deep");
    memset(text, '-', deep);
    text[deep] = '1';
    text[deep + 1] = '\0';
    assert_value(text, deep % 2 == 1 ? -1.0 : 1.0);
    memset(text, '!', deep + 1);
    text[deep + 1] = '1';
    text[deep + 2] = '\0';
    assert_fails(text, STATUS_LIMIT_EXCEEDED, "nested too deep");
}

static void text_over_the_limit_is_refused(void **state)
{
    (void)state;
    char text[EXPRESSION_BYTES_MAX + 2];
    memset(text, ' ', sizeof text);
    text[0] = '5';
    text[EXPRESSION_BYTES_MAX] = '\0';
    assert_value(text, 5.0);
    text[EXPRESSION_BYTES_MAX] = ' ';
    text[EXPRESSION_BYTES_MAX + 1] = '\0';
    assert_fails(text, STATUS_LIMIT_EXCEEDED, "the limit is 1024");
}

static void name_that_cannot_be_is_refused(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"", "1a", "a b", "pi", "sin", "random", "a-b", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        assert_int_equal(expression_define(&scope, NAMES[i], strlen(NAMES[i]), 1.0, NULL),
                         STATUS_INVALID_ARGUMENT);
    }
    char name[SCENE_NAME_MAX + 1];
    memset(name, 'a', sizeof name);
    assert_true(expression_name_valid(name, SCENE_NAME_MAX));
    assert_false(expression_name_valid(name, SCENE_NAME_MAX + 1));
}

static void scope_that_is_full_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_VARIABLES_MAX; i++) {
        define("x", (double)i);
    }
    assert_int_equal(expression_define(&scope, "x", 1, 0.0, NULL), STATUS_LIMIT_EXCEEDED);
    assert_value("x", SCENE_VARIABLES_MAX - 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(number_is_its_value, clear_scope),
        cmocka_unit_test_setup(operators_bind_as_in_c, clear_scope),
        cmocka_unit_test_setup(modulo_takes_the_sign_of_its_right_side, clear_scope),
        cmocka_unit_test_setup(condition_chooses_and_associates_to_the_right, clear_scope),
        cmocka_unit_test_setup(side_that_is_not_chosen_is_not_computed, clear_scope),
        cmocka_unit_test_setup(functions_are_computed, clear_scope),
        cmocka_unit_test_setup(variable_is_its_latest_definition, clear_scope),
        cmocka_unit_test_setup(random_is_uniform_and_repeats_with_its_seed, clear_scope),
        cmocka_unit_test_setup(random_gives_golden_values, clear_scope),
        cmocka_unit_test_setup(text_that_is_no_expression_is_refused_with_its_column, clear_scope),
        cmocka_unit_test_setup(result_that_is_no_finite_number_is_refused, clear_scope),
        cmocka_unit_test_setup(nesting_at_the_limit_passes_and_deeper_is_refused, clear_scope),
        cmocka_unit_test_setup(text_over_the_limit_is_refused, clear_scope),
        cmocka_unit_test_setup(name_that_cannot_be_is_refused, clear_scope),
        cmocka_unit_test_setup(scope_that_is_full_is_told, clear_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
