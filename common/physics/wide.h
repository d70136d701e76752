// Eight floats at a time: the type in which the solver's lanes are kept, and which variant of the
// kernels runs.
//
// The kernels are written once and compiled once for every vector width that a processor of the
// family may have; which one runs is chosen when a world is made. Each lane is computed as a lone
// float would be, with neither fused nor reordered operations, so the bits do not depend on it.
#ifndef CAROM_COMMON_PHYSICS_WIDE_H
#define CAROM_COMMON_PHYSICS_WIDE_H

#include <stdbool.h>
#include <stdint.h>

enum { LANES = 8 };

typedef float wide __attribute__((vector_size(4 * LANES)));
typedef int32_t wide_int __attribute__((vector_size(4 * LANES)));

// Whether the AVX2 variant is there, this processor runs it, and CAROM_SIMD=base in the environment
// does not ask for the other.
bool wide_avx2_chosen(void);

#endif
