// Keys and tokens on the operator's side: making JWKs, signing JSON Web Tokens, taking tokens
// apart.
//
// HS256 (RFC 7518, 3.2) and EdDSA over Ed25519 (RFC 8037), which is what caromd checks. The server
// has code of its own for its half, so that each is a test of the other. Values are libcarom's, in
// their JSON form. Any thread.
#ifndef CAROM_CLIENT_CLI_SIGN_H
#define CAROM_CLIENT_CLI_SIGN_H

#include <stdbool.h>
#include <stddef.h>

#include <carom/value.h>

enum { SIGN_ERROR_MAX = 200 };

// A new key as a JWK with all its parts: `algorithm` is "hs256" (32 random bytes) or "eddsa". NULL
// when the system has no randomness or memory to give.
carom_value *sign_generate(const char *algorithm, const char *kid);

// The same JWK without what signs; NULL for a key of type oct, which has no such half.
carom_value *sign_public(const carom_value *jwk);

// A compact token of these claims, signed with the key: the caller's to free(). NULL with a text in
// `error` that never bears any part of the key.
char *sign_token(const carom_value *jwk, const carom_value *claims, char error[SIGN_ERROR_MAX]);

// {header, claims} of a token, whose signature is not looked at. NULL with a text in `error`.
carom_value *sign_take_apart(const char *token, char error[SIGN_ERROR_MAX]);

#endif
