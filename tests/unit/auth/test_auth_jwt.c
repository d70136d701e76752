// Signatures against the examples of the RFCs; the order of the checks. Forged tokens are in
// tests/integration/test_wire_tokens.py.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/auth/base64url.h"
#include "server/auth/jwt.h"

// RFC 7515, appendix A.1 (the key is that of A.1.1), and RFC 8037, appendices A.2 and A.4.
static const char KEYS[] =
    "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-"
    "EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow\"},"
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"b\",\"x\":\"11qYAYKxCrfVS_"
    "7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}";
static const char HS256_SIGNED[] =
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0"
    "dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
static const char HS256_SIGNATURE[] = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
static const char EDDSA_SIGNED[] = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
static const char EDDSA_SIGNATURE[] =
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

static int setup(void **state)
{
    return jwk_set_parse(KEYS, sizeof KEYS - 1, (jwk_set **)state, NULL) == STATUS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    jwk_set_free(*state);
    return 0;
}

static bool check(const jwk_set *set, const char *kid, const char *text, const char *signature)
{
    uint8_t bytes[128];
    size_t size = 0;
    assert_true(base64url_decode(signature, strlen(signature), bytes, sizeof bytes, &size));
    bool good = jwk_verify(jwk_set_find(set, kid), text, strlen(text), bytes, size);
    // Only the whole signature over the whole text is valid.
    assert_false(jwk_verify(jwk_set_find(set, kid), text, strlen(text) - 1, bytes, size));
    assert_false(jwk_verify(jwk_set_find(set, kid), text, strlen(text), bytes, size - 1));
    assert_false(jwk_verify(jwk_set_find(set, kid), text, strlen(text), bytes, 0));
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 1;
        assert_false(jwk_verify(jwk_set_find(set, kid), text, strlen(text), bytes, size));
        bytes[i] ^= 1;
    }
    return good;
}

static void signatures_of_the_rfcs_are_good(void **state)
{
    assert_true(check(*state, "a", HS256_SIGNED, HS256_SIGNATURE));
    assert_true(check(*state, "b", EDDSA_SIGNED, EDDSA_SIGNATURE));
    assert_false(check(*state, "b", HS256_SIGNED, HS256_SIGNATURE));
    assert_false(check(*state, "a", EDDSA_SIGNED, EDDSA_SIGNATURE));
}

static void refuse(const jwk_set *set, const char *token, const char *text)
{
    grant *g = NULL;
    error err = {0};
    assert_int_equal(jwt_verify(set, token, 0.0, &g, &err), STATUS_UNAUTHENTICATED);
    assert_null(g);
    assert_string_equal(err.text, text);
}

static void header_is_looked_at_before_the_signature(void **state)
{
    // {"alg":"HS256","kid":"c"}, {"alg":"EdDSA","kid":"a"}, {"alg":"HS256","kid":"a"}
    refuse(*state, "eyJhbGciOiJIUzI1NiIsImtpZCI6ImMifQ.!.!", "token: no key has the kid 'c'");
    refuse(*state, "eyJhbGciOiJFZERTQSIsImtpZCI6ImEifQ.!.!",
           "token: key 'a' is for HS256 and nothing else");
    refuse(*state, "eyJhbGciOiJIUzI1NiIsImtpZCI6ImEifQ.!.!",
           "token: its signature is not that of key 'a'");
    // {"alg":"HS256","alg":"HS256","kid":"a"}
    refuse(*state, "eyJhbGciOiJIUzI1NiIsImFsZyI6IkhTMjU2Iiwia2lkIjoiYSJ9.!.!",
           "token: its header is not JSON, or has a key twice: byte 20");
}

