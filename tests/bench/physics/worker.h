// Every run has a process of its own: this program, started again.
//
// So each engine meets a fresh heap at other addresses each time (where memory lies can change a
// step's cost by several per cent), what one leaks or breaks does not reach another, and an engine
// that aborts on a scene is a line in the table.
#ifndef CAROM_TESTS_BENCH_WORKER_H
#define CAROM_TESTS_BENCH_WORKER_H

#include "tests/bench/physics/measure.h"

// Runs the request in a child and waits for it. False: it did not come to its end; what it had to
// say has gone to our stderr (otherwise it is kept quiet: some engines greet).
bool worker_call(const measure_request *request, measure_result *result, double *samples);

// In main(), first of all: whether this process is such a child; it has then done its work.
bool worker_is_child(int argc, char **argv);

#endif
