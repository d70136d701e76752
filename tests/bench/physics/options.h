// The options of the command line.
#ifndef CAROM_TESTS_BENCH_OPTIONS_H
#define CAROM_TESTS_BENCH_OPTIONS_H

#include "tests/bench/clock.h"
#include "tests/bench/physics/engine.h"

enum { SCENES_MAX = 16, ENGINES_MAX = 8, ROUNDS_MAX = 64 };

typedef enum bench_part {
    PART_TIMES = 1,
    PART_LOOK = 2, // quality and phases
    PART_IMAGES = 4,
    PART_THREADS = 8,
    PART_ALL = 15
} bench_part;

typedef struct bench_options {
    const char *scenes[SCENES_MAX];
    int scene_count;
    const engine *engines[ENGINES_MAX];
    int engine_count;
    unsigned parts; // bits of bench_part
    int rounds, steps, threads;
    double fraction, budget_s;
    int cpu;
    bench_clock clock;
    const char *json; // file; NULL: none
} bench_options;

// Reads the options. Ends the process, with a text, if they are wrong or only ask for help.
bench_options options_read(int argc, char **argv);

#endif
