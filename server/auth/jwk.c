// Reads a JWK Set and verifies signatures with its keys; see jwk.h.
#include "server/auth/jwk.h"

#include <jansson.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/auth/base64url.h"

enum { ED25519_KEY_BYTES = 32, ED25519_SIGNATURE_BYTES = 64, HS256_BYTES = 32 };

const char *jwk_algorithm_name(jwk_algorithm a)
{
    return a == JWK_HS256 ? "HS256" : "EdDSA";
}

// ---- one key

// A required text member; NULL with an error if it is missing or of another type.
static const char *text_member(const json_t *object, const char *name, error *err)
{
    const char *text = json_string_value(json_object_get(object, name));
    if (text == NULL) {
        error_set(err, STATUS_INVALID_ARGUMENT, "%s: must be given, as a text", name);
    }
    return text;
}

static status read_kid(const json_t *object, const jwk_set *set, jwk *out, error *err)
{
    const char *kid = text_member(object, "kid", err);
    if (kid == NULL) {
        return STATUS_INVALID_ARGUMENT;
    }
    size_t size = strlen(kid);
    if (size == 0 || size > AUTH_KID_BYTES_MAX ||
        size != json_string_length(json_object_get(object, "kid"))) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "kid: must have 1 to %d bytes, none zero",
                         AUTH_KID_BYTES_MAX);
    }
    if (jwk_set_find(set, kid) != NULL) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "kid: '%s' is that of an earlier key", kid);
    }
    memcpy(out->kid, kid, size + 1);
    return STATUS_OK;
}

// `use` and `alg` are optional, and must agree with the algorithm.
static status check_purpose(const json_t *object, jwk_algorithm algorithm, error *err)
{
    const char *use = json_string_value(json_object_get(object, "use"));
    const char *alg = json_string_value(json_object_get(object, "alg"));
    if (json_object_get(object, "use") != NULL && (use == NULL || strcmp(use, "sig") != 0)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "use: must be \"sig\"");
    }
    if (json_object_get(object, "alg") != NULL &&
        (alg == NULL || strcmp(alg, jwk_algorithm_name(algorithm)) != 0)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "alg: a key of this type is for \"%s\"",
                         jwk_algorithm_name(algorithm));
    }
    return STATUS_OK;
}

static status read_bytes(const json_t *object, const char *name, uint8_t *out, size_t room,
                         size_t *size, error *err)
{
    const char *text = text_member(object, name, err);
    if (text == NULL) {
        return STATUS_INVALID_ARGUMENT;
    }
    if (!base64url_decode(text, json_string_length(json_object_get(object, name)), out, room,
                          size)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "%s: must be at most %zu bytes in base64url without padding", name, room);
    }
    return STATUS_OK;
}

static status read_secret(const json_t *object, jwk *out, error *err)
{
    status s = read_bytes(object, "k", out->secret, sizeof out->secret, &out->secret_size, err);
    if (s == STATUS_OK && out->secret_size < AUTH_SECRET_BYTES_MIN) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "k: must have at least %d bytes, has %zu",
                         AUTH_SECRET_BYTES_MIN, out->secret_size);
    }
    return s;
}

static status read_public(const json_t *object, jwk *out, error *err)
{
    uint8_t x[ED25519_KEY_BYTES];
    size_t size = 0;
    status s = read_bytes(object, "x", x, sizeof x, &size, err);
    if (s != STATUS_OK) {
        return s;
    }
    if (size == sizeof x) {
        out->public_key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, x, sizeof x);
    }
    if (out->public_key == NULL) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "x: must be an Ed25519 key of %d bytes",
                         ED25519_KEY_BYTES);
    }
    return STATUS_OK;
}

static bool says(const json_t *object, const char *name, const char *word)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL && strcmp(text, word) == 0;
}

// The prefix separates it from other digests of the same bytes; secrets are too long to be guessed
// from it.
static void digest_key(jwk *key)
{
    static const char DOMAIN[] = "carom key";
    uint8_t bytes[sizeof DOMAIN + sizeof key->kid + 1 + AUTH_SECRET_BYTES_MAX] = {0};
    uint8_t *material = bytes + sizeof DOMAIN + sizeof key->kid + 1;
    size_t size = AUTH_SECRET_BYTES_MAX;
    memcpy(bytes, DOMAIN, sizeof DOMAIN);
    memcpy(bytes + sizeof DOMAIN, key->kid, sizeof key->kid);
    material[-1] = (uint8_t)key->algorithm;
    if (key->algorithm == JWK_HS256) {
        size = key->secret_size;
        memcpy(material, key->secret, size);
    } else {
        int read = EVP_PKEY_get_raw_public_key(key->public_key, material, &size);
        ASSERT(read == 1);
    }
    digest_of(bytes, (size_t)(material - bytes) + size, key->digest);
    OPENSSL_cleanse(bytes, sizeof bytes);
}

