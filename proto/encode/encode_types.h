// Parts of answers that are made by their callers: numbers by name, and rows that are encoded
// already. Plain data; any thread.
#ifndef CAROM_PROTO_ENCODE_ENCODE_TYPES_H
#define CAROM_PROTO_ENCODE_ENCODE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

// A name and a number: limits and counters are lists of these, so that adding one touches one
// place.
typedef struct named_number {
    const char *name;
    double value;
    bool whole; // written as an integer; else as float 64
} named_number;

// Encoded elements one after another, without an array's header.
typedef struct encoded_list {
    const uint8_t *bytes;
    size_t size;
    uint32_t count;
} encoded_list;

#endif
