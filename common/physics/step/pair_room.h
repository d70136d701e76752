// Chooses the pairs of shapes that become contacts if a world has no room for all of them.
//
// Pairs with a static or kinematic body come first: walls and floors must stay solid, however
// crowded the space within them is. They have some room of their own, which pairs of two dynamic
// bodies cannot use (contact_room()). Within each class the lowest slots come first, so that the
// choice depends on no list's order.
#ifndef CAROM_COMMON_PHYSICS_STEP_PAIR_ROOM_H
#define CAROM_COMMON_PHYSICS_STEP_PAIR_ROOM_H

#include "common/physics/parallel/lists.h"

struct physics_world;

// Keeps the pairs for which there is room. The list loses its order if any is dropped.
void keep_pairs_with_room(const struct physics_world *world, item_pairs *found);

// Keeps the pairs with a static or kinematic body, in their order.
void keep_standing_pairs(const struct physics_world *world, item_pairs *found);

#endif
