// Data of a world: keys with values, which the engine only keeps. So a game's own state (scores,
// rounds, names) is part of a world's hash, images, copies and logs.
//
// A key is a text; a value is one MessagePack value. Every change of data has a number, counted for
// the world as a whole; the number of its last change is a key's version, so no version is used
// twice, not even by a key that was removed and set again. A world whose data were removed has the
// same hash as one that never had any; only its images still have the number of changes.
//
// Costs: nothing without data. A change is a binary search and a move of pointers.
#ifndef CAROM_COMMON_PHYSICS_DATA_H
#define CAROM_COMMON_PHYSICS_DATA_H

#include "common/physics/physics.h"

enum {
    DATA_KEY_BYTES_MAX = 128,        // by contract
    DATA_VALUE_BYTES_MAX = 64 << 10, // as much as `ping` echoes: a message of a fair size
    // Containers within each other; with those of a log around it below WIRE_DEPTH_MAX
    DATA_VALUE_DEPTH_MAX = 16,
    DATA_KEYS_MAX = 1 << 16,
    DATA_BYTES_MAX = 16 << 20, // keys and values, with DATUM_BYTES for each key
    DATUM_BYTES = 64           // memory of a key beside its bytes and its value's bytes
};

typedef struct world_datum {
    const char *key;      // UTF-8, 1 to DATA_KEY_BYTES_MAX bytes
    const uint8_t *value; // MessagePack, not nil
    uint32_t value_size;  // bytes
    uint64_t version;     // 1 and more
} world_datum;

// Whether the engine accepts this key and value. STATUS_INVALID_ARGUMENT for a key that is empty or
// not UTF-8, and for a value that is not one MessagePack value, is nil, or nests too deep;
// STATUS_LIMIT_EXCEEDED for too many bytes.
status world_data_check(const char *key, const uint8_t *value, size_t size, error *err);

// Sets the key and stores its new version in *version. Errors: those of world_data_check(), and
// STATUS_LIMIT_EXCEEDED for more than DATA_KEYS_MAX or DATA_BYTES_MAX.
status world_data_set(physics_world *world, const char *key, const uint8_t *value, size_t size,
                      uint64_t *version, error *err);
// STATUS_NOT_FOUND if there is no such key.
status world_data_remove(physics_world *world, const char *key, error *err);

// False if there is no such key. Pointers stay valid until the world's data change.
bool world_data_find(const physics_world *world, const char *key, world_datum *out);

typedef struct world_data_counts {
    uint32_t keys;
    uint64_t bytes;   // as DATA_BYTES_MAX counts them
    uint64_t changes; // since the world began
} world_data_counts;

world_data_counts world_data_count(const physics_world *world); // constant time

// The datum at an index in ascending order of keys' bytes; `index` is below the count of keys.
world_datum world_data_at(const physics_world *world, uint32_t index);
// The index of the first key that is not below `text`: keys that begin with a prefix follow each
// other from there.
uint32_t world_data_from(const physics_world *world, const char *text);

// The bytes that a key with a value of this size counts for.
static inline uint64_t world_datum_bytes(size_t key_size, size_t value_size)
{
    return DATUM_BYTES + (uint64_t)key_size + value_size;
}

#endif
