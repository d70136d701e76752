// Four floats at a time.
//
// The compiler's vector types (gcc and clang have the same), so each lane is computed exactly like
// a single float and the bits are the same on every processor. Operations that compilers do not
// recognise (minimum, maximum, selection, square root, sign mask) are written by hand for SSE,
// WebAssembly and the NEON of 64-bit ARM (32-bit NEON flushes the smallest numbers to zero).
#ifndef CAROM_COMMON_GEOMETRY_QUAD_H
#define CAROM_COMMON_GEOMETRY_QUAD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#define BY_HAND_SSE
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define BY_HAND_NEON
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#define BY_HAND_WASM
#include <wasm_simd128.h>
#endif

#include "common/geometry/math.h"

enum { QUAD_LANES = 4 };

typedef float quad __attribute__((vector_size(16)));
typedef int32_t quad_int __attribute__((vector_size(16)));

static inline quad quad_splat(float a)
{
    return (quad){a, a, a, a};
}

static inline quad quad_load(const void *from)
{
    quad a;
    memcpy(&a, from, sizeof a);
    return a;
}

// Combines lanes of two vectors: 0 to 3 are lanes of a, 4 to 7 lanes of b; all indices are
// constants.
#define QUAD_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)

// Spreads one lane over all lanes.
#define QUAD_SPREAD(a, lane) QUAD_SHUFFLE(a, a, lane, lane, lane, lane)

// Loads x and y of four consecutive points.
static inline void quad_load_points(const vec2 *points, quad *x, quad *y)
{
    quad low = quad_load(points);
    quad high = quad_load(points + 2);
    *x = QUAD_SHUFFLE(low, high, 0, 2, 4, 6);
    *y = QUAD_SHUFFLE(low, high, 1, 3, 5, 7);
}

// Joins the two floats at each of two addresses as halves of a register. If they were joined in
// memory, as compilers tend to do, the load would have to wait for both stores.
static inline quad quad_join(const void *low, const void *high)
{
    typedef double halves __attribute__((vector_size(16)));
    double bits[2];
    memcpy(&bits[0], low, sizeof bits[0]);
    memcpy(&bits[1], high, sizeof bits[1]);
    return (quad)(halves){bits[0], bits[1]};
}

// In each lane `yes` where the mask's bits are set, `no` where they are not.
static inline quad quad_select(quad_int mask, quad yes, quad no)
{
#ifdef BY_HAND_NEON
    return (quad)vbslq_f32((uint32x4_t)mask, (float32x4_t)yes, (float32x4_t)no);
#elif defined(BY_HAND_WASM)
    return (quad)wasm_v128_bitselect((v128_t)yes, (v128_t)no, (v128_t)mask);
#else
    return (quad)((mask & (quad_int)yes) | (~mask & (quad_int)no));
#endif
}

// a < b ? a : b in each lane. (NEON's own minimum orders zeros by their signs.)
static inline quad quad_min(quad a, quad b)
{
#ifdef BY_HAND_SSE
    return (quad)_mm_min_ps((__m128)a, (__m128)b);
#elif defined(BY_HAND_WASM) // pmin returns its second operand if that is smaller, else its first
    return (quad)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
#else
    return quad_select(a < b, a, b);
#endif
}

// a > b ? a : b in each lane.
static inline quad quad_max(quad a, quad b)
{
#ifdef BY_HAND_SSE
    return (quad)_mm_max_ps((__m128)a, (__m128)b);
#elif defined(BY_HAND_WASM)
    return (quad)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#else
    return quad_select(a > b, a, b);
#endif
}

static inline quad quad_sqrt(quad a)
{
#ifdef BY_HAND_SSE
    return (quad)_mm_sqrt_ps((__m128)a);
#elif defined(BY_HAND_NEON)
    return (quad)vsqrtq_f32((float32x4_t)a);
#elif defined(BY_HAND_WASM)
    return (quad)wasm_f32x4_sqrt((v128_t)a);
#else
    return (quad){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
#endif
}

// a in the lanes from 0 to count - 1, b in the others.
static inline quad quad_first(int count, quad a, quad b)
{
    return quad_select((quad_int){0, 1, 2, 3} < (quad_int){count, count, count, count}, a, b);
}

// float_min and float_max without branches, for unpredictable values.
static inline float lane_min(float a, float b)
{
#ifdef BY_HAND_SSE
    return _mm_cvtss_f32(_mm_min_ss(_mm_set_ss(a), _mm_set_ss(b)));
#else
    return a < b ? a : b;
#endif
}

static inline float lane_max(float a, float b)
{
#ifdef BY_HAND_SSE
    return _mm_cvtss_f32(_mm_max_ss(_mm_set_ss(a), _mm_set_ss(b)));
#else
    return a > b ? a : b;
#endif
}

// The largest of the four, in every lane.
static inline quad quad_largest(quad a)
{
    a = quad_max(a, QUAD_SHUFFLE(a, a, 2, 3, 0, 1));
    return quad_max(a, QUAD_SHUFFLE(a, a, 1, 0, 3, 2));
}

// The smallest of the four, in every lane.
static inline quad quad_smallest(quad a)
{
    a = quad_min(a, QUAD_SHUFFLE(a, a, 2, 3, 0, 1));
    return quad_min(a, QUAD_SHUFFLE(a, a, 1, 0, 3, 2));
}

// The lanes' sign bits, lane 0's first.
static inline uint32_t quad_signs(quad_int a)
{
#ifdef BY_HAND_SSE
    return (uint32_t)_mm_movemask_ps((__m128)a);
#elif defined(BY_HAND_NEON)
    const uint32x4_t bits = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32((uint32x4_t)(a < 0), bits));
#elif defined(BY_HAND_WASM)
    return (uint32_t)wasm_i32x4_bitmask((v128_t)a);
#else
    uint32_t signs = 0;
    for (int lane = 0; lane < QUAD_LANES; lane++) {
        signs |= (uint32_t)(a[lane] < 0) << lane;
    }
    return signs;
#endif
}

// Bit i is set where lane i of a equals b's.
static inline uint32_t quad_equal_mask(quad a, quad b)
{
    return quad_signs(a == b);
}

#endif
