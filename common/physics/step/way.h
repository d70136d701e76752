// The path (way) of a body in the step, from its earlier place to its current one, which
// continuous.c sweeps. Functions of a world in the phase solve_continuous(), on its thread.
//
// On a way the centre of mass moves straight and the body rotates evenly about it. Rotations of
// more than a quarter turn are swept in pieces, since a sweep of geometry/ takes the short way
// round.
#ifndef CAROM_COMMON_PHYSICS_STEP_WAY_H
#define CAROM_COMMON_PHYSICS_STEP_WAY_H

#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

typedef struct way {
    vec2d start; // place of the centre of mass at the start, in the world
    vec2 by;     // vector from there to the end
    rot before;
    double turn; // includes whole turns [rad]
    // share of the step, in [0, 1], at which it begins: impacts before it are not swept over
    float from;
    float stop; // share after which the body rests
    vec2 local_center;
} way;

// The path of a body that is fast (on world->scratch->fast) or kinematic. All others have hardly
// moved, and count as resting.
way way_of(const physics_world *world, uint32_t slot);

// The rotation of a state's delta rotation with the whole turns that its spin implies [rad].
double way_whole_turn(const physics_world *world, const body_state *s);

static inline bool way_is_none(const way *w)
{
    return w->by.x == 0.0f && w->by.y == 0.0f && w->turn == 0.0;
}

// The share of its path that the body has covered at a share of the step.
float way_gone(const way *w, float at);
rot way_rotation(const way *w, float gone);

// The sweep from one share of the step to another, with the centre's place relative to `origin`. It
// is wrong for rotations of more than a quarter turn in between: way_pieces() gives the number of
// pieces needed.
sweep way_piece(const way *w, vec2d origin, float from, float to);
int way_pieces(const way *w);
// The box of a shape of the body, whose farthest point is extent_max from its centre, on that whole
// path. `whole` is its only piece, relative to its start.
aabb way_box(const way *w, const sweep *whole, const shape_geometry *geometry, float extent_max);

// The index of a fast body on world->scratch->fast, which is sorted; the list's count if the body
// is not on it.
uint32_t fast_index(const physics_world *world, uint32_t slot);

#endif
