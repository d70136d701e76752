// The growth of cost that comes from the machine's memory alone: the limit for an engine's growth.
// Caches are fast and small; the more memory a step uses, the slower the memory is.
#ifndef CAROM_TESTS_BENCH_SCALE_MEMORY_H
#define CAROM_TESTS_BENCH_SCALE_MEMORY_H

#include <stddef.h>

// The time to change every word of `bytes` of memory, in order [ms]: the median of several sweeps.
double memory_sweep_ms(size_t bytes);

#endif
