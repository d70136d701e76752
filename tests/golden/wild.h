// Worlds that break physics, one for each seed: joints that cannot hold, springs of 1 000 Hz with
// targets far away, the smallest and the greatest masses side by side, speeds at the limits, and
// commands that make it worse. Golden scenes are too tame to show what such worlds do to the
// solver.
//
// All that is random follows from the seed by whole numbers and products: a seed is the same world
// on every machine. Values that the engine refuses are left out, the same ones everywhere.
#ifndef CAROM_TESTS_GOLDEN_WILD_H
#define CAROM_TESTS_GOLDEN_WILD_H

#include "common/physics/joint.h"

enum { WILD_TICKS = 48 }; // ticks of a run

// Bodies of this tag, and their joints, get no commands and no further joints: tests put them
// beside a wild world.
#define WILD_BYSTANDER "bystander"

// The caller frees it with world_free(). All events are wanted.
physics_world *wild_create(uint64_t seed);
// The commands of the next tick, and the step.
void wild_step(physics_world *world, uint64_t seed);
// Runs a seed's world; a hash over its states and events, and over its image at the end.
uint64_t wild_hash(uint64_t seed);

#endif
