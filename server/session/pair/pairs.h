// Replicated worlds: each of this server's has a standby at another server of the fleet, and this
// server is the standby of others'. The rules and their state machine are in
// server/fleet/ownership.h; here are its events and its actions.
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
// pairs.c has the primary's side, followers.c the standby's. Network thread only.
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
    PAIRS_PULSE_MS = 50,               // between two looks for worlds without a standby
    PAIRS_RETRY_MS = 500,              // until a server is asked again
    PAIRS_FIRST_MS = 5000,             // a new world waits so long for its first standby
    PAIRS_QUEUE_BYTES_MAX = 256 << 20, // of one world, behind its image
    PAIRS_PIECE_BYTES = 256 << 10,     // of an image
    PAIRS_LINK_BYTES = 4 << 20,        // that wait in a link: more waits in the pairs
    PAIRS_MOVE_MS = 30000,             // for a move, most of it for a large world's image
    PAIRS_HALT_MS = 2000               // a world stands still no longer than this for a move
};

typedef struct pairs pairs;

// Begins to listen for other servers (server_options.fleet_host). Errors: those of peers_open.
status pairs_open(struct server *s, error *err);
// Ends all links; `closed` follows when everything is freed.
void pairs_close(struct server *s, void (*closed)(void *context), void *context);

// Whether a world can be replicated: STATUS_UNAVAILABLE says what is missing.
status pairs_check(const struct server *s, error *err);
// This server serves the world from now on, and looks for a standby. Nothing of the world is shown
// until there is one, unless it is `alone` already. The caller gets a reference.
world_feed *pairs_begin(struct server *s, const char *name, uint64_t number, bool alone);

// ---- moves

// `err` NULL: the server `node` serves the world in that term; else why the world stays here, or
// is elsewhere.
typedef void (*pairs_moved)(void *context, const error *err, const char *node, int64_t term);

// Hands the world over to that server (NULL: its standby, or one of two that are chosen by chance)
// within `bound_ms`. Then `done`, not from within this call. Errors: STATUS_UNAVAILABLE,
// STATUS_NOT_FOUND, STATUS_ALREADY_EXISTS: why it cannot be.
status pairs_move(struct server *s, const struct world_entry *entry, const char *node,
                  uint64_t bound_ms, pairs_moved done, void *context, error *err);
bool pairs_is_moving(const struct server *s, const struct world_entry *entry);
// REPLY_HALTED.
void pairs_halted(struct server *s, const struct reply *r);
// Ends all moves that are under way.
void pairs_end_moves(struct server *s, const char *why);

// ---- the end of a pair

// The world is to be destroyed: its end still goes to the standby.
void pairs_release(struct server *s, uint64_t number);
// The world is served elsewhere; NULL: nowhere.
void pairs_lose(struct server *s, uint64_t number, const world_record *winner);

// A record of the session store, as written to the disk: standbys get it, too.
void pairs_ship_session(struct server *s, const uint8_t *record, size_t size);
// Why a session that is not here cannot be resumed yet: STATUS_UNAVAILABLE if it is one of a server
// whose worlds this one follows.
status pairs_check_session(const struct server *s, uint64_t number, const struct secret *given,
                           error *err);
// Whether a session that is here, too, may be resumed: not while a world that another server hands
// over may bring subscriptions of it.
status pairs_check_coming(const struct server *s, uint64_t number, error *err);

#endif
