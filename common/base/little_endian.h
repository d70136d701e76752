// Whole numbers to bytes and back, the low byte first, for logs, images and frames: the bytes are
// the same on every machine.
//
// put32 and get32 touch exactly 4 bytes, put64 and get64 exactly 8. The address need not be
// aligned. The caller has made sure that so many bytes are there; nothing here checks it. Every
// value is allowed; a double travels as its IEEE bits in 64.
//
// Pure; any thread.
#ifndef CAROM_COMMON_BASE_LITTLE_ENDIAN_H
#define CAROM_COMMON_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

static inline void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline void put64(uint8_t *at, uint64_t value)
{
    put32(at, (uint32_t)value);
    put32(at + 4, (uint32_t)(value >> 32));
}

static inline uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t get64(const uint8_t *at)
{
    return get32(at) | (uint64_t)get32(at + 4) << 32;
}

#endif
