// A growing buffer and a scanner over it; see input.h. Network thread only.
#include "server/session/calls/input.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "server/base/memory.h"

enum { KEPT_BYTES = 4096 }; // an idle connection keeps at most this

void input_init(input *in, uint32_t message_bytes_max)
{
    *in = (input){0};
    scanner_limits bounds = scanner_limits_default();
    bounds.bytes_max = message_bytes_max;
    bounds.bytes_name = "message_bytes";
    scanner_init(&in->scanner, &bounds);
}

void input_deinit(input *in)
{
    free(in->data);
    memory_note(MEMORY_input, NULL, -(int64_t)in->capacity);
    in->data = NULL;
    in->size = in->capacity = in->begin = in->scanned = in->fence = 0;
}

// The capacity to allocate for `size` bytes.
static size_t capacity_for(const input *in, size_t size)
{
    size_t capacity = in->capacity < KEPT_BYTES ? KEPT_BYTES : in->capacity;
    while (capacity < size) {
        capacity *= 2;
    }
    ASSERT(capacity >= in->capacity && capacity >= size);
    return capacity;
}

size_t input_growth(const input *in, size_t size)
{
    const size_t capacity = capacity_for(in, in->size + size);
    const size_t kept = in->capacity < KEPT_BYTES ? KEPT_BYTES : in->capacity;
    return capacity - kept;
}

static void reserve(input *in, size_t size)
{
    if (size <= in->capacity) {
        return;
    }
    const size_t capacity = capacity_for(in, size);
    uint8_t *grown = realloc(in->data, capacity);
    ASSERT_MEMORY(grown != NULL);
    memory_note(MEMORY_input, NULL, (int64_t)(capacity - in->capacity));
    in->data = grown;
    in->capacity = capacity;
}

void input_append(input *in, const uint8_t *data, size_t size)
{
    if (size == 0) {
        return;
    }
    reserve(in, in->size + size);
    ASSERT(in->size + size <= in->capacity);
    memcpy(in->data + in->size, data, size);
    in->size += size;
}

scan_verdict input_next(input *in, const uint8_t **message, size_t *size, error *err)
{
    size_t from = in->begin + in->scanned;
    ASSERT(from <= in->size);
    if (from == in->size) {
        return SCAN_MORE;
    }
    size_t used = 0;
    scan_verdict verdict = scanner_feed(&in->scanner, in->data + from, in->size - from, &used, err);
    ASSERT(used <= in->size - from);
    in->scanned += used;
    if (verdict == SCAN_MORE) {
        return verdict;
    }
    *message = in->data + in->begin;
    *size = in->scanned;
    if (verdict == SCAN_MESSAGE) {
        in->begin += in->scanned;
        in->scanned = 0;
    }
    return verdict;
}

uint8_t *input_take(input *in, const uint8_t *message, size_t *capacity)
{
    uint8_t *taken = in->data;
    ASSERT(in->scanned == 0);
    if (message != in->data || in->begin < in->size) {
        return NULL;
    }
    *capacity = in->capacity;
    memory_note(MEMORY_input, NULL, -(int64_t)in->capacity);
    in->data = NULL;
    in->size = in->capacity = in->begin = in->fence = 0;
    return taken;
}

bool input_unscanned(const input *in)
{
    return in->begin + in->scanned < in->size;
}

bool input_partial(const input *in)
{
    return in->scanned > 0;
}

bool input_whole(input *in)
{
    size_t at = in->fence > in->begin ? in->fence : in->begin;
    scan_verdict verdict = SCAN_MESSAGE;
    while (at < in->size && verdict == SCAN_MESSAGE) {
        scanner ahead; // a second scanner: each byte is scanned at most once more
        size_t used = 0;
        scanner_init(&ahead, &in->scanner.limits);
        verdict = scanner_feed(&ahead, in->data + at, in->size - at, &used, NULL);
        ASSERT(used <= in->size - at);
        at += used;
    }
    in->fence = in->size;
    return verdict != SCAN_MORE;
}

void input_settle(input *in)
{
    ASSERT(in->begin + in->scanned <= in->size && in->fence <= in->size);
    if (in->begin > 0) {
        in->fence -= in->fence < in->begin ? in->fence : in->begin;
        in->size -= in->begin;
        memmove(in->data, in->data + in->begin, in->size);
        in->begin = 0;
    }
    if (in->size == 0 && in->capacity > KEPT_BYTES) {
        input_deinit(in);
    }
}
