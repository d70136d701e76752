// Replicated worlds: each of this server's has a standby at another server of the fleet, and this
// server is the standby of others'. The rules and their state machine are in
// server/fleet/ownership.h; here are its events and its actions.
//
// A hot standby plays what it gets; a log standby (--fleet-standby log) keeps it, with an image
// from time to time, and plays it when it takes over.
//
//     primary                                          standby
//     world_feed ─> queue of its pair ─> link ──────> follower: an image and entries, which are
//     what may be shown <────────────── acknowledged   played as they come, and hashes compared
//
// One link from each primary's server to each standby's, whatever the number of worlds. An image
// goes in pieces, as the link takes them, and the entries behind it wait in the pair's queue. With
// the worlds go the records of all sessions that may be resumed (session_store.h).
//
// When the link ends, the primary asks the fleet to go on alone, and looks for another standby; the
// standby asks to take over, plays what is left, and serves the world: its sessions can be resumed
// here (shipped.h).
//
// A world moves by the same means (moves.c): the other server becomes its standby, the world stands
// still after a tick, and when the standby has all of it, that one is asked to take over.
//
//     the other server     the world's       the standby       the standby's       the record
//     is its standby  ──>  thread halts ──>  has all      ──>  asks etcd to   ──>  names it: this
//     MOVE_PAIRING         MOVE_HALTING      MOVE_SETTLING     be primary          server answers
//                                                              MOVE_YIELDING       `moved`
//
// pairs.c, pair_queue.c and pair_lag.c have the primary's side, followers.c and the files of
// follower.h the standby's. Network thread only.
#ifndef CAROM_SERVER_SESSION_PAIR_PAIRS_H
#define CAROM_SERVER_SESSION_PAIR_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/fleet/records.h"
#include "server/storage/storage.h"
#include "server/world/message/world_feed.h"

struct server;
struct secret;
struct reply;
struct world_entry;

enum {
    PAIRS_PULSE_MS = 50,               // time between two looks for worlds without a standby
    PAIRS_RETRY_MS = 500,              // time until a server is asked again
    PAIRS_TELL_MS = 60000,             // time between two lines about servers that refuse a world
    PAIRS_FIRST_MS = 5000,             // time for which a new world waits for its first standby
    PAIRS_QUEUE_BYTES_MAX = 256 << 20, // one world's entries, behind its image
    PAIRS_PIECE_BYTES = 256 << 10,     // a piece of an image
    // A standby that takes longer to acknowledge an entry is given up: clients wait for it. Counted
    // in pulses, so that a process that did not run for a while first reads what came meanwhile.
    PAIRS_LATE_PULSES_MAX = 2000 / PAIRS_PULSE_MS,
    PAIRS_CLOSE_MS = 1000,      // a candidate that is farther behind is no standby yet
    PAIRS_AGAIN_MS = 10000,     // time until the same server is asked again after that
    PAIRS_LINK_BYTES = 4 << 20, // bytes that wait in a link; further ones wait in the pairs
    PAIRS_MOVE_MS = 30000,      // limit for a move; a large world's image takes most of it
    PAIRS_HALT_MS = 2000        // a world stands still no longer than this for a move
};

typedef struct pairs pairs;

// Begins to listen for other servers (server_options.peers, which are closed with the pairs, or
// when this fails). Errors: those of peers_begin.
status pairs_open(struct server *s, error *err);
// Ends all links; `closed` follows when everything is freed.
void pairs_close(struct server *s, void (*closed)(void *context), void *context);

// Whether a world can be replicated: STATUS_UNAVAILABLE says what is missing.
status pairs_check(const struct server *s, error *err);
// This server serves the world from now on, and looks for a standby. Nothing of the world is shown
// until there is one, unless it is `alone` already. The caller gets a reference.
world_feed *pairs_begin(struct server *s, const char *name, uint64_t number, bool alone);

// How far a standby is behind; it may have received more than it has played.
typedef struct pair_lag {
    uint64_t tick;   // the newest entry that it acknowledged
    double seconds;  // age of the oldest entry that it did not acknowledge; 0: there is none
    uint64_t bytes;  // size of all entries that it did not acknowledge
    uint32_t worlds; // number that the lag covers
} pair_lag;

// How far the standby of a world of this server is behind. False: it has no standby.
bool pairs_lag(const struct server *s, const char *world, pair_lag *out);
// The largest `seconds` of all worlds, and the sum of their `bytes`.
pair_lag pairs_lag_of_all(const struct server *s);
// The name of a server that is a standby for some world of this server; NULL: no world has one.
const char *pairs_standby(const struct server *s);
// Worlds of other servers that this one follows.
uint32_t pairs_followed(const struct server *s);

// ---- moves

// `err` NULL: the server `node` serves the world in that term; else why the world stays here, or
// is elsewhere.
typedef void (*pairs_moved)(void *context, const error *err, const char *node, int64_t term);

// Hands the world over to that server (NULL: its standby, or one of two that are chosen by chance)
// within `bound_ms`. Then `done`, not from within this call. Errors: STATUS_UNAVAILABLE,
// STATUS_NOT_FOUND, STATUS_ALREADY_EXISTS; the text gives the reason.
status pairs_move(struct server *s, const struct world_entry *entry, const char *node,
                  uint64_t bound_ms, pairs_moved done, void *context, error *err);
bool pairs_is_moving(const struct server *s, const struct world_entry *entry);
// REPLY_HALTED.
void pairs_halted(struct server *s, const struct reply *r);
// REPLY_LEAVING, REPLY_STAYING: the world moves to its standby while its log cannot be written
// here.
void pairs_note_log(struct server *s, const struct reply *r);
// Ends all moves that are under way.
void pairs_end_moves(struct server *s, const char *why);

// ---- the end of a pair

// Call before the world is destroyed: its end still goes to the standby.
void pairs_release(struct server *s, uint64_t number);
// Call when the server of `winner` serves the world instead; NULL: no server does.
void pairs_lose(struct server *s, uint64_t number, const world_record *winner);

// A record of the session store, as written to the disk, of the session in `slot`: servers that
// have that session get it, too. The others get the session as it is then (shipping.c).
void pairs_ship_session(struct server *s, uint32_t slot, const uint8_t *record, size_t size);
// Why a session that is not here cannot be resumed yet: STATUS_UNAVAILABLE if it is one of a server
// whose worlds this one follows.
status pairs_check_session(const struct server *s, uint64_t number, const struct secret *given,
                           error *err);
// Whether a session that is here, too, may be resumed: not while a world that comes from another
// server may bring subscriptions and requests of it.
status pairs_check_coming(const struct server *s, uint64_t number, error *err);

#endif
