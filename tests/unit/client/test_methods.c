// The public table of methods.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <carom/methods.h>
#include <carom/status.h>

static void every_method_is_complete_and_can_be_found(void **state)
{
    (void)state;
    assert_true(carom_method_count() > 25);
    for (size_t i = 0; i < carom_method_count(); i++) {
        carom_method m;
        assert_true(carom_method_at(i, &m));
        assert_true(strlen(m.name) > 0 && strlen(m.doc) > 0 && strlen(m.result) > 0);
        assert_true(strlen(m.role) > 0);
        size_t index = SIZE_MAX;
        carom_method same;
        assert_true(carom_method_find(m.name, &same, &index));
        assert_int_equal(index, i);
        assert_string_equal(same.name, m.name);
        for (size_t k = 0; k < m.argument_count; k++) {
            carom_argument a;
            assert_true(carom_method_argument(i, k, &a));
            assert_true(strlen(a.name) > 0 && strlen(a.type) > 0 && strlen(a.doc) > 0);
            assert_non_null(a.unit);
            assert_non_null(a.choices);
            assert_non_null(a.fallback);
        }
        carom_argument past;
        assert_false(carom_method_argument(i, m.argument_count, &past));
    }
}

static void impulse_has_its_arguments(void **state)
{
    (void)state;
    size_t index;
    carom_method m;
    assert_true(carom_method_find("body.impulse", &m, &index));
    assert_true(m.batch && m.available);
    assert_string_equal(m.role, "player");
    carom_argument a;
    assert_true(carom_method_argument(index, 0, &a));
    assert_string_equal(a.name, "world");
    assert_true(a.required);
    bool point = false;
    for (size_t k = 0; carom_method_argument(index, k, &a); k++) {
        point = point || (strcmp(a.name, "point") == 0 && !a.required);
    }
    assert_true(point);
}

static void unknown_method_is_not_found(void **state)
{
    (void)state;
    carom_method m;
    carom_argument a;
    assert_false(carom_method_find("body.explode", &m, NULL));
    assert_false(carom_method_find(NULL, &m, NULL));
    assert_false(carom_method_at(carom_method_count(), &m));
    assert_false(carom_method_argument(carom_method_count(), 0, &a));
    assert_true(carom_method_find("ping", NULL, NULL));
}

static void status_names_go_both_ways(void **state)
{
    (void)state;
    for (int s = 0; s < CAROM_STATUS_COUNT; s++) {
        const char *name = carom_status_name((carom_status)s);
        assert_int_equal(carom_status_from_name(name), s);
    }
    assert_string_equal(carom_status_name(CAROM_NOT_FOUND), "not_found");
    assert_string_equal(carom_status_name((carom_status)99), "internal");
    assert_int_equal(carom_status_from_name("odd"), CAROM_INTERNAL);
    assert_int_equal(carom_status_from_name(NULL), CAROM_INTERNAL);
    assert_true(strlen(carom_version()) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_is_complete_and_can_be_found),
        cmocka_unit_test(impulse_has_its_arguments),
        cmocka_unit_test(unknown_method_is_not_found),
        cmocka_unit_test(status_names_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
