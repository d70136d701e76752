// Inside of a value: a node of 24 bytes, its children as pointers, so that a node stays where it is
// for as long as it lives and a caller may keep building a child after it was put into its parent.
//
// Invariants: strings, bins and keys have a zero after their last byte; a CAROM_INT is negative; a
// container never holds NULL.
#ifndef CAROM_CLIENT_LIB_VALUE_TREE_H
#define CAROM_CLIENT_LIB_VALUE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/value.h>

typedef struct value_pair {
    char *key;
    size_t key_size;
    carom_value *value;
} value_pair;

// Why a container is not whole.
typedef enum value_broken {
    VALUE_WHOLE,
    VALUE_STARVED, // a child could not be made or put in: memory had run out
    VALUE_MISUSED  // a child was put into something that holds none, or under no key
} value_broken;

struct carom_value {
    uint8_t type;      // a carom_type
    uint8_t broken;    // of a container: a value_broken
    uint32_t capacity; // of items or pairs
    union {
        bool boolean;
        int64_t integer;
        uint64_t natural;
        double real;
        size_t count; // bytes, items or pairs
    };
    union {
        char *bytes;
        carom_value **items;
        value_pair *pairs;
    };
};

_Static_assert(sizeof(struct carom_value) == 24, "a malloc of 32 bytes holds a node");

carom_value *value_create(carom_type type);

// Room for so many children at once; false when there is no memory.
bool value_reserve(carom_value *container, size_t count);

// Appends to a map without looking whether the key is there: for decoders of what was checked.
// Takes `child` over. False when there is no memory.
bool value_append_pair(carom_value *map, const char *key, size_t key_size, carom_value *child);

#endif
