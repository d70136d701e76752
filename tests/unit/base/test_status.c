// Statuses, their words on the wire, and the texts of errors.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/status.h"
#include "common/base/utf8.h"

static void status_code_every_status_is_the_contracts_word(void **state)
{
    (void)state;
    static const struct {
        status status;
        const char *code;
    } WORDS[] = {
        {STATUS_OK, "ok"},
        {STATUS_INVALID_ARGUMENT, "invalid_argument"},
        {STATUS_NOT_FOUND, "not_found"},
        {STATUS_ALREADY_EXISTS, "already_exists"},
        {STATUS_PERMISSION_DENIED, "permission_denied"},
        {STATUS_UNAUTHENTICATED, "unauthenticated"},
        {STATUS_LIMIT_EXCEEDED, "limit_exceeded"},
        {STATUS_UNAVAILABLE, "unavailable"},
        {STATUS_UNKNOWN_METHOD, "unknown_method"},
        {STATUS_MOVED, "moved"},
        {STATUS_INTERNAL, "internal"},
    };
    assert_int_equal(sizeof WORDS / sizeof *WORDS, STATUS_COUNT);
    for (size_t i = 0; i < STATUS_COUNT; i++) {
        assert_string_equal(status_code(WORDS[i].status), WORDS[i].code);
        assert_int_equal(status_from_code(WORDS[i].code, strlen(WORDS[i].code)), WORDS[i].status);
    }
}

static void status_code_out_of_range_is_internal(void **state)
{
    (void)state;
    assert_string_equal(status_code(STATUS_COUNT), "internal");
    assert_string_equal(status_code((status)-1), "internal");
}

static void status_from_code_compares_the_whole_word(void **state)
{
    (void)state;
    // Not zero-terminated: only `size` bytes count.
    assert_int_equal(status_from_code("moved: elsewhere", 5), STATUS_MOVED);
    assert_int_equal(status_from_code("moved: elsewhere", 6), STATUS_INTERNAL);
    assert_int_equal(status_from_code("not_foun", 8), STATUS_INTERNAL);
    assert_int_equal(status_from_code("", 0), STATUS_INTERNAL);
}

static void error_set_fills_status_and_text(void **state)
{
    (void)state;
    error err = {0};
    status s = error_set(&err, STATUS_NOT_FOUND, "world '%s' does not exist", "moon");
    assert_int_equal(s, STATUS_NOT_FOUND);
    assert_int_equal(err.status, STATUS_NOT_FOUND);
    assert_string_equal(err.text, "world 'moon' does not exist");
}

static void error_set_without_error_returns_the_status(void **state)
{
    (void)state;
    assert_int_equal(error_set(NULL, STATUS_MOVED, "to %d", 7), STATUS_MOVED);
    error_prefix(NULL, "shapes[%d]", 2);
}

static void error_set_long_text_is_cut_to_fit(void **state)
{
    (void)state;
    error err;
    error_set(&err, STATUS_INTERNAL, "%0*d", 3 * ERROR_TEXT_MAX, 0);
    assert_int_equal(strlen(err.text), ERROR_TEXT_MAX - 1);
    assert_string_equal(err.text + ERROR_TEXT_MAX - 5, "0…");
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static void error_set_is_cut_behind_a_whole_word(void **state)
{
    (void)state;
    static const struct {
        const char *list, *end;
    } CUTS[] = {{"alpha, beta, gamma", "alpha, …"},
                {"alpha|beta|gamma", "alpha|…"},
                {"alpha beta gamma", "alpha …"}};
    for (size_t i = 0; i < sizeof CUTS / sizeof *CUTS; i++) {
        error err;
        error_set(&err, STATUS_INTERNAL, "%0*d %s", ERROR_TEXT_MAX - 14, 0, CUTS[i].list);
        assert_true(ends_with(err.text, CUTS[i].end));
        assert_true(strlen(err.text) < ERROR_TEXT_MAX);
        // no matter who cuts it, and how often
        error_set(&err, STATUS_INTERNAL, "%0*d %s", ERROR_TEXT_MAX - 30, 0, CUTS[i].list);
        assert_true(ends_with(err.text, "gamma"));
        error_prefix(&err, "%s", "commands[999]");
        assert_true(ends_with(err.text, CUTS[i].end));
        error_prefix(&err, "%s", "commands[9]");
        assert_true(ends_with(err.text, "…") && !ends_with(err.text, "……"));
    }
}

// Every position of a two, three and four byte character relative to the end of the buffer.
static void error_set_cut_inside_a_character_leaves_it_out(void **state)
{
    (void)state;
    static const char *const CHARACTERS[] = {"\u00e9", "\u20ac", "\U0001F3B1"};
    for (size_t c = 0; c < sizeof CHARACTERS / sizeof *CHARACTERS; c++) {
        size_t width = strlen(CHARACTERS[c]);
        for (size_t before = ERROR_TEXT_MAX - 8; before <= ERROR_TEXT_MAX - 1; before++) {
            error err;
            error_set(&err, STATUS_INTERNAL, "%0*d%s", (int)before, 0, CHARACTERS[c]);
            bool fits = before + width <= ERROR_TEXT_MAX - 1;
            assert_int_equal(ends_with(err.text, CHARACTERS[c]), fits);
            assert_int_equal(ends_with(err.text, "0…"), !fits);
            assert_true(utf8_valid(err.text, strlen(err.text)));
            error_set(&err, STATUS_INTERNAL, "%0*d%s%s%s%s", (int)before - 4, 0, CHARACTERS[c],
                      CHARACTERS[c], CHARACTERS[c], "and more than fits");
            assert_true(ends_with(err.text, "…") && utf8_valid(err.text, strlen(err.text)));
        }
    }
}

static void error_prefix_puts_the_place_in_front(void **state)
{
    (void)state;
    error err;
    error_set(&err, STATUS_INVALID_ARGUMENT, "radius must be > 0");
    error_prefix(&err, "shapes[%d]", 2);
    error_prefix(&err, "commands[%d]", 14);
    assert_int_equal(err.status, STATUS_INVALID_ARGUMENT);
    assert_string_equal(err.text, "commands[14]: shapes[2]: radius must be > 0");
}

static void error_prefix_too_long_keeps_the_front(void **state)
{
    (void)state;
    error err;
    error_set(&err, STATUS_INVALID_ARGUMENT, "radius must be > 0");
    error_prefix(&err, "%0*d", ERROR_TEXT_MAX - 7, 0);
    assert_true(ends_with(err.text, "0: …"));
    error_prefix(&err, "%0*d", 2 * ERROR_TEXT_MAX, 0);
    assert_int_equal(strlen(err.text), ERROR_TEXT_MAX - 1);
    assert_null(strchr(err.text, ':'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_code_every_status_is_the_contracts_word),
        cmocka_unit_test(status_code_out_of_range_is_internal),
        cmocka_unit_test(status_from_code_compares_the_whole_word),
        cmocka_unit_test(error_set_fills_status_and_text),
        cmocka_unit_test(error_set_without_error_returns_the_status),
        cmocka_unit_test(error_set_long_text_is_cut_to_fit),
        cmocka_unit_test(error_set_is_cut_behind_a_whole_word),
        cmocka_unit_test(error_set_cut_inside_a_character_leaves_it_out),
        cmocka_unit_test(error_prefix_puts_the_place_in_front),
        cmocka_unit_test(error_prefix_too_long_keeps_the_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
