// Statistics of a list of numbers. Each may change the list's order.
#ifndef CAROM_TESTS_BENCH_STATISTICS_H
#define CAROM_TESTS_BENCH_STATISTICS_H

#include <stddef.h>

// The value below which the share `part` in [0, 1] lies (nearest rank); NAN of nothing.
double quantile(double *values, size_t count, double part);
double median(double *values, size_t count); // with an even count, the mean of the middle two

#endif
