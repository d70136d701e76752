// The margins of timed batches (world.apply with `at`), by session: how long before its tick each
// came. A session's next snapshot or notification of the log contains the smallest one since the
// one before, so that its client can steer its clock without asking.
//
// There is an entry for each slot of a session, so their number is bounded; a new session in a slot
// replaces the entry. Subscriptions of one session that are sent something in the same publishing
// all bear the same margin.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_STATE_MARGINS_H
#define CAROM_SERVER_WORLD_STATE_MARGINS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"

typedef struct session_margin {
    uint64_t session; // number of the session; 0: none
    bool waits;       // `least` was not sent yet
    double least;     // since the last publishing that sent one [s]
    uint64_t sent_in; // the publishing that sent `sent`; 0: none
    double sent;
} session_margin;

typedef struct margins {
    ARRAY(session_margin) by_slot;
    uint64_t publishing; // number of the present one
} margins;

// A zeroed one is empty.
void margins_deinit(margins *m);

// Records that a batch of the session came `margin` seconds before its tick began; negative: after
// it.
void margins_note(margins *m, uint32_t slot, uint64_t session, double margin);

// Snapshots and notifications from here on leave together.
void margins_begin_publishing(margins *m);
// Takes the margin that the session's next snapshot bears. False: it bears none. `m` may be NULL.
bool margins_take(margins *m, uint32_t slot, uint64_t session, double *margin);

#endif
