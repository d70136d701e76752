// The growth of cost that the machine's memory alone brings: the limit to hold an engine's growth
// against. Caches are fast and small; the more memory a step goes over, the slower it is to come.
#ifndef CAROM_TESTS_BENCH_SCALE_MEMORY_H
#define CAROM_TESTS_BENCH_SCALE_MEMORY_H

#include <stddef.h>

// Time of a sweep that changes every word of so much memory, one after the other [ms]: the median
// of several.
double memory_sweep_ms(size_t bytes);

#endif
