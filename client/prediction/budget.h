// The budget of a prediction. A rollback costs a copy and a step for each tick; where that is more
// than the game allows for a frame, only the islands near the client's own bodies are
// predicted. The others rest in the predicted world, and are drawn as their velocity carries them
// on (Quantum calls it prediction culling). If that is still too much, fewer ticks are made, and
// the rest of the way is carried on by velocity for all.
#ifndef CAROM_CLIENT_PREDICTION_BUDGET_H
#define CAROM_CLIENT_PREDICTION_BUDGET_H

#include "client/prediction/prediction.h"

enum {
    BUDGET_STEP_BODIES = 16, // cost of a step, expressed as a number of bodies
    BUDGET_OWN = 8,          // the latest own bodies, from which distances are measured
    BUDGET_RINGS = 12        // distances that are tried: 1 m, 2 m, 4 m …
};
#define BUDGET_SHARE 0.5  // share of the budget that is planned, since islands wake on the way,
#define BUDGET_MOST  0.95 // and share that may be used

typedef struct budget {
    double body_ms; // time of one awake body in one step; 0: not known
    double copy_ms; // time of a copy
    double growth;  // factor by which bodies that wake on the way make steps more expensive; 0: not
                    // known
} budget;

// Records a frame's time: `work` is the sum of awake bodies + BUDGET_STEP_BODIES over its steps.
void budget_note(budget *b, double took_ms, double work, bool copied);
// Records the growth of awake bodies: islands were put to rest, `planned` bodies were left awake in
// each of `steps` steps, and those steps made `work`.
void budget_note_growth(budget *b, double work, double planned, double steps);
// How many bodies may be awake in each of `steps` steps after a copy.
double budget_bodies(const budget *b, double budget_ms, uint64_t steps);
// How many steps with so many awake bodies fit, at least 1; just 1 before any was measured.
uint32_t budget_steps(const budget *b, double budget_ms, bool copied, uint32_t awake);
// Leaves the islands near the own bodies awake, about `most` bodies. Returns how many are awake.
uint32_t budget_rest_far(physics_world *world, const body_id *own, uint32_t own_count, double most,
                         const body_placing *rows, uint32_t count);

#endif
