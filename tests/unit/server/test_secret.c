// Tests of server/session/identity/secret.h: round trips as text, comparison, wiping.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/session/identity/secret.h"

static void secret_comes_back_from_its_text(void **state)
{
    (void)state;
    const session_key keys[] = {
        {.slot = 0, .number = 1}, {.slot = 4095, .number = 77}, {UINT32_MAX, UINT64_MAX, 0}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[SECRET_TEXT_MAX];
        secret made = secret_create();
        secret back;
        session_key key;
        secret_print(text, keys[i], &made);
        assert_true(secret_parse(text, &key, &back));
        assert_int_equal(key.slot, keys[i].slot);
        assert_true(key.number == keys[i].number);
        assert_true(secret_equal(&made, &back));
    }
}

static void secrets_differ(void **state)
{
    (void)state;
    secret a = secret_create();
    secret b = secret_create();
    assert_false(secret_equal(&a, &b));
}

// A difference anywhere counts, the last bit included.
static void every_bit_counts(void **state)
{
    (void)state;
    const secret a = secret_create();
    for (int bit = 0; bit < 8 * SECRET_BYTES; bit++) {
        secret b = a;
        b.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(secret_equal(&a, &b));
    }
}

static void other_texts_are_no_secrets(void **state)
{
    (void)state;
    char good[SECRET_TEXT_MAX];
    char text[2 * SECRET_TEXT_MAX];
    session_key key;
    secret parsed;
    secret made = secret_create();
    secret_print(good, (session_key){.slot = 1, .number = 2}, &made);
    const char *const bad[] = {"",      ".",      "..",      "1.2.",          "1.2",
                               "1..aa", "x.2.00", "-1.2.00", "123456789.2.00"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(secret_parse(bad[i], &key, &parsed));
    }
    for (size_t cut = 0; cut < strlen(good); cut++) {
        memcpy(text, good, cut);
        text[cut] = '\0';
        assert_false(secret_parse(text, &key, &parsed));
    }
    strcpy(text, good);
    strcat(text, "0");
    assert_false(secret_parse(text, &key, &parsed));
    strcpy(text, good);
    text[strlen(text) - 1] = 'G';
    assert_false(secret_parse(text, &key, &parsed));
}

static void wiped_secret_is_gone(void **state)
{
    (void)state;
    secret a = secret_create();
    const secret none = {{0}};
    assert_false(secret_equal(&a, &none));
    secret_wipe(&a);
    assert_true(secret_equal(&a, &none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secret_comes_back_from_its_text),
        cmocka_unit_test(secrets_differ),
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(other_texts_are_no_secrets),
        cmocka_unit_test(wiped_secret_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
