// Statistics of a list of numbers. Each function may reorder the list.
#ifndef CAROM_TESTS_BENCH_STATISTICS_H
#define CAROM_TESTS_BENCH_STATISTICS_H

#include <stddef.h>

// The value below which the share `part` in [0, 1] lies (nearest rank); NAN for an empty list.
double quantile(double *values, size_t count, double part);
double median(double *values, size_t count); // for an even count, the mean of the middle two

#endif
