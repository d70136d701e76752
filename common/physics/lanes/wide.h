// Eight floats at a time: the type of the solver's lanes and of the boxes of trees, and the choice
// of the kernels' variant.
//
// The kernels are written once and compiled once for every vector width that a processor of the
// family may have; which one runs is chosen when a world is made. Each lane is computed like a
// single float, without fused or reordered operations, so the bits do not depend on the variant.
//
// All variants share one layout in memory: groups of eight. Kernels whose vectors have four
// lanes take a group in two parts, one after the other (lanes_kernel.h).
#ifndef CAROM_COMMON_PHYSICS_LANES_WIDE_H
#define CAROM_COMMON_PHYSICS_LANES_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/geometry/quad.h"

enum { LANES = 8 };

// The alignment is explicit, for processors without such vectors too.
typedef float wide __attribute__((vector_size(4 * LANES), aligned(4 * LANES)));
typedef int32_t wide_int __attribute__((vector_size(4 * LANES), aligned(4 * LANES)));

// A macro, since a function would have to pass the vector in a way that not every processor has.
#define WIDE_SPLAT(a) ((wide){a, a, a, a, a, a, a, a})

// The first four lanes or, for half 1, the other four.
static inline quad wide_half(const wide *a, int half)
{
    return quad_load((const char *)a + half * (int)sizeof(quad));
}

// Writes one lane in memory. (If a vector is indexed, clang reads and writes all of it.)
static inline void wide_set(wide *a, uint32_t lane, float value)
{
    memcpy((char *)a + lane * sizeof value, &value, sizeof value);
}

// A field of a struct of lanes: a float, or an integer, for each of eight. A kernel that processes
// groups in parts sees it as the first four and a gap; a pointer to the same struct moved by four
// floats gives the other part.
#ifdef LANES_IN_PARTS
#define EACH(name)                                                                                 \
    quad name;                                                                                     \
    quad name##_of_the_other_part
#define EACH_INT(name)                                                                             \
    quad_int name;                                                                                 \
    quad_int name##_of_the_other_part
#else
#define EACH(name)     wide name
#define EACH_INT(name) wide_int name
#endif
#define EACH2(a, b)                                                                                \
    EACH(a);                                                                                       \
    EACH(b)
#define EACH3(a, b, c)                                                                             \
    EACH2(a, b);                                                                                   \
    EACH(c)
#define EACH4(a, b, c, d)                                                                          \
    EACH2(a, b);                                                                                   \
    EACH2(c, d)

// Whether the AVX2 variant is built, this processor supports it, and CAROM_SIMD=base in the
// environment does not select the other one.
bool wide_avx2_chosen(void);

#endif
