// A subscription's budget of bytes a second: which of the bodies that have changed are told in a
// snapshot, and when the next one may be sent.
//
// Bytes are saved up tick by tick, half a second's worth at most, and a snapshot is paid with them.
// Removals, leaves, events, contacts and descriptions are always told; rows are told for what is
// left, and one at least. So more than the budget is sent only while the former alone are more.
//
// A body's turn comes by its score: how many snapshots have left it out, and this one, times a
// weight from 1 to BUDGET_WEIGHT_MOST that is greater the nearer to the view's centre (or the body
// that it follows) and the faster it is. This is the priority accumulator of networked games (M.
// Frohnmayer and T. Gift, "The TRIBES Engine Networking Model", 1999). No body starves: where N
// bodies change all the time and a snapshot has room for k, each is told within
// (BUDGET_WEIGHT_MOST + 1) * ceil(N / k) snapshots. For one that has waited for BUDGET_WEIGHT_MOST
// * ceil(N / k) is behind only such as have waited for ceil(N / k), and each of those is sent once
// in that time.
//
// A body that a reader has is shown in the state that was told last, which is a true one of an
// earlier tick; one that it was never told of is not in its view yet, and enters when its turn
// comes.
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
    uint64_t version; // of the row table, as its reader has it; 0: it does not have it
    uint64_t since;   // left out: up to this tick its state was the one that its reader has
} budget_entry;

// A body that has changed since its reader was told.
typedef struct budget_choice {
    uint32_t entry; // its place
    double score;
    bool taken;
} budget_choice;

typedef struct budget {
    double rate;                 // bytes a second
    double least;                // bytes for which a snapshot is worth while
    double credit;               // bytes that may be sent now; below 0: sent ahead
    double row_bytes;            // mean cost of a body of late, where that is not known beforehand
    uint64_t tick;               // of the last snapshot
    ARRAY(budget_entry) entries; // bodies in view, by ascending slot
    ARRAY(budget_entry) before;  // scratch
    ARRAY(budget_choice) due;    // of the snapshot under way, the greatest score first
    uint32_t left_out;           // bodies in view whose state its reader does not have
    uint64_t oldest;             // the tick of the oldest state that its reader has of one of them
} budget;

budget *budget_create(double bytes_a_second, double least);
void budget_destroy(budget *b); // NULL is allowed

// A tick has passed.
void budget_refill(budget *b, double hz);
static inline bool budget_can_send(const budget *b)
{
    return b->credit >= b->least;
}
void budget_pay(budget *b, size_t bytes);

// Its reader has nothing any more.
void budget_forget(budget *b);

// Begins a snapshot of the bodies in `in_view`: fills `due`. `place` is where the view is, NULL if
// it has no area.
void budget_begin(budget *b, const row_table *rows, const view_set *in_view,
                  const subscribe_args *args, const view_area *place);
// Ends it: those of `due` that were taken are told by it. Takes bodies out of `in_view` that the
// reader does not have.
void budget_end(budget *b, const row_table *rows, view_set *in_view, uint64_t tick);

#endif
