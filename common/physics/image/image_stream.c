// The bytes of an image, written or read; image_stream.h has the rules. One thread a stream.
#include "common/physics/image/image_stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image/image_bytes.h"

void stream_write_open(image_stream *s, size_t expected)
{
    *s = (image_stream){.capacity = expected + STREAM_RECORD_MAX};
    s->output = malloc(s->capacity);
    ASSERT_MEMORY(s->output != NULL);
}

void stream_read_open(image_stream *s, const uint8_t *bytes, size_t size)
{
    *s = (image_stream){.reading = true, .input = bytes, .input_size = size};
    s->at = bytes;
    s->end = bytes + size;
}

void stream_fail(image_stream *s, const char *format, ...)
{
    if (s->failed) {
        return;
    }
    char text[ERROR_TEXT_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(&s->error, STATUS_INVALID_ARGUMENT, "world image, byte %zu: %s",
              s->input_size - stream_left(s), text);
    s->failed = true;
    s->in_tail = true;
    memset(s->tail, 0, sizeof s->tail);
    s->at = s->end = s->tail;
}

void stream_make_room(image_stream *s, size_t count)
{
    size_t capacity = s->capacity;
    while (capacity - s->size < count) {
        capacity *= 2;
    }
    if (capacity > s->capacity) {
        s->output = realloc(s->output, capacity);
        ASSERT_MEMORY(s->output != NULL);
        s->capacity = capacity;
    }
}

void stream_enter_tail(image_stream *s)
{
    size_t left = stream_left(s);
    ASSERT(!s->in_tail && left < STREAM_RECORD_MAX);
    if (left > 0) { // an empty image may have no address
        memcpy(s->tail, s->at, left);
    }
    memset(s->tail + left, 0, sizeof s->tail - left);
    s->in_tail = true;
    s->at = s->tail;
    s->end = s->tail + left;
}

void stream_bytes(image_stream *s, void *bytes, size_t count)
{
    if (!s->reading) {
        stream_make_room(s, count);
        memcpy(s->output + s->size, bytes, count);
        s->size += count;
        return;
    }
    if (count > stream_left(s)) {
        stream_fail(s, "the image ends early");
    }
    if (s->failed) {
        memset(bytes, 0, count);
        return;
    }
    memcpy(bytes, s->at, count);
    s->at += count;
}

void stream_u64(image_stream *s, uint64_t *value)
{
    if (!s->reading) {
        uint8_t *at = stream_put(s);
        put_varint(&at, *value);
        stream_put_end(s, at);
        return;
    }
    const uint8_t *at = stream_get(s);
    *value = get_varint(&at);
    if (*value == UINT64_MAX) {
        stream_fail(s, "an integer of more than 63 bits");
    }
    if (!stream_get_end(s, at)) {
        *value = 0;
    }
}

void stream_word(image_stream *s, uint64_t *value)
{
    if (!s->reading) {
        uint8_t *at = stream_put(s);
        put_uint(&at, *value, 8);
        stream_put_end(s, at);
        return;
    }
    const uint8_t *at = stream_get(s);
    *value = get_uint(&at, 8);
    if (!stream_get_end(s, at)) {
        *value = 0;
    }
}

void stream_u32(image_stream *s, uint32_t *value, uint32_t max, const char *what)
{
    uint64_t wide = *value;
    stream_u64(s, &wide);
    if (wide > max) {
        stream_fail(s, "%s is %llu, at most %u is allowed", what, (unsigned long long)wide, max);
        wide = 0;
    }
    *value = (uint32_t)wide;
}

void stream_bool(image_stream *s, bool *value)
{
    uint32_t number = *value;
    stream_u32(s, &number, 1, "a truth value");
    *value = number != 0;
}

void stream_float(image_stream *s, float *value)
{
    if (!s->reading) {
        uint8_t *at = stream_put(s);
        put_float(&at, *value);
        stream_put_end(s, at);
        return;
    }
    const uint8_t *at = stream_get(s);
    *value = get_float(&at);
    if (!stream_get_end(s, at)) {
        *value = 0.0f;
    }
}

void stream_double(image_stream *s, double *value)
{
    if (!s->reading) {
        uint8_t *at = stream_put(s);
        put_double(&at, *value);
        stream_put_end(s, at);
        return;
    }
    const uint8_t *at = stream_get(s);
    *value = get_double(&at);
    if (!stream_get_end(s, at)) {
        *value = 0.0;
    }
}

void stream_vec2(image_stream *s, vec2 *value)
{
    stream_float(s, &value->x);
    stream_float(s, &value->y);
}

void stream_vec2d(image_stream *s, vec2d *value)
{
    stream_double(s, &value->x);
    stream_double(s, &value->y);
}
