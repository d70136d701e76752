// The kinds of events that subscribers of a world get: those of the engine, and those that commands
// make. They share one sequence of numbers. Plain data; any thread.
#ifndef CAROM_COMMON_WORLD_EVENT_KINDS_H
#define CAROM_COMMON_WORLD_EVENT_KINDS_H

#include "common/physics/physics.h"

enum {
    EVENT_MESSAGE = EVENT_KIND_COUNT, // a client sent a message (message.send)
    EVENT_JOIN,                       // a session took a seat (world.join)
    EVENT_LEAVE,                      // a seat became free (world.leave)
    WORLD_EVENT_KIND_COUNT
};
_Static_assert(WORLD_EVENT_KIND_COUNT <= 32, "a set of kinds is a word");

#endif
