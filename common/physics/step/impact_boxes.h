// Boxes along the new paths of discs; see impact_boxes.c. Only for impacts.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_IMPACT_BOXES_H
#define CAROM_COMMON_PHYSICS_STEP_IMPACT_BOXES_H

struct physics_world;

// Extends the boxes of the bodies on world->scratch->quick over the coming step, and makes their
// contacts.
void impact_boxes_cover_quick(struct physics_world *world);
// Extends the boxes of the discs on world->scratch->listed, which were just struck, over the rest
// of the step, and makes their contacts.
void impact_boxes_follow_struck(struct physics_world *world);

#endif
