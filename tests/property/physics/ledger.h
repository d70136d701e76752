// A ledger of a world's events, compared with the world after each step: which bodies touch, sleep
// and exist. Panics (assert.h) on a contradiction: an end without a begin, a begin never ended, a
// touch that was not reported.
#ifndef CAROM_TESTS_PROPERTY_PHYSICS_LEDGER_H
#define CAROM_TESTS_PROPERTY_PHYSICS_LEDGER_H

#include "common/base/array.h"
#include "common/physics/physics.h"

typedef struct ledger_pair {
    shape_id a, b;
    bool sensor;
    int count; // for a chain, each touching piece counts
} ledger_pair;

typedef struct ledger {
    ARRAY(ledger_pair) pairs;
    ARRAY(body_id) bodies;   // spawned and not yet removed
    ARRAY(body_id) sleepers; // those that sleep
    uint64_t begins, ends, hits, sleeps, wakes, breaks, freezes;
} ledger;

// For a world without bodies from which all events but stay are wanted.
void ledger_init(ledger *l);
void ledger_deinit(ledger *l);
// Call after each step, without a change in between.
void ledger_check(ledger *l, const physics_world *world);

#endif
