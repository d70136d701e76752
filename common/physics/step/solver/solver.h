// The solver's settings of a step, and the data that it works on; see solver.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_SOLVER_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_SOLVER_H

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "common/physics/state/graph.h"
#include "common/physics/state/step_context.h"
#include "common/physics/step/joints/solver_pass.h"

// The contacts of a step, by colour, LANES at a time: arrays by group, see contact_lanes.h.
typedef struct contact_groups {
    struct contact_lanes *lanes;
    struct lane_marks *marks;
    uint8_t *impacts;                 // IMPACT_* marks
    struct give_lanes *gives;         // filled with LANES_THIN
    struct surface_lanes *surfaces;   // NULL if no contact needs any
    struct rounding_lanes *roundings; // the same
    uint32_t capacity;
    uint32_t first[COLOURS + 2]; // first group of each colour
} contact_groups;

void solve_constraints(physics_world *world); // velocities and changes of pose
// The largest work on impacts of a sub-step in the last step, in contacts visited. It exceeds
// IMPACT_WORK_MAX by a round's last sweeps at most.
uint32_t most_impact_work(const physics_world *world);

#endif
