// How cost and memory grow with the number of bodies.
//
// Other work on the machine slows memory and caches for seconds, and would tilt a curve whose
// points are measured one after the other. So every round measures all sizes, and the figure of a
// size is the median of the rounds.
#ifndef CAROM_TESTS_BENCH_SCALE_GROWTH_H
#define CAROM_TESTS_BENCH_SCALE_GROWTH_H

#include "tests/bench/scale/subject.h"

#include <stdbool.h>

enum { SIZES_MAX = 16, ROUNDS_MAX = 16 };

typedef struct figures {
    int rounds;
    double round_ms[ROUNDS_MAX]; // median time of a step in each round
    double ms;                   // the median of these
    double bytes_per_body;       // allocated
    double sweep_ms[ROUNDS_MAX]; // for carom: a bare sweep over as many bytes, in each round
    double bare_ms;              // the median of these
    uint32_t contacts;
} figures;

typedef struct growth {
    int engines, sizes;
    uint32_t bodies[SIZES_MAX];
    figures of[ENGINES_MAX][SIZES_MAX][KIND_COUNT];
} growth;

// Measures sizes from 100 up to `most` bodies; `most` is at least 100.
void growth_measure(growth *g, double most, int rounds);
void growth_print(const growth *g);
// False: the file cannot be written.
bool growth_plot(const growth *g, const char *path);

#endif
