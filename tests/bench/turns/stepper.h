// A process that steps a scene's world on request: the same program as its parent or one of another
// build, so that two engines with the same symbols can be compared.
#ifndef CAROM_TESTS_BENCH_STEPPER_H
#define CAROM_TESTS_BENCH_STEPPER_H

#include <stdbool.h>
#include <sys/types.h>

// The time of a step, as a whole and by phases [ms].
enum { STEP_WHOLE, STEP_PAIRS, STEP_NARROW, STEP_SOLVE, STEP_FINALIZE, STEP_REST, STEP_PARTS };

typedef struct step_times {
    double ms[STEP_PARTS];
} step_times;

typedef struct stepper {
    pid_t process;
    int to, from; // pipes
} stepper;

// Starts `program`, a carom-bench-turns, with a world of the scene on `threads` threads; a single
// thread is pinned to the processor `cpu` unless that is negative. Ends the process if pipes cannot
// be made.
stepper stepper_start(const char *program, const char *scene, int threads, int cpu);
// Makes one step. False if the program has ended: it could not be started, or does not know the
// scene.
bool stepper_step(const stepper *s, step_times *out);
void stepper_end(stepper *s);

// Runs the child: serves until its standard input ends. Returns the exit code of the process.
int stepper_serve(const char *scene, int threads);

#endif
