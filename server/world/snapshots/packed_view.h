// A packed view: one stream of packed snapshots for all subscriptions that want the same.
//
// Each snapshot of a stream is coded against the one before. A view's snapshots are encoded once,
// with one buffer, one baseline and one set of models for all of its readers. A reader in step was
// sent the last one, and is sent the next change. A new reader, or one that had
// PACKED_IN_FLIGHT_MAX snapshots on their way when the next was due, is sent a full one, after
// which the same changes apply; the other readers get nothing extra. If no reader is in step, the
// stream begins again, so that the full snapshot is small.
//
// A view with a budget (budget.h) has one reader. Bodies whose turn has not come are left out of
// the stream, or have not entered it yet.
//
// An empty change is not sent, except once a second, so that readers see time pass.
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
    subscribe_args of;        // the arguments that its readers share
    token_areas *token_areas; // the areas that they may see
    view_area place;          // where the view was in the snapshot encoded last
    uint32_t phase;
    uint32_t readers;
    packed_encoder *encoder;
    uint64_t number;  // number of the snapshot encoded last; 0: none
    uint64_t version; // version of the row table in that snapshot
    uint64_t tick;
    bool area_moved;       // the area was moved since then
    view_set *seen;        // bodies in view then, with an area or a budget; else NULL
    struct budget *budget; // NULL: none
    bool owed;             // a snapshot was due, and the budget did not allow it yet
    bool postponed;        // a snapshot was due, and the turn was over
    // the rest is for the current publishing
    uint32_t in_step; // number of readers in step
    bool waiting;     // a reader needs a full snapshot, and can accept it
    bool due;
    bool crowded;  // events wait that cannot wait for a budget
    bool told;     // a change was encoded
    bool has_full; // a full snapshot was encoded
    bool refused;  // there is no memory for the view; `refusal` has the error
    error refusal;
    // the view's memory, charged to the reader that began it or to one that remains
    memory_charge charge;
    buffer change, full;
} packed_view;

typedef struct packed_views {
    ARRAY(packed_view *) list;
    ARRAY(packed_body) bodies; // scratch
    ARRAY(bool) held;          // scratch: of each, whether it is left out
    ARRAY(uint64_t) removed;   // scratch
    area_index *areas;         // owned by the publisher
} packed_views;

void packed_views_deinit(packed_views *v);

// Adds the subscription, which gets packed snapshots, to those with the same view, or begins a
// stream at `hz` ticks a second. It needs a full snapshot.
void packed_views_join(packed_views *v, subscription *s, double hz);
// The most memory that a view with this precision and number of bodies takes.
uint64_t packed_views_bytes_most(const snapshot_precision *precision, uint32_t bodies);
// Removes the subscription from its view, if it has one.
void packed_views_leave(packed_views *v, subscription *s);
// Called when the subscription has a new area (`view`, `place`): if it shared the old view, it
// leaves that.
void packed_views_move(packed_views *v, subscription *s, double hz);

// Whether the subscription was sent the last snapshot of its view.
static inline bool packed_view_in_step(const subscription *s)
{
    return s->packed_number != 0 && s->packed_number == s->packed->number;
}

// Whether a snapshot may be sent to it now: it is in step, or everything sent before is written.
static inline bool packed_view_can_send(const subscription *s)
{
    return packed_view_in_step(s) ? s->marks.in_flight < PACKED_IN_FLIGHT_MAX
                                  : s->marks.in_flight == 0;
}

// Encodes the view's next snapshot from the table's rows: the change, unless it is empty and
// `tells` is false, and a full one if a reader waits for it.
void packed_view_encode(packed_views *v, packed_view *view, const row_table *rows, uint64_t tick,
                        bool tells);

// The bytes for this reader among those encoded just now.
const buffer *packed_view_bytes(const subscription *s, bool *full);

#endif
