// A plot with logarithmic axes as SVG: a few series of points joined by lines, and one dashed
// guide.
#ifndef CAROM_TESTS_BENCH_PLOT_H
#define CAROM_TESTS_BENCH_PLOT_H

#include <stdbool.h>

enum { PLOT_POINTS_MAX = 32 };

typedef struct plot_series {
    const char *name;
    const char *color; // as CSS has it
    bool dashed;
    int count;
    double x[PLOT_POINTS_MAX], y[PLOT_POINTS_MAX]; // > 0
} plot_series;

typedef struct plot {
    const char *title, *x_title, *y_title;
    const plot_series *series;
    int count;
} plot;

// False: the file cannot be written.
bool plot_write_svg(const plot *p, const char *path);

#endif
