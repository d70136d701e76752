// Quantiles by sorting in place. Any thread, one list each.
#include "tests/bench/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double quantile(double *values, size_t count, double part)
{
    if (count == 0) {
        return (double)NAN;
    }
    qsort(values, count, sizeof *values, compare);
    double rank = ceil(part * (double)count);
    size_t index = rank < 1.0 ? 0 : (size_t)rank - 1;
    return values[index < count ? index : count - 1];
}

double median(double *values, size_t count)
{
    if (count == 0) {
        return (double)NAN;
    }
    qsort(values, count, sizeof *values, compare);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}
