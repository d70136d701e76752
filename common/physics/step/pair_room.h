// Which pairs of shapes become contacts where a world has no room for all of them.
//
// Pairs with a static or kinematic body come first: walls and floors hold what is within them,
// however crowded it is. They have some room of their own, which pairs of two dynamic bodies leave
// to them (contact_room()). Among each other, those with the lowest slots come first, so that the
// choice depends on no list's order.
#ifndef CAROM_COMMON_PHYSICS_STEP_PAIR_ROOM_H
#define CAROM_COMMON_PHYSICS_STEP_PAIR_ROOM_H

#include "common/physics/parallel/lists.h"

struct physics_world;

// Leaves of pairs that are to be contacts those that have room. They lose their order if some have
// none.
void keep_pairs_with_room(const struct physics_world *world, item_pairs *found);

// Leaves those with a static or kinematic body, in their order.
void keep_standing_pairs(const struct physics_world *world, item_pairs *found);

#endif
