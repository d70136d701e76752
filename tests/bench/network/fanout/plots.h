// The plots of the fan-out benchmark: the cost of a message for each server, by size.
#ifndef CAROM_TESTS_BENCH_NETWORK_FANOUT_PLOTS_H
#define CAROM_TESTS_BENCH_NETWORK_FANOUT_PLOTS_H

#include "tests/bench/network/fanout/servers.h"
#include "tests/bench/network/report.h"

// A row of the table.
typedef struct fanout_found {
    double bytes, subscribers;
    double us[SERVER_COUNT]; // microseconds per message; NAN: not measured
} fanout_found;

// Draws fanout-N.svg for each number N of subscribers. Sizes ascend.
void fanout_draw(const report *r, const fanout_found *found, int count);

#endif
