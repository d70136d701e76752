// A state machine over the bytes: heads of values, a stack of open containers, a count of bytes to
// skip; see scanner.h for its invariants. Any thread, one at a time.
#include "proto/wire/scanner.h"

#include "common/base/assert.h"
#include "common/base/tag.h"

scanner_limits scanner_limits_default(void)
{
    return (scanner_limits){.bytes_max = WIRE_MESSAGE_BYTES_DEFAULT,
                            .depth_max = WIRE_DEPTH_MAX,
                            .values_max = WIRE_VALUES_MAX};
}

scanner_limits scanner_limits_reply(void)
{
    return (scanner_limits){.bytes_max = WIRE_REPLY_BYTES_MAX,
                            .depth_max = WIRE_DEPTH_MAX,
                            .values_max = WIRE_REPLY_VALUES_MAX};
}

void scanner_init(scanner *s, const scanner_limits *limits)
{
    ASSERT(limits->bytes_max >= 1 && limits->bytes_max <= UINT32_MAX / 2);
    ASSERT(limits->depth_max >= 1 && limits->depth_max <= WIRE_DEPTH_MAX);
    ASSERT(limits->values_max >= 1);
    s->limits = *limits;
    scanner_reset(s);
}

void scanner_reset(scanner *s)
{
    s->position = 0;
    s->values = 0;
    s->owed = 0;
    s->body_left = 0;
    s->length = 0;
    s->tag = 0;
    s->header_left = 0;
    s->depth = 0;
    s->verdict = SCAN_MORE;
}

static scan_verdict refuse(scanner *s, status why, const char *text, uint32_t limit)
{
    if (limit > 0) {
        error_set(&s->refusal, why, "byte %u: %s; the limit is %u", s->position - 1, text, limit);
    } else {
        error_set(&s->refusal, why, "byte %u: %s", s->position - 1, text);
    }
    return SCAN_REFUSED;
}

static scan_verdict refuse_bytes(scanner *s, const char *text)
{
    refuse(s, STATUS_LIMIT_EXCEEDED, text, s->limits.bytes_max);
    if (s->limits.bytes_name != NULL) {
        error_prefix(&s->refusal, "%s", s->limits.bytes_name);
    }
    return SCAN_REFUSED;
}

// Refuses a message that can no longer end within the limit: `more` bytes are certain to follow,
// and at least one byte for each owed value.
static bool fits(const scanner *s, uint64_t more)
{
    return s->position + (uint64_t)s->owed + more <= s->limits.bytes_max;
}

// A value is complete, and with it each container of which it was the last.
static scan_verdict end_value(scanner *s)
{
    while (s->depth > 0) {
        if (--s->left[s->depth - 1] > 0) {
            return SCAN_MORE;
        }
        s->depth--;
    }
    ASSERT_SLOW(s->owed == 0);
    return SCAN_MESSAGE;
}

// The head of a container that declares `count` values is complete.
static scan_verdict open_container(scanner *s, uint64_t count)
{
    if (s->depth == s->limits.depth_max) {
        return refuse(s, STATUS_LIMIT_EXCEEDED, "nested too deep", s->limits.depth_max);
    }
    if (!fits(s, count)) {
        return refuse_bytes(s, "more values declared than a message has bytes");
    }
    if (s->values + (uint64_t)s->owed + count > s->limits.values_max) {
        return refuse(s, STATUS_LIMIT_EXCEEDED, "too many values in a message",
                      s->limits.values_max);
    }
    if (count == 0) {
        return end_value(s);
    }
    s->left[s->depth++] = (uint32_t)count;
    s->owed += (uint32_t)count;
    return SCAN_MORE;
}

// The head of a value is complete.
static scan_verdict open_value(scanner *s, tag_info info)
{
    uint64_t length = (uint64_t)s->length + info.fixed;
    switch ((tag_kind)info.kind) {
    case TAG_RESERVED:
        return refuse(s, STATUS_INVALID_ARGUMENT, "0xc1 is not MessagePack", 0);
    case TAG_ARRAY:
        return open_container(s, length);
    case TAG_MAP:
        return open_container(s, 2 * length);
    case TAG_NIL:
    case TAG_BOOL:
    case TAG_INTEGER:
    case TAG_FLOAT:
    case TAG_STR:
    case TAG_BIN:
    case TAG_EXT:
        break;
    }
    if (!fits(s, length)) {
        return refuse_bytes(s, "message too large");
    }
    s->body_left = (uint32_t)length;
    return length > 0 ? SCAN_MORE : end_value(s);
}

// Scans the first byte of a value.
static scan_verdict begin_value(scanner *s, uint8_t tag)
{
    tag_info info = tag_read(tag);
    if (s->depth > 0) {
        s->owed--;
    }
    s->values++;
    s->tag = tag;
    s->length = 0;
    s->header_left = info.length_bytes;
    if (info.length_bytes == 0) {
        return open_value(s, info);
    }
    if (!fits(s, info.length_bytes)) {
        return refuse_bytes(s, "message too large");
    }
    return SCAN_MORE;
}

// Scans the bytes that belong together, one of a head or any number of a body; returns their
// number.
static size_t advance(scanner *s, const uint8_t *bytes, size_t size, scan_verdict *verdict)
{
    if (s->body_left > 0) {
        uint32_t skipped = size < s->body_left ? (uint32_t)size : s->body_left;
        s->body_left -= skipped;
        s->position += skipped;
        *verdict = s->body_left > 0 ? SCAN_MORE : end_value(s);
        return skipped;
    }
    s->position++;
    if (s->header_left == 0) {
        *verdict = begin_value(s, bytes[0]);
        return 1;
    }
    s->length = s->length << 8 | bytes[0];
    s->header_left--;
    *verdict = s->header_left > 0 ? SCAN_MORE : open_value(s, tag_read(s->tag));
    return 1;
}

scan_verdict scanner_feed(scanner *s, const void *bytes, size_t size, size_t *used, error *err)
{
    scan_verdict verdict = (scan_verdict)s->verdict;
    *used = 0;
    if (verdict == SCAN_MESSAGE) {
        scanner_reset(s);
        verdict = SCAN_MORE;
    }
    while (verdict == SCAN_MORE && *used < size) {
        *used += advance(s, (const uint8_t *)bytes + *used, size - *used, &verdict);
    }
    s->verdict = (uint8_t)verdict;
    if (verdict == SCAN_REFUSED && err != NULL) {
        *err = s->refusal;
    }
    return verdict;
}

bool scanner_passes(const void *bytes, size_t size)
{
    const scanner_limits most = {
        .bytes_max = (uint32_t)size, .depth_max = WIRE_DEPTH_MAX, .values_max = WIRE_VALUES_MAX};
    if (size == 0 || size > UINT32_MAX / 2) {
        return false;
    }
    scanner s;
    error ignored;
    size_t used = 0;
    scanner_init(&s, &most);
    return scanner_feed(&s, bytes, size, &used, &ignored) == SCAN_MESSAGE && used == size;
}
