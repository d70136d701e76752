// Requests from the network thread to a simulation thread, and replies the other way.
//
// Each is a heap block; the thread that takes it from the queue owns it, and sends it home
// (home.h). Every request of kind COMMAND or ADOPT gets exactly one reply of kind RESULT, even if
// the client wants no answer: the reply frees the capacity that the request took from the world's
// and the connection's limits. Replies of a world come in the order of the states that they show: a
// subscription's first snapshot after the result that names it, its last before the result that
// ends it.
//
// A message belongs to one thread at a time.
#ifndef CAROM_SERVER_WORLD_MESSAGE_MESSAGES_H
#define CAROM_SERVER_WORLD_MESSAGE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/block.h"
#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/apply.h"
#include "common/world/command.h"
#include "common/world/owners.h"
#include "server/base/bytes.h"
#include "server/base/home.h"
#include "server/base/memory.h"
#include "server/storage/storage.h"
#include "server/base/queue.h"
#include "server/world/message/standing.h"

struct buffer;

// A session as worlds know it: a place in the session table, and a number that is never used again.
typedef struct session_key {
    uint32_t slot;
    uint64_t number;
    uint32_t generation; // number of its resumptions: a snapshot of an earlier one is outdated
} session_key;

// The sender of a request, to whom its result goes. The server's own requests have session number
// 0.
typedef struct reply_address {
    session_key session;
    uint64_t token; // chosen by the sender, as are the next two; they come back unchanged
    uint64_t sequence;
    void *context;
    struct quota_owner *payer; // its limit of waiting requests counts this one; NULL: none
    uint64_t subject;          // the subject to which its time is charged; 0: the server
    uint32_t id;               // the request's id on the wire
    bool answerable;           // false: a notification
} reply_address;

// A world's place in its fleet, for world.info.
typedef struct fleet_place {
    uint64_t term;
    char primary[ERROR_TEXT_MAX]; // addresses; "": none
    char standby[ERROR_TEXT_MAX];
    uint64_t standby_tick; // 0: unknown
} fleet_place;

typedef enum request_kind {
    REQUEST_COMMAND,     // `command`, for the world `world`
    REQUEST_ADOPT,       // the contents of `adoption` become the new world `world`
    REQUEST_COMMITTED,   // the storage has written more of the world's log; no answer
    REQUEST_ACKNOWLEDGE, // the last snapshots of `acknowledged` were written out; no answer
    // the session's subscriptions in the world end, after its earlier requests; no answer
    REQUEST_FORGET,
    REQUEST_RESUME, // the session's subscriptions begin again, with full snapshots
    // bodies that end with the session are removed, after its earlier requests; no answer
    REQUEST_SESSION_END,
    REQUEST_RELEASE, // gives up the world, which another thread will serve
    REQUEST_TAKE,    // serves `moved`, which another thread has given up; no answer
    REQUEST_RECORD,  // `item` is the next of the log that a mirror plays; no answer
    // stops serving the world, which another server of the fleet serves: `refusal` is the answer to
    // all that waits; answered by REPLY_LEFT
    REQUEST_LEAVE,
    // the log goes to `feed`, too, from now on (pairs.h); no answer
    REQUEST_REPLICATE,
    // the world stands still, so that another server can go on with it: no tick, no command. A
    // world.step is finished first. Answered by REPLY_HALTED, unless it is taken back before
    REQUEST_HALT,
    REQUEST_GO_ON, // takes a REQUEST_HALT back; no answer
    // the thread ends; the last request it accepts. `hand_over`: see REPLY_IMAGE
    REQUEST_STOP
} request_kind;

