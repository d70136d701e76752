// The operator's file of keys, which can be reloaded while the server runs.
//
// A file that cannot be read or understood never replaces keys that are in use. Tokens of keys that
// a new file no longer has are refused, and the server ends the sessions that used them
// (rights_check_keys). Network thread only.
#ifndef CAROM_SERVER_AUTH_KEYS_H
#define CAROM_SERVER_AUTH_KEYS_H

#include <stdbool.h>

#include "common/base/status.h"
#include "server/auth/jwk.h"

typedef struct auth_keys auth_keys;

// Reads the file. `path` is copied. Errors: STATUS_INVALID_ARGUMENT, STATUS_LIMIT_EXCEEDED,
// STATUS_UNAVAILABLE with the path and the reason, never with any part of a key.
status auth_keys_open(const char *path, auth_keys **out, error *err);

// Reads the file again. On an error the keys stay as they are.
status auth_keys_reload(auth_keys *k, error *err);

// The keys in use; valid until the next reload.
const jwk_set *auth_keys_set(const auth_keys *k);

void auth_keys_close(auth_keys *k); // NULL does nothing

#endif
