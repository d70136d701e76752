// Decoding of base64url; see base64url.h.
#include "server/auth/base64url.h"

#include "common/base/assert.h"

// The value of a character, or -1. Timing depends on the character only by these comparisons, which
// is enough: a secret is decoded once, from the operator's file.
static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

bool base64url_decode(const char *text, size_t size, uint8_t *out, size_t room, size_t *out_size)
{
    uint32_t bits = 0; // its lowest `held` bits are not yet written
    unsigned held = 0;
    size_t written = 0;
    if (size % 4 == 1) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        int value = value_of(text[i]);
        if (value < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            if (written == room) {
                return false;
            }
            held -= 8;
            out[written++] = (uint8_t)(bits >> held);
            bits &= (1u << held) - 1;
        }
    }
    ASSERT(written <= room && held < 8);
    *out_size = written;
    return bits == 0;
}
