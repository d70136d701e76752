// Shared by the kernels: select, compare and shuffle lanes, and gather rows into them. Only files
// that are compiled once per variant include it, before all other headers of this room.
//
// `lanes` is the variant's vector: eight lanes, a whole group, or four. Kernels with four lanes
// process the PARTS of a group one after the other. (gcc 12 does split wider vectors into narrow
// ones, but keeps them in memory and compares and shuffles them lane by lane.)
//
// It uses the compiler's vector types, which gcc and clang share. Operations that compilers do not
// recognise are written by hand: for AVX here, for four lanes in quad.h.
#ifndef CAROM_COMMON_PHYSICS_LANES_LANES_KERNEL_H
#define CAROM_COMMON_PHYSICS_LANES_LANES_KERNEL_H

#ifdef CAROM_COMMON_PHYSICS_LANES_WIDE_H
#error "lanes_kernel.h says how wide.h is to be read: include it first"
#endif
#ifndef __AVX__
#define LANES_IN_PARTS
#elif defined(__SSE2__)
#define BY_HAND_AVX
#include <immintrin.h>
#endif

#include <math.h>
#include <string.h>

#include "common/physics/lanes/wide.h"

#ifndef KERNEL_VARIANT
#define KERNEL_VARIANT base
#endif
#define JOIN_(a, b)         a##b
#define JOIN(a, b)          JOIN_(a, b)
#define VARIANT_OF(kernels) JOIN(kernels, KERNEL_VARIANT)
#define TEXT_(a)            #a
#define TEXT(a)             TEXT_(a)

#define INLINE  static inline __attribute__((always_inline))
#define SHUFFLE __builtin_shufflevector

#ifdef LANES_IN_PARTS
typedef quad lanes;
typedef quad_int lanes_int;
#else
typedef wide lanes;
typedef wide_int lanes_int;
#endif
enum {
    PART_LANES = sizeof(lanes) / sizeof(float),
    PARTS = LANES / PART_LANES // number of parts of a group
};

// Shifts a pointer to a struct of lanes to the group's `part`-th part; see EACH() in wide.h.
#define PART_OF(group, part) ((void *)((char *)(group) + (size_t)(part) * sizeof(lanes)))

INLINE const void *const_part_of(const void *group, int part)
{
    return (const char *)group + (size_t)part * sizeof(lanes);
}

INLINE lanes splat(float a)
{
#ifdef LANES_IN_PARTS
    return quad_splat(a);
#else
    return WIDE_SPLAT(a);
#endif
}

// Load and store floats at any address.
INLINE lanes lanes_load(const float *at)
{
    lanes loaded;
    memcpy(&loaded, at, sizeof loaded);
    return loaded;
}

INLINE void lanes_store(float *at, lanes stored)
{
    memcpy(at, &stored, sizeof stored);
}

// In each lane `yes` where the mask's bits are set, `no` where they are not.
INLINE lanes lanes_select(lanes_int mask, lanes yes, lanes no)
{
#ifdef LANES_IN_PARTS
    return quad_select(mask, yes, no);
#else
    return (lanes)((mask & (lanes_int)yes) | (~mask & (lanes_int)no));
#endif
}

// a > b ? a : b
INLINE lanes lanes_max(lanes a, lanes b)
{
#ifdef BY_HAND_AVX
    return (lanes)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(LANES_IN_PARTS)
    return quad_max(a, b);
#else
    return lanes_select(a > b, a, b);
#endif
}

// a < b ? a : b
INLINE lanes lanes_min(lanes a, lanes b)
{
#ifdef BY_HAND_AVX
    return (lanes)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(LANES_IN_PARTS)
    return quad_min(a, b);
#else
    return lanes_select(a < b, a, b);
#endif
}

INLINE lanes lanes_clamp(lanes a, lanes lower, lanes upper)
{
    return lanes_max(lanes_min(a, upper), lower);
}

INLINE lanes lanes_abs(lanes a)
{
    const int32_t all_but_sign = 0x7FFFFFFF;
    return (lanes)((lanes_int)a & all_but_sign);
}

