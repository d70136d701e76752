// The internal form of a value: a node of 24 bytes with pointers to its children, so that a node
// never moves and a caller may go on building a child after adding it to its parent.
//
// Invariants: strings, bins and keys have a zero after their last byte; a CAROM_INT is negative; a
// container never contains NULL.
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

// The reason why a container is incomplete.
typedef enum value_broken {
    VALUE_WHOLE,
    VALUE_STARVED, // a child could not be made or added: memory had run out
    VALUE_MISUSED  // a child was added to a value that is no container, or without a key
} value_broken;

struct carom_value {
    uint8_t type;      // a carom_type
    uint8_t broken;    // a container's value_broken
    uint32_t capacity; // number of items or pairs
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

// Makes room for `count` children at once; false when there is no memory.
bool value_reserve(carom_value *container, size_t count);

// Appends to a map without checking whether the key exists: for decoders of checked bytes. Takes
// over `child`. False when there is no memory.
bool value_append_pair(carom_value *map, const char *key, size_t key_size, carom_value *child);

#endif
