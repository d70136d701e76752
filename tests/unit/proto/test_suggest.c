// The hint after a misspelt word: which word it names, and when there is none.
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/methods.h"
#include "common/base/suggest.h"

static void hint_is(const char *choices, const char *given, const char *expected)
{
    char text[SUGGEST_TEXT_MAX];
    assert_string_equal(choice_suggest(choices, given, strlen(given), text), expected);
}

static unsigned distance(const char *a, const char *b)
{
    return suggest_distance(a, strlen(a), b, strlen(b));
}

static void suggest_distance_counts_slips(void **state)
{
    (void)state;
    assert_int_equal(distance("spawn", "spawn"), 0);
    assert_int_equal(distance("spawn", "SPAWN"), 0);
    assert_int_equal(distance("spwan", "spawn"), 1); // swapped
    assert_int_equal(distance("span", "spawn"), 1);  // a letter is missing
    assert_int_equal(distance("spaawn", "spawn"), 1);
    assert_int_equal(distance("spown", "spawn"), 1);
    assert_int_equal(distance("", "abc"), 3);
    assert_int_equal(distance("kitten", "sitting"), 3);
    char longer[SUGGEST_WORD_BYTES_MAX + 2] = "";
    memset(longer, 'a', SUGGEST_WORD_BYTES_MAX + 1);
    assert_int_equal(distance(longer, longer), UINT_MAX);
}

static void suggest_one_slip_names_the_word(void **state)
{
    (void)state;
    hint_is("circle|box", "cirlce", "; did you mean 'circle'?"); // two swapped
    hint_is("circle|box", "crcle", "; did you mean 'circle'?");  // a letter is missing
    hint_is("circle|box", "circles", "; did you mean 'circle'?");
    hint_is("circle|box", "BOX", "; did you mean 'box'?");
    hint_is("circle|box", "bok", "; did you mean 'box'?");
}

static void suggest_far_words_are_not_named(void **state)
{
    (void)state;
    hint_is("circle|box", "", "");
    hint_is("circle|box", "polygon", "");
    hint_is("circle|box", "by", ""); // two errors in three characters
    hint_is("circle", "xxrcle", "; did you mean 'circle'?");
    hint_is("circle", "xxxcle", "");
}

static void suggest_nearest_wins_and_the_first_of_equals(void **state)
{
    (void)state;
    hint_is("anchor_a|anchor|anchor_b", "ancor", "; did you mean 'anchor'?");
    hint_is("anchor_a|anchor_b", "anchor_c", "; did you mean 'anchor_a'?");
}

static void suggest_words_over_the_limit_are_not_compared(void **state)
{
    (void)state;
    char word[SUGGEST_WORD_BYTES_MAX + 2] = "";
    char text[SUGGEST_TEXT_MAX];
    suggestion s;
    memset(word, 'a', SUGGEST_WORD_BYTES_MAX + 1);
    suggest_begin(&s, word, SUGGEST_WORD_BYTES_MAX);
    suggest_offer(&s, word, SUGGEST_WORD_BYTES_MAX + 1);
    assert_string_equal(suggest_text(&s, text), "");
    suggest_offer(&s, word, SUGGEST_WORD_BYTES_MAX);
    assert_int_equal(strlen(suggest_text(&s, text)), strlen("; did you mean ''?") + 32);
    suggest_begin(&s, word, SUGGEST_WORD_BYTES_MAX + 1);
    suggest_offer(&s, word, SUGGEST_WORD_BYTES_MAX);
    assert_string_equal(suggest_text(&s, text), "");
}

static void suggest_finds_every_method_that_lost_a_letter(void **state)
{
    (void)state;
    for (int m = 0; m < METHOD_COUNT; m++) {
        const char *name = METHODS[m].list.name;
        char text[SUGGEST_TEXT_MAX];
        assert_true(strlen(name) <= SUGGEST_WORD_BYTES_MAX);
        method_suggest(name, strlen(name) - 1, text);
        assert_non_null(strstr(text, "did you mean"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suggest_distance_counts_slips),
        cmocka_unit_test(suggest_one_slip_names_the_word),
        cmocka_unit_test(suggest_far_words_are_not_named),
        cmocka_unit_test(suggest_nearest_wins_and_the_first_of_equals),
        cmocka_unit_test(suggest_words_over_the_limit_are_not_compared),
        cmocka_unit_test(suggest_finds_every_method_that_lost_a_letter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
