// Walks over MessagePack values that a scanner has passed, one after another, without building a
// tree: snapshots go from the bytes straight into structs.
//
// A reader that meets another type than the expected one, or the end of its bytes, has `failed` and
// gives zeros from then on, so that a decoder checks `failed` only once, at the end.
#ifndef CAROM_CLIENT_LIB_READER_H
#define CAROM_CLIENT_LIB_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/tag.h"

typedef struct reader {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
    bool starved; // value_unpack failed because memory had run out
} reader;

// The head of one value; for anything but a container, the whole value.
typedef struct reader_item {
    tag_kind kind;
    bool boolean;
    bool negative;        // an integer is negative
    uint64_t integer;     // its 64 bits
    double real;          // value of a float
    const uint8_t *bytes; // bytes of a str or bin
    uint32_t count;       // bytes of a str or bin, elements of an array, pairs of a map
} reader_item;

reader reader_open(const void *bytes, size_t size);

// Reads the next value, or the head of a container, whose elements follow. False on failure.
bool reader_next(reader *r, reader_item *item);

// Steps over one whole value.
void reader_skip(reader *r);

// Readers of one expected type. Numbers: any integer or finite float; unsigned: an integer >= 0, or
// a whole float.
uint32_t reader_array(reader *r);
uint32_t reader_map(reader *r);
double reader_number(reader *r);
uint64_t reader_unsigned(reader *r);
bool reader_bool(reader *r);

// A str or bin with valid UTF-8; points into the bytes.
typedef struct reader_text {
    const char *bytes;
    uint32_t size;
} reader_text;

reader_text reader_get_text(reader *r);
bool reader_text_is(reader_text text, const char *word);

#endif
