// base64, by OpenSSL, which takes more than it writes; see base64.h.
#include "server/fleet/base64.h"

#include <openssl/evp.h>
#include <string.h>

#include "common/base/assert.h"

void base64_encode(const void *data, size_t size, char *out)
{
    ASSERT(size <= INT32_MAX / 2);
    (void)EVP_EncodeBlock((unsigned char *)out, data, (int)size);
}

static size_t padding_of(const char *text, size_t size)
{
    const bool one = size > 0 && text[size - 1] == '=';
    return one ? 1 + (size_t)(text[size - 2] == '=') : 0;
}

// Only the one text that encodes the bytes is taken.
bool base64_decode(const char *text, size_t size, uint8_t *out, size_t *out_size)
{
    *out_size = 0;
    for (size_t at = 0; at < size; at += 4) {
        char again[BASE64_SIZE(3) + 1];
        uint8_t bytes[3];
        const bool last = size - at <= 4;
        if (size - at < 4 || EVP_DecodeBlock(bytes, (const unsigned char *)text + at, 4) != 3) {
            return false;
        }
        const size_t count = 3 - (last ? padding_of(text + at, 4) : 0);
        base64_encode(bytes, count, again);
        if (memcmp(again, text + at, 4) != 0) {
            return false;
        }
        memcpy(out + *out_size, bytes, count);
        *out_size += count;
    }
    return true;
}
