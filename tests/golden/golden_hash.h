// The hashes that golden files are made of: over what a world does, and over its image. golden.c
// and the build for WebAssembly (client/web/test) share them.
#ifndef CAROM_TESTS_GOLDEN_GOLDEN_HASH_H
#define CAROM_TESTS_GOLDEN_GOLDEN_HASH_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/physics/image.h"

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    return hash ^ hash >> 29;
}

static inline uint64_t mix_double(uint64_t hash, double value)
{
    uint64_t bits;
    value = value == 0.0 ? 0.0 : value;
    memcpy(&bits, &value, sizeof bits);
    return mix(hash, bits);
}

static inline uint64_t mix_events(uint64_t hash, const physics_world *world)
{
    uint32_t count;
    const physics_event *events = world_events(world, &count);
    for (uint32_t i = 0; i < count; i++) {
        const physics_event *e = &events[i];
        const uint64_t words[] = {(uint64_t)e->kind, e->tick,    e->a,    e->b,
                                  e->shape_a,        e->shape_b, e->joint};
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            hash = mix(hash, words[k]);
        }
        const double numbers[] = {e->point.x,          e->point.y,       (double)e->normal.x,
                                  (double)e->normal.y, (double)e->depth, (double)e->speed,
                                  (double)e->impulse};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            hash = mix_double(hash, numbers[k]);
        }
    }
    return hash;
}

static inline uint64_t image_hash(const physics_world *world)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    world_save(world, &bytes, &size);
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++) {
        hash = mix(hash, bytes[i]);
    }
    free(bytes);
    return hash;
}

#endif
