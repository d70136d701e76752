// Internal to the prediction: its state. Files of this folder share it.
#ifndef CAROM_CLIENT_PREDICTION_INTERNAL_H
#define CAROM_CLIENT_PREDICTION_INTERNAL_H

#include "client/prediction/batches.h"
#include "client/prediction/budget.h"
#include "client/prediction/foreseen_events.h"
#include "client/prediction/lead_clock.h"
#include "client/prediction/prediction.h"
#include "client/prediction/shown_poses.h"
#include "client/prediction/tally.h"

#define PREDICTION_AHEAD_S 1.0 // the predicted world waits when it is farther ahead [s]
#define PAST_TICKS         2.0 // delay [ticks] at which bodies that are not predicted are drawn

// A tick of the present timeline, at tick % PREDICTION_TICKS_MAX.
typedef struct predicted_tick {
    uint64_t tick;
    uint64_t hash;  // hash of the predicted state
    bool predicted; // the hash is valid
    bool done;      // it was predicted before: this is not its first time
    bool asked;     // the caller was asked for its commands
} predicted_tick;

typedef struct own_body {
    body_id id;
    uint64_t named; // tick of the last batch that names it
} own_body;

struct prediction {
    prediction_options options;
    const log_player *confirmed; // NULL: none yet
    physics_world *world;        // the predicted world; NULL: none yet
    bool ready;                  // the world is a copy of this confirmed world, with the ticks
                                 // after it
    bool valid;                  // the world can continue from its present state
    // Number of commands in the confirmed world when both worlds paused
    uint64_t still_commands;
    // ---- comparison
    bool differs;     // the last confirmed tick differs from its prediction
    bool replans;     // a batch was applied in another tick than predicted
    uint64_t settled; // the confirmed tick up to which hashes are compared
    predicted_tick ticks[PREDICTION_TICKS_MAX];
    batches batches;
    uint64_t shown_at; // `at` of the latest own batch that the log has shown
    // ---- the frame
    lead_clock clock;
    uint64_t tick;       // tick of the predicted world
    uint64_t goal;       // the tick to which this frame leads
    uint64_t correct_at; // the tick at which a rollback's corrections are measured; 0: none
    double correct_part; // the drawn position between the tick before `correct_at` and it, 0 to 1
    bool corrects;       // the corrections count as errors
    uint64_t next_input; // the next tick for which the caller is asked for commands
    uint64_t given_at;   // the tick that prediction_next() named
    bool given;          // its commands may be given now
    bool redo_named;     // the repetition of the next tick was named
    uint64_t stop;       // the last tick for which this frame has time
    // The tick of the copy, or of the cut, with which the predicted world began
    uint64_t copied_at;
    bool partial;      // some islands were put to rest to save time: its hashes do not count
    bool copied;       // the world was copied in this frame
    bool cut;          // bodies were put to rest in this frame
    uint64_t drawn_at; // the tick that was drawn before a rollback
    uint64_t taken_at; // the last tick whose poses were read
    uint32_t planned;  // bodies that were left awake when islands were put to rest
    uint64_t led_to;   // the last frame's goal
    double pace;       // ticks that the goal advances in a frame, averaged
    double work;       // work of this frame's steps, see budget_note()
    double spent_ms;   // time of this frame so far, as the caller has measured it
    budget budget;
    double faded; // when errors were last reduced [s]
    // ---- functions of these states
    foreseen_events events;
    shown_poses shown;
    own_body own[PREDICTION_OWN_MAX];
    uint32_t own_count;
    tally tally;
    prediction_figures figures;
};

// The entry of a tick, emptied if it belonged to another tick.
predicted_tick *prediction_tick_at(prediction *p, uint64_t tick);
// Records which bodies a batch moves.
void prediction_note_own(prediction *p, const command *batch, uint64_t tick);

#endif
