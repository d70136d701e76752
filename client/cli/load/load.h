// Many connections that work a server: each listens to a world and strikes a body of its own, at a
// rate or as fast as the answers come.
//
// Latency runs from the moment a command was due, not from when it could be sent: a server that
// stalls is not excused for what it kept from being asked ("coordinated omission", Gil Tene).
// Answers come when the command has been applied, so up to a tick of the world is part of it.
//
// Every connection belongs to one thread. load_run may use several; the rest is for the main
// thread.
#ifndef CAROM_CLIENT_CLI_LOAD_LOAD_H
#define CAROM_CLIENT_CLI_LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/cli/cli.h"
#include "client/cli/load/histogram.h"

enum {
    LOAD_CONNECTIONS_MAX = 20000,
    LOAD_THREADS_MAX = 64,
    LOAD_WINDOW_MAX = 1024 // commands of one connection on their way
};

typedef struct load_plan {
    const char *world;
    unsigned connections;
    unsigned threads;
    unsigned window;      // commands of one connection on their way at once
    double rate;          // commands a second of each connection; 0: as fast as answers come
    double snapshot_rate; // 0: the world's; less than 0: no subscription
    double seconds;
    int timeout_ms;
} load_plan;

typedef struct load_result {
    histogram latency; // [ns], of answered commands
    uint64_t sent, answered;
    uint64_t errors[CAROM_STATUS_COUNT]; // failed commands by status
    uint64_t lost;                       // connections
    char lost_reason[CAROM_ERROR_TEXT_MAX];
    uint64_t snapshots, events, skipped;
    uint64_t bytes_in, bytes_out;
    double seconds; // that the run really took
} load_result;

typedef struct load load;

// Connects all, makes a body for each, subscribes. Errors have been told.
cli_exit load_open(const cli *c, const load_plan *plan, load **out);
// Works until the time is over or a signal asks to end.
cli_exit load_run(load *l, load_result *result);
// Removes the bodies, when `remove_bodies`, and closes. NULL is allowed.
void load_close(load *l, bool remove_bodies);

#endif