static grant *claims_at(const char *json, double now)
{
    grant *g = NULL;
    error err = {0};
    if (jwt_read_claims(json, strlen(json), now, &g, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return g;
}

static void claims_become_a_grant(void **state)
{
    (void)state;
    grant *g =
        claims_at("{\"sub\":\"ada\",\"exp\":100.5,\"nbf\":14,\"role\":\"player\",\"jti\":\"x\","
                  "\"worlds\":[\"arena\",\"lobby-*\"],\"areas\":[[0,0,10,10]],"
                  "\"limits\":{\"subscriptions_per_connection\":3}}",
                  10.0);
    assert_string_equal(g->subject, "ada");
    assert_int_equal(g->role, ROLE_PLAYER);
    assert_float_equal(g->expires, 100.5, 0.0);
    assert_false(g->all_worlds);
    assert_int_equal(g->world_count, 2);
    assert_int_equal(g->area_count, 1);
    limits server = limits_default();
    limits lowered = grant_lower(g, &server);
    assert_int_equal(lowered.subscriptions_per_connection, 3);
    assert_int_equal(lowered.commands_per_connection, server.commands_per_connection);
    grant_free(g);
}

static void token_is_valid_until_its_last_moment(void **state)
{
    (void)state;
    grant *g = claims_at("{\"sub\":\"ada\",\"exp\":100}", 99.999);
    grant_free(g);
    static const char json[] = "{\"sub\":\"ada\",\"exp\":100}";
    assert_int_equal(jwt_read_claims(json, sizeof json - 1, 100.0, &g, NULL),
                     STATUS_UNAUTHENTICATED);
}

static void times_that_none_can_be_are_told_in_few_digits(void **state)
{
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"{\"sub\":\"ada\",\"exp\":90.5}", "token: exp: it expired 9 s ago"},
        {"{\"sub\":\"ada\",\"exp\":-1e300}", "token: exp: it expired 1e+300 s ago"},
        {"{\"sub\":\"ada\",\"exp\":200,\"nbf\":150}",
         "token: nbf: it is not valid for another 50 s"},
        {"{\"sub\":\"ada\",\"exp\":200,\"nbf\":1e300}",
         "token: nbf: it is not valid for another 1e+300 s"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        grant *g = NULL;
        error err = {0};
        assert_int_equal(jwt_read_claims(cases[i].json, strlen(cases[i].json), 100.0, &g, &err),
                         STATUS_UNAUTHENTICATED);
        assert_string_equal(err.text, cases[i].text);
    }
}

static void refuse_claims(const char *json, const char *text)
{
    grant *g = NULL;
    error err = {0};
    assert_int_equal(jwt_read_claims(json, strlen(json), 10.0, &g, &err), STATUS_UNAUTHENTICATED);
    assert_string_equal(err.text, text);
}

static void wrong_claims_are_named_with_their_place(void **state)
{
    (void)state;
    refuse_claims("[]", "token: its claims are not a JSON object");
    refuse_claims("{\"sub\":\"ada\",\"sub\":\"bob\"}",
                  "token: its claims are not JSON, or have a key twice: byte 18");
    refuse_claims("{\"exp\":18446744073709551616}",
                  "token: its claims are not JSON, or have a key twice: byte 27");
    refuse_claims("{\"sub\":\"ada\",\"exp\":1e300,\"nbf\":1e300}",
                  "token: nbf: it is not valid for another 1e+300 s");
    refuse_claims("{\"sub\":\"ada\",\"exp\":-1e300}", "token: exp: it expired 1e+300 s ago");
    refuse_claims("{\"sub\":\"ada\",\"exp\":8.75}", "token: exp: it expired 1 s ago");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(signatures_of_the_rfcs_are_good, setup, teardown),
        cmocka_unit_test_setup_teardown(header_is_looked_at_before_the_signature, setup, teardown),
        cmocka_unit_test(claims_become_a_grant),
        cmocka_unit_test(times_that_none_can_be_are_told_in_few_digits),
        cmocka_unit_test(token_is_valid_until_its_last_moment),
        cmocka_unit_test(wrong_claims_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