// A world before it is served. It owns everything that it refers to.
typedef struct adoption {
    block_account *blocks; // all of its blocks count here; NULL: they are not counted
    physics_world *physics;
    bool paused;
    area *view; // the view that its scene shows; NULL: none
    // The world's log; NULL if it keeps none.
    storage_world *stored;
    storage_durability durability;
    struct world_feed *feed; // reference to the feed of a replicated world; else NULL
    // its log lacks a part of its state: it accepts commands once an image is stored
    bool unlogged;
    bool at_once; // it is due to step at once: another server has computed the tick before
    // restored by a restart; the fields from `sequence` to `ended` are for that only
    bool restored;
    uint64_t sequence; // sequence of the log's last record
    uint64_t tick;     // tick that the last record leads to
    uint64_t until;    // the last tick that may have been shown
    int64_t replay_ns; // time that the restart spent replaying records
    struct session_bodies *session_bodies;
    struct last_requests *marks;
    uint64_t *ended; // numbers of ended sessions, whose bodies are removed
    uint32_t ended_count;
    owners *owners;        // owners of its bodies
    struct replay *replay; // the recording that it plays; NULL: it accepts commands
    struct mirror *mirror; // the log of another server that it plays; NULL: it accepts commands
} adoption;

typedef struct request {
    queue_node node; // first
    homing way;
    request_kind kind;
    uint64_t world;   // number of the world
    uint64_t arrival; // its place in the world's inbox, by order of arrival
    reply_address reply_to;
    int64_t received_ns;   // when it came in, on the monotonic clock
    uint64_t subscription; // number for world.subscribe; for REQUEST_HALT a number that its reply
                           // repeats
    bool again;            // world.subscribe: of a session from before a restart
    command command;       // owned
    uint8_t *arguments;    // owned: of the sender of a batch for a later tick; else NULL
    uint32_t arguments_size;
    actor actor;           // its sender; an admin if no token is required
    memory_holder *holder; // pays for a subscription's memory; NULL: none (a reference)
    standing *standing;    // owned: of the sender of a request with an effect; NULL: none needed
    batch_timing timing;   // timing of a batch with a tick, once its world has decided about it
    int64_t foreseen_ns;   // expected time in its tick of a batch for a later tick
    adoption *adoption;    // REQUEST_ADOPT: owned
    struct served_world *moved; // REQUEST_TAKE: owned
    error *refusal;             // REQUEST_LEAVE: owned
    struct world_feed *feed;    // REQUEST_REPLICATE: a reference
    struct mirror_item *item;   // REQUEST_RECORD: owned
    fleet_place *place;         // world.info in a fleet: owned
    bool hand_over;             // REQUEST_STOP: its worlds go to another process
    uint64_t *acknowledged;     // REQUEST_ACKNOWLEDGE: owned; one number for each snapshot
    uint32_t acknowledged_count;
} request;

typedef enum reply_kind {
    REPLY_RESULT,   // answers a request, `reply_to`: `status`, and `payload` or `text`
    REPLY_RESUMED,  // answers a REQUEST_RESUME
    REPLY_SNAPSHOT, // each of `deliveries` gets its own head (delivery_head), then `tail`
    REPLY_CLOSED,   // `subscription` has ended: its world ended, or it could not continue
    // `subscription` has ended, since its next data fits no message: close the session
    REPLY_OVERRUN,
    REPLY_CROWDED,  // the world takes more than half of its thread, which has other worlds too
    REPLY_LOADS,    // `loads`: the share of each of a busy thread's worlds in the last second
    REPLY_RELEASED, // answers a REQUEST_RELEASE: `moved`, NULL if the world has ended
    // answers a REQUEST_LEAVE, before the ends of the world's subscriptions: `end.tick`
    REPLY_LEFT,
    // answers a REQUEST_HALT: nothing waits for the log or the standby any more (if the log can be
    // written), and the feed's last item is number `end.sequence`, of the state of `end.tick`
    REPLY_HALTED,
    // the world's log cannot be written, while a standby follows the world: `text` says why; and:
    // the log can be written again, or the standby has gone
    REPLY_LEAVING,
    REPLY_STAYING,
    // the world's row of world.list, sent before long work: `payload`, and `tail` for sessions that
    // see only areas
    REPLY_FIGURES,
    REPLY_IMAGE,  // the world stops here for another process: `end`, and `payload`
    REPLY_STOPPED // the thread's last reply
} reply_kind;

// Most results are {tick}.
enum { REPLY_INLINE_MAX = 96 };

