// The budget of a prediction. A rollback costs a copy and a step for each tick; where that is more
// than the game allows for a frame, only the islands near the client's own bodies are
// predicted. The others rest in the predicted world, and are drawn as their velocity carries them
// on (Quantum calls it prediction culling). If that is still too much, fewer ticks are made, and
// the rest of the way is carried on by velocity for all.
#ifndef CAROM_CLIENT_PREDICTION_BUDGET_H
#define CAROM_CLIENT_PREDICTION_BUDGET_H

#include "client/prediction/prediction.h"

enum {
    BUDGET_STEP_BODIES = 16, // a step costs as much as so many bodies more
    BUDGET_OWN = 8,          // own bodies, the latest, from which distances are measured
    BUDGET_RINGS = 12        // distances that are tried: 1 m, 2 m, 4 m …
};
#define BUDGET_SHARE 0.5  // of the budget is planned, since islands wake on the way,
#define BUDGET_MOST  0.95 // and so much is used

typedef struct budget {
    double body_ms; // of one awake body in one step; 0: not known
    double copy_ms; // of a copy
    double growth;  // by what bodies that wake on the way make the steps dearer; 0: not known
} budget;

// A frame took so long: `work` is the sum over its steps of awake bodies + BUDGET_STEP_BODIES.
void budget_note(budget *b, double took_ms, double work, bool copied);
// Islands were put to rest, and `planned` bodies left awake in each of `steps` steps: they made
// `work`.
void budget_note_growth(budget *b, double work, double planned, double steps);
// How many bodies may be awake in each of `steps` steps after a copy.
double budget_bodies(const budget *b, double budget_ms, uint64_t steps);
// How many steps with so many awake bodies fit, at least 1; just 1 before any was measured.
uint32_t budget_steps(const budget *b, double budget_ms, bool copied, uint32_t awake);
// Leaves the islands near the own bodies awake, about `most` bodies. Returns how many are awake.
uint32_t budget_rest_far(physics_world *world, const body_id *own, uint32_t own_count, double most,
                         const body_placing *rows, uint32_t count);

#endif
