// Checks the prediction of one client. It knows the client's commands, the log and the prediction's
// reports, but not how the prediction works.
//
//     a tick    which was predicted with just the commands that the log then had, has the state
//               that the server had, to the bit
//     a batch   is shown at most once, is refused, or is lost with its connection; no other is lost
//     an event that was reported as predicted is decided once; real events are reported once, in
//     order
#ifndef CAROM_TESTS_SIMULATION_FORESIGHT_H
#define CAROM_TESTS_SIMULATION_FORESIGHT_H

#include "client/prediction/prediction.h"
#include "common/base/array.h"

// A batch that the client gave its prediction and sent.
typedef struct given_batch {
    uint64_t at, nonce;
    bool sure; // no limit can refuse it, so it acts unless its connection is lost
} given_batch;

// A command that the log showed. `nonce` 0: of another client, or not given for a tick.
typedef struct shown_row {
    uint64_t tick, nonce;
} shown_row;

// The state with which a frame ended: of `tick`, predicted from the confirmed one of `from`.
typedef struct foreseen_tick {
    uint64_t from, tick, hash;
    uint64_t inputs; // a digest of the commands used for the prediction
} foreseen_tick;

typedef struct foresight {
    ARRAY(given_batch) waiting; // not shown and not refused, in the order of sending
    ARRAY(shown_row) rows;
    ARRAY(foreseen_tick) frames;
    ARRAY(physics_event) open; // events reported as predicted and not decided yet
    ARRAY(physics_event) due;  // events that happened and were not reported
    uint64_t asked;            // the latest tick whose commands were asked for
    uint64_t given, shown, late, refused;
} foresight;

typedef struct foresight_figures {
    // predicted ticks; those whose commands came as predicted, and the others
    uint64_t frames, agreed, otherwise;
    uint64_t batches, shown, late, refused, lost;
    uint64_t predicted, confirmed, taken_back; // events
    uint64_t rollbacks, follows, shortened;    // frames without time for all ticks
    uint64_t compact;                          // records in the compact form
} foresight_figures;
extern foresight_figures foresight_totals; // totals of all runs of the process

void foresight_deinit(foresight *f);
// Follows another confirmed world. Waiting batches may still act in it.
void foresight_follow(foresight *f);
// Records that a tick's commands were asked for, for the first time.
void foresight_asked(foresight *f, uint64_t tick);
void foresight_given(foresight *f, uint64_t at, uint64_t nonce, bool sure);
void foresight_refused(foresight *f, uint64_t nonce);
// A row of the log, applied. `nonce` 0: it is of another client, or has no tick.
void foresight_row(foresight *f, uint64_t tick, uint64_t nonce);
// Records a step of the confirmed world.
void foresight_step(foresight *f, const physics_world *confirmed, uint32_t kinds);
// Records the predicted world at the end of a frame.
void foresight_frame(foresight *f, uint64_t from, const physics_world *predicted);
void foresight_event(foresight *f, const prediction_event *e);
// Whether an event that was predicted before tick `overdue` is undecided. The prediction may have
// moved it to a later tick since it was reported, so that it is decided only then.
bool foresight_has_overdue(const foresight *f, uint64_t overdue);
// Fails the run if a batch is lost that had to act, or an event before tick `overdue` is undecided.
void foresight_settled(const foresight *f, uint64_t overdue);

#endif
