// Four floats at a time, for the kernels of this room; not for other rooms.
//
// The compiler's vector types (gcc and clang have the same), so that each lane is computed exactly
// as a lone float would be and the bits are the same on every processor. Only the smallest of two
// and the mask of signs are written for SSE by hand: compilers do not find them.
#ifndef CAROM_COMMON_GEOMETRY_LANES_H
#define CAROM_COMMON_GEOMETRY_LANES_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "common/geometry/math.h"

enum { LANES = 4 };

typedef float lanes __attribute__((vector_size(16)));
typedef int32_t lanes_int __attribute__((vector_size(16)));

static inline lanes lanes_splat(float a)
{
    return (lanes){a, a, a, a};
}

static inline lanes lanes_load(const void *from)
{
    lanes a;
    memcpy(&a, from, sizeof a);
    return a;
}

// Lanes of two vectors put together: 0 to 3 are a's, 4 to 7 are b's; all of them constants.
#ifdef __clang__
#define LANES_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define LANES_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, (lanes_int){i, j, k, l})
#endif

// One lane in all of them.
#define LANES_SPREAD(a, lane) LANES_SHUFFLE(a, a, lane, lane, lane, lane)

// x and y of four points in a row.
static inline void lanes_load_points(const vec2 *points, lanes *x, lanes *y)
{
    lanes low = lanes_load(points);
    lanes high = lanes_load(points + 2);
    *x = LANES_SHUFFLE(low, high, 0, 2, 4, 6);
    *y = LANES_SHUFFLE(low, high, 1, 3, 5, 7);
}

// The two floats at each of two places, one after the other. As two halves of a register: put
// together in memory, as compilers like to do, the load would have to wait for both stores.
static inline lanes lanes_join(const void *low, const void *high)
{
    typedef double halves __attribute__((vector_size(16)));
    double bits[2];
    memcpy(&bits[0], low, sizeof bits[0]);
    memcpy(&bits[1], high, sizeof bits[1]);
    return (lanes)(halves){bits[0], bits[1]};
}

// a < b ? a : b in each lane.
static inline lanes lanes_min(lanes a, lanes b)
{
#ifdef __SSE2__
    return (lanes)_mm_min_ps((__m128)a, (__m128)b);
#else
    lanes_int less = a < b;
    return (lanes)((less & (lanes_int)a) | (~less & (lanes_int)b));
#endif
}

// a > b ? a : b in each lane.
static inline lanes lanes_max(lanes a, lanes b)
{
#ifdef __SSE2__
    return (lanes)_mm_max_ps((__m128)a, (__m128)b);
#else
    lanes_int more = a > b;
    return (lanes)((more & (lanes_int)a) | (~more & (lanes_int)b));
#endif
}

// a in the lanes from 0 to count - 1, b in the others.
static inline lanes lanes_first(int count, lanes a, lanes b)
{
    lanes_int chosen = (lanes_int){0, 1, 2, 3} < (lanes_int){count, count, count, count};
    return (lanes)((chosen & (lanes_int)a) | (~chosen & (lanes_int)b));
}

// float_min and float_max that do not branch: for values that nobody can predict.
static inline float lane_min(float a, float b)
{
#ifdef __SSE2__
    return _mm_cvtss_f32(_mm_min_ss(_mm_set_ss(a), _mm_set_ss(b)));
#else
    return a < b ? a : b;
#endif
}

static inline float lane_max(float a, float b)
{
#ifdef __SSE2__
    return _mm_cvtss_f32(_mm_max_ss(_mm_set_ss(a), _mm_set_ss(b)));
#else
    return a > b ? a : b;
#endif
}

// The largest of the four, in every lane.
static inline lanes lanes_largest(lanes a)
{
    a = lanes_max(a, LANES_SHUFFLE(a, a, 2, 3, 0, 1));
    return lanes_max(a, LANES_SHUFFLE(a, a, 1, 0, 3, 2));
}

// The smallest of the four, in every lane.
static inline lanes lanes_smallest(lanes a)
{
    a = lanes_min(a, LANES_SHUFFLE(a, a, 2, 3, 0, 1));
    return lanes_min(a, LANES_SHUFFLE(a, a, 1, 0, 3, 2));
}

// Bit i is set where lane i of a equals b's.
static inline unsigned lanes_equal_mask(lanes a, lanes b)
{
    lanes_int equal = a == b;
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)equal);
#else
    return (unsigned)((equal[0] & 1) | (equal[1] & 2) | (equal[2] & 4) | (equal[3] & 8));
#endif
}

#endif
