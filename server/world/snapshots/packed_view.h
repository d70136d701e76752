// A packed view: the stream of packed snapshots that all subscriptions are sent who want the same.
//
// Each snapshot of a stream is coded against the one before. A view's snapshots are encoded once,
// with one buffer, one baseline and one set of models for all of its readers. A reader in step was
// sent the last one; it is sent the next change. A reader that has just come, or that had
// PACKED_IN_FLIGHT_MAX snapshots on their way when the next was due, is sent a full one, from which
// the same changes lead on; the others are not sent more for that. Where no reader is in step, the
// stream begins anew, so that the full snapshot is small.
//
// A view with a budget (budget.h) has one reader. Bodies whose turn it is not are passed over in
// the stream, or have not entered it yet.
//
// A change in which nothing is told is not sent, but one a second is, so that readers see time go
// on.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_PACKED_VIEW_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_PACKED_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "proto/packed/packed.h"
#include "proto/wire/buffer.h"
#include "server/world/snapshots/area_index.h"
#include "server/world/snapshots/row_table.h"
#include "server/world/snapshots/subscription.h"
#include "server/world/snapshots/view_area.h"

typedef struct packed_view {
    subscribe_args of;        // what its readers want
    token_areas *token_areas; // and may be shown
    view_area place;          // of the snapshot that was encoded last
    uint32_t phase;
    uint32_t readers;
    packed_encoder *encoder;
    uint64_t number;  // of the snapshot that was encoded last, 0 for none
    uint64_t version; // of the row table, then
    uint64_t tick;
    bool area_moved;       // since then
    view_set *seen;        // then, with an area or a budget: what its readers have. NULL without
    struct budget *budget; // NULL: none
    bool owed;             // it was due, and the budget did not allow it yet
    bool postponed;        // it was due, and the turn was over
    // of the publishing under way
    uint32_t in_step; // readers
    bool waiting;     // somebody needs a full one, and can take it
    bool due;
    bool crowded;  // events wait that cannot wait for a budget
    bool told;     // a change was encoded
    bool has_full; // and a full one
    bool refused;  // there is no memory for it; `refusal` says so
    error refusal;
    memory_charge charge; // what it takes, of the reader that began it or has stayed
    buffer change, full;
} packed_view;

typedef struct packed_views {
    ARRAY(packed_view *) list;
    ARRAY(packed_body) bodies; // scratch
    ARRAY(bool) held;          // scratch: of each, whether it is left out
    ARRAY(uint64_t) removed;   // scratch
    area_index *areas;         // the publisher's
} packed_views;

void packed_views_deinit(packed_views *v);

// The subscription, which is to be sent packed snapshots, joins those who want the same, or begins
// a stream at `hz` ticks a second. It needs a full snapshot.
void packed_views_join(packed_views *v, subscription *s, double hz);
// The most memory that a view of that precision and so many bodies takes.
uint64_t packed_views_bytes_most(const snapshot_precision *precision, uint32_t bodies);
// It leaves them, if it was among some.
void packed_views_leave(packed_views *v, subscription *s);
// Its area is another from now on, as its `view` and `place` say. If it shared the old one, it
// leaves.
void packed_views_move(packed_views *v, subscription *s, double hz);

// Whether it was sent the last snapshot of its view.
static inline bool packed_view_in_step(const subscription *s)
{
    return s->packed_number != 0 && s->packed_number == s->packed->number;
}

// Whether a snapshot may be sent to it now: in step, or when all that it was sent before is
// written.
static inline bool packed_view_can_send(const subscription *s)
{
    return packed_view_in_step(s) ? s->marks.in_flight < PACKED_IN_FLIGHT_MAX
                                  : s->marks.in_flight == 0;
}

// Encodes the view's next snapshot from the table's rows: the change, unless it tells nothing and
// `tells` is false, and a full one if somebody waits for it.
void packed_view_encode(packed_views *v, packed_view *view, const row_table *rows, uint64_t tick,
                        bool tells);

// The bytes that this reader is to be sent, of those that were encoded just now.
const buffer *packed_view_bytes(const subscription *s, bool *full);

#endif
