// The places of a scene's bodies at every tick, for the coder benchmark.
#ifndef CAROM_TESTS_BENCH_NETWORK_HISTORY_H
#define CAROM_TESTS_BENCH_NETWORK_HISTORY_H

#include "common/physics/physics.h"
#include "proto/packed/packed.h"

enum { HISTORY_BODIES_MAX = 1024 };

typedef struct history {
    packed_body *bodies; // bodies of a tick, then of the next one; the owner frees them
    int per_tick, ticks;
} history;

void history_init(history *h, int ticks_max);
void history_note(history *h, const physics_world *world); // must have the same bodies each time
void history_deinit(history *h);

#endif
