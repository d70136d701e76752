// base64url without padding, as JSON Web Tokens write bytes (RFC 4648, 5; RFC 7515, 2).
//
// Strict: each sequence of bytes has exactly one encoding, so that tokens that look different are
// different. Any thread.
#ifndef CAROM_SERVER_AUTH_BASE64URL_H
#define CAROM_SERVER_AUTH_BASE64URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decodes `size` characters into `out` of `room` bytes. False for padding, white space, any other
// character, an impossible length, leftover bits that are not zero, or too little space.
bool base64url_decode(const char *text, size_t size, uint8_t *out, size_t room, size_t *out_size);

#endif
