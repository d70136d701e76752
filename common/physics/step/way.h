// The way that a body has come in the step, from where it was to where it is now: what continuous.c
// sweeps. Functions of a world in the phase solve_continuous(), on its thread.
//
// A way is even: the centre of mass goes straight, the body turns about it. Turns of more than a
// quarter are swept in pieces, for a sweep of geometry/ takes the short way round.
#ifndef CAROM_COMMON_PHYSICS_STEP_WAY_H
#define CAROM_COMMON_PHYSICS_STEP_WAY_H

#include "common/physics/state/world.h"
#include "common/physics/step/step_scratch.h"

typedef struct way {
    vec2d start; // place of the centre of mass in the world
    vec2 by;     // way from there to the end
    rot before;
    double turn; // whole turns are counted [rad]
    float from;  // part of the step, in [0, 1], in which it begins: an impact is not swept over
    float stop;  // and behind which the body rests
    vec2 local_center;
} way;

// The way of a body that is fast (on world->scratch->fast) or kinematic. All others have hardly
// moved, and stay.
way way_of(const physics_world *world, uint32_t slot);

// The turn of a state's delta rotation with the whole turns that its spin tells [rad].
double way_whole_turn(const physics_world *world, const body_state *s);

static inline bool way_is_none(const way *w)
{
    return w->by.x == 0.0f && w->by.y == 0.0f && w->turn == 0.0;
}

// The share of its way that the body has gone at a part of the step.
float way_gone(const way *w, float at);
rot way_rotation(const way *w, float gone);

// From one part of the step to another, with the centre's place seen from `origin`. For turns of
// more than a quarter in between, it is the wrong one: way_pieces() says how many are needed.
sweep way_piece(const way *w, vec2d origin, float from, float to);
int way_pieces(const way *w);
// Around a shape of the body, whose farthest point is extent_max from its centre, on all of that
// way. `whole` is its only piece, seen from where it starts.
aabb way_box(const way *w, const sweep *whole, const shape_geometry *geometry, float extent_max);

// A fast body's place on world->scratch->fast, which is sorted, or its count.
uint32_t fast_index(const physics_world *world, uint32_t slot);

#endif
