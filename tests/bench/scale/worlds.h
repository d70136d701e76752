// Many small worlds on several threads: a server's other way to use its processors.
#ifndef CAROM_TESTS_BENCH_SCALE_WORLDS_H
#define CAROM_TESTS_BENCH_SCALE_WORLDS_H

// Prints the steps per second of small worlds on 1, 2, … `threads_max` threads, each with worlds of
// its own, like simulation threads. `seconds`: length of each measurement.
void worlds_print(int threads_max, double seconds);

#endif