INLINE lanes lanes_sqrt(lanes a)
{
#ifdef BY_HAND_AVX
    return (lanes)_mm256_sqrt_ps((__m256)a);
#elif defined(LANES_IN_PARTS)
    return quad_sqrt(a);
#else
    for (int lane = 0; lane < PART_LANES; lane++) {
        a[lane] = sqrtf(a[lane]);
    }
    return a;
#endif
}

// The lanes' sign bits, lane 0's first.
INLINE uint32_t signs_of(lanes_int a)
{
#ifdef BY_HAND_AVX
    return (uint32_t)_mm256_movemask_ps((__m256)a);
#elif defined(LANES_IN_PARTS)
    return quad_signs(a);
#else
    uint32_t signs = 0;
    for (int lane = 0; lane < PART_LANES; lane++) {
        signs |= (uint32_t)(a[lane] < 0) << lane;
    }
    return signs;
#endif
}

INLINE bool any_lane(lanes_int mask)
{
    return signs_of(mask) != 0;
}

// ---- rows of four floats

// Transposes rows of four fields into fields, or back. With eight lanes, r[i] are the rows of lanes
// i and i + 4, and each half is transposed by itself: that needs no shuffles across the middle of a
// vector, which are slow.
INLINE void turn_fours(const lanes r[4], lanes out[4])
{
#ifdef LANES_IN_PARTS
    lanes t0 = SHUFFLE(r[0], r[1], 0, 4, 1, 5);
    lanes t1 = SHUFFLE(r[0], r[1], 2, 6, 3, 7);
    lanes t2 = SHUFFLE(r[2], r[3], 0, 4, 1, 5);
    lanes t3 = SHUFFLE(r[2], r[3], 2, 6, 3, 7);
    out[0] = SHUFFLE(t0, t2, 0, 1, 4, 5);
    out[1] = SHUFFLE(t0, t2, 2, 3, 6, 7);
    out[2] = SHUFFLE(t1, t3, 0, 1, 4, 5);
    out[3] = SHUFFLE(t1, t3, 2, 3, 6, 7);
#else
    lanes t0 = SHUFFLE(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    lanes t1 = SHUFFLE(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    lanes t2 = SHUFFLE(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    lanes t3 = SHUFFLE(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = SHUFFLE(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = SHUFFLE(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = SHUFFLE(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = SHUFFLE(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15);
#endif
}

// Loads the `i`-th row, i < 4, for turn_fours(): four floats at an address for each lane, or for
// each of two.
INLINE lanes load_rows(const char *at, size_t element_bytes, const uint32_t *slots, int i)
{
    const quad *first = (const quad *)(const void *)(at + slots[i] * element_bytes);
#ifdef LANES_IN_PARTS
    return *first;
#else
    const quad *second = (const quad *)(const void *)(at + slots[i + 4] * element_bytes);
#ifdef BY_HAND_AVX // otherwise gcc loads both and then shuffles
    return (lanes)_mm256_insertf128_ps(_mm256_castps128_ps256(*(const __m128 *)first),
                                       *(const __m128 *)second, 1);
#else
    return SHUFFLE(*first, *second, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
#endif
}

// Gathers four floats of array elements, chosen by slot, into one vector per field; `first` points
// at those of the array's first element.
INLINE void gather_fours(const void *first, size_t element_bytes, const uint32_t *slots,
                         lanes out[4])
{
    lanes rows[4];
    for (int i = 0; i < 4; i++) {
        rows[i] = load_rows(first, element_bytes, slots, i);
    }
    turn_fours(rows, out);
}

// The row of a lane.
INLINE quad row_of(const lanes rows[4], uint32_t lane)
{
#ifdef LANES_IN_PARTS
    return rows[lane];
#else
    lanes both = rows[lane % 4];
    return lane < 4 ? SHUFFLE(both, both, 0, 1, 2, 3) : SHUFFLE(both, both, 4, 5, 6, 7);
#endif
}

#endif
