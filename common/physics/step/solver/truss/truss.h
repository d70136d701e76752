// Trusses: bodies of very uneven masses and the joints between them, solved as one system of
// equations. See truss.c for when and why.
//
// A truss is found anew in every step (truss_find.c): its bodies, and its ties, which are joints
// and contacts. In every sub-step the ties' rows are written down from where the bodies are
// (truss_rows.c) and solved together (truss.c, truss_matrix.c), after the sweeps that all other
// constraints have.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_TRUSS_TRUSS_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_TRUSS_TRUSS_H

#include <stdbool.h>

#include "common/physics/state/world.h"
#include "common/physics/step/solver/truss/truss_matrix.h"

enum {
    TRUSS_BODIES_MAX =
        1024, // bodies of one truss; joints that lead farther are solved by sweeps alone
    TRUSS_WORK_MAX = 8192, // products of blocks: with more, its loops are solved by sweeps alone
    TRUSS_ROUNDS_MAX = 4,  // rounds in which one-sided rows are found to press or not
    TIE_ROWS_MAX = 4
};

// A row's part in its tie, which tells where its impulse is kept.
typedef enum row_kind {
    ROW_X, // ROW_X and ROW_Y: a point
    ROW_Y,
    ROW_ANGLE,  // angle of b from a
    ROW_ACROSS, // the axis on which it slides
    ROW_ROD,
    ROW_LOWER,
    ROW_UPPER, // limits, one-sided
    ROW_TOUCH0,
    ROW_TOUCH1, // a contact's points, one-sided
    ROW_INERTIA // a rod's resistance to a change of its turning
} row_kind;

// An equation a · v_a + b · v_b = -push, or >=, of velocities (x, y, angular). With `shift` instead
// of `push` it is one of corrections that move positions and are no part of the velocity.
typedef struct truss_row {
    row_kind kind;
    bool one_sided, held; // held: it is an equation now
    bool apart;           // one-sided: a gap is left
    double a[TRUSS_AXES], b[TRUSS_AXES];
    double push;    // velocity that would just close the remaining gap, or pushes overlap out
    double shift;   // position: how fast the error is corrected
    double excess;  // left side less right side before solving
    double total;   // one-sided: the impulse so far
    double impulse; // impulse that solving adds
} truss_row;

#define NO_BODY UINT32_MAX // that side of a tie does not move

typedef struct truss_tie {
    bool touches;         // a contact, else a joint
    uint32_t slot;        // slot of the contact or the joint
    uint32_t group, lane; // place in the solver's lanes, or among the joints solved alone
    uint32_t a, b;        // bodies, counted over all trusses; NO_BODY
    uint32_t cell;        // cell of the matrix, if both move
    bool alone;           // sweeps leave it alone: a rod, rope or weld
    double inertia;       // lent to a rod or rope, against turning [kg]
    uint32_t row_count;
    truss_row rows[TIE_ROWS_MAX];
} truss_tie;

typedef struct truss_body {
    uint32_t slot;
    uint32_t parent;         // slot of the body from which it was come upon; NONE
    double mass, inertia;    // 0: it does not turn
    double need;             // inertia to be lent, if that is more; see truss_find.c
    double branch_mass;      // mass of the body and all bodies found from it
    uint32_t branch_anchors; // how many of those a joint ties to a body that does not move
    bool anchored;
    double own[TRUSS_AXES]; // change of velocity in this sub-step by ties that sweeps leave alone
} truss_body;

typedef struct truss {
    uint32_t first_body, end_body, first_tie, end_tie;
    double stiffness, angular_stiffness; // stiffness of its rows, see truss.c
    double mass;
    uint32_t anchors; // bodies that a joint ties to one that does not move
} truss;

// A body on the walk from body to body: the next ones are ways [next, end).
typedef struct truss_visit {
    uint32_t slot, first, next, end;
} truss_visit;

typedef struct truss_solver {
    ARRAY(truss) trusses;
    ARRAY(truss_body) bodies;
    ARRAY(truss_tie) ties;
    ARRAY(double) changes; // changes of velocities, three a body
    ARRAY(double) rests;   // remainders of the equations, three a body
    truss_matrix matrix;
    // the walk
    slot_list seeds;  // bodies from which to begin
    slot_list number; // 1 + the body's number, by slot
    ARRAY(truss_visit) walk;
    slot_list ways;
    item_pairs pairs, sorted;
} truss_solver;

// Finds the trusses of this step, once lanes are filled. True if bodies were lent mass, so that
// lanes are to be filled again.
bool trusses_find(physics_world *world);
// Once they are: where each tie is in the lanes. Their joints are rigid in the sweeps too.
void trusses_place(physics_world *world);
// Before the sweeps of a sub-step but the first.
void trusses_begin(physics_world *world);
// After a sweep, with `use_bias` of the pushing ones.
void trusses_solve(physics_world *world, bool use_bias);
void trusses_free(truss_solver *solver);

// The rows of a tie as the bodies are now, and the impulses found for them back to where they
// belong (truss_rows.c).
bool joint_may_tie(const physics_world *world, uint32_t joint);
void tie_write_rows(const physics_world *world, truss_tie *tie, bool use_bias);
void tie_take_impulses(physics_world *world, const truss_tie *tie, bool use_bias);

#endif
