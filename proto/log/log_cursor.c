// Values of a log in canonical form, read one after the other. A head is accepted only in the
// shortest form for its length, so two logs of the same contents are the same bytes.
#include "proto/log/log_cursor.h"

#include <math.h>
#include <string.h>

#include "proto/limits.h"

status log_refuse(const log_cursor *c, const char *expected)
{
    return error_set(c->err, STATUS_INVALID_ARGUMENT, "byte %zu of the record: expected %s", c->at,
                     expected);
}

// The number of bytes of the shortest head for this length.
static uint32_t shortest_head(tag_kind kind, uint64_t length)
{
    const uint64_t fixed = kind == TAG_STR ? 32 : kind == TAG_BIN ? 0 : 16;
    const bool has_8_bits = kind == TAG_STR || kind == TAG_BIN;
    return length < fixed ? 1 : has_8_bits && length < 1u << 8 ? 2 : length < 1u << 16 ? 3 : 5;
}

// The next value's head, of the given kind and, unless it is an integer's, in its shortest form.
bool log_take_head(log_cursor *c, tag_kind kind, value_head *head)
{
    if (!value_head_read(c->bytes + c->at, c->size - c->at, head) || head->kind != kind) {
        return false;
    }
    if (kind != TAG_INTEGER && head->size != shortest_head(kind, head->length)) {
        return false;
    }
    c->at += head->size;
    return true;
}

// An unsigned integer in its shortest form.
bool log_take_uint(log_cursor *c, uint64_t *out)
{
    value_head head;
    const size_t start = c->at;
    if (!log_take_head(c, TAG_INTEGER, &head) || head.length > c->size - c->at) {
        c->at = start;
        return false;
    }
    bool negative = false;
    uint64_t value = tag_integer(c->bytes[start], c->bytes + c->at, &negative);
    const uint64_t least = head.length == 0   ? 0
                           : head.length == 1 ? 128
                                              : (uint64_t)1 << (4 * head.length);
    if (negative || c->bytes[start] >= 0xd0 || value < least) {
        c->at = start;
        return false;
    }
    c->at += (size_t)head.length;
    *out = value;
    return true;
}

// Text or bytes of at most `max`; the shortest head.
bool log_take_bytes(log_cursor *c, tag_kind kind, size_t max, const uint8_t **bytes, size_t *size)
{
    value_head head;
    const size_t start = c->at;
    if (!log_take_head(c, kind, &head) || head.length > max || head.length > c->size - c->at) {
        c->at = start;
        return false;
    }
    *bytes = c->bytes + c->at;
    *size = (size_t)head.length;
    c->at += *size;
    return true;
}

// Moves on if the next value is this key.
bool log_take_key(log_cursor *c, const char *key)
{
    const size_t start = c->at;
    const uint8_t *text;
    size_t size;
    if (log_take_bytes(c, TAG_STR, WIRE_KEY_BYTES_MAX, &text, &size) && size == strlen(key) &&
        memcmp(text, key, size) == 0) {
        return true;
    }
    c->at = start;
    return false;
}

bool log_take_map(log_cursor *c, uint64_t *pairs)
{
    value_head head;
    if (!log_take_head(c, TAG_MAP, &head)) {
        return false;
    }
    *pairs = head.length;
    return true;
}

bool log_take_double(log_cursor *c, double *out)
{
    enum { DOUBLE_TAG = 0xcb, DOUBLE_BYTES = 9 };
    if (c->size - c->at < DOUBLE_BYTES || c->bytes[c->at] != DOUBLE_TAG) {
        return false;
    }
    uint64_t bits = 0;
    for (int i = 1; i < DOUBLE_BYTES; i++) {
        bits = bits << 8 | c->bytes[c->at + (size_t)i];
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) {
        return false;
    }
    c->at += DOUBLE_BYTES;
    *out = value;
    return true;
}

bool log_at_end(const log_cursor *c)
{
    return c->at == c->size;
}
