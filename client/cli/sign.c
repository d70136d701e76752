// Makes keys and signs with them; see sign.h.
#include "client/cli/sign.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/json.h>

enum { KEY_BYTES = 32, SECRET_BYTES_MAX = 512, SIGNATURE_BYTES_MAX = 64, TOKEN_BYTES_MAX = 4096 };

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void *fail(char error[SIGN_ERROR_MAX], const char *text)
{
    (void)snprintf(error, SIGN_ERROR_MAX, "%s", text);
    return NULL;
}

// ---- base64url (RFC 4648, 5), without padding

#define ENCODED_BYTES(size) (((size)*4 + 2) / 3 + 1) // includes the final zero

static void encode(const uint8_t *bytes, size_t size, char *out)
{
    for (size_t bit = 0; bit < 8 * size; bit += 6) {
        size_t at = bit / 8;
        unsigned pair = (unsigned)bytes[at] << 8 | (at + 1 < size ? bytes[at + 1] : 0u);
        *out++ = DIGITS[pair >> (10 - bit % 8) & 63];
    }
    *out = '\0';
}

// Decodes base64url. False if the text is not base64url, or has more than `room` bytes.
static bool decode(const char *text, size_t length, uint8_t *out, size_t room, size_t *size)
{
    unsigned bits = 0;
    unsigned held = 0;
    *size = 0;
    for (size_t i = 0; i < length; i++) {
        const char *digit = text[i] == '\0' ? NULL : strchr(DIGITS, text[i]);
        if (digit == NULL || *size >= room) {
            return false;
        }
        bits = bits << 6 | (unsigned)(digit - DIGITS);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[(*size)++] = (uint8_t)(bits >> held);
            bits &= (1u << held) - 1;
        }
    }
    return length % 4 != 1 && bits == 0;
}

static bool member(const carom_value *jwk, const char *name, uint8_t *out, size_t room,
                   size_t *size)
{
    const char *text = carom_get_str(jwk, name, "");
    return decode(text, strlen(text), out, room, size) && *size > 0;
}

// ---- keys

static carom_value *set_bytes(carom_value *jwk, const char *name, const uint8_t *bytes, size_t size)
{
    char text[ENCODED_BYTES(KEY_BYTES)];
    encode(bytes, size, text);
    jwk = carom_set(jwk, name, carom_str(text));
    OPENSSL_cleanse(text, sizeof text);
    return jwk;
}

static carom_value *add_pair(carom_value *jwk, const uint8_t private_half[KEY_BYTES])
{
    uint8_t public_half[KEY_BYTES];
    size_t size = sizeof public_half;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, private_half, KEY_BYTES);
    bool made = key != NULL && EVP_PKEY_get_raw_public_key(key, public_half, &size) == 1;
    EVP_PKEY_free(key);
    if (!made) {
        carom_value_free(jwk);
        return NULL;
    }
    jwk = carom_set(carom_set(jwk, "kty", carom_str("OKP")), "crv", carom_str("Ed25519"));
    return set_bytes(set_bytes(jwk, "x", public_half, size), "d", private_half, KEY_BYTES);
}

carom_value *sign_generate(const char *algorithm, const char *kid)
{
    uint8_t secret[KEY_BYTES];
    if (RAND_priv_bytes(secret, sizeof secret) != 1) {
        return NULL;
    }
    bool pair = strcmp(algorithm, "eddsa") == 0;
    carom_value *jwk = carom_set(carom_map(), "kid", carom_str(kid));
    jwk = carom_set(jwk, "use", carom_str("sig"));
    jwk = carom_set(jwk, "alg", carom_str(pair ? "EdDSA" : "HS256"));
    jwk = pair ? add_pair(jwk, secret)
               : set_bytes(carom_set(jwk, "kty", carom_str("oct")), "k", secret, sizeof secret);
    OPENSSL_cleanse(secret, sizeof secret);
    return jwk;
}

carom_value *sign_public(const carom_value *jwk)
{
    static const char *const kept[] = {"kid", "use", "alg", "kty", "crv", "x"};
    if (strcmp(carom_get_str(jwk, "kty", ""), "OKP") != 0) {
        return NULL;
    }
    carom_value *half = carom_map();
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const carom_value *value = carom_value_get(jwk, kept[i]);
        half = value != NULL ? carom_set(half, kept[i], carom_value_clone(value)) : half;
    }
    return half;
}

// ---- signing

