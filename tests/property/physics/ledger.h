// A ledger of what a world's events have told, held against the world after each step: who touches
// whom, who sleeps, who is there. Panics (assert.h) on a contradiction: an end without a begin, a
// begin never ended, a touch that was not told.
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
    ARRAY(body_id) bodies;   // spawned and not removed
    ARRAY(body_id) sleepers; // the sleeping ones of these
    uint64_t begins, ends, hits, sleeps, wakes, breaks, freezes;
} ledger;

// For a world without bodies that is asked for all events but stay.
void ledger_init(ledger *l);
void ledger_deinit(ledger *l);
// After each step, without a change in between.
void ledger_check(ledger *l, const physics_world *world);

#endif
