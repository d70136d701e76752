// Converts values to bytes and back through a cursor, for records whose space was checked
// beforehand. Little-endian on every machine; floats are their IEEE bits.
#ifndef CAROM_COMMON_PHYSICS_IMAGE_IMAGE_BYTES_H
#define CAROM_COMMON_PHYSICS_IMAGE_IMAGE_BYTES_H

#include <stdint.h>
#include <string.h>

#include "common/geometry/math.h"

static inline uint64_t little_endian(uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(value);
#else
    return value;
#endif
}

// ---- writing: up to eight bytes past the cursor are overwritten, whatever it advances by

// Writes the lowest `bytes` bytes of the value.
static inline void put_uint(uint8_t **at, uint64_t value, uint32_t bytes)
{
    value = little_endian(value);
    memcpy(*at, &value, sizeof value);
    *at += bytes;
}

// LEB128: seven bits a byte, low ones first; at most ten bytes.
static inline void put_varint(uint8_t **at, uint64_t value)
{
    for (; value > 0x7F; value >>= 7) {
        *(*at)++ = (uint8_t)(value | 0x80);
    }
    *(*at)++ = (uint8_t)value;
}

static inline void put_float(uint8_t **at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_uint(at, bits, sizeof bits);
}

static inline void put_double(uint8_t **at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_uint(at, bits, sizeof bits);
}

static inline void put_vec2(uint8_t **at, vec2 value)
{
    uint32_t x;
    uint32_t y;
    memcpy(&x, &value.x, sizeof x);
    memcpy(&y, &value.y, sizeof y);
    put_uint(at, (uint64_t)y << 32 | x, 8);
}

static inline void put_vec2d(uint8_t **at, vec2d value)
{
    put_double(at, value.x);
    put_double(at, value.y);
}

// ---- reading: up to eight bytes past the cursor are read

static inline uint64_t get_uint(const uint8_t **at, uint32_t bytes)
{
    uint64_t value;
    memcpy(&value, *at, sizeof value);
    *at += bytes;
    value = little_endian(value);
    return bytes == 8 ? value : value & (((uint64_t)1 << 8 * bytes) - 1);
}

// UINT64_MAX for a number of more than 63 bits, which no value of an image has.
static inline uint64_t get_varint(const uint8_t **at)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if ((byte & 0x80) == 0) {
            return value;
        }
    }
    return UINT64_MAX;
}

static inline float get_float(const uint8_t **at)
{
    uint32_t bits = (uint32_t)get_uint(at, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double get_double(const uint8_t **at)
{
    uint64_t bits = get_uint(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline vec2 get_vec2(const uint8_t **at)
{
    uint64_t both = get_uint(at, 8);
    uint32_t x = (uint32_t)both;
    uint32_t y = (uint32_t)(both >> 32);
    vec2 value;
    memcpy(&value.x, &x, sizeof x);
    memcpy(&value.y, &y, sizeof y);
    return value;
}

static inline vec2d get_vec2d(const uint8_t **at)
{
    vec2d value;
    value.x = get_double(at);
    value.y = get_double(at);
    return value;
}

#endif
