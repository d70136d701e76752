// How the solver sweeps over joints and contacts in a sub-step.
#ifndef CAROM_COMMON_PHYSICS_STEP_JOINTS_SOLVER_PASS_H
#define CAROM_COMMON_PHYSICS_STEP_JOINTS_SOLVER_PASS_H

// The kinds of sweeps over the constraints; see solver/solver.c.
typedef enum solver_pass {
    PASS_WARM_START,
    // only the part that the repeated change of velocities does not cover, see integrate.c
    PASS_WARM_AGAIN,
    PASS_SOLVE,
    PASS_SETTLE,      // before PASS_RELAX, only contacts of thin bodies
    PASS_SETTLE_MORE, // only contacts of the thinnest bodies
    PASS_RELAX
} solver_pass;

#endif
