// Limits of keys and tokens, with the reason for each value. Exceeding one is an error with a text.
#ifndef CAROM_SERVER_AUTH_LIMITS_H
#define CAROM_SERVER_AUTH_LIMITS_H

#include "proto/limits.h"

enum {
    AUTH_FILE_BYTES_MAX = 1 << 18, // file of keys: four times 64 keys of the largest kind
    AUTH_KEYS_MAX = 64,            // keys in a file: a rotation needs two for each issuer of tokens
    AUTH_KID_BYTES_MAX = 128,      // a key's id: a thumbprint has 43, a URL somewhat more
    AUTH_SECRET_BYTES_MIN = 32,    // HS256 secret: no shorter than its hash (RFC 7518, 3.2)
    AUTH_SECRET_BYTES_MAX = 512,   // HS256 secret: longer ones are no stronger
    AUTH_TOKEN_BYTES_MAX = WIRE_TOKEN_BYTES_MAX,
    AUTH_SUBJECT_BYTES_MAX = OWNER_BYTES_MAX, // a token's `sub`, which may be the owner of bodies
    AUTH_WORLDS_MAX = 32,                     // names and prefixes in one token
    AUTH_AREAS_MAX = 16,                      // areas in one token
    AUTH_AUDIENCES_MAX = 16,                  // audiences in one token's `aud`
    AUTH_NOT_BEFORE_LEEWAY_S = 5              // how far an issuer's clock may be ahead
};

#endif
