// The parts of carom-bench-distance; each prints a table.
#ifndef CAROM_TESTS_BENCH_DISTANCE_PARTS_H
#define CAROM_TESTS_BENCH_DISTANCE_PARTS_H

// The cost of a rollback, for worlds of several sizes: medians of `rounds`.
void bench_rollback(int rounds);
// Predictions over simulated networks, each for `seconds` of the world's time.
void bench_network(int seconds);
// Two players who push one pile: the error of the client's own body, predicted and interpolated.
void bench_pile(int seconds);

#endif
