// Runs each measurement in a process of its own: this program, started again.
//
// So each engine meets a fresh heap at other addresses each time (where memory lies can change a
// step's cost by several per cent), leaks and damage of one run do not affect another, and an
// engine that aborts on a scene becomes a line in the table.
#ifndef CAROM_TESTS_BENCH_WORKER_H
#define CAROM_TESTS_BENCH_WORKER_H

#include "tests/bench/physics/measure.h"

// Runs the request in a child and waits for it. False: the child failed, and its output was copied
// to stderr (otherwise it is discarded: some engines print a greeting).
bool worker_call(const measure_request *request, measure_result *result, double *samples);

// Call first in main(): returns whether this process is such a child, which has then done its work.
bool worker_is_child(int argc, char **argv);

#endif
