// Islands that have come to rest, and what wakes them; see sleep.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SLEEP_H
#define CAROM_COMMON_PHYSICS_STEP_SLEEP_H

#include "common/physics/physics.h"
#include "common/physics/state/slots.h"

#define SLEEP_SPEED 0.05f // slower than this, a body may fall asleep [m/s, at its rim too]
#define SLEEP_TIME  0.5f  // [s] for which it must be slow

enum {
    SLEEP_CHECK_TICKS =
        8 // islands are looked for only every so many steps: a few hundredths of a step's cost
};

// What falls asleep or wakes; see sleep.c.
typedef struct sleep_scratch {
    slot_list awake, members, contacts;
    slot_list next; // by body: chains of members
} sleep_scratch;

void sleep_wake_set(physics_world *world, uint32_t body); // all that fell asleep with it
void sleep_put_island(physics_world *world,
                      uint32_t body); // the body and all that touches or is joined, at once

#endif
