// The simulated run: its seed, its clocks, its result.
//
// A run is a function of its seed: every choice comes from sim_random(), and time passes only when
// sim_pass() says so. One run at a time, one thread.
#ifndef CAROM_TESTS_SIMULATION_SIM_H
#define CAROM_TESTS_SIMULATION_SIM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sim_run {
    uint64_t seed;
    uint64_t random;
    int64_t now_ns;       // the monotonic clock
    int64_t wall_ns;      // the wall clock, which may jump either way
    int64_t reading_ns;   // the longest time that reading the clock takes
    uint64_t steps;       // simulation steps so far
    bool trace;           // print a line on standard error for each thing that happens
    bool predicts;        // a run of predicting clients
    const char *planted;  // name of the planted fault, "" for none
    const char *activity; // printed with a failure
} sim_run;

extern sim_run sim;

void sim_begin(uint64_t seed);

// A number below `bound`, which is at least 1.
uint64_t sim_random(uint64_t bound);
// True with probability 1 / `count`.
bool sim_one_in(uint64_t count);

// Lets time pass on both clocks.
void sim_pass(int64_t ns);

// Ends the process: prints the text, and the command that repeats the run. If a fault was planted,
// it counts as found.
_Noreturn void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Fails the run unless the condition holds.
#define SIM_CHECK(condition, ...) ((condition) ? (void)0 : sim_fail(__VA_ARGS__))

void sim_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
