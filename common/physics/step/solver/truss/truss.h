// Trusses: bodies of very uneven masses and the joints between them, solved as one system of
// equations. See truss.c for when and why.
//
// Every step finds the trusses again (truss_find.c): their bodies, and their ties, which are joints
// and contacts. Every sub-step computes the ties' rows from the bodies' poses (truss_rows.c) and
// solves them together (truss.c, truss_matrix.c), after the sweeps that all other constraints have.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_TRUSS_TRUSS_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_TRUSS_TRUSS_H

#include <stdbool.h>

#include "common/physics/state/world.h"
#include "common/physics/step/solver/truss/truss_matrix.h"

enum {
    TRUSS_BODIES_MAX = 1024, // bodies of one truss; only sweeps solve joints that lead farther
    TRUSS_WORK_MAX = 8192,   // products of blocks; beyond it, only sweeps solve the truss's loops
    TRUSS_ROUNDS_MAX = 4,    // rounds that determine which one-sided rows push
    TIE_ROWS_MAX = 4
};

// A row's role in its tie, which determines where its impulse is stored.
typedef enum row_kind {
    ROW_X, // ROW_X and ROW_Y: a point
    ROW_Y,
    ROW_ANGLE,  // angle of b relative to a
    ROW_ACROSS, // across the axis of a sliding joint
    ROW_ROD,
    ROW_LOWER,
    ROW_UPPER, // one-sided: limits
    ROW_TOUCH0,
    ROW_TOUCH1, // one-sided: a contact's points
    ROW_INERTIA // a rod's resistance to a change of its angular velocity
} row_kind;

// An equation a · v_a + b · v_b = -push, or >=, of velocities (x, y, angular). With `shift` in
// place of `push` it is the equation of corrections that move positions without changing
// velocities.
typedef struct truss_row {
    row_kind kind;
    bool one_sided, held; // held: the limit is active, as an equation
    bool apart;           // one-sided: there is a gap
    double a[TRUSS_AXES], b[TRUSS_AXES];
    double push;    // velocity that would just close the remaining gap, or pushes overlap out
    double shift;   // position: how fast the error is corrected
    double excess;  // left side minus right side before solving
    double total;   // one-sided: the impulse so far
    double impulse; // impulse that solving adds
} truss_row;

#define NO_BODY UINT32_MAX // for a side of a tie that is a static body

typedef struct truss_tie {
    bool touches;         // true: a contact; false: a joint
    uint32_t slot;        // slot of the contact or the joint
    uint32_t group, lane; // place in the solver's lanes, or among the joints solved alone
    uint32_t a, b;        // bodies, counted over all trusses; NO_BODY
    uint32_t cell;        // cell of the matrix, if both move
    bool alone;           // sweeps skip it: a rod, rope or weld
    double inertia;       // lent to a rod or rope, against rotation [kg]
    uint32_t row_count;
    truss_row rows[TIE_ROWS_MAX];
} truss_tie;

typedef struct truss_body {
    uint32_t slot;
    uint32_t parent;         // slot of the body from which the walk came; NONE: none
    double mass, inertia;    // inertia 0: it does not rotate
    double need;             // inertia to be lent, if larger; see truss_find.c
    double branch_mass;      // total mass of the body and all bodies found from it
    uint32_t branch_anchors; // how many of those have a joint with a static body
    bool anchored;
    double own[TRUSS_AXES]; // change of velocity in this sub-step by ties that sweeps skip
} truss_body;

typedef struct truss {
    uint32_t first_body, end_body, first_tie, end_tie;
    double stiffness, angular_stiffness; // stiffness of its rows, see truss.c
    double mass;
    uint32_t anchors; // number of bodies with a joint to a static one
} truss;

// A body on the walk from body to body: the next ones are ways [next, end).
typedef struct truss_visit {
    uint32_t slot, first, next, end;
} truss_visit;

typedef struct truss_solver {
    ARRAY(truss) trusses;
    ARRAY(truss_body) bodies;
    ARRAY(truss_tie) ties;
    ARRAY(double) changes; // changes of velocities, three per body
    ARRAY(double) rests;   // remainders of the equations, three per body
    truss_matrix matrix;
    // the walk
    slot_list seeds;  // bodies where trusses begin
    slot_list number; // 1 + the body's number, by slot
    ARRAY(truss_visit) walk;
    slot_list ways;
    item_pairs pairs, sorted;
} truss_solver;

// Finds the trusses of this step, once lanes are filled. True if bodies were lent mass, so that the
// lanes must be filled again.
bool trusses_find(physics_world *world);
// Then finds each tie's place in the lanes, and makes its joints rigid in the sweeps too.
void trusses_place(physics_world *world);
// Call before the sweeps of every sub-step except the first.
void trusses_begin(physics_world *world);
// Call after a sweep; `use_bias` for the pushing pass.
void trusses_solve(physics_world *world, bool use_bias);
void trusses_free(truss_solver *solver);

// Computes the rows of a tie from the bodies' current poses, and stores the impulses found for them
// (truss_rows.c).
bool joint_may_tie(const physics_world *world, uint32_t joint);
void tie_write_rows(const physics_world *world, truss_tie *tie, bool use_bias);
void tie_take_impulses(physics_world *world, const truss_tie *tie, bool use_bias);

#endif
