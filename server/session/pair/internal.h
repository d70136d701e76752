// Shared by the files of this folder. Network thread only.
#ifndef CAROM_SERVER_SESSION_PAIR_INTERNAL_H
#define CAROM_SERVER_SESSION_PAIR_INTERNAL_H

#include <uv.h>

#include "common/base/array.h"
#include "server/fleet/fleet.h"
#include "server/fleet/peer.h"
#include "server/session/pair/pairs.h"
#include "server/session/pair/shipped.h"
#include "server/schedule/turn_queue.h"

// Messages of a link. Numbers are little-endian; the world's is its epoch.
typedef enum pair_message {
    // From the primary: u64 world, u64 sequence, u64 tick, u64 hash, u64 bytes of the image, u64
    // revision of the record, u32 durability, u32 size of the name and itself, u32 size of the
    // record and itself
    PAIR_OFFER = 1,
    PAIR_PIECE,   // u64 world; bytes of its image
    PAIR_ENTRY,   // u64 world, u64 sequence, u64 tick; the entry (world_log.h)
    PAIR_END,     // u64 world, u64 sequence
    PAIR_NAMED,   // u64 world, u64 revision; the record
    PAIR_SESSION, // a record of the session store
    PAIR_YIELD,   // u64 world, u64 term: it stands still, and the standby is to take it over
    // From the standby:
    PAIR_ACKNOWLEDGE, // u64 world, u64 sequence, u64 term
    PAIR_REFUSE,      // u64 world; why, as text
    PAIR_RENEW, // u64 world: an image is wanted, as much of the log has arrived since the last one
    PAIR_MESSAGE_COUNT
} pair_message;

enum {
    PAIR_OFFER_BYTES = 52, // before the texts
    PAIR_PIECE_HEAD_BYTES = 8,
    PAIR_ENTRY_HEAD_BYTES = 24,
    PAIR_END_BYTES = 16,
    PAIR_NAMED_HEAD_BYTES = 16,
    PAIR_YIELD_BYTES = 16,
    PAIR_ACKNOWLEDGE_BYTES = 24,
    PAIR_RENEW_BYTES = 8
};

struct follower;
struct source;

typedef struct remote {
    peer_link *link;
    bool up;
    bool has_sessions;     // all were sent: worlds may be offered
    uint32_t next_session; // sessions of lower slots were sent, and all of their records since then
} remote;

// How far a world has come on its way to another server.
typedef enum move_stage {
    MOVE_NONE,
    MOVE_PAIRING,  // the other server becomes its standby
    MOVE_HALTING,  // its thread was asked to stop
    MOVE_SETTLING, // it stands still; the standby does not have all
    MOVE_YIELDING  // the standby asks to be primary
} move_stage;

typedef struct move {
    move_stage stage;
    char node[RECORD_NAME_MAX + 1];
    char peer[RECORD_ADDRESS_MAX + 1];
    uint64_t deadline_ms;
    uint64_t number;    // number of its REQUEST_HALT
    uint64_t end;       // number of the feed's last item, when it stands still
    uint64_t halted_ms; // when it was asked to stop
    pairs_moved done;
    void *context;
} move;

// An entry that was taken from a feed, or an image: how far it leads, and since when it waits to be
// acknowledged.
typedef struct sent_entry {
    uint64_t sequence, tick, bytes, since_ms;
} sent_entry;

// A world of this server.
typedef struct pair {
    char name[WORLD_NAME_BYTES_MAX + 1];
    uint64_t number;
    storage_durability durability;
    bool replicated;            // it is to have a standby always, not only for a move
    world_feed *feed;           // a reference
    remote *to;                 // server of its standby or candidate; NULL: none
    bool offered;               // the feed is attached
    bool refused;               // the candidate refused it
    uint64_t told_ms;           // when a refusal was logged; 0: never since the last standby
    bool doubted;               // an acknowledgement was ignored, which was logged
    bool told;                  // EVENT_CANDIDATE was reported
    bool opened;                // it has been shown
    bool released;              // it is being destroyed
    uint64_t end;               // sequence of its end; 0: not met
    uint64_t passed;            // sequence of the newest item that was sent; never falls
    uint64_t acknowledged;      // sequence, at most `passed`
    uint64_t acknowledged_tick; // 0: nothing yet
    ARRAY(sent_entry) waiting;  // not acknowledged yet, the oldest first
    uint32_t waiting_from;      // those before were acknowledged
    feed_item *first, **last;   // not sent yet
    uint64_t queued;            // bytes of these entries
    uint64_t sent;              // bytes of the first item, an image
    uint64_t probe;             // an entry that the standby has to acknowledge; 0: none
    uint32_t probe_pulses;      // since it was sent
    uint64_t begun_ms, next_ms, again_ms;
    char but[RECORD_NAME_MAX + 1]; // the server that failed last
    move move;
    bool leaving;      // its log cannot be written here: it is to move to its standby
    uint64_t leave_ms; // when that is tried again
} pair;

