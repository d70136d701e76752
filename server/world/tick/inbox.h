// The requests that wait for a world: served in order of arrival, and by session if there are more
// than fit a tick.
//
// Each session has a lane. A turn takes the earliest request among the lanes that have not used up
// their share of the turn's time yet. Lanes that have follow when no other waits, and then get
// twice as much. Time used beyond a lane's shares is subtracted in later turns: requests that last
// longer than a turn do not get their lane the next one as well. So a world with time to spare
// serves everyone in order of arrival, and one session's flood delays the others only by their
// shares. A session's own requests never overtake each other.
//
// Bounded by limits.commands_per_world and by the slots of sessions. One thread: the world's.
#ifndef CAROM_SERVER_WORLD_TICK_INBOX_H
#define CAROM_SERVER_WORLD_TICK_INBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "server/world/message/messages.h"

typedef struct inbox_lane {
    request *first, *last; // linked by node.next
    // compared with inbox.granted_ns: above it, the lane has used more than its shares
    int64_t used_ns;
} inbox_lane;

typedef struct inbox {
    ARRAY(inbox_lane) lanes; // indexed by the session's slot plus one; 0: the server's own requests
    ARRAY(uint32_t) ready;   // lanes with requests, a heap by arrival of each one's first
    ARRAY(uint32_t) sated;   // lanes with requests that have used up their share
    uint64_t count, arrivals;
    int64_t share_ns;   // share of each lane in this turn
    int64_t granted_ns; // all shares of a lane so far
    uint32_t taken;     // the lane of the request taken last
} inbox;

// A zeroed inbox is empty. The inbox must be empty.
void inbox_deinit(inbox *b);

void inbox_push(inbox *b, request *q);

// Begins a turn of `turn_ns`, which the waiting lanes share.
void inbox_begin(inbox *b, int64_t turn_ns);

// Takes the next request; NULL when there is none. Carrying one out is followed by inbox_charge
// with the time that it took.
request *inbox_take(inbox *b);
void inbox_charge(inbox *b, int64_t ns);
// Puts the request taken last back in its old place; to be called before inbox_charge.
void inbox_return(inbox *b, request *q);

#endif
