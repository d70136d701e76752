// Validation by the ranges of RFC 3629, section 4, with a quick way through ASCII. Pure; any
// thread.
#include "common/base/utf8.h"

#include <stdint.h>
#include <string.h>

// The number of bytes of the character at `p`, 1 to 4; 0 if it is not valid. The second byte's
// range depends on the lead: this excludes overlong forms, surrogates and values above U+10FFFF.
static size_t character_size(const unsigned char *p, size_t available)
{
    unsigned char lead = p[0];
    if (lead < 0x80) {
        return 1;
    }
    size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || available < size) {
        return 0;
    }
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < size; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return size;
}

size_t utf8_decode(const void *bytes, size_t size, uint32_t *code)
{
    static const uint8_t LEAD_BITS[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const unsigned char *p = bytes;
    size_t length = size > 0 ? character_size(p, size) : 0;
    *code = length > 0 ? p[0] & LEAD_BITS[length] : 0;
    for (size_t i = 1; i < length; i++) {
        *code = *code << 6 | (p[i] & 0x3F);
    }
    return length;
}

bool utf8_acts(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) ||      // C0, DEL and C1 controls
           code == 0x61C || code == 0x200E || code == 0x200F || // directional marks
           (code >= 0x2028 && code <= 0x202E) || // separators; embeddings and overrides
           (code >= 0x2066 && code <= 0x206F);   // isolates and deprecated controls
}

// The number of ASCII bytes at the start, read eight at a time: most texts are pure ASCII.
static size_t ascii_run(const unsigned char *p, size_t size)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, p + i, sizeof word);
        if ((word & 0x8080808080808080U) != 0) {
            break;
        }
    }
    return i;
}

bool utf8_valid(const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    size_t i = 0;
    while (i < size) {
        i += ascii_run(p + i, size - i);
        if (i == size) {
            break;
        }
        size_t step = character_size(p + i, size - i);
        if (step == 0) {
            return false;
        }
        i += step;
    }
    return true;
}

const char *utf8_plain(char *out, size_t out_size, const void *bytes, size_t size)
{
    static const char ELLIPSIS[] = "...";
    const unsigned char *p = bytes;
    size_t used = 0;
    size_t i = 0;
    while (i < size) {
        uint32_t code;
        size_t step = utf8_decode(p + i, size - i, &code);
        bool shown = step > 0 && !utf8_acts(code);
        size_t wanted = shown ? step : 1;
        // A cut text needs room for the ellipsis.
        bool last = i + (step > 0 ? step : 1) == size;
        if (used + wanted + (last ? 1 : sizeof ELLIPSIS) > out_size) {
            memcpy(out + used, ELLIPSIS, sizeof ELLIPSIS);
            return out;
        }
        if (shown) {
            memcpy(out + used, p + i, step);
        } else {
            out[used] = '?';
        }
        used += wanted;
        i += step > 0 ? step : 1;
    }
    out[used] = '\0';
    return out;
}

const char *utf8_quote(char out[UTF8_QUOTE_MAX], const void *bytes, size_t size)
{
    return utf8_plain(out, UTF8_QUOTE_MAX, bytes, size);
}
