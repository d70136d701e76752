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

#include <string.h>

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

// From and to floats at any address.
INLINE wide load_wide(const float *at)
{
    wide loaded;
    memcpy(&loaded, at, sizeof loaded);
    return loaded;
}

INLINE void store_wide(float *at, wide stored)
{
    memcpy(at, &stored, sizeof stored);
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

// Four floats of one place and four of another.
INLINE wide two_fours(const void *low, const void *high)
{
#ifdef BY_HAND_AVX // or gcc loads both and then shuffles
    return (wide)_mm256_insertf128_ps(_mm256_castps128_ps256(*(const __m128 *)low),
                                      *(const __m128 *)high, 1);
#else
    quad a = *(const quad *)low;
    quad b = *(const quad *)high;
    return SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

// Four rows by four fields in each half, into four fields by four rows, or the other way round:
// r[i] are the rows of lanes i and i + 4.
INLINE void turn_fours(const wide r[4], wide out[4])
{
    wide t0 = SHUFFLE(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    wide t1 = SHUFFLE(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    wide t2 = SHUFFLE(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    wide t3 = SHUFFLE(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = SHUFFLE(t0, t2, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = SHUFFLE(t0, t2, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = SHUFFLE(t1, t3, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = SHUFFLE(t1, t3, 2, 3, 10, 11, 6, 7, 14, 15);
}

// Of eight elements of an array, by their slots, four floats into a vector a field; `first` are
// those of the array's first element. Eight floats are taken in two such parts: that needs no
// shuffles across the middle of a vector, which are slow.
INLINE void gather_fours(const void *first, size_t element_bytes, const uint32_t *slots,
                         wide out[4])
{
    const char *at = first;
    wide rows[4];
    for (int i = 0; i < 4; i++) {
        rows[i] = two_fours(at + slots[i] * element_bytes, at + slots[i + 4] * element_bytes);
    }
    turn_fours(rows, out);
}

// The row of a lane.
INLINE quad row_of(const wide rows[4], uint32_t lane)
{
    wide both = rows[lane % 4];
    return lane < 4 ? SHUFFLE(both, both, 0, 1, 2, 3) : SHUFFLE(both, both, 4, 5, 6, 7);
}

// Without what they have moved: dx to qs are zero.
INLINE state_lanes gather_velocities(const body_state *states, const uint32_t *slots)
{
    wide f[4];
    gather_fours(&states->velocity, sizeof *states, slots, f);
    return (state_lanes){.vx = f[0], .vy = f[1], .w = f[2], .flags = f[3]};
}

INLINE state_lanes gather(const body_state *states, const uint32_t *slots)
{
    state_lanes s = gather_velocities(states, slots);
    wide f[4];
    gather_fours(&states->delta_position, sizeof *states, slots, f);
    s.dx = f[0];
    s.dy = f[1];
    s.qc = f[2];
    s.qs = f[3];
    return s;
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
#endif
    const wide fields[4] = {s->vx, s->vy, s->w, s->flags};
    wide rows[4];
    turn_fours(fields, rows);
#ifdef BY_HAND_AVX
    if (moving == (1u << LANES) - 1) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            *(quad *)(void *)&states[slots[lane]] = row_of(rows, lane);
        }
        return;
    }
#endif
    for (uint32_t lane = 0; lane < LANES; lane++) {
        body_state *state = &states[slots[lane]];
        if ((state->flags & STATE_DYNAMIC) != 0) {
            *(quad *)(void *)state = row_of(rows, lane);
        }
    }
}

#endif
