// Many clients at the lowest cost: they subscribe, send prepared commands, and discard all input.
// So most of the machine is left to the measured server. Latencies are measured by `carom bench`,
// which reads every message.
//
// The crowd has a thread of its own between crowd_start and crowd_stop. Failures end the process.
#ifndef CAROM_TESTS_BENCH_NETWORK_CROWD_H
#define CAROM_TESTS_BENCH_NETWORK_CROWD_H

#include <stdbool.h>

#include "tests/bench/caromd.h"
#include "tests/bench/network/control.h"

typedef struct crowd_plan {
    int players;  // each strikes the ball with its number back and forth
    int watchers; // additional clients that send nothing
    double rate;  // commands a second of each player
    const char *encoding;
    double width, height;   // each player's own area, around its ball [m]; 0: the whole world
    double snapshots;       // snapshots per second; 0: one each tick
    int cpu;                // the processor for the thread; -1: any
    bool without_snapshots; // they only connect
} crowd_plan;

typedef struct crowd crowd;

// Connects all clients, and waits until each has received an answer.
crowd *crowd_open(const bench_server *s, const crowd_plan *plan);
// Subscribes all of them, as planned, to `count` arenas: client i to arena i % count.
void crowd_subscribe(crowd *c, const arena *arenas, int count);
void crowd_start(crowd *c, const arena *arenas, int count);
void crowd_stop(crowd *c);
void crowd_close(crowd *c);

// Counts between start and stop.
typedef struct crowd_counts {
    double commands, bytes;
    double cpu; // processor time of the thread [s]
} crowd_counts;

crowd_counts crowd_counted(const crowd *c);

#endif
