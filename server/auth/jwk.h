// The keys that tokens are checked with: a JWK Set (RFC 7517) in memory.
//
// A key is bound to one algorithm by its type: `kty: "oct"` checks HS256 (RFC 7518, 3.2), `kty:
// "OKP", crv: "Ed25519"` checks EdDSA (RFC 8037). So a token cannot choose how it is checked: the
// public half of an Ed25519 key never serves as an HMAC secret. Keys of other types are skipped, as
// RFC 7517 requires, and counted; a set without a usable key is an error.
//
// Secrets are overwritten when the set is freed. A set does not change; any thread may read it.
#ifndef CAROM_SERVER_AUTH_JWK_H
#define CAROM_SERVER_AUTH_JWK_H

#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/auth/digest.h"
#include "server/auth/limits.h"

typedef enum jwk_algorithm { JWK_HS256, JWK_EDDSA } jwk_algorithm;

typedef struct jwk {
    char kid[AUTH_KID_BYTES_MAX + 1];
    jwk_algorithm algorithm;
    uint8_t secret[AUTH_SECRET_BYTES_MAX]; // key of HS256
    size_t secret_size;
    EVP_PKEY *public_key; // key of EdDSA
    // Digest of the key's kid, algorithm and bytes, which identifies the key.
    uint8_t digest[DIGEST_BYTES];
} jwk;

typedef struct jwk_set {
    jwk keys[AUTH_KEYS_MAX];
    uint32_t count;
    uint32_t passed_over; // keys of other types
    // Ed25519 keys that came with their private half, which the server does not need.
    uint32_t with_private;
    uint32_t secrets; // keys of type oct
} jwk_set;

// "HS256", "EdDSA"
const char *jwk_algorithm_name(jwk_algorithm a);

// Reads a JWK Set from JSON text. The caller frees *out with jwk_set_free. Errors:
// STATUS_INVALID_ARGUMENT with the path in front ("keys[1].x: ..."), never with any part of a key;
// STATUS_LIMIT_EXCEEDED for too many keys.
status jwk_set_parse(const char *json, size_t size, jwk_set **out, error *err);

// The key of that id; NULL if there is none.
const jwk *jwk_set_find(const jwk_set *set, const char *kid);

// Whether the set has the key of this digest.
bool jwk_set_has(const jwk_set *set, const uint8_t digest[DIGEST_BYTES]);

// Whether `signature` is the key's signature of `data`. The time does not depend on where they
// differ.
bool jwk_verify(const jwk *key, const void *data, size_t size, const uint8_t *signature,
                size_t signature_size);

// Overwrites the secrets and frees the set. NULL does nothing.
void jwk_set_free(jwk_set *set);

#endif
