// Measurements, and the tables that show them.
#ifndef CAROM_TESTS_BENCH_REPORT_H
#define CAROM_TESTS_BENCH_REPORT_H

#include "tests/bench/physics/measure.h"
#include "tests/bench/physics/options.h"

#include <stdio.h>

typedef struct scene_figures { // figures of one scene in one engine
    bool stopped;              // runs exceeded their time: the times are those of the first steps
    uint32_t steps;            // number of steps measured
    int rounds;                // completed rounds
    bool failed;               // one did not
    uint32_t bodies;           // dynamic ones
    double median[ROUNDS_MAX]; // median time of a step in each round [ms]
    double p99[ROUNDS_MAX];    // the same
    double median_ms, p99_ms;  // medians of the rounds
    // median of the first engine divided by the median of this one, over the same steps
    double ratios[ROUNDS_MAX];
    double ratio; // median of the rounds' ratios
    bool looked, imaged;
    measure_result look, image;
} scene_figures;

// figures of one scene in one engine: elapsed time, on any processor
typedef struct thread_figures {
    int rounds;
    double one[ROUNDS_MAX], many[ROUNDS_MAX]; // median of the steps of a round [ms]
    double ratios[ROUNDS_MAX];                // many to one
} thread_figures;

typedef struct bench_report {
    const bench_options *options;
    scene_figures figures[SCENES_MAX][ENGINES_MAX];
    thread_figures threads[SCENES_MAX][ENGINES_MAX];
} bench_report;

// Computes medians and ratios from the rounds.
void report_summarize(bench_report *report);
void report_print(const bench_report *report, FILE *out);
int report_many_threads(const bench_options *o); // the number of threads that is compared with 1
bool report_write_json(const bench_report *report, const char *path);

// Writes the name of this machine's processor to `text`.
void report_processor(char *text, size_t size);
const char *report_phase_name(engine_phase phase);

#endif
