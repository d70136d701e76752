// The solver's settings of a step, and the data that it works on; see solver.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_SOLVER_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_SOLVER_H

#include "common/base/array.h"
#include "common/physics/physics.h"
#include "common/physics/state/graph.h"

#define JOINT_HERTZ   60.0f // stiffness of what a joint holds rigid; at most 1/4 of the sub-step rate
#define JOINT_DAMPING 2.0f

// A step's fixed numbers.
typedef struct step_context {
    float dt, inv_dt; // of the whole step
    float h, inv_h;   // of a sub-step
    int substeps;
    float contact_bias_rate, contact_mass_scale, contact_yield; // two moving bodies
    float static_bias_rate, static_mass_scale, static_yield;    // one of them does not move
    float joint_bias_rate, joint_mass_scale, joint_impulse_scale;
    float roll_ahead; // what rolls is placed where it will be so far into the step [s]
    float restitution_threshold;
} step_context;

step_context step_context_of(const world_def *def);

// The kinds of sweeps over the constraints; see solver.c.
typedef enum solver_pass {
    PASS_WARM_START,
    PASS_WARM_AGAIN, // only what the bodies' change of velocity does not bring, see integrate.c
    PASS_SOLVE,
    PASS_RELAX
} solver_pass;

// The contacts of a step, by colour, LANES at a time: arrays by group, see contact_lanes.h.
typedef struct contact_groups {
    struct contact_lanes *lanes;
    struct lane_marks *marks;
    uint8_t *blows;                   // blows_state
    struct surface_lanes *surfaces;   // NULL: no contact needs any
    struct rounding_lanes *roundings; // the same
    uint32_t capacity;
    uint32_t first[COLOURS + 2]; // where each colour's begin
} contact_groups;

#endif
