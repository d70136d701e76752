// The requests that wait for a world: in the order in which they came, and by session where there
// are more than fit a tick.
//
// Each session has a lane. A turn takes the request that came first among the lanes that have not
// had their share of the turn's time yet; lanes that have had it follow when no other waits, and
// then get twice as much. A lane owes the time beyond its shares in the turns that follow:
// requests that last longer than a turn do not get their lane the next one as well. So a world with
// time to spare serves everyone in order of arrival, and one session's flood makes the others wait
// for no more than their shares. A session's own requests never overtake each other.
//
// Bounded by what is admitted for the world (limits.commands_per_world) and by the slots of
// sessions. One thread: the world's.
#ifndef CAROM_SERVER_WORLD_TICK_INBOX_H
#define CAROM_SERVER_WORLD_TICK_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/world/message/messages.h"

typedef struct inbox_lane {
    request *first, *last; // linked by node.next
    int64_t used_ns;       // of inbox.granted_ns: above it, it has had more than its shares
} inbox_lane;

typedef struct inbox {
    ARRAY(inbox_lane) lanes; // by slot of the session, plus one; 0: the server's own requests
    ARRAY(uint32_t) ready;   // lanes with requests, a heap by arrival of the first
    ARRAY(uint32_t) sated;   // lanes with requests that have had their share
    uint64_t count, arrivals;
    int64_t share_ns;   // of each lane in this turn
    int64_t granted_ns; // all shares of a lane so far
    uint32_t taken;     // the lane of the request that was taken last
} inbox;

// A zeroed inbox is an empty one. It must be empty.
void inbox_deinit(inbox *b);

void inbox_push(inbox *b, request *q);

// Begins a turn of so much time, which the lanes that wait share.
void inbox_begin(inbox *b, int64_t turn_ns);

// Takes the next request; NULL when there is none. After each one that was carried out comes
// inbox_charge with the time that it took.
request *inbox_take(inbox *b);
void inbox_charge(inbox *b, int64_t ns);
// Puts the request that was taken last back to where it was, before inbox_charge.
void inbox_return(inbox *b, request *q);

#endif
