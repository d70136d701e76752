// The phases of a step, in their order, as world_step() calls them; and what they ask each other.
#ifndef CAROM_COMMON_PHYSICS_STEP_STEP_H
#define CAROM_COMMON_PHYSICS_STEP_STEP_H

#include "common/physics/state/world.h"

void find_pairs(physics_world *world);   // pairs.c: boxes that came to overlap become contacts
void narrow_phase(physics_world *world); // narrow_phase.c: manifolds, who is solved
// ghost_collisions.c: hides contacts with the edges between the tiles of a floor; after solving,
// normals are again as they were found.
void hide_ghost_collisions(physics_world *world);
void forget_ghost_collisions(physics_world *world);
void touch_events(physics_world *world); // touch.c: begin, stay, end, hit, after solving
float distance_moved(const physics_world *world, uint32_t body, vec2 moved,
                     rot turned); // finalize.c: of any point, at most
// narrow_phase.c, from an image: finds the manifold again that belongs to contact.reference; false
// if there is none.
bool contact_restore(physics_world *world, uint32_t slot);
// narrow_phase.c: whether CONTACT_DEEP is still that of an earlier manifold. A speculative one, or
// one of an impact, leaves the flag as it was.
bool contact_depth_is_kept(const physics_world *world, const contact *c);
void contact_leave(physics_world *world, uint32_t slot); // narrow_phase.c: it has no points now
void finalize_bodies(physics_world *world); // finalize.c: poses, boxes, who was fast, who is slow
// continuous.c: whether a fast body is a bullet, or something stands near the way that it has come.
// Reads only, on any thread of finalize_bodies().
bool way_may_be_barred(const physics_world *world, uint32_t slot);
void solve_continuous(physics_world *world); // continuous.c: what would have tunnelled is put back
void update_sleep(physics_world *world);     // sleep.c: islands that have come to rest

#endif
