// The budget of a prediction. A rollback costs a copy and a step for each tick; where that is more
// than the game allows for a frame, only the islands near the client's own bodies are
// predicted. The others rest in the predicted world, and are drawn as their velocity carries them
// on (Quantum calls it prediction culling). If that is still too much, fewer ticks are made, to the
// bit, and the rest of the way is carried on by velocity for all. Where not even a quarter of the
// ticks fits, as with a pile of thousands, all bodies far from the own ones stand instead
// (common/physics/standing.h), so that a step costs what is near.
#ifndef CAROM_CLIENT_PREDICTION_BUDGET_H
#define CAROM_CLIENT_PREDICTION_BUDGET_H

#include "client/prediction/prediction.h"

enum {
    BUDGET_STEP_BODIES = 16, // cost of a step, expressed as a number of bodies
    BUDGET_OWN = 8,          // the latest own bodies, from which distances are measured
    BUDGET_RINGS = 12,       // distances that are tried: 1 m, 2 m, 4 m …
    BUDGET_REACHES = 90      // and within an island: 1 m, 1.1 m, … 4 km
};
#define BUDGET_SHARE 0.5  // share of the budget that is planned, since islands wake on the way,
#define BUDGET_MOST  0.95 // and share that may be used
#define BUDGET_TICKS 0.25 // where so many ticks fit, they are made whole

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
// How many bodies may be awake in each of `steps` steps, after a copy if `copied`.
double budget_bodies(const budget *b, double budget_ms, bool copied, uint64_t steps);
// How many steps with so many awake bodies fit, at least 1; just 1 before any was measured.
uint32_t budget_steps(const budget *b, double budget_ms, bool copied, uint32_t awake);
// The same with its fraction, from 0 on; infinite before any was measured.
double budget_fitting(const budget *b, double budget_ms, bool copied, uint32_t awake);
// Leaves the islands near the own bodies awake, about `most` bodies. Returns how many are awake.
uint32_t budget_rest_far(physics_world *world, const body_id *own, uint32_t own_count, double most,
                         const body_placing *rows, uint32_t count);
// Lets only the own bodies move, and the awake ones about them, at most `most` in all. Returns how
// many are awake.
uint32_t budget_stand_far(physics_world *world, const body_id *own, uint32_t own_count, double most,
                          const body_placing *rows, uint32_t count);

#endif