// One receiver of a snapshot, and the data of its own head.
typedef struct snapshot_delivery {
    session_key session;
    uint64_t subscription;
    uint32_t skipped;     // snapshots that were due and not sent
    uint64_t events_lost; // events for this reader that are no longer kept
    uint32_t last;        // the session's last command in the state
    bool has_last;
    bool has_margin;
    double margin; // the smallest margin of the session's timed batches since the last one [s]
    // Used only by the network thread (reply_line.h): its place in the session's list, the snapshot
    // that it belongs to, and whether it was sent before its turn.
    struct snapshot_delivery *next, *previous;
    const struct reply *of; // NULL: it is in no list
    bool sent;
} snapshot_delivery;

// A world's load: millionths of its thread's time.
typedef struct world_load {
    uint64_t world;
    uint64_t share;
} world_load;

enum { DELIVERY_HEAD_BYTES_MAX = 112 }; // some forty bytes

// The state of a world whose server stops for another process.
typedef enum world_end_kind {
    WORLD_END_BARE = 1, // it has no log: `payload` is its whole state (world_image.h)
    WORLD_END_LOGGED,   // its log leads to this state; `payload` is used if it does not
    // its log has failed, or its first or last record is still on its way: clients have seen only
    // logged states
    WORLD_END_UNSETTLED,
    WORLD_END_NOTHING // a recording, which the next process reads again; or it ended without log
} world_end_kind;

typedef struct world_end {
    world_end_kind kind;
    uint64_t sequence; // sequence of its log's last record; 0 without a log
    uint64_t tick, hash;
} world_end;

typedef struct reply {
    queue_node node; // first
    homing way;
    uint64_t line_place; // among its world's replies (reply_line.h), in order of arrival
    reply_kind kind;
    method method;
    status status;
    // the request took effect although it is refused, as the world's log cannot be written
    bool took_effect;
    uint64_t world;
    reply_address reply_to;
    int64_t received_ns;
    uint64_t subscription;
    view_args view; // for a successful world.view: the subscription's view now
    uint8_t small_size;
    uint8_t small[REPLY_INLINE_MAX]; // the result, where it fits
    shared_bytes *payload;           // owned, unless it is in `small`: then NULL
    // owned; the shared part of a snapshot, with `pairs` pairs of its map
    shared_bytes *tail;
    uint32_t pairs; // 0: of a log in the compact form (encode_compact_head)
    uint32_t delivery_count;
    snapshot_delivery *deliveries; // owned; for a snapshot
    uint32_t load_count;
    world_load *loads;          // owned; of REPLY_LOADS
    char *text;                 // owned; an error's text, or why a subscription ended
    struct served_world *moved; // REPLY_RELEASED: now owned by the receiver
    world_end end;              // REPLY_IMAGE, _LEFT, _HALTED
    memory_charge making;       // for a world.fork: memory for the image and the world made from it
} reply;

// The destination of a world's replies: the receiver takes over each of them.
typedef struct reply_sink {
    void (*post)(void *context, reply *r);
    void *context;
} reply_sink;

request *request_create(request_kind kind, uint64_t world);
void request_free(request *r); // frees all that it still owns; NULL is allowed

// Makes an empty adoption with a memory account.
adoption *adoption_create(void);
// Frees `a` with all that it still owns, except `stored`, which the storage's owner releases or
// destroys. NULL is allowed.
void adoption_free(adoption *a);

reply *reply_create(reply_kind kind, uint64_t world);
// The result of a request that no world has handled; the caller keeps the request.
reply *reply_create_refusal(const request *q, status why, const char *text);
void reply_free(reply *r);

// The bytes of the result.
const uint8_t *reply_payload(const reply *r, size_t *size);

// A snapshot for up to `receivers`, none of which is added yet. Takes over the reference `tail`.
reply *reply_create_snapshot(uint64_t world, shared_bytes *tail, uint32_t pairs,
                             uint32_t receivers);

// Writes the bytes before `tail` in one receiver's notification: at most DELIVERY_HEAD_BYTES_MAX.
void delivery_head(const reply *r, const snapshot_delivery *d, struct buffer *out);

#endif
