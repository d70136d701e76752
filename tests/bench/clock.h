// Clocks of the benchmarks.
//
// On a machine that others use too, the time that a thread was running says more than the time that
// went by: it leaves out when others had the processor (not what they did to its caches). If
// several threads work on one step, only the time that went by counts.
#ifndef CAROM_TESTS_BENCH_CLOCK_H
#define CAROM_TESTS_BENCH_CLOCK_H

#include <time.h>

typedef enum bench_clock { CLOCK_WALL, CLOCK_CPU } bench_clock;

static inline double clock_seconds(bench_clock clock)
{
    struct timespec t;
    clock_gettime(clock == CLOCK_CPU ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
