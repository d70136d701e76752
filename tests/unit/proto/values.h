// One value of every width of every MessagePack type, and what the tests of the wire share.
#ifndef CAROM_TESTS_UNIT_PROTO_VALUES_H
#define CAROM_TESTS_UNIT_PROTO_VALUES_H

#include <stddef.h>
#include <stdint.h>

typedef struct sample {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} sample;

// All samples; those with 16 and 32-bit lengths also with a body that needs the length.
const sample *samples(size_t *count);

// A small generator with a seed, for tests that want many cases (xorshift64*).
uint64_t random_next(uint64_t *state);

#endif
