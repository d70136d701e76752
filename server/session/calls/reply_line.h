// The replies of a world that the network thread has not handled yet, and which of them goes next.
//
// A tick of a world with a thousand watchers makes a thousand snapshots; sending them takes many
// turns of the network thread. Answers, and all other short replies, do not wait for them: up to
// REPLY_LINE_AHEAD go ahead, then one snapshot has its turn, so that neither kind waits without
// end.
//
// A session's replies are still handled in the order in which its world made them. No snapshot is
// handled before an older short reply, which may be the answer that names its subscription. Before
// a reply to a session goes ahead, the session's own snapshots are sent (delivery_list).
//
// Bounded by the replies of a world (sim_thread.c, queue_max). Network thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_REPLY_LINE_H
#define CAROM_SERVER_SESSION_CALLS_REPLY_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/world/message/messages.h"

enum { REPLY_LINE_AHEAD = 16 }; // short replies between two turns of snapshots

// A zeroed struct is an empty line.
typedef struct reply_line {
    reply *short_first, *short_last; // short replies, in order
    reply *long_first, *long_last;   // snapshots, and the world's last image, in order
    uint32_t ahead;                  // short replies handled since the last turn of a long one
    uint64_t added;                  // all replies so far
} reply_line;

bool reply_line_empty(const reply_line *l);
// Takes over the reply.
void reply_line_add(reply_line *l, reply *r);
// The reply that goes next; NULL: the line is empty.
reply *reply_line_next(const reply_line *l);
// Gives the reply a turn. A snapshot may need several turns, and stays in the line until the last.
void reply_line_serve(reply_line *l, const reply *r);
// Removes a reply that had its turn, and frees it.
void reply_line_drop(reply_line *l, reply *r);

// The snapshots that wait for one session, in order. A zeroed struct is an empty list.
typedef struct delivery_list {
    snapshot_delivery *first, *last;
} delivery_list;

// `of` is the snapshot of the delivery: the delivery must leave the list before the snapshot is
// freed.
void delivery_list_add(delivery_list *l, snapshot_delivery *d, const reply *of);
// Removes a delivery of this list, or one that is in no list.
void delivery_list_remove(delivery_list *l, snapshot_delivery *d);

#endif
