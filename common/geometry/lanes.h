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

// x and y of four points in a row.
static inline void lanes_load_points(const vec2 *points, lanes *x, lanes *y)
{
    lanes low = lanes_load(points);
    lanes high = lanes_load(points + 2);
#ifdef __clang__
    *x = __builtin_shufflevector(low, high, 0, 2, 4, 6);
    *y = __builtin_shufflevector(low, high, 1, 3, 5, 7);
#else
    *x = __builtin_shuffle(low, high, (lanes_int){0, 2, 4, 6});
    *y = __builtin_shuffle(low, high, (lanes_int){1, 3, 5, 7});
#endif
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

// The largest of the four.
static inline float lanes_largest(lanes a)
{
    float low = a[0] > a[1] ? a[0] : a[1];
    float high = a[2] > a[3] ? a[2] : a[3];
    return low > high ? low : high;
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
