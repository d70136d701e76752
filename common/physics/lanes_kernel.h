// What kernels share: lanes chosen, compared and shuffled; bodies' states gathered into lanes and
// their velocities scattered back. Only for files that are compiled once a variant.
//
// The compiler's vector types (gcc and clang have the same). Only what compilers do not find is
// written by hand for x86: the larger and smaller of two, square roots, and whether any lane is
// set.
#ifndef CAROM_COMMON_PHYSICS_LANES_KERNEL_H
#define CAROM_COMMON_PHYSICS_LANES_KERNEL_H

#include "common/physics/wide.h"
#include "common/physics/world.h"

#if defined(__SSE2__) && defined(__AVX__)
#define BY_HAND_AVX
#elif defined(__SSE2__)
#define BY_HAND_SSE
#endif
#ifdef __SSE2__
#include <immintrin.h>
#endif

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

typedef float quad __attribute__((vector_size(16)));

INLINE wide splat(float a)
{
    return (wide){a, a, a, a, a, a, a, a};
}

INLINE wide select_wide(wide_int mask, wide yes, wide no)
{
    return (wide)((mask & (wide_int)yes) | (~mask & (wide_int)no));
}

#ifdef BY_HAND_SSE
// One operation for each half.
#define BY_HALVES(operation, a, b)                                                                 \
    SHUFFLE((quad)operation((__m128)SHUFFLE(a, a, 0, 1, 2, 3), (__m128)SHUFFLE(b, b, 0, 1, 2, 3)), \
            (quad)operation((__m128)SHUFFLE(a, a, 4, 5, 6, 7), (__m128)SHUFFLE(b, b, 4, 5, 6, 7)), \
            0, 1, 2, 3, 4, 5, 6, 7)
#endif

// a > b ? a : b
INLINE wide max_wide(wide a, wide b)
{
#ifdef BY_HAND_AVX
    return (wide)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(BY_HAND_SSE)
    return BY_HALVES(_mm_max_ps, a, b);
#else
    return select_wide(a > b, a, b);
#endif
}

// a < b ? a : b
INLINE wide min_wide(wide a, wide b)
{
#ifdef BY_HAND_AVX
    return (wide)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(BY_HAND_SSE)
    return BY_HALVES(_mm_min_ps, a, b);
#else
    return select_wide(a < b, a, b);
#endif
}

INLINE wide clamp_wide(wide a, wide lower, wide upper)
{
    return max_wide(min_wide(a, upper), lower);
}

INLINE wide abs_wide(wide a)
{
    const int32_t all_but_sign = 0x7FFFFFFF;
    return (wide)((wide_int)a & all_but_sign);
}

INLINE wide sqrt_wide(wide a)
{
#ifdef BY_HAND_AVX
    return (wide)_mm256_sqrt_ps((__m256)a);
#elif defined(BY_HAND_SSE)
    quad low = (quad)_mm_sqrt_ps((__m128)SHUFFLE(a, a, 0, 1, 2, 3));
    quad high = (quad)_mm_sqrt_ps((__m128)SHUFFLE(a, a, 4, 5, 6, 7));
    return SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    for (int lane = 0; lane < LANES; lane++) {
        a[lane] = sqrtf(a[lane]);
    }
    return a;
#endif
}

// The lanes' sign bits, lane 0's first.
INLINE uint32_t signs_of(wide_int a)
{
#ifdef BY_HAND_AVX
    return (uint32_t)_mm256_movemask_ps((__m256)a);
#elif defined(BY_HAND_SSE)
    wide bits = (wide)a;
    int low = _mm_movemask_ps((__m128)SHUFFLE(bits, bits, 0, 1, 2, 3));
    int high = _mm_movemask_ps((__m128)SHUFFLE(bits, bits, 4, 5, 6, 7));
    return (uint32_t)(low | high << 4);
#else
    uint32_t signs = 0;
    for (int lane = 0; lane < LANES; lane++) {
        signs |= (uint32_t)(a[lane] < 0) << lane;
    }
    return signs;
#endif
}

INLINE bool any_lane(wide_int mask)
{
    return signs_of(mask) != 0;
}

// ---- bodies

