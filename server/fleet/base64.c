// base64; see base64.h.
#include "server/fleet/base64.h"

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const void *data, size_t size, char *out)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        uint32_t bits = (uint32_t)bytes[i] << 16;
        bits |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        bits |= left > 2 ? bytes[i + 2] : 0;
        *out++ = DIGITS[bits >> 18];
        *out++ = DIGITS[bits >> 12 & 63];
        *out++ = left > 1 ? DIGITS[bits >> 6 & 63] : '=';
        *out++ = left > 2 ? DIGITS[bits & 63] : '=';
    }
    *out = '\0';
}

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
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(const char *text, size_t size, uint8_t *out, size_t *out_size)
{
    size_t written = 0;
    if (size % 4 != 0) {
        return false;
    }
    for (size_t i = 0; i < size; i += 4) {
        const bool last = i + 4 == size;
        const int padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
        uint32_t bits = 0;
        for (int k = 0; k < 4; k++) {
            const int value = k < 4 - padding ? value_of(text[i + (size_t)k]) : 0;
            if (value < 0) {
                return false;
            }
            bits = bits << 6 | (uint32_t)value;
        }
        if ((bits & ((1u << 8 * padding) - 1)) != 0) {
            return false;
        }
        for (int k = 0; k < 3 - padding; k++) {
            out[written++] = (uint8_t)(bits >> (16 - 8 * k));
        }
    }
    *out_size = written;
    return true;
}
