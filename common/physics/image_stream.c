#include "common/physics/image_stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

enum { CAPACITY_MIN = 4096 };

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
    s->failed = true;
    error_set(&s->error, STATUS_INVALID_ARGUMENT, "world image, byte %zu: %s", s->place, text);
}

void stream_expect(image_stream *s, bool condition, const char *what)
{
    if (!condition) {
        stream_fail(s, "%s", what);
    }
}

static void make_room(image_stream *s, size_t count)
{
    if (s->size + count <= s->capacity) {
        return;
    }
    size_t capacity = s->capacity < CAPACITY_MIN ? CAPACITY_MIN : s->capacity;
    while (capacity < s->size + count) {
        capacity *= 2;
    }
    s->output = realloc(s->output, capacity);
    ASSERT(s->output != NULL);
    s->capacity = capacity;
}

void stream_bytes(image_stream *s, void *bytes, size_t count)
{
    if (!s->reading) {
        make_room(s, count);
        memcpy(s->output + s->size, bytes, count);
        s->size += count;
        return;
    }
    if (!s->failed && count > s->size - s->place) {
        stream_fail(s, "the image ends early");
    }
    if (s->failed) {
        memset(bytes, 0, count);
        return;
    }
    memcpy(bytes, s->input + s->place, count);
    s->place += count;
}

static uint64_t read_u64(image_stream *s)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = 0;
        stream_bytes(s, &byte, 1);
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0) {
            return value;
        }
    }
    stream_fail(s, "an integer of more than 64 bits");
    return 0;
}

void stream_u64(image_stream *s, uint64_t *value)
{
    if (s->reading) {
        *value = read_u64(s);
        return;
    }
    uint8_t bytes[10];
    size_t count = 0;
    uint64_t rest = *value;
    do {
        uint8_t more = rest > 0x7F ? 0x80 : 0;
        bytes[count++] = (uint8_t)((rest & 0x7F) | more);
        rest >>= 7;
    } while (rest != 0);
    stream_bytes(s, bytes, count);
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
    uint32_t bits;
    uint8_t bytes[4];
    memcpy(&bits, value, sizeof bits);
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(bits >> 8 * i);
    }
    stream_bytes(s, bytes, sizeof bytes);
    if (s->reading) {
        bits = 0;
        for (int i = 0; i < 4; i++) {
            bits |= (uint32_t)bytes[i] << 8 * i;
        }
        memcpy(value, &bits, sizeof bits);
    }
}

void stream_double(image_stream *s, double *value)
{
    uint64_t bits;
    uint8_t bytes[8];
    memcpy(&bits, value, sizeof bits);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(bits >> 8 * i);
    }
    stream_bytes(s, bytes, sizeof bytes);
    if (s->reading) {
        bits = 0;
        for (int i = 0; i < 8; i++) {
            bits |= (uint64_t)bytes[i] << 8 * i;
        }
        memcpy(value, &bits, sizeof bits);
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
