// SHA-256 (FIPS 180-4), of OpenSSL. Any thread.
#ifndef CAROM_SERVER_AUTH_DIGEST_H
#define CAROM_SERVER_AUTH_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BYTES = 32 };

void digest_of(const void *bytes, size_t size, uint8_t out[DIGEST_BYTES]);

#endif
