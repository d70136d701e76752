// How the solver sweeps over joints and contacts in a sub-step.
#ifndef CAROM_COMMON_PHYSICS_STEP_JOINTS_SOLVER_PASS_H
#define CAROM_COMMON_PHYSICS_STEP_JOINTS_SOLVER_PASS_H

// The kinds of sweeps over the constraints; see solver/solver.c.
typedef enum solver_pass {
    PASS_WARM_START,
    PASS_WARM_AGAIN, // only what the bodies' change of velocity does not bring, see integrate.c
    PASS_SOLVE,
    PASS_SETTLE,      // before PASS_RELAX, contacts of thin bodies alone
    PASS_SETTLE_MORE, // contacts of the thinnest bodies alone
    PASS_RELAX
} solver_pass;

#endif
