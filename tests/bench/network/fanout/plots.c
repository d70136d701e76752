// See plots.h.
#include "tests/bench/network/fanout/plots.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static bool is_first_of(const fanout_found *found, int at)
{
    for (int i = 0; i < at; i++) {
        if (found[i].subscribers == found[at].subscribers) {
            return false;
        }
    }
    return true;
}

static void draw_one(const report *r, const fanout_found *found, int count, double subscribers)
{
    static const char *const COLORS[SERVER_COUNT] = {"#d62728", "#1f77b4", "#2ca02c", "#7f7f7f"};
    plot_series series[SERVER_COUNT];
    char name[32];
    char title[80];
    int drawn = 0;
    for (int s = 0; s < SERVER_COUNT; s++) {
        plot_series *one = &series[drawn];
        *one = (plot_series){.name = SERVER_NAMES[s], .color = COLORS[s]};
        for (int i = 0; i < count && one->count < PLOT_POINTS_MAX; i++) {
            if (found[i].subscribers == subscribers && isfinite(found[i].us[s]) &&
                found[i].us[s] > 0.0) {
                one->x[one->count] = found[i].bytes;
                one->y[one->count++] = found[i].us[s];
            }
        }
        drawn += one->count > 0;
    }
    if (drawn == 0) {
        return; // the plot's axes follow from its points
    }
    snprintf(name, sizeof name, "fanout-%.0f", subscribers);
    snprintf(title, sizeof title, "A message to %.0f subscribers", subscribers);
    const plot p = {.title = title,
                    .x_title = "bytes",
                    .y_title = "processor time of the server for each of them [us]",
                    .series = series,
                    .count = drawn};
    report_plot(r, name, &p);
}

void fanout_draw(const report *r, const fanout_found *found, int count)
{
    for (int i = 0; i < count; i++) {
        if (is_first_of(found, i)) {
            draw_one(r, found, count, found[i].subscribers);
        }
    }
}
