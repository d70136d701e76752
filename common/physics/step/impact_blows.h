// Impacts of one moment, solved together; see impact_blows.c. On the world's thread.
#ifndef CAROM_COMMON_PHYSICS_STEP_IMPACT_BLOWS_H
#define CAROM_COMMON_PHYSICS_STEP_IMPACT_BLOWS_H

#include "common/base/array.h"
#include "common/physics/step/impact_path.h"

// The impact of a disc and another body.
typedef struct impact_blow {
    uint32_t contact;
    uint32_t disc, other; // their paths
    bool turned;          // the disc is the contact's body A
    vec2d normal;         // normal from the other body to the disc
    vec2d place;          // place on the other body's surface
    vec2d arm, other_arm; // arms from the centres of mass to the place of contact
    double closing;       // normal velocity before the impact, < 0 [m/s]
    double parting;       // least normal velocity after it
    double impulse;       // along the normal, >= 0 [N s]
} impact_blow;

typedef ARRAY(impact_blow) impact_blow_list;

// Applies and reports all impacts of world->scratch->blows, whose paths have reached the moment of
// touching.
void strike_blows(struct physics_world *world);

#endif
