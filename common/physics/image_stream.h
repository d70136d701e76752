// A stream of plain values that is either written or read: one description of a record serves both
// ways.
//
// Integers are LEB128 (seven bits a byte, low ones first), floats their IEEE bits in little-endian
// order. Reading never passes the end: the first thing that is wrong marks the stream as failed,
// with a text; from then on everything reads as zero.
#ifndef CAROM_COMMON_PHYSICS_IMAGE_STREAM_H
#define CAROM_COMMON_PHYSICS_IMAGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/geometry/math.h"

typedef struct image_stream {
    bool reading;
    bool failed;
    error error;
    const uint8_t *input; // reading
    size_t size, place;
    uint8_t *output; // writing; grows
    size_t capacity;
} image_stream;

// Marks the stream as failed unless it is already.
void stream_fail(image_stream *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
// `condition` must hold of what was read.
void stream_expect(image_stream *s, bool condition, const char *what);

void stream_bytes(image_stream *s, void *bytes, size_t count);
void stream_u64(image_stream *s, uint64_t *value);
// A number that may be at most `max`; `what` names it in the error.
void stream_u32(image_stream *s, uint32_t *value, uint32_t max, const char *what);
void stream_bool(image_stream *s, bool *value);
void stream_float(image_stream *s, float *value);
void stream_double(image_stream *s, double *value);
void stream_vec2(image_stream *s, vec2 *value);
void stream_vec2d(image_stream *s, vec2d *value);

#endif
