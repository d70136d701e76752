// Clocks of the benchmarks.
//
// On a shared machine, a thread's processor time is more reliable than elapsed time: it excludes
// times in which other programs had the processor (but not their effect on the caches). For work of
// several threads, only elapsed time counts.
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
