// Keys and tokens on the operator's side: makes JWKs, signs and parses JSON Web Tokens.
//
// HS256 (RFC 7518, 3.2) and EdDSA over Ed25519 (RFC 8037), the algorithms that caromd accepts. The
// server has separate code for its half, so that each tests the other. Values are libcarom's, in
// their JSON form. Any thread.
#ifndef CAROM_CLIENT_CLI_SIGN_H
#define CAROM_CLIENT_CLI_SIGN_H

#include <stdbool.h>
#include <stddef.h>

#include <carom/value.h>

enum { SIGN_ERROR_MAX = 200 };

// Makes a new key as a JWK with all its parts: `algorithm` is "hs256" (32 random bytes) or "eddsa".
// NULL when the system gives no randomness or memory.
carom_value *sign_generate(const char *algorithm, const char *kid);

// The same JWK without the private key; NULL for a key of type oct, which has no public part.
carom_value *sign_public(const carom_value *jwk);

// Makes a compact token of these claims, signed with the key; the caller frees it. NULL with a text
// in `error`, which never contains any part of the key.
char *sign_token(const carom_value *jwk, const carom_value *claims, char error[SIGN_ERROR_MAX]);

// Decodes a token to {header, claims}, without checking its signature. NULL with a text in `error`.
carom_value *sign_take_apart(const char *token, char error[SIGN_ERROR_MAX]);

#endif
