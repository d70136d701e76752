// One run of one scene in one engine, in this process and on this thread.
#ifndef CAROM_TESTS_BENCH_MEASURE_H
#define CAROM_TESTS_BENCH_MEASURE_H

#include "tests/bench/clock.h"
#include "tests/bench/physics/engine.h"
#include "tests/bench/physics/quality.h"

typedef enum measure_kind {
    MEASURE_TIMES, // times of steps, nothing else
    MEASURE_LOOK,  // records the scene's outcome: quality, memory, phases of the step
    MEASURE_IMAGE  // hash, save and restore
} measure_kind;

// The request for a run. Plain values, because it is sent to another process as bytes.
typedef struct measure_request {
    char engine[16], scene[16];
    measure_kind kind;
    bench_clock clock;
    double fraction; // share of the scene's scale, (0, 1]
    int steps;       // most steps; 0: the scene's own number
    int threads;
    double budget_s; // processor time of the thread after which a run stops early
    int cpu;         // processor to pin the run to; negative: none
} measure_request;

typedef struct measure_result {
    uint32_t bodies; // dynamic ones
    uint32_t steps, steps_wanted;
    uint32_t contacts, awake; // at the end
    double bytes_per_body;    // allocated bytes per body at the end
    double phases[PHASE_COUNT];
    double step; // mean time of the steps that the phases come from [ms]
    quality quality;
    double hash_ms, save_ms, restore_ms; // negative: the engine lacks this
    double image_bytes;
    uint32_t sample_count; // step times that follow, one for each step [ms]
} measure_result;

// `samples` has room for SAMPLES_MAX, the most steps of a run. Ends the process on errors.
enum { SAMPLES_MAX = 4096 };
void measure_run(const measure_request *request, measure_result *result, double *samples);

#endif
