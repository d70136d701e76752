// Discs and the bodies that they will hit; see impact_meetings.c. For impacts.c and its neighbours.
#ifndef CAROM_COMMON_PHYSICS_STEP_IMPACT_MEETINGS_H
#define CAROM_COMMON_PHYSICS_STEP_IMPACT_MEETINGS_H

#include "common/physics/state/world.h"
#include "common/physics/step/impacts.h"

// A contact as an impact sees it.
typedef struct meeting {
    path_pair pair;
    uint32_t disc, other; // indices of their paths
    bool turned;          // the disc is the contact's body A
} meeting;

// The path of a body in this step; made if there is none yet.
impact_path *path_at(physics_world *world, uint32_t body);
// The same for a body that has one.
const impact_path *path_known(const physics_world *world, uint32_t body);

// False if neither body is a disc, and for sensors. May make paths, which invalidates pointers to
// others.
bool meeting_of(physics_world *world, const contact *c, meeting *out);
// The speed above which an approach is an impact [m/s].
double meeting_limit(const physics_world *world, const contact *c);
// The time from which on both paths are known [s].
double meeting_clock(const meeting *m);

// Searches for an impact of the contact from now on and queues it. True if the two pass so closely
// that the solver, which knows only the current normal, would stop them.
bool meeting_look_for(physics_world *world, uint32_t contact);
// Takes the earliest event off world->scratch->meetings, which is not empty.
impact_event meeting_pop(struct step_scratch *s);

#endif
