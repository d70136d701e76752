// base64 with padding (RFC 4648, 4), as etcd's JSON gateway writes bytes. Any thread.
#ifndef CAROM_SERVER_FLEET_BASE64_H
#define CAROM_SERVER_FLEET_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Characters of `size` bytes, without a closing zero.
#define BASE64_SIZE(size) (((size) + 2) / 3 * 4)

// Writes BASE64_SIZE(size) characters and a closing zero.
void base64_encode(const void *data, size_t size, char *out);

// Decodes `size` characters into `out`, which has room for size / 4 * 3 bytes. False for any other
// character, missing or misplaced padding, or leftover bits that are not zero.
bool base64_decode(const char *text, size_t size, uint8_t *out, size_t *out_size);

#endif
