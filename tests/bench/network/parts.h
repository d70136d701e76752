// The parts of carom-bench-network. Each measures one thing, prints its tables, keeps them for the
// report, and draws its plot. Main thread, one after the other.
#ifndef CAROM_TESTS_BENCH_NETWORK_PARTS_H
#define CAROM_TESTS_BENCH_NETWORK_PARTS_H

#include <stdbool.h>

#include "tests/bench/network/report.h"

typedef struct bench_run {
    const char *scenes; // names separated by commas; NULL: all
    double seconds;     // time for each figure; 0: the part's default
    int most;           // most clients, connections or worlds of a part
    const char *caromd; // the program
    report *report;
} bench_run;

// Whether a list of names separated by commas has this one; NULL has all.
bool is_named(const char *list, const char *name);

void part_bandwidth(const bench_run *run); // bytes of a client's picture, and the coder alone
void part_views(const bench_run *run);     // time of a view with an area
void part_replica(const bench_run *run);   // time of a replica's tick beside the engine's step

// Parts that start a caromd of their own:
void part_lateness(const bench_run *run); // ticks beside a bare loop that sleeps
void part_memory(const bench_run *run);   // memory of a connection and of a subscription
void part_worlds(const bench_run *run);   // number of worlds that a core can run
void part_relay(const bench_run *run);    // number of watchers that a relay serves from one log
void part_players(const bench_run *run);  // number of players in one world that a core can bear
void part_seats(const bench_run *run);    // number of worlds of 30 players that a core can bear

#endif