// Reads a key into the set's next entry.
static status read_key(jwk_set *set, const json_t *object, error *err)
{
    if (!json_is_object(object)) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "must be an object");
    }
    if (text_member(object, "kty", err) == NULL) {
        return STATUS_INVALID_ARGUMENT;
    }
    bool secret = says(object, "kty", "oct");
    if (!secret && !(says(object, "kty", "OKP") && says(object, "crv", "Ed25519"))) {
        set->passed_over++;
        return STATUS_OK;
    }
    if (set->count == AUTH_KEYS_MAX) {
        return error_set(err, STATUS_LIMIT_EXCEEDED, "has more than %d keys", AUTH_KEYS_MAX);
    }
    jwk *key = &set->keys[set->count];
    key->algorithm = secret ? JWK_HS256 : JWK_EDDSA;
    status s = read_kid(object, set, key, err);
    if (s == STATUS_OK) {
        s = check_purpose(object, key->algorithm, err);
    }
    if (s == STATUS_OK) {
        s = secret ? read_secret(object, key, err) : read_public(object, key, err);
    }
    if (s == STATUS_OK) {
        digest_key(key);
        set->count++;
        set->secrets += secret;
        set->with_private += !secret && json_object_get(object, "d") != NULL;
    }
    return s;
}

// ---- the set

static status read_keys(jwk_set *set, const json_t *keys, error *err)
{
    if (!json_is_array(keys)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "must be a JWK Set: an object with an array \"keys\"");
    }
    for (size_t i = 0; i < json_array_size(keys); i++) {
        status s = read_key(set, json_array_get(keys, i), err);
        if (s != STATUS_OK) {
            error_prefix(err, "keys[%zu]", i);
            return s;
        }
    }
    if (set->count == 0) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "keys: none of kty \"oct\", or of kty \"OKP\" with crv \"Ed25519\"");
    }
    return STATUS_OK;
}

// Overwrites the JSON library's copy of a secret.
static void wipe_member(const json_t *object, const char *name)
{
    const json_t *member = json_object_get(object, name);
    if (json_is_string(member)) {
        OPENSSL_cleanse((char *)(uintptr_t)json_string_value(member), json_string_length(member));
    }
}

static void wipe(const json_t *keys)
{
    for (size_t i = 0; i < json_array_size(keys); i++) {
        wipe_member(json_array_get(keys, i), "k");
        wipe_member(json_array_get(keys, i), "d");
    }
}

status jwk_set_parse(const char *json, size_t size, jwk_set **out, error *err)
{
    json_error_t where;
    json_t *root = json_loadb(json, size, JSON_REJECT_DUPLICATES, &where);
    if (root == NULL) {
        // The library's own text may quote part of a key.
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "is not JSON, or has a key twice: line %d, column %d", where.line,
                         where.column);
    }
    jwk_set *set = calloc(1, sizeof *set);
    ASSERT_MEMORY(set != NULL);
    const json_t *keys = json_object_get(root, "keys");
    status s = read_keys(set, keys, err);
    wipe(keys);
    json_decref(root);
    if (s != STATUS_OK) {
        set->count += set->count < AUTH_KEYS_MAX; // the failed entry may have half a key
        jwk_set_free(set);
        return s;
    }
    *out = set;
    return STATUS_OK;
}

const jwk *jwk_set_find(const jwk_set *set, const char *kid)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (strcmp(set->keys[i].kid, kid) == 0) {
            return &set->keys[i];
        }
    }
    return NULL;
}

bool jwk_set_has(const jwk_set *set, const uint8_t digest[DIGEST_BYTES])
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (memcmp(set->keys[i].digest, digest, DIGEST_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

void jwk_set_free(jwk_set *set)
{
    if (set == NULL) {
        return;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        EVP_PKEY_free(set->keys[i].public_key);
    }
    OPENSSL_cleanse(set, sizeof *set);
    free(set);
}

// ---- signatures

static bool verify_hmac(const jwk *key, const void *data, size_t size, const uint8_t *signature,
                        size_t signature_size)
{
    uint8_t expected[HS256_BYTES];
    unsigned expected_size = 0;
    if (HMAC(EVP_sha256(), key->secret, (int)key->secret_size, data, size, expected,
             &expected_size) == NULL) {
        return false;
    }
    bool same = expected_size == sizeof expected && signature_size == sizeof expected &&
                CRYPTO_memcmp(expected, signature, sizeof expected) == 0;
    OPENSSL_cleanse(expected, sizeof expected);
    return same;
}

static bool verify_eddsa(const jwk *key, const void *data, size_t size, const uint8_t *signature,
                         size_t signature_size)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    ASSERT_MEMORY(context != NULL);
    bool good = signature_size == ED25519_SIGNATURE_BYTES &&
                EVP_DigestVerifyInit(context, NULL, NULL, NULL, key->public_key) == 1 &&
                EVP_DigestVerify(context, signature, signature_size, data, size) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

bool jwk_verify(const jwk *key, const void *data, size_t size, const uint8_t *signature,
                size_t signature_size)
{
    return key->algorithm == JWK_HS256 ? verify_hmac(key, data, size, signature, signature_size)
                                       : verify_eddsa(key, data, size, signature, signature_size);
}
