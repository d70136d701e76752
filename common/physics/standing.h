// Standing bodies: for a copy of a world that has no time to simulate all of it.
//
// A pile is one island, so it can only rest as a whole (world_rest_others). Where just a part of it
// matters, the other bodies stand: they are as immovable as static ones and cost nothing, and
// moving bodies collide with them. A command for a standing body, or the break of one of its
// joints, makes it move again, while the bodies around it still stand.
//
// A world with standing bodies has no meaningful hash or image; world_copy() over it ends that.
#ifndef CAROM_COMMON_PHYSICS_STANDING_H
#define CAROM_COMMON_PHYSICS_STANDING_H

#include <stdint.h>

#include "common/physics/physics.h"

// Lets all awake dynamic bodies stand except those given, at once and without events, even if they
// move. Returns how many bodies are awake then. On the world's thread.
uint32_t world_stand_others(physics_world *world, const body_id *keep, uint32_t count);

#endif
