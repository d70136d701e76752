// A plot as SVG: a few series of points, joined by lines over a logarithmic axis, or not joined
// over named places. Dashed series are guides. The axis of the values is logarithmic.
#ifndef CAROM_TESTS_BENCH_PLOT_H
#define CAROM_TESTS_BENCH_PLOT_H

#include <stdbool.h>

enum { PLOT_POINTS_MAX = 32, PLOT_SERIES_MAX = 32 };

typedef struct plot_series {
    const char *name;
    const char *color; // a CSS colour
    bool dashed;
    int count;
    double x[PLOT_POINTS_MAX], y[PLOT_POINTS_MAX]; // > 0; `x` of named places: 1, 2, 3 …
} plot_series;

typedef struct plot {
    const char *title, *x_title, *y_title;
    const plot_series *series;
    int count;                 // number of series, at most PLOT_SERIES_MAX
    const char *const *places; // names along x; NULL: x is logarithmic
    int place_count;
} plot;

// False: the file cannot be written.
bool plot_write_svg(const plot *p, const char *path);

#endif
