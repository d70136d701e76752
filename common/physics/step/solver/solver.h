// The solver's settings of a step, and the data that it works on; see solver.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_SOLVER_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_SOLVER_H

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "common/physics/state/graph.h"
#include "common/physics/state/step_context.h"

// The kinds of sweeps over the constraints; see solver.c.
typedef enum solver_pass {
    PASS_WARM_START,
    PASS_WARM_AGAIN, // only what the bodies' change of velocity does not bring, see integrate.c
    PASS_SOLVE,
    PASS_SETTLE,      // before PASS_RELAX, contacts of thin bodies alone
    PASS_SETTLE_MORE, // contacts of the thinnest bodies alone
    PASS_RELAX
} solver_pass;

// The contacts of a step, by colour, LANES at a time: arrays by group, see contact_lanes.h.
typedef struct contact_groups {
    struct contact_lanes *lanes;
    struct lane_marks *marks;
    uint8_t *impacts;                 // IMPACTS_NEVER and others
    struct give_lanes *gives;         // filled with LANES_THIN
    struct surface_lanes *surfaces;   // NULL: no contact needs any
    struct rounding_lanes *roundings; // the same
    uint32_t capacity;
    uint32_t first[COLOURS + 2]; // first group of each colour
} contact_groups;

#endif
