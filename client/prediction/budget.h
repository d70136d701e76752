// The budget of a prediction. A rollback costs a copy and a step for each tick; where that is more
// than the game allows for a frame, the remaining ticks follow in the next frames if the client
// has commanded nothing for a second. Otherwise only the islands near its own bodies are predicted.
// The others rest in the predicted world, and are drawn where their velocity would carry them
// (Quantum calls this prediction culling). If that is still too much, fewer ticks are stepped
// exactly, and all bodies are extrapolated by their velocity for the remaining ones. Where not even
// a quarter of the ticks fits, as with a pile of thousands, all bodies far from the client's own
// rest (are treated as static: common/physics/standing.h), so that a step costs only as much as the
// near bodies.
#ifndef CAROM_CLIENT_PREDICTION_BUDGET_H
#define CAROM_CLIENT_PREDICTION_BUDGET_H

#include "client/prediction/prediction.h"

enum {
    BUDGET_STEP_BODIES = 16, // cost of a step, expressed as a number of bodies
    BUDGET_OWN = 8,          // the most recent own bodies, from which distances are measured
    BUDGET_RINGS = 12,       // distances that are tried: 1 m, 2 m, 4 m …
    BUDGET_REACHES = 90      // distances that are tried within an island: 1 m, 1.1 m, … 4 km
};
#define BUDGET_SHARE 0.5  // share of the budget that is planned, since islands wake on the way,
#define BUDGET_MOST  0.95 // share of the budget that may be used
#define BUDGET_TICKS 0.25 // if at least this share of the ticks fits, they are stepped completely

typedef struct budget {
    double body_ms; // time of one awake body in one step; 0: unknown
    double copy_ms; // time of a copy
    double growth;  // factor by which bodies that wake meanwhile make steps more expensive; 0:
                    // unknown
} budget;

// Records a frame's time: `work` is the sum of awake bodies + BUDGET_STEP_BODIES over its steps.
void budget_note(budget *b, double took_ms, double work, bool copied);
// Records the growth of awake bodies: islands were put to rest, `planned` bodies were left awake in
// each of `steps` steps, and those steps took `work`.
void budget_note_growth(budget *b, double work, double planned, double steps);
// How many bodies may be awake in each of `steps` steps, after a copy if `copied`.
double budget_bodies(const budget *b, double budget_ms, bool copied, uint64_t steps);
// The number of steps that fit with so many awake bodies, at least 1; exactly 1 before any was
// measured.
uint32_t budget_steps(const budget *b, double budget_ms, bool copied, uint32_t awake);
// The same number with its fraction, from 0 on; infinite before any was measured.
double budget_fitting(const budget *b, double budget_ms, bool copied, uint32_t awake);
// Leaves the islands near the client's own bodies awake, about `most` bodies. Returns how many are
// awake.
uint32_t budget_rest_far(physics_world *world, const body_id *own, uint32_t own_count, double most,
                         const body_placing *rows, uint32_t count);
// Lets only the client's own bodies move, and the awake ones around them, at most `most` in all.
// Returns how many are awake.
uint32_t budget_stand_far(physics_world *world, const body_id *own, uint32_t own_count, double most,
                          const body_placing *rows, uint32_t count);

#endif
