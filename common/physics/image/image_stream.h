// The bytes of an image, written or read.
//
// The frequent records (bodies, shapes, joints, contacts) reserve room for a whole record and then
// use an unchecked cursor (image_bytes.h); the end is checked after the record. The rare ones have
// one function for both directions, value by value.
//
// Reading never passes the end: near it, the remaining bytes are copied into a tail padded with
// zeros, so a record can be read before its length is known. The first error marks the stream as
// failed, with a text; after that every value reads as zero.
#ifndef CAROM_COMMON_PHYSICS_IMAGE_IMAGE_STREAM_H
#define CAROM_COMMON_PHYSICS_IMAGE_IMAGE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/geometry/math.h"

enum { STREAM_RECORD_MAX = 320 }; // bytes of a record, plus those that a cursor may touch beyond it

typedef struct image_stream {
    bool reading;
    bool failed;
    bool sealed;     // a checksum follows the end
    bool with_data;  // the world's data are in it
    bool with_rules; // the world's rules are in it; they say whether data follow
    bool with_seats; // the world's seats are in it; they say whether rules and data follow
    // one-way shapes are in it; marks say whether seats, rules or data follow
    bool with_one_way;
    bool foreign; // it failed because it is of another version or engine, or no image
    error error;
    uint8_t *output; // writing; grows
    size_t size, capacity;
    const uint8_t *at, *end; // reading
    const uint8_t *input;
    size_t input_size;
    bool in_tail; // `at` and `end` are in `tail`
    uint8_t tail[2 * STREAM_RECORD_MAX];
} image_stream;

void stream_write_open(image_stream *s, size_t expected); // reserves `expected` bytes
void stream_read_open(image_stream *s, const uint8_t *bytes, size_t size);

// Marks the stream as failed unless it is already.
void stream_fail(image_stream *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Fails the stream unless `condition`, about a value just read, is true.
static inline void stream_expect(image_stream *s, bool condition, const char *what)
{
    if (!condition) {
        stream_fail(s, "%s", what);
    }
}

// ---- records

void stream_make_room(image_stream *s, size_t count);
void stream_enter_tail(image_stream *s);

// Returns the place for a record of at most STREAM_RECORD_MAX bytes; stream_put_end gets the
// record's end.
static inline uint8_t *stream_put(image_stream *s)
{
    if (s->capacity - s->size < STREAM_RECORD_MAX) {
        stream_make_room(s, STREAM_RECORD_MAX);
    }
    return s->output + s->size;
}
static inline void stream_put_end(image_stream *s, const uint8_t *at)
{
    s->size = (size_t)(at - s->output);
}

// Returns the beginning of a record, of which at least STREAM_RECORD_MAX bytes can be read;
// stream_get_end gets its end and checks that the record lay within the image.
static inline const uint8_t *stream_get(image_stream *s)
{
    if (!s->in_tail && s->end - s->at < STREAM_RECORD_MAX) {
        stream_enter_tail(s);
    }
    return s->at;
}
static inline bool stream_get_end(image_stream *s, const uint8_t *at)
{
    if (s->failed) {
        return false; // `at` is not in this tail
    }
    if (at > s->end) {
        stream_fail(s, "the image ends early");
        return false;
    }
    s->at = at;
    return true;
}

// The number of bytes not yet read.
static inline size_t stream_left(const image_stream *s)
{
    return (size_t)(s->end - s->at);
}

// ---- values, written or read

void stream_bytes(image_stream *s, void *bytes, size_t count);
void stream_u64(image_stream *s, uint64_t *value);  // up to 63 bits; small values take fewer bytes
void stream_word(image_stream *s, uint64_t *value); // all 64 bits
// A number of at most `max`; `what` names it in the error.
void stream_u32(image_stream *s, uint32_t *value, uint32_t max, const char *what);
void stream_bool(image_stream *s, bool *value);
void stream_float(image_stream *s, float *value);
void stream_double(image_stream *s, double *value);
void stream_vec2(image_stream *s, vec2 *value);
void stream_vec2d(image_stream *s, vec2d *value);

#endif
