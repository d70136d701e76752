// base64url without padding, as JSON Web Tokens write bytes (RFC 4648, 5; RFC 7515, 2).
//
// Strict: one text stands for one sequence of bytes, so that two tokens that look different are
// different. Any thread.
#ifndef CAROM_SERVER_AUTH_BASE64URL_H
#define CAROM_SERVER_AUTH_BASE64URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes `size` characters into `out` of `room` bytes. False for padding, white space, any other
// character, an impossible length, bits that are left over and not zero, or too little room.
bool base64url_decode(const char *text, size_t size, uint8_t *out, size_t room, size_t *out_size);

#endif
