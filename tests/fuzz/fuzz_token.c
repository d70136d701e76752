// Tokens and keys from strangers. The first byte selects the meaning of the rest: a token; the
// claims of a token with a valid signature; a JWK Set; or header and claims, separated by a zero,
// which are signed here with the right key, so that the code behind the signature check is reached
// too.
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/auth/jwt.h"
#include "tests/fuzz/fuzz.h"

static const char KEYS[] =
    "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-"
    "EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow\"},"
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"b\",\"x\":\"11qYAYKxCrfVS_"
    "7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}";
static const double NOW = 1000.0;

static jwk_set *known_keys(void)
{
    static jwk_set *set;
    if (set == NULL) {
        status s = jwk_set_parse(KEYS, sizeof KEYS - 1, &set, NULL);
        ASSERT(s == STATUS_OK);
    }
    return set;
}

// Checks that a grant is sound, whatever its source.
static void check_grant(status s, grant *g, const error *err)
{
    if (s != STATUS_OK) {
        ASSERT(s == STATUS_UNAUTHENTICATED && err->text[0] != '\0');
        return;
    }
    ASSERT(g->expires > NOW && g->subject[0] != '\0' && g->role > ROLE_NONE);
    ASSERT(g->all_worlds || g->world_count <= AUTH_WORLDS_MAX);
    limits server = limits_default();
    limits lowered = grant_lower(g, &server);
    for (size_t i = 0; limits_info(i) != NULL; i++) {
        ASSERT(limits_get(&lowered, limits_info(i)) <= limits_get(&server, limits_info(i)));
    }
    grant_free(g);
}

static void fuzz_verify(const char *token)
{
    grant *g = NULL;
    error err = {0};
    status s = jwt_verify(known_keys(), token, NOW, &g, &err);
    check_grant(s, g, &err);
}

static size_t encode(const uint8_t *data, size_t size, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t at = 0;
    for (size_t bit = 0; bit < 8 * size; bit += 6) {
        size_t byte = bit / 8;
        unsigned pair = (unsigned)data[byte] << 8 | (byte + 1 < size ? data[byte + 1] : 0u);
        out[at++] = digits[pair >> (10 - bit % 8) & 63];
    }
    return at;
}

static void fuzz_signed(const uint8_t *data, size_t size)
{
    const uint8_t *zero = memchr(data, 0, size);
    char token[2 * AUTH_TOKEN_BYTES_MAX];
    if (zero == NULL || size > AUTH_TOKEN_BYTES_MAX) {
        return;
    }
    size_t at = encode(data, (size_t)(zero - data), token);
    token[at++] = '.';
    at += encode(zero + 1, (size_t)(data + size - zero - 1), token + at);
    uint8_t mac[32];
    unsigned mac_size = 0;
    const jwk *key = jwk_set_find(known_keys(), "a");
    HMAC(EVP_sha256(), key->secret, (int)key->secret_size, (const uint8_t *)token, at, mac,
         &mac_size);
    token[at++] = '.';
    at += encode(mac, mac_size, token + at);
    token[at] = '\0';
    fuzz_verify(token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *text = malloc(size); // without the first byte, and with a zero at the end
    ASSERT(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    error err = {0};
    if (data[0] == 't') {
        fuzz_verify(text);
    } else if (data[0] == 'c') {
        grant *g = NULL;
        status s = jwt_read_claims(text, size - 1, NOW, &g, &err);
        check_grant(s, g, &err);
    } else if (data[0] == 'k') {
        jwk_set *set = NULL;
        status s = jwk_set_parse(text, size - 1, &set, &err);
        ASSERT((s == STATUS_OK) == (set != NULL) && (set == NULL || set->count > 0));
        jwk_set_free(set);
    } else {
        fuzz_signed((const uint8_t *)text, size - 1);
    }
    free(text);
    return 0;
}
