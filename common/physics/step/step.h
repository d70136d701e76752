// The phases of a step, in the order in which world_step() calls them; and queries among them.
#ifndef CAROM_COMMON_PHYSICS_STEP_STEP_H
#define CAROM_COMMON_PHYSICS_STEP_STEP_H

#include "common/physics/state/world.h"

void find_pairs(physics_world *world);   // pairs.c: boxes that came to overlap become contacts
void narrow_phase(physics_world *world); // narrow_phase.c: manifolds, and the contacts to solve
// ghost_collisions.c: hides contacts with the edges between the tiles of a floor; after solving,
// normals are restored.
void hide_ghost_collisions(physics_world *world);
void forget_ghost_collisions(physics_world *world);
void touch_events(physics_world *world); // touch.c: begin, stay, end, hit, after solving
float distance_moved(const physics_world *world, uint32_t body, vec2 moved,
                     rot turned); // finalize.c: a bound for any point
// narrow_phase.c, for images: computes the manifold that belongs to contact.reference; false if
// there is none.
bool contact_restore(physics_world *world, uint32_t slot);
// narrow_phase.c: whether CONTACT_DEEP comes from an earlier manifold. A speculative one, or one of
// an impact, does not change the flag.
bool contact_depth_is_kept(const physics_world *world, const contact *c);
// narrow_phase.c: call when a contact has lost its points
void contact_leave(physics_world *world, uint32_t slot);
void finalize_bodies(physics_world *world); // finalize.c: poses, boxes, fast and slow bodies
// continuous.c: whether a fast body is a bullet, or a static body is near its path. Only reads, on
// any thread of finalize_bodies().
bool way_may_be_barred(const physics_world *world, uint32_t slot);
// continuous.c: moves back bodies that would have tunnelled
void solve_continuous(physics_world *world);
void update_sleep(physics_world *world); // sleep.c: puts islands at rest to sleep

#endif
