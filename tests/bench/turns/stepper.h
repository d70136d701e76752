// A process that steps a scene's world each time that it is told to: the same program as the one
// that tells it, or one of another build, so that two engines that share all names can be compared.
#ifndef CAROM_TESTS_BENCH_STEPPER_H
#define CAROM_TESTS_BENCH_STEPPER_H

#include <stdbool.h>
#include <sys/types.h>

// The time of a step, whole and by phases [ms].
enum { STEP_WHOLE, STEP_PAIRS, STEP_NARROW, STEP_SOLVE, STEP_FINALIZE, STEP_REST, STEP_PARTS };

typedef struct step_times {
    double ms[STEP_PARTS];
} step_times;

typedef struct stepper {
    pid_t process;
    int to, from; // pipes
} stepper;

// Starts `program`, a carom-bench-turns, with a world of the scene on so many threads; with one on
// the processor `cpu` alone, unless that is negative. Ends the process if there are no pipes.
stepper stepper_start(const char *program, const char *scene, int threads, int cpu);
// One step. False if the program is gone: it could not be started, or did not know the scene.
bool stepper_step(const stepper *s, step_times *out);
void stepper_end(stepper *s);

// The other end: serves until its standard input ends. Returns what the process is to exit with.
int stepper_serve(const char *scene, int threads);

#endif