static size_t sign_hmac(const carom_value *jwk, const char *text, size_t size, uint8_t *out)
{
    uint8_t secret[SECRET_BYTES_MAX];
    size_t secret_size = 0;
    unsigned written = 0;
    if (!member(jwk, "k", secret, sizeof secret, &secret_size) ||
        HMAC(EVP_sha256(), secret, (int)secret_size, (const uint8_t *)text, size, out, &written) ==
            NULL) {
        written = 0;
    }
    OPENSSL_cleanse(secret, sizeof secret);
    return written;
}

static size_t sign_pair(const carom_value *jwk, const char *text, size_t size, uint8_t *out)
{
    uint8_t secret[KEY_BYTES];
    size_t secret_size = 0;
    size_t written = SIGNATURE_BYTES_MAX;
    EVP_PKEY *key = NULL;
    if (member(jwk, "d", secret, sizeof secret, &secret_size)) {
        key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, secret, secret_size);
    }
    OPENSSL_cleanse(secret, sizeof secret);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool made = key != NULL && context != NULL &&
                EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
                EVP_DigestSign(context, out, &written, (const uint8_t *)text, size) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return made ? written : 0;
}

// Appends the value's JSON in base64url to the token; false when it becomes too long.
static bool append(char token[TOKEN_BYTES_MAX + 1], const carom_value *value)
{
    size_t size = 0;
    char *json = carom_json_print(value, false, &size);
    size_t used = strlen(token);
    bool fits = json != NULL && used + ENCODED_BYTES(size) <= TOKEN_BYTES_MAX;
    if (fits) {
        encode((const uint8_t *)json, size, token + used);
    }
    carom_free_text(json);
    return fits;
}

char *sign_token(const carom_value *jwk, const carom_value *claims, char error[SIGN_ERROR_MAX])
{
    bool pair = strcmp(carom_get_str(jwk, "kty", ""), "OKP") == 0;
    char token[TOKEN_BYTES_MAX + 1] = "";
    carom_value *header = carom_set(carom_map(), "alg", carom_str(pair ? "EdDSA" : "HS256"));
    header = carom_set(header, "kid", carom_str(carom_get_str(jwk, "kid", "")));
    header = carom_set(header, "typ", carom_str("JWT"));
    bool fits = append(token, header);
    carom_value_free(header);
    if (fits && strlen(token) < TOKEN_BYTES_MAX) {
        strcat(token, ".");
        fits = append(token, claims);
    }
    if (!fits) {
        return fail(error, "the token would have more than 4096 bytes: fewer claims");
    }
    uint8_t signature[SIGNATURE_BYTES_MAX];
    size_t used = strlen(token);
    size_t size =
        pair ? sign_pair(jwk, token, used, signature) : sign_hmac(jwk, token, used, signature);
    if (size == 0) {
        return fail(error, pair ? "the key has no private half `d` that signs"
                                : "the key has no secret `k` that signs");
    }
    if (used + 1 + ENCODED_BYTES(size) > TOKEN_BYTES_MAX) {
        return fail(error, "the token would have more than 4096 bytes: fewer claims");
    }
    token[used] = '.';
    encode(signature, size, token + used + 1);
    char *copy = strdup(token);
    return copy != NULL ? copy : fail(error, "memory has run out");
}

// ---- reading

static carom_value *part(const char *text, size_t length)
{
    uint8_t bytes[TOKEN_BYTES_MAX];
    size_t size = 0;
    carom_value *value = NULL;
    if (!decode(text, length, bytes, sizeof bytes, &size) ||
        carom_json_parse((const char *)bytes, size, &value, NULL) != CAROM_OK) {
        return NULL;
    }
    return value;
}

carom_value *sign_take_apart(const char *token, char error[SIGN_ERROR_MAX])
{
    const char *first = strchr(token, '.');
    const char *second = first != NULL ? strchr(first + 1, '.') : NULL;
    if (second == NULL || strchr(second + 1, '.') != NULL) {
        return fail(error, "is not a JSON Web Token: three parts with dots between");
    }
    carom_value *header = part(token, (size_t)(first - token));
    carom_value *claims = part(first + 1, (size_t)(second - first - 1));
    if (header == NULL || claims == NULL) {
        carom_value_free(header);
        carom_value_free(claims);
        return fail(error, "is not a JSON Web Token: header and claims must be JSON in base64url");
    }
    return carom_set(carom_set(carom_map(), "header", header), "claims", claims);
}
