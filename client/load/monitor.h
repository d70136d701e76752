// Asks the server for its own measurements while a load runs: step times, late ticks.
//
// Main thread only, over the command's own connection. A server that does not answer is asked again
// later; the run continues.
#ifndef CAROM_CLIENT_LOAD_MONITOR_H
#define CAROM_CLIENT_LOAD_MONITOR_H

#include "client/load/load.h"

typedef struct monitor {
    cli *c;
    const load_plan *plan;
    load_server *out;
    double next;          // when to ask again [s since the beginning]
    uint64_t request;     // id of the request in flight; 0: none
    uint64_t ticks, late; // counts of the load's worlds at the start
    double step_sum;
    uint64_t samples;
    carom_value *stats; // the server's stats at the start
} monitor;

void monitor_begin(monitor *m, cli *c, const load_plan *plan, load_server *out);
// Must be called often; never waits. `seconds`: time since the start.
void monitor_look(monitor *m, double seconds, const load_tally *tally);
void monitor_end(monitor *m, double seconds, const load_tally *tally);

#endif
