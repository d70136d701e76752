// Runs many clients against a server, following a plan, and collects the results.
//
// Latencies run from the moment a call was due (tally.h); clients connect, subscribe and act
// without waiting for each other (client.h), distributed over threads with a loop each (worker.h).
// Meanwhile the main thread requests the server's own measurements and shows the progress of the
// run.
//
// Main thread only.
#ifndef CAROM_CLIENT_LOAD_LOAD_H
#define CAROM_CLIENT_LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/tool/cli.h"
#include "client/load/plan.h"
#include "client/load/tally.h"
#include "client/tool/relay/relay.h"
#include "client/tool/timing.h"

// The server's own measurements over a slice of the run: the worst of the load's worlds.
typedef struct load_sample {
    bool there;
    double step_s;              // mean of a tick over a second
    double rate_share;          // ticks per second, divided by hz: 1 when the world keeps up
    uint64_t ticks, ticks_late; // since the run began, of all worlds of the load
} load_sample;

typedef struct load_server {
    load_sample slices[LOAD_SLICES]; // slices of time, as in the tally
    uint64_t ticks, ticks_late;      // during the run, of the load's worlds
    double step_mean, step_max;      // over the samples [s]
    double rate_share;               // smallest value of the samples
    // For all worlds of the server: duration of a tick, and how late it began.
    timing step, delay;
    // true: measured in the run; false: since the server began, which cannot separate them
    bool of_run;
    double uptime;   // [s]
    uint64_t bodies; // count in the load's worlds at the end
} load_server;

// The load's own use of the machine: the worst of its threads.
typedef struct load_own {
    double processor;        // share of the time that it ran
    double waited;           // share of the time in which it was ready but had no processor
    bool known;              // `waited` is valid
    bool short_of_processor; // true if its own delay shows in the latencies
} load_own;

typedef struct load_result {
    load_tally *tally;
    load_server server;
    load_own own;
    relay_counts relay; // counts of the clients' relay, if there is one
    double seconds;     // actual duration of the run
    double pace;        // the shortest pace of closed loops [s]; 0: there are none
    unsigned clients;   // connected at most
} load_result;

// A load counts as short of processor time from this share on.
#define LOAD_OWN_PROCESSOR_MAX 0.9
#define LOAD_OWN_WAITED_MAX    0.1
#define LOAD_OWN_LAG_MAX_S     2e-3 // lag of the 99th percentile

typedef struct load load;

// Spawns the bodies of clients that have their own, connects all (with stages: none yet),
// subscribes. c->client is connected; the bodies end with its session. `fleet`: the world is one of
// a fleet, whose servers may change during the run: lost connections are dialed again, and
// c->client is to do so too. Errors are reported here.
cli_exit load_open(cli *c, const load_plan *plan, bool fleet, load **out);
// Runs until the time is over or a signal asks to end. The caller owns result->tally.
cli_exit load_run(load *l, load_result *result);
// Removes the bodies, when `remove_bodies`, and closes. NULL is allowed.
void load_close(load *l, bool remove_bodies);

#endif
