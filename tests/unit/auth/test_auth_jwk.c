// JWK Sets: which are read, and with what text others are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/auth/jwk.h"

#define SECRET                                                                                     \
    "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
#define OCT(kid) "{\"kty\":\"oct\",\"kid\":\"" kid "\",\"k\":\"" SECRET "\"}"
#define PUBLIC   "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
#define OKP(kid) "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"" kid "\",\"x\":\"" PUBLIC "\"}"

static jwk_set *read_set(const char *json)
{
    jwk_set *set = NULL;
    error err = {0};
    if (jwk_set_parse(json, strlen(json), &set, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return set;
}

static void refuse(const char *json, status why, const char *text)
{
    jwk_set *set = NULL;
    error err = {0};
    assert_int_equal(jwk_set_parse(json, strlen(json), &set, &err), why);
    assert_null(set);
    if (strstr(err.text, text) == NULL) {
        fail_msg("'%s' is not in '%s'", text, err.text);
    }
    assert_null(strstr(err.text, "AyM1SysP"));
}

static void set_of_both_kinds_is_read(void **state)
{
    (void)state;
    jwk_set *set = read_set("{\"keys\":[" OCT("a") "," OKP("b") "],\"more\":1}");
    assert_int_equal(set->count, 2);
    assert_int_equal(set->secrets, 1);
    assert_int_equal(jwk_set_find(set, "a")->algorithm, JWK_HS256);
    assert_int_equal(jwk_set_find(set, "a")->secret_size, 64);
    assert_int_equal(jwk_set_find(set, "b")->algorithm, JWK_EDDSA);
    assert_null(jwk_set_find(set, "c"));
    assert_null(jwk_set_find(set, ""));
    jwk_set_free(set);
}

static void keys_of_other_types_are_passed_over(void **state)
{
    (void)state;
    jwk_set *set = read_set("{\"keys\":[{\"kty\":\"RSA\",\"n\":\"x\"},"
                            "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"kid\":\"x\"}," OCT("a") "]}");
    assert_int_equal(set->count, 1);
    assert_int_equal(set->passed_over, 2);
    jwk_set_free(set);
    refuse("{\"keys\":[{\"kty\":\"RSA\"}]}", STATUS_INVALID_ARGUMENT, "keys: none of kty");
}

static void private_half_is_noticed(void **state)
{
    (void)state;
    jwk_set *set = read_set("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"b\","
                            "\"d\":\"AA\",\"x\":\"" PUBLIC "\"}]}");
    assert_int_equal(set->with_private, 1);
    jwk_set_free(set);
}

static void what_is_no_set_is_refused(void **state)
{
    (void)state;
    refuse("", STATUS_INVALID_ARGUMENT, "is not JSON");
    refuse("{\"keys\":[" OCT("a"), STATUS_INVALID_ARGUMENT,
           "is not JSON, or has a key twice: line 1");
    refuse("[]", STATUS_INVALID_ARGUMENT, "must be a JWK Set");
    refuse("{\"keys\":{}}", STATUS_INVALID_ARGUMENT, "must be a JWK Set");
    refuse("{\"keys\":[]}", STATUS_INVALID_ARGUMENT, "keys: none");
    refuse("{\"keys\":[1]}", STATUS_INVALID_ARGUMENT, "keys[0]: must be an object");
    refuse("{\"keys\":[{}]}", STATUS_INVALID_ARGUMENT, "keys[0]: kty: must be given");
}

static void kid_is_needed_once_and_bounded(void **state)
{
    (void)state;
    refuse("{\"keys\":[{\"kty\":\"oct\",\"k\":\"" SECRET "\"}]}", STATUS_INVALID_ARGUMENT,
           "keys[0]: kid: must be given");
    refuse("{\"keys\":[" OCT("") "]}", STATUS_INVALID_ARGUMENT, "kid: must have 1 to 128");
    refuse("{\"keys\":[" OCT("a") "," OKP("a") "]}", STATUS_INVALID_ARGUMENT,
           "keys[1]: kid: 'a' is that of an earlier key");
    char text[512];
    snprintf(text, sizeof text,
             "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"%0129d\",\"k\":\"" SECRET "\"}]}", 1);
    refuse(text, STATUS_INVALID_ARGUMENT, "kid: must have 1 to 128");
}

static void key_that_says_another_purpose_is_refused(void **state)
{
    (void)state;
    refuse("{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"use\":\"enc\",\"k\":\"" SECRET "\"}]}",
           STATUS_INVALID_ARGUMENT, "use: must be \"sig\"");
    refuse("{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"alg\":\"HS512\",\"k\":\"" SECRET "\"}]}",
           STATUS_INVALID_ARGUMENT, "alg: a key of this type is for \"HS256\"");
    refuse("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"b\",\"alg\":\"HS256\",\"x\":"
           "\"" PUBLIC "\"}]}",
           STATUS_INVALID_ARGUMENT, "alg: a key of this type is for \"EdDSA\"");
}

static void secrets_and_points_have_their_sizes(void **state)
{
    (void)state;
    refuse("{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"AyM1SysPpbyDfgZl\"}]}",
           STATUS_INVALID_ARGUMENT, "k: must have at least 32 bytes, has 12");
    refuse("{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"AyM1SysP==\"}]}",
           STATUS_INVALID_ARGUMENT, "k: must be at most 512 bytes in base64url");
    refuse("{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":7}]}", STATUS_INVALID_ARGUMENT,
           "k: must be given, as a text");
    refuse("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"b\",\"x\":\"AAAA\"}]}",
           STATUS_INVALID_ARGUMENT, "x: must be an Ed25519 key of 32 bytes");
    static char text[2048];
    snprintf(text, sizeof text, "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"%0684d\"}]}", 0);
    refuse(text, STATUS_INVALID_ARGUMENT, "k: must be at most 512 bytes");
}

static void one_key_too_many_is_refused(void **state)
{
    (void)state;
    static char text[(AUTH_KEYS_MAX + 1) * 160];
    size_t at = (size_t)snprintf(text, sizeof text, "{\"keys\":[");
    for (int i = 0; i <= AUTH_KEYS_MAX; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "%s{\"kty\":\"oct\",\"kid\":\"%d\",\"k\":\"" SECRET "\"}",
                               i > 0 ? "," : "", i);
    }
    snprintf(text + at, sizeof text - at, "]}");
    refuse(text, STATUS_LIMIT_EXCEEDED, "keys[64]: has more than 64 keys");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_of_both_kinds_is_read),
        cmocka_unit_test(keys_of_other_types_are_passed_over),
        cmocka_unit_test(private_half_is_noticed),
        cmocka_unit_test(what_is_no_set_is_refused),
        cmocka_unit_test(kid_is_needed_once_and_bounded),
        cmocka_unit_test(key_that_says_another_purpose_is_refused),
        cmocka_unit_test(secrets_and_points_have_their_sizes),
        cmocka_unit_test(one_key_too_many_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
