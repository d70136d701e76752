// A step's fixed numbers, which depend only on the world's definition and its shapes' restitution.
#ifndef CAROM_COMMON_PHYSICS_STATE_STEP_CONTEXT_H
#define CAROM_COMMON_PHYSICS_STATE_STEP_CONTEXT_H

#include "common/physics/physics.h"

// stiffness of rigid joint constraints; at most 1/4 of the sub-step rate
#define JOINT_HERTZ   60.0f
#define JOINT_DAMPING 2.0f

#define SPEED_DULL  2.0  // approach above which contacts without restitution have impacts [m/s]
#define SPEED_LEAST 1e-3 // the same for contacts with restitution [m/s]

typedef struct step_context {
    float dt, inv_dt; // the whole step [s], [1/s]
    float h, inv_h;   // a sub-step [s], [1/s]
    int substeps;
    float contact_bias_rate, contact_mass_scale, contact_yield; // between two moving bodies
    // for contacts with a static or kinematic body
    float static_bias_rate, static_mass_scale, static_yield;
    float joint_bias_rate, joint_mass_scale, joint_impulse_scale;
    float roll_ahead; // rolling shapes are placed where they will be at this time into the step [s]
    float restitution_threshold;
    vec2 gravity;
    float sleep_speed; // [m/s]
    // For impacts.c: a disc slower than this has no impact in the coming step with another such
    // disc or with a static body, and does not end farther from its predicted place than
    // `quick_slack`.
    float quick_speed; // [m/s]
    float quick_way;   // distance at that speed in a step [m]
    float quick_slack; // [m]
    bool lively;       // some shape has restitution
} step_context;

step_context step_context_of(const world_def *def, bool lively);

#endif
