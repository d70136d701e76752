// Verifies a compact JSON Web Token (RFC 7519), in an order that keeps untrusted text harmless.
//
//   1. three parts of base64url, at most AUTH_TOKEN_BYTES_MAX bytes in all
//   2. the header: a JSON object with `alg` and `kid`, and without `crit`
//   3. the key by its `kid`, in a table in memory: never a path or an address
//   4. `alg` must be the algorithm of that key; "none" is the algorithm of no key
//   5. the signature over the first two parts, as they were sent
//   6. only now the claims are read: `sub`, `exp`, `nbf`, `aud`, `role`, `worlds`, `areas`,
//   `limits`, `players`
//
// After RFC 8725 (best current practices). Errors are STATUS_UNAUTHENTICATED. Until the signature
// is verified they contain nothing of the token but the id of its key. Pure; any thread.
#ifndef CAROM_SERVER_AUTH_JWT_H
#define CAROM_SERVER_AUTH_JWT_H

#include <stddef.h>

#include "common/base/status.h"
#include "server/auth/grant.h"
#include "server/auth/jwk.h"

// The audience that a token's `aud` must contain.
#define JWT_AUDIENCE "carom"

// Verifies the token (zero-terminated) at the time `now` [s since 1970]. On success the caller
// frees *out with grant_free.
status jwt_verify(const jwk_set *keys, const char *token, double now, grant **out, error *err);

// Reads verified claims, the JSON text of a token's second part, at the time `now`: only step 6.
status jwt_read_claims(const char *json, size_t size, double now, grant **out, error *err);

#endif