struct pairs {
    struct server *server;
    peers *peers;
    uv_async_t wake; // from worlds' threads: their feeds have items
    uv_timer_t pulse;
    turn_job shipping;                  // sends the sessions to servers that lack them
    ARRAY(pair *) list;                 // worlds of this server
    ARRAY(remote *) remotes;            // links that this server dialled
    ARRAY(struct follower *) followers; // worlds that this server follows
    ARRAY(struct source *) sources;     // links that other servers dialled, while they matter
    uint64_t next_move;
    bool closing;
    uint32_t handles;
    void (*closed)(void *context);
    void *context;
};

// ---- pairs.c

struct fleet *pairs_fleet(const pairs *p);
pair *pairs_find(const pairs *p, uint64_t number);
// NULL, too, for a world that is being destroyed.
pair *pairs_find_name(const pairs *p, const char *name);
// Call when the standby or candidate is lost, refuses, or is no longer needed. May free the pair.
void pairs_miss(pairs *p, pair *one);

// Offers the worlds that wait for this server to have the sessions.
void pairs_offer(const pairs *p, const remote *r);
// Closes the link of a server that does not read, and drops the server.
void pairs_drop_slow(pairs *p, remote *r);

// ---- shipping.c

// Begins to send the sessions to servers that lack some, or continues.
void shipping_go_on(pairs *p);

// ---- pair_queue.c

// Forgets all that was sent or waits to be sent to the standby.
void pair_queue_clear(pair *one);
// Moves a feed's items into the queue. False: there are more than PAIRS_QUEUE_BYTES_MAX.
bool pair_queue_collect(const pairs *p, pair *one);
// Sends as much as the link takes. False: the link failed.
bool pair_queue_send(pairs *p, pair *one);

// ---- pair_lag.c

// Records that the standby has to acknowledge the item.
void pair_lag_await(const pairs *p, pair *one, const feed_item *item);
// Forgets entries up to `sequence`, which were acknowledged.
void pair_lag_forget(pair *one, uint64_t sequence);
// Whether the candidate has acknowledged all but what is younger than PAIRS_CLOSE_MS. A world whose
// candidate is farther behind would stand still until that has caught up.
bool pair_lag_close(const pairs *p, const pair *one);
// Call with each pulse. Whether the standby has not acknowledged an entry for too long.
bool pair_lag_late(const pairs *p, pair *one);

// ---- moves.c: worlds on their way to another server. Each may free the pair.

// Call when the record names the standby.
void moves_named(pairs *p, pair *one);
void moves_acknowledged(pairs *p, pair *one);
// ACTION_SERVE: the world goes on without a standby.
void moves_served(pairs *p, pair *one);
// ACTION_YIELD.
void moves_yield(pairs *p, pair *one, const ownership *o);
// Call when the standby or candidate is missed; `why`: it refuses, or how its connection ended;
// NULL: it is not wanted any more.
void moves_missed(pairs *p, pair *one, const char *why);
// Bounds of time.
void moves_pulse(pairs *p, pair *one, uint64_t now_ms);
// The world belongs to the server of `winner` now; NULL: to none.
void moves_lost(pairs *p, pair *one, const world_record *winner);
// Ends a move, if there is one, without touching the pair. `err` NULL: it was done.
void moves_end(pairs *p, pair *one, const error *err, int64_t term);

// ---- followers.c: the standby's side (follower.h)

void followers_up(pairs *p, peer_link *link);
void followers_received(pairs *p, peer_link *link, pair_message kind, const uint8_t *bytes,
                        size_t size);
void followers_ended(pairs *p, peer_link *link, const char *why);
void followers_acted(pairs *p, const char *world, const ownership_action *action,
                     const ownership *o);
bool followers_have(const pairs *p, const char *world);
// Frees the worlds that no thread works on.
void followers_close(pairs *p);
uint32_t followers_busy(const pairs *p);
// Worlds that are followed.
uint32_t followers_count(const pairs *p);
void pairs_check_closed(pairs *p);

#endif
