// Many small worlds on several threads: a server's other way to use its processors.
#ifndef CAROM_TESTS_BENCH_SCALE_WORLDS_H
#define CAROM_TESTS_BENCH_SCALE_WORLDS_H

// Prints how many steps of small worlds a second 1, 2, … `threads_max` threads come to, each with
// worlds of its own, as simulation threads have them. `seconds`: how long each is measured.
void worlds_print(int threads_max, double seconds);

#endif
