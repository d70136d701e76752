// A run of clients that predict (carom-simulate --predict): the whole server on a simulated clock,
// with clients over a distance; README.md.
#ifndef CAROM_TESTS_SIMULATION_PREDICTING_H
#define CAROM_TESTS_SIMULATION_PREDICTING_H

#include <stdint.h>

void predicting_run(uint64_t seed);

#endif
