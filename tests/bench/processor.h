// On which processor a benchmark runs.
#ifndef CAROM_TESTS_BENCH_PROCESSOR_H
#define CAROM_TESTS_BENCH_PROCESSOR_H

#include <stdbool.h>

int processor_last(void);  // the last processor that this process may use; -1: not known
int processor_count(void); // how many those are; 1 if not known
// The calling thread, and what it starts from now on. False: it is not to have that one.
bool processor_pin(int cpu);

#endif
