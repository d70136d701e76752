// Asks the server for its own measurements while a load runs: step times, late ticks.
//
// Main thread only, over the command's own connection. A server that does not answer is asked again
// later; the run continues.
#ifndef CAROM_CLIENT_LOAD_MONITOR_H
#define CAROM_CLIENT_LOAD_MONITOR_H

#include "client/load/load.h"

enum { MONITOR_ADDRESS_MAX = 256 };

typedef struct sum_counts {
    uint64_t ticks, late;
} sum_counts;

typedef struct monitor {
    cli *c;
    const load_plan *plan;
    load_server *out;
    double next;                       // when to ask again [s since the beginning]
    uint64_t request;                  // id of the request in flight; 0: none
    sum_counts last;                   // counts of the last sample
    bool fleet;                        // one world of a fleet, which may move
    char primary[MONITOR_ADDRESS_MAX]; // address of the world's server; "": not known
    bool moved;                        // another server has the world since the start
    double step_sum;
    uint64_t samples;
    carom_value *stats; // the server's stats at the start
} monitor;

// `fleet`: the plan's only world belongs to a fleet, and is asked for wherever it is served.
void monitor_begin(monitor *m, cli *c, const load_plan *plan, bool fleet, load_server *out);
// Must be called often; never waits. `seconds`: time since the start.
void monitor_look(monitor *m, double seconds, const load_tally *tally);
void monitor_end(monitor *m, double seconds, const load_tally *tally);

#endif
