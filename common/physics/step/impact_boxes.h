// Boxes along the new ways of discs; see impact_boxes.c. For impacts.c alone.
#ifndef CAROM_COMMON_PHYSICS_STEP_IMPACT_BOXES_H
#define CAROM_COMMON_PHYSICS_STEP_IMPACT_BOXES_H

struct physics_world;

// Boxes of the bodies on world->scratch->quick, over the step to come, and their contacts.
void impact_boxes_cover_quick(struct physics_world *world);
// Boxes of the discs on world->scratch->listed, which were struck just now, over the rest of the
// step, and their contacts.
void impact_boxes_follow_struck(struct physics_world *world);

#endif
