// The public functions for expressions; the arithmetic is tested in proto's tests.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <carom/scene.h>

static uint64_t seed = 7;
static carom_error error;

static const carom_variable variables[] = {{"n", 3.0}, {"x", 0.5}, {"x", 2.5}};

static carom_status evaluate(const char *text, double *out)
{
    return carom_expression_evaluate(text, strlen(text), variables, 3, &seed, out, &error);
}

static carom_value *fill(const char *text)
{
    carom_value *out = NULL;
    carom_status s = carom_expression_fill(text, strlen(text), variables, 3, &seed, &out, &error);
    assert_true((s == CAROM_OK) == (out != NULL));
    return out;
}

static void variables_are_seen_the_later_one_first(void **state)
{
    (void)state;
    double value = 0.0;
    assert_int_equal(evaluate("n + x", &value), CAROM_OK);
    assert_true(value == 5.5);
    assert_int_equal(evaluate("=n * 2", &value), CAROM_OK);
    assert_true(value == 6.0);
}

static void random_moves_on_and_repeats_by_its_seed(void **state)
{
    (void)state;
    double a = 0.0;
    double b = 0.0;
    double again = 0.0;
    seed = 42;
    assert_int_equal(evaluate("random(0, 1)", &a), CAROM_OK);
    assert_int_equal(evaluate("random(0, 1)", &b), CAROM_OK);
    seed = 42;
    assert_int_equal(evaluate("random(0, 1)", &again), CAROM_OK);
    assert_true(a != b && a == again && a >= 0.0 && a < 1.0);
}

static void strings_become_what_they_stand_for(void **state)
{
    (void)state;
    carom_value *v = fill("=n + 1");
    assert_int_equal(carom_value_type(v), CAROM_UINT);
    assert_int_equal(carom_as_uint(v, 0), 4);
    carom_value_free(v);
    v = fill("=-n");
    assert_true(carom_as_int(v, 0) == -3);
    carom_value_free(v);
    v = fill("=x");
    assert_int_equal(carom_value_type(v), CAROM_REAL);
    carom_value_free(v);
    v = fill("ball {n} of {{5}");
    assert_string_equal(carom_as_str(v, ""), "ball 3 of {5}");
    carom_value_free(v);
    v = fill("");
    assert_string_equal(carom_as_str(v, "?"), "");
    carom_value_free(v);
}

static void errors_are_told(void **state)
{
    (void)state;
    double value = 0.0;
    assert_int_equal(evaluate("1 +", &value), CAROM_INVALID_ARGUMENT);
    assert_non_null(strstr(error.text, "column 4"));
    assert_null(fill("ball {x}"));
    assert_non_null(strstr(error.text, "whole number"));
    assert_null(fill("ball {n"));
    assert_null(fill("=q"));
    const carom_variable odd = {"2x", 1.0};
    assert_int_equal(carom_expression_evaluate("1", 1, &odd, 1, &seed, &value, &error),
                     CAROM_INVALID_ARGUMENT);
    carom_variable many[65];
    for (int i = 0; i < 65; i++) {
        many[i] = (carom_variable){"a", 1.0};
    }
    assert_int_equal(carom_expression_evaluate("a", 1, many, 64, &seed, &value, NULL), CAROM_OK);
    assert_int_equal(carom_expression_evaluate("a", 1, many, 65, &seed, &value, &error),
                     CAROM_LIMIT_EXCEEDED);
    assert_int_equal(carom_expression_evaluate(NULL, 0, NULL, 0, &seed, &value, &error),
                     CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_expression_fill("a", 1, NULL, 0, NULL, NULL, &error),
                     CAROM_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_seen_the_later_one_first),
        cmocka_unit_test(random_moves_on_and_repeats_by_its_seed),
        cmocka_unit_test(strings_become_what_they_stand_for),
        cmocka_unit_test(errors_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
