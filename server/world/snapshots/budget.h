// A subscription's budget of bytes a second: which changed bodies a snapshot contains, and when the
// next one may be sent.
//
// Bytes are saved up tick by tick, half a second's worth at most, and a snapshot is paid with them.
// Removals, leaves, events, contacts and descriptions are always sent; rows get the bytes that are
// left, and at least one row is sent. So the budget is exceeded only when the former alone exceed
// it.
//
// A body's turn comes by its score: how many snapshots have left it out, and this one, times a
// weight from 1 to BUDGET_WEIGHT_MOST that is greater the nearer to the view's centre (or the body
// that it follows) and the faster it is. This is the priority accumulator of networked games (M.
// Frohnmayer and T. Gift, "The TRIBES Engine Networking Model", 1999). No body starves: if N bodies
// change all the time and a snapshot has space for k, each is sent within (BUDGET_WEIGHT_MOST + 1)
// * ceil(N / k) snapshots. Proof: a body that has waited for BUDGET_WEIGHT_MOST * ceil(N / k) is
// behind only bodies that have waited for ceil(N / k), and each of those is sent once in that time.
//
// A body that a reader knows is shown in the state sent last, which is its true state at an earlier
// tick; a body that was never sent is not in the view yet, and enters when its turn comes.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_BUDGET_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/world/command.h"
#include "server/world/snapshots/row_table.h"
#include "server/world/snapshots/subscription.h"

enum { BUDGET_WEIGHT_MOST = 8 };

// A body in view.
typedef struct budget_entry {
    uint32_t slot;
    uint32_t waited;  // snapshots in a row that have left it out
    uint64_t version; // version of the row table that its reader has; 0: none
    uint64_t since;   // left out: until this tick its state was the one that its reader has
} budget_entry;

// A body that has changed since it was last sent to the reader.
typedef struct budget_choice {
    uint32_t entry; // place of the entry
    double score;
    bool taken;
} budget_choice;

typedef struct budget {
    double rate;   // bytes a second
    double least;  // least number of bytes for a snapshot
    double credit; // bytes that may be sent now; below 0: sent ahead
    // Recent mean cost of a body, for bodies whose cost is not known before
    double row_bytes;
    uint64_t tick;               // tick of the last snapshot
    ARRAY(budget_entry) entries; // bodies in view, by ascending slot
    ARRAY(budget_entry) before;  // scratch
    ARRAY(budget_choice) due;    // bodies due in the current snapshot, by descending score
    uint32_t left_out;           // bodies in view whose present state its reader does not have
    uint64_t oldest;             // the tick of the oldest state that its reader has of one of them
} budget;

budget *budget_create(double bytes_a_second, double least);
void budget_destroy(budget *b); // NULL is allowed

// Adds the bytes of a tick that has passed.
void budget_refill(budget *b, double hz);
static inline bool budget_can_send(const budget *b)
{
    return b->credit >= b->least;
}
void budget_pay(budget *b, size_t bytes);

// Called when the reader has lost all its states.
void budget_forget(budget *b);

// Begins a snapshot of the bodies in `in_view`: fills `due`. `place` is where the view is, NULL if
// it has no area.
void budget_begin(budget *b, const row_table *rows, const view_set *in_view,
                  const subscribe_args *args, const view_area *place);
// Ends the snapshot: records the chosen bodies of `due` as sent, and removes from `in_view` the
// bodies that the reader does not know.
void budget_end(budget *b, const row_table *rows, view_set *in_view, uint64_t tick);

#endif
