// Many clients that work a server, as a plan says, and what came of it.
//
// Latencies run from the moment a call was due (tally.h); clients connect, subscribe and act
// without waiting for each other (lane.h), dealt out to threads with a loop each (worker.h).
// Meanwhile the main thread asks the server for its own measurements and tells how far the run is.
//
// Main thread only.
#ifndef CAROM_CLIENT_CLI_LOAD_LOAD_H
#define CAROM_CLIENT_CLI_LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/cli/cli.h"
#include "client/cli/load/plan.h"
#include "client/cli/load/tally.h"

// The server's own measurements over a slice of the run: the worst of the load's worlds.
typedef struct load_sample {
    bool there;
    double step_s;       // mean of a tick over a second
    double rate_share;   // ticks done a second, by hz: 1 when it keeps up
    uint64_t ticks_late; // since the run began, of all the load's worlds
} load_sample;

typedef struct load_server {
    load_sample slices[LOAD_SLICES]; // by tally's slices
    uint64_t ticks, ticks_late;      // during the run, of the load's worlds
    double step_mean, step_max;      // of the samples [s]
    double rate_share;               // the least of the samples
    // Percentiles of the server since it started [s]: p50, p90, p99, max.
    double step[4], delay[4];
    double uptime;   // [s]
    uint64_t bodies; // of the load's worlds in the end
} load_server;

typedef struct load_result {
    load_tally *tally;
    load_server server;
    double seconds;    // that the run really took
    uint64_t interval; // of a closed loop's correction [ns]; 0: nothing was corrected
    unsigned clients;  // connected at most
} load_result;

typedef struct load load;

// Makes the bodies of clients that have their own, connects all (or, with stages, none yet),
// subscribes. c->client is connected; the bodies end with its session. Errors have been told.
cli_exit load_open(cli *c, const load_plan *plan, load **out);
// Works until the time is over or a signal asks to end. result->tally is the caller's.
cli_exit load_run(load *l, load_result *result);
// Removes the bodies, when `remove_bodies`, and closes. NULL is allowed.
void load_close(load *l, bool remove_bodies);

#endif
