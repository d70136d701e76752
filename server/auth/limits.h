// Maxima of keys and tokens, with the reason for each value. Reaching one is an error with a text.
#ifndef CAROM_SERVER_AUTH_LIMITS_H
#define CAROM_SERVER_AUTH_LIMITS_H

#include "proto/limits.h"

enum {
    AUTH_FILE_BYTES_MAX = 1 << 18, // of a file of keys: 64 keys of the largest kind, four times
    AUTH_KEYS_MAX = 64,            // in one file: a rotation needs two for each issuer of tokens
    AUTH_KID_BYTES_MAX = 128,      // of a key's id: a thumbprint has 43, a URL somewhat more
    AUTH_SECRET_BYTES_MIN = 32,  // of a secret for HS256: no shorter than its hash (RFC 7518, 3.2)
    AUTH_SECRET_BYTES_MAX = 512, // longer ones are no stronger
    AUTH_TOKEN_BYTES_MAX = WIRE_TOKEN_BYTES_MAX,
    AUTH_SUBJECT_BYTES_MAX = OWNER_BYTES_MAX, // of a token's `sub`: each body may bear one
    AUTH_WORLDS_MAX = 32,                     // names and prefixes in one token
    AUTH_AREAS_MAX = 16,                      // areas in one token
    AUTH_AUDIENCES_MAX = 16,                  // in one token's `aud`
    AUTH_NOT_BEFORE_LEEWAY_S = 5              // by which an issuer's clock may be ahead of ours
};

#endif
