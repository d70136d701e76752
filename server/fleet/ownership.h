// The ownership of a world, as one server sees it: the rules of a fleet as one state machine.
//
// The frame is Vertical Paxos with a primary and a backup (Lamport, Malkhi, Zhou 2009: "Vertical
// Paxos and Primary-Backup Replication"); the record of a world in the store plays its master. No
// clock is trusted. The rules, whose numbers ownership.c and ownership_rules.c name:
//
//   1. A server serves a term only after its own transaction wrote it.
//   2. The primary shows a tick only when its standby has acknowledged the log up to it.
//   3. A standby that gives its primary up first stops to acknowledge that term, then writes the
//      next one with itself as primary.
//   4. A primary that misses its standby writes the next term, without one, before it shows alone.
//   5. A server whose transaction fails reads the winner and drops the world.
//   6. A new standby is written in only after it has acknowledged the newest tick shown; from then
//      on the primary shows nothing that it has not acknowledged, whatever became of the
//      transaction.
//
// Pure: no sockets, no clock, no memory of its own. The owner reports events and carries out the
// actions in their order. ownership_shows_to(), asked at each tick, bounds the ticks that it shows.
//
//            create, claim                   written
//     NONE ───────────────> CLAIMING ──────────────────> ALONE <──────written─── UNPAIRING
//      │  ^                    │ refused                  │ a candidate is there      ^
//      │  └── every state <────┘                          v                           │
//      │      on a refusal, or a newer term            PAIRING ──standby missed──────>│
//      │                                                  │ written                   │
//      │ image of a primary                               v                           │
//      v                                                PAIRED ────standby missed────>│
//   CATCHING_UP ──named in the record──> FOLLOWING        │ yield                     │
//                                           │ primary     v                           │
//                                           │ missed   YIELDING ───standby missed────>┘
//                                           v
//                                      TAKING_OVER ──written──> ALONE
#ifndef CAROM_SERVER_FLEET_OWNERSHIP_H
#define CAROM_SERVER_FLEET_OWNERSHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "server/fleet/records.h"

typedef enum ownership_state {
    OWNERSHIP_NONE,        // another server or nobody owns the world
    OWNERSHIP_CLAIMING,    // asks to be primary
    OWNERSHIP_ALONE,       // primary, without a standby
    OWNERSHIP_PAIRING,     // primary; asks that the candidate be the standby
    OWNERSHIP_PAIRED,      // primary with a standby
    OWNERSHIP_YIELDING,    // primary that has asked its standby to take over
    OWNERSHIP_UNPAIRING,   // primary; asks to go on without the standby that it misses
    OWNERSHIP_CATCHING_UP, // candidate: has the primary's image, and acknowledges
    OWNERSHIP_FOLLOWING,   // standby
    OWNERSHIP_TAKING_OVER, // standby that gave its primary up: asks to be primary
    OWNERSHIP_STATE_COUNT
} ownership_state;

typedef enum ownership_event_kind {
    EVENT_CREATE,         // the name must be free
    EVENT_CLAIM,          // record, revision: as read; this server has all that was shown
    EVENT_WRITTEN,        // write, revision: the transaction took effect
    EVENT_REFUSED,        // write, record (NULL: there is none), revision: the winner
    EVENT_UNANSWERED,     // write: nobody knows
    EVENT_RECORD,         // record (NULL), revision: as the watch reports it, perhaps late
    EVENT_CANDIDATE,      // from, tick: it has an image of that tick, and acknowledges from there
    EVENT_ACKNOWLEDGED,   // from, term, tick: the log up to the tick is there
    EVENT_STANDBY_MISSED, // the standby's or candidate's connection is silent or closed
    EVENT_IMAGE,          // record, revision, tick: a primary's image has arrived; a candidate
    EVENT_LOG,            // from, term, tick: the log up to the tick has arrived
    EVENT_NAMED,          // record, revision: the primary says that this is its standby
    EVENT_PRIMARY_MISSED, // the primary's connection is silent or closed, or it asks to take over
    EVENT_YIELD,          // the world is to move to the standby
} ownership_event_kind;

typedef struct ownership_event {
    ownership_event_kind kind;
    const char *from; // name of a server
    int64_t term;
    int64_t tick;
    uint64_t write;
    const world_record *record;
    int64_t revision; // revision of the record
} ownership_event;

typedef enum ownership_action_kind {
    ACTION_WRITE,       // transact: `wanted` if the key is at `wanted_at`; answer with `write`
    ACTION_SERVE,       // from now on this server serves `record.term`
    ACTION_ACKNOWLEDGE, // to the primary: term, tick
    ACTION_NAME,        // notify the standby that it is one: record, revision
    ACTION_YIELD,       // ask the standby to take over
    ACTION_DROP,        // another server has the world, or it is gone: `winner`
} ownership_action_kind;

typedef struct ownership_action {
    ownership_action_kind kind;
    int64_t term;
    int64_t tick;
} ownership_action;

enum { OWNERSHIP_ACTIONS_MAX = 4 };

typedef struct ownership_actions {
    ownership_action list[OWNERSHIP_ACTIONS_MAX];
    uint32_t count;
} ownership_actions;

typedef struct ownership {
    world_record self; // this server's part of a record: primary, engine, hz, addresses, run
    ownership_state state;
    world_record record; // the last one known to be true; term 0: none
    int64_t revision;    // `record`'s; 0: the key does not exist
    world_record wanted; // while a transaction is under way
    int64_t wanted_at;
    uint64_t write; // number of the newest transaction
    bool creating;
    char follower[RECORD_NAME_MAX + 1]; // standby or candidate; "": none
    int64_t acknowledged; // newest tick acknowledged by the follower, or by this server as
                          // standby or candidate
    int64_t shown;        // newest tick that was shown; -1: none
    bool primary_missed;  // a candidate or standby misses its primary
    bool has_winner;      // `winner` is set, after ACTION_DROP
    world_record winner;
} ownership;

void ownership_init(ownership *o, const world_record *self);

// Reports an event. Events that mean nothing in the present state are ignored: they come late.
void ownership_handle(ownership *o, const ownership_event *event, ownership_actions *out);

// Shows ticks up to `tick`, as far as allowed: returns the newest one that may be shown now, -1 for
// none, and records it as shown.
int64_t ownership_show(ownership *o, int64_t tick);

const char *ownership_state_name(ownership_state state);

// ---- the rules, each one question (ownership_rules.c); separate, so that tests can break them

// Rules 1, 2, 4, 6: the newest tick that may be shown; INT64_MAX: any; -1: none.
int64_t ownership_shows_to(const ownership *o);
// Rule 2: whether an acknowledgement counts.
bool ownership_counts(const ownership *o, const char *from, int64_t term);
// Rule 3: whether the log of that server and term is acknowledged.
bool ownership_acknowledges(const ownership *o, const char *from, int64_t term);
// Rule 6: whether the candidate may be written in.
bool ownership_admits(const ownership *o);
// Rules 1, 3, 4: whether the state after a transaction is entered only when it took effect.
bool ownership_awaits_store(const ownership *o);

#endif
