// The processors on which a benchmark runs.
#ifndef CAROM_TESTS_BENCH_PROCESSOR_H
#define CAROM_TESTS_BENCH_PROCESSOR_H

#include <stdbool.h>

int processor_last(void);  // the last processor that this process may use; -1: unknown
int processor_count(void); // number of processors that it may use; 1 if unknown
// Pins the calling thread, and those it starts from now on. False: that processor is not allowed.
bool processor_pin(int cpu);

#endif
