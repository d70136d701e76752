// The meaning of a MessagePack value's first byte, and of its whole head, for the scanner, the
// check and the scenes. Internal to proto; pure; any thread.
#ifndef CAROM_COMMON_BASE_TAG_H
#define CAROM_COMMON_BASE_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tag_kind {
    TAG_RESERVED, // 0xc1, which the format never uses
    TAG_NIL,
    TAG_BOOL,
    TAG_INTEGER,
    TAG_FLOAT,
    TAG_STR,
    TAG_BIN,
    TAG_EXT,
    TAG_ARRAY,
    TAG_MAP
} tag_kind;

typedef struct tag_info {
    uint8_t kind;         // tag_kind
    uint8_t length_bytes; // bytes of the big-endian length after the tag: 0, 1, 2 or 4
    uint8_t fixed;        // the length when length_bytes is 0; else added to it
} tag_info;

// The length counts elements of an array, pairs of a map, and the bytes that follow the head of
// anything else (an ext's type byte among them).
tag_info tag_read(uint8_t tag);

typedef struct value_head {
    tag_kind kind;
    uint32_t size;   // bytes of the head: tag and length
    uint64_t length; // as in tag_info
} value_head;

// Reads the head at `bytes`; false when `available` bytes do not contain all of it.
bool value_head_read(const uint8_t *bytes, size_t available, value_head *out);

// The integer whose `length` body bytes (0 for a fixint) follow `tag`: its low 64 bits, and whether
// it is negative.
uint64_t tag_integer(uint8_t tag, const uint8_t *body, bool *negative);

#endif
