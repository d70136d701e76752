// Keeps a world's replies until the commands that they show are in the world's log.
//
// Clients never see a state that a restart would lose: no result or snapshot is sent before the
// commands that it shows are in the log at the world's durability. A world posts its replies to the
// gate instead of its simulation thread. During a tick it is not known yet whether there will be a
// record. So replies wait unstamped until the world has appended its record, or has none to append,
// and stamps them with the sequence of its newest record. They are sent, in the order in which they
// were posted, when the log has committed that sequence.
//
//     served world --post--> gate: [released | stamped 7 | stamped 8 | unstamped] --sink-->
//     simulation thread
//                              ^ committed 6          ^ stamp() at the end of each tick
//
// After a failure of the log, replies wait until a new image of the world is in the log, which then
// covers them (storage_checkpoint), or until the world gives up: commit_gate_refuse().
//
// A replicated world's replies wait for its standby, too: a stamp has a second number, of the
// world's feed (world_feed.h), which says whether it may be shown.
//
// Bounded by the replies that may exist: one result for each accepted request, one snapshot on its
// way for each subscription. One thread: the world's.
#ifndef CAROM_SERVER_WORLD_LOG_COMMIT_GATE_H
#define CAROM_SERVER_WORLD_LOG_COMMIT_GATE_H

#include <stdint.h>

#include "common/base/status.h"
#include "server/world/message/world_feed.h"
#include "server/world/message/messages.h"

typedef struct commit_gate {
    reply_sink sink;    // receives the replies that leave the gate
    reply *first;       // waiting replies, in order, linked by node.next
    reply **last;       // where the next one is appended
    struct gate_stamp { // the replies before `end` (counted since the beginning) need `sequence`
        uint64_t end, sequence, fed; // `fed`: of the feed
    } * stamps;                      // ascending in both; a ring
    uint32_t stamp_first, stamp_count, stamp_capacity;
    uint64_t posted, released; // numbers of replies since the beginning
    uint64_t stamped;          // the number of stamped ones among them
    uint64_t committed;
    world_feed *feed; // feed of the log; NULL: the world is not replicated
} commit_gate;

// `committed`: the log's committed sequence; 0 for a new world, and for one without a log.
void commit_gate_init(commit_gate *g, reply_sink sink, uint64_t committed);
// Replies wait for the feed, too, from the next stamp on.
void commit_gate_await_feed(commit_gate *g, world_feed *feed);
// No reply may be waiting any more.
void commit_gate_deinit(commit_gate *g);

// Replies leave to this sink from now on.
void commit_gate_redirect(commit_gate *g, reply_sink sink);

// The sink to which the world posts its replies. The gate must not move in memory.
reply_sink commit_gate_sink(commit_gate *g);

// Call with the log's sequence, and the feed's (0: there is none), which never decrease: all
// replies posted so far show the log up to them. Replies that show only committed records leave at
// once.
void commit_gate_stamp(commit_gate *g, uint64_t sequence, uint64_t fed);

// Sends the replies stamped up to `sequence`: the log is committed up to there, or the feed may
// show more.
void commit_gate_commit(commit_gate *g, uint64_t sequence);

// The log will commit no more: every waiting result is sent as a refusal with `why` and `text`,
// waiting snapshots are dropped, ends of subscriptions are sent unchanged.
void commit_gate_refuse(commit_gate *g, status why, const char *text);
// The same for a world that another server serves now: only that server knows which requests have
// taken effect.
void commit_gate_disown(commit_gate *g, status why, const char *text);

// The sequence up to which the log is committed.
uint64_t commit_gate_committed(const commit_gate *g);

// The number of replies that wait.
uint64_t commit_gate_held(const commit_gate *g);

#endif
