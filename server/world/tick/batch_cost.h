// Estimates the time of a batch before it is applied: all of it is applied or nothing, so that it
// cannot be cut. A few bytes can ask for much: a body of a thousand shapes is moved or read by each
// of a thousand commands, and a pile of bodies is put to sleep and woken.
//
// The pairs that the batch makes are not included (crowding.h). Constant time for each command. One
// thread: the world's.
#ifndef CAROM_SERVER_WORLD_TICK_BATCH_COST_H
#define CAROM_SERVER_WORLD_TICK_BATCH_COST_H

#include <stdint.h>

#include "common/physics/physics.h"
#include "common/world/command.h"

// A batch expected to take longer is refused. A message full of spawns stays below.
static const int64_t BATCH_NS_MAX = 500000000;

// An estimate of the time for world.apply's commands [ns].
int64_t batch_cost_ns(const physics_world *world, const command *batch);
// The same without the parts that depend on the world: for the answer to a sender who may not carry
// the batch out, which must not reveal the world.
int64_t batch_cost_apart_ns(const command *batch);

#endif