// Eight bodies' states, turned from a row a body into a vector a field.
typedef struct state_lanes {
    wide vx, vy, w;
    wide flags; // bits, only carried along
    wide dx, dy, qc, qs;
} state_lanes;

INLINE void transpose(const wide r[8], wide out[8])
{
    wide t[8];
    wide u[8];
    for (int i = 0; i < 4; i++) {
        t[2 * i] = SHUFFLE(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[2 * i + 1] = SHUFFLE(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        u[4 * i] = SHUFFLE(t[4 * i], t[4 * i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        u[4 * i + 1] = SHUFFLE(t[4 * i], t[4 * i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        u[4 * i + 2] = SHUFFLE(t[4 * i + 1], t[4 * i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        u[4 * i + 3] = SHUFFLE(t[4 * i + 1], t[4 * i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; i++) {
        out[i] = SHUFFLE(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        out[i + 4] = SHUFFLE(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

INLINE state_lanes gather(const body_state *states, const uint32_t *slots)
{
    wide rows[8];
    wide fields[8];
    for (int i = 0; i < LANES; i++) {
        rows[i] = *(const wide *)(const void *)&states[slots[i]];
    }
    transpose(rows, fields);
    return (state_lanes){fields[0], fields[1], fields[2], fields[3],
                         fields[4], fields[5], fields[6], fields[7]};
}

// Two bodies' velocities beside each other.
INLINE wide two_rows(const body_state *states, uint32_t low, uint32_t high)
{
    quad a = *(const quad *)(const void *)&states[low];
    quad b = *(const quad *)(const void *)&states[high];
    return SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Without what they have moved: dx to qs are zero.
INLINE state_lanes gather_velocities(const body_state *states, const uint32_t *slots)
{
    wide r0 = two_rows(states, slots[0], slots[4]);
    wide r1 = two_rows(states, slots[1], slots[5]);
    wide r2 = two_rows(states, slots[2], slots[6]);
    wide r3 = two_rows(states, slots[3], slots[7]);
    wide t0 = SHUFFLE(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
    wide t1 = SHUFFLE(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
    wide t2 = SHUFFLE(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
    wide t3 = SHUFFLE(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    return (state_lanes){
        .vx = SHUFFLE(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13),
        .vy = SHUFFLE(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15),
        .w = SHUFFLE(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13),
        .flags = SHUFFLE(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15),
    };
}

// Writes the velocities back to the bodies that move. Mostly all do, or none.
INLINE void scatter(body_state *states, const uint32_t *slots, const state_lanes *s)
{
    _Static_assert(STATE_DYNAMIC == 1, "the lowest bit says who moves");
#ifdef BY_HAND_AVX // elsewhere the signs cost more than they save
    uint32_t moving = signs_of((wide_int)s->flags << 31);
    if (moving == 0) {
        return;
    }
    bool all = moving == (1u << LANES) - 1;
#else
    bool all = false;
#endif
    wide t0 = SHUFFLE(s->vx, s->vy, 0, 8, 1, 9, 4, 12, 5, 13);
    wide t1 = SHUFFLE(s->vx, s->vy, 2, 10, 3, 11, 6, 14, 7, 15);
    wide t2 = SHUFFLE(s->w, s->flags, 0, 8, 1, 9, 4, 12, 5, 13);
    wide t3 = SHUFFLE(s->w, s->flags, 2, 10, 3, 11, 6, 14, 7, 15);
    wide rows[4] = {
        SHUFFLE(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13),   // lanes 0 and 4
        SHUFFLE(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15), // 1 and 5
        SHUFFLE(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13),   // 2 and 6
        SHUFFLE(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15), // 3 and 7
    };
    for (int i = 0; i < 4; i++) {
        body_state *low = &states[slots[i]];
        body_state *high = &states[slots[i + 4]];
        if (all || (low->flags & STATE_DYNAMIC) != 0) {
            *(quad *)(void *)low = SHUFFLE(rows[i], rows[i], 0, 1, 2, 3);
        }
        if (all || (high->flags & STATE_DYNAMIC) != 0) {
            *(quad *)(void *)high = SHUFFLE(rows[i], rows[i], 4, 5, 6, 7);
        }
    }
}

#endif
