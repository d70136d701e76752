// Holds a world's replies back until what they show is in the world's log.
//
// Nobody is shown what a restart would not bring back: neither a result nor a snapshot leaves
// before the commands that it shows are in the log at the world's durability. A world posts its
// replies to the gate instead of its simulation thread. During a tick nobody knows yet whether
// there will be a record; so replies wait unstamped until the world has appended its record, or has
// none to append, and stamps them with the sequence of its newest record. They leave, in the order
// in which they were posted, when the log has committed that sequence.
//
//     served world --post--> gate: [released | stamped 7 | stamped 8 | unstamped] --sink-->
//     simulation thread
//                              ^ committed 6          ^ stamp() at the end of each tick
//
// A log that has failed holds its replies until a new image of the world is in the log, which then
// covers them (storage_checkpoint), or until the world gives up: commit_gate_refuse().
//
// Bounded by what may be posted: one result for each request taken in, one snapshot on its way for
// each subscription. One thread: the world's.
#ifndef CAROM_SERVER_WORLD_LOG_COMMIT_GATE_H
#define CAROM_SERVER_WORLD_LOG_COMMIT_GATE_H

#include <stdint.h>

#include "common/base/status.h"
#include "server/world/message/messages.h"

typedef struct commit_gate {
    reply_sink sink;    // behind the gate
    reply *first;       // held, in order, linked by node.next
    reply **last;       // where the next one is hooked in
    struct gate_stamp { // the replies before `end` (counted since the beginning) need `sequence`
        uint64_t end, sequence;
    } * stamps; // ascending in both; a ring
    uint32_t stamp_first, stamp_count, stamp_capacity;
    uint64_t posted, released; // replies since the beginning
    uint64_t stamped;          // of those posted
    uint64_t committed;
} commit_gate;

// The log stands at `committed`: 0 for a new world, and for one without a log.
void commit_gate_init(commit_gate *g, reply_sink sink, uint64_t committed);
// Nothing may be held any more.
void commit_gate_deinit(commit_gate *g);

// Replies leave to this sink from now on.
void commit_gate_redirect(commit_gate *g, reply_sink sink);

// The sink to which the world posts its replies. The gate must not move in memory.
reply_sink commit_gate_sink(commit_gate *g);

// All replies posted so far show the log up to `sequence`, which never goes back. Those that show
// no more than is committed leave at once.
void commit_gate_stamp(commit_gate *g, uint64_t sequence);

// The log is committed up to `sequence`: what shows no more than that leaves.
void commit_gate_commit(commit_gate *g, uint64_t sequence);

// The log will not come further: every held result leaves as a refusal with `why` and `text`,
// held snapshots are dropped, ends of subscriptions leave as they are.
void commit_gate_refuse(commit_gate *g, status why, const char *text);

// The sequence up to which the log is committed.
uint64_t commit_gate_committed(const commit_gate *g);

// The number of replies that wait.
uint64_t commit_gate_held(const commit_gate *g);

#endif
