// The secret of a session, by which its client may resume it.
//
// On the wire it is "SLOT.NUMBER.SECRET" in hexadecimal: the first two find the session and are no
// secret, the last are 32 bytes of getrandom(2). A secret is compared in constant time, is never
// logged, and is overwritten when its session ends.
//
// Any thread.
#ifndef CAROM_SERVER_SESSION_IDENTITY_SECRET_H
#define CAROM_SERVER_SESSION_IDENTITY_SECRET_H

#include <stdbool.h>
#include <stdint.h>

#include "server/world/message/messages.h"

enum {
    SECRET_BYTES = 32,
    SECRET_TEXT_MAX = 8 + 1 + 16 + 1 + 2 * SECRET_BYTES + 1 // including the final zero
};

typedef struct secret {
    uint8_t bytes[SECRET_BYTES];
} secret;

// A new one.
secret secret_create(void);

// Overwrites it, so that no core file has it.
void secret_wipe(secret *s);

// A digest (SHA-256), from which the secret cannot be recovered.
secret secret_digest(const secret *s);

// Takes the same time wherever the two differ.
bool secret_equal(const secret *a, const secret *b);

void secret_print(char out[SECRET_TEXT_MAX], session_key key, const secret *s);

// False for a text of another form.
bool secret_parse(const char *text, session_key *key, secret *out);

#endif
