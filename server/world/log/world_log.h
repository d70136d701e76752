// The log of a served world: the commands since its last image, on their way to the storage.
//
// Each command that changed the world leaves a row, as applied. At the end of a tick (of a slice,
// where the world is paused) the rows since the last record become a record, which the storage
// commits; results and snapshots wait in the commit gate until then. So clients never see a state
// that a restart would lose.
//
// A restart computes ticks without commands again, if it knows how many have been shown. So an
// entry of the log promises ticks ahead: a restart steps on to `until` before it accepts commands,
// and an idle world writes an entry a second instead of one a tick. (A world whose steps cost more
// than 4 ms a second promises only a tenth of a second.) The next promise is written early, so that
// it is committed when the former one ends; if it is not, replies wait for it. Once a second an
// entry has the state's hash, which the restart compares; where there is a standby, which compares
// it too, more often.
//
//     entry     u64 `until` >= tick, u32 number of session marks, these (last_requests.h), then the
//               record (proto/log/log_record.h); numbers are little-endian. Where bit 30 of the
//               number is set, digests of the bodies (proto/log/log_digest.h) stand between marks
//               and record: so a restart whose hash differs can name a body. Bit 31: digests of an
//               earlier kind, which are read over
//
// An image (world_image.h) is made when the records since the last one would make a restart slow:
// 10 ms of steps, more if the world is large or many worlds take turns. An image is also made when
// the log has failed: it covers everything, so that the log is sound again. Until then the world
// continues, accepts no commands and sends no replies.
//
// A world of durability `none` has no stored log: its replies never wait. A replicated world's
// entries go to its standby, too (world_feed.h), and its replies wait for both; it promises only a
// tenth of a second ahead, which a takeover steps on.
//
// One thread: the world's; world_log_open and _resume from any, before the world's thread has it.
#ifndef CAROM_SERVER_WORLD_LOG_WORLD_LOG_H
#define CAROM_SERVER_WORLD_LOG_WORLD_LOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "proto/log/log_digest.h"
#include "proto/log/log_record.h"
#include "proto/wire/buffer.h"
#include "server/storage/storage.h"
#include "server/world/log/commit_gate.h"
#include "server/world/state/session_bodies.h"
#include "server/world/state/last_requests.h"

enum {
    WORLD_LOG_HEAD_BYTES = 12,        // bytes before the marks and the record in an entry
    WORLD_LOG_DIGESTS_BIT = 30,       // flag in the number of marks
    WORLD_LOG_FIRST_DIGESTS_BIT = 31, // flag in the number of marks: digests of the earlier kind

    // A world that has a standby is hashed every WORLD_LOG_HASH_TICKS ticks, where its entries have
    // one, and more rarely if it is large: a tick later for each WORLD_LOG_HASH_SLOTS slots of
    // bodies, up to a second. A hash of 10 000 moving bodies takes a seventh of their step
    // (carom-bench-digests); a difference stays in the state, so that the next hash shows it.
    WORLD_LOG_HASH_TICKS = 8,
    WORLD_LOG_HASH_SLOTS = 4096,

    // Rows that wait for the storage [bytes]; past that no further commands are carried out. With
    // the largest command (below) it still fits a record of the storage.
    WORLD_LOG_PENDING_BYTES_MAX = 4 << 20,

    // Rows that are kept for readers of the log [bytes]; a reader further behind gets an image.
    WORLD_LOG_KEPT_BYTES_MAX = 1 << 20,

    // A command's arguments as applied [bytes].
    WORLD_LOG_ARGUMENTS_BYTES_MAX = STORAGE_RECORD_BYTES_MAX - WORLD_LOG_PENDING_BYTES_MAX -
                                    LAST_REQUESTS_NEW_MAX * SESSION_MARK_BYTES -
                                    LOG_DIGEST_BYTES_MAX - 4096
};

// A place in the log: all rows before it, up to the state of `tick`.
typedef struct log_mark {
    uint64_t tick;
    uint64_t offset; // bytes of rows
    uint64_t count;  // rows
} log_mark;

// The diagram is in ARCHITECTURE.md, "States of a log". A log that is not stored is GOOD.
typedef enum world_log_state {
    WORLD_LOG_GOOD,
    WORLD_LOG_NEW,    // its first image is not on the disk yet
    WORLD_LOG_FAILED, // accepts no commands; an image may still save the waiting replies
    WORLD_LOG_CLOSED, // no image could be written, and the waiting replies were refused
    WORLD_LOG_ENDED   // world_log_destroy() was called
} world_log_state;

// The rows that commands left, encoded, with an offset of their own in the log.
typedef struct world_log_rows {
    buffer encoded;   // rows from offset `begin` on
    uint64_t begin;   // offset of encoded.data[0]
    uint64_t count;   // number of all rows so far, including the forgotten ones
    bool has_readers; // replicas read the rows too, not only the storage
} world_log_rows;

// The state of the image that makes a log good again.
typedef enum image_wish {
    IMAGE_WISH_NONE,     // none is being made, or the storage had no room for it
    IMAGE_WISH_ACCEPTED, // the storage writes it
    IMAGE_WISH_REFUSED   // the storage cannot write it: `failure` says why
} image_wish;

// The last image, and the reasons for the next one.
typedef struct world_log_images {
    int64_t retry_ns;  // when a log that is not good tries again; 0: at once
    int64_t made_ns;   // when the last one was made; 0: never
    int64_t replay_ns; // time that the steps since the last one took
    uint64_t tick;     // tick of the last record, or of the restart
    uint64_t bytes;    // size of the last one made by this process; 0: none
    bool steps_costly; // steps are costly, so few ticks are promised ahead
    uint32_t failed;   // images since the log failed that failed, too
    image_wish wish;
} world_log_images;

// How the storage's thread wakes the world's thread.
typedef struct world_log_word {
    _Atomic(void *) waker; // the simulation thread that serves the world
    atomic_bool sent;      // a REQUEST_COMMITTED for it is in flight
} world_log_word;

// An entry of the log: the last tick that a restart computes again because of it, and where it is.
typedef struct log_promise {
    uint64_t until;
    uint64_t sequence; // its sequence in the storage
    uint64_t fed;      // its sequence in the feed
} log_promise;

typedef struct world_log {
    storage_world *stored; // NULL: nothing is written
    storage_durability durability;
    world_log_state state; // set by change_state() only
    error failure;         // the reason why it is FAILED or CLOSED
    reply_sink out;        // receives replies that leave the gate
    commit_gate gate;
    world_log_rows rows;
    log_mark written;     // up to here the storage has the rows
    uint64_t until;       // the last entry's promise, committed or not
    uint64_t hashed_tick; // tick of the last entry with a hash
    log_digests digests;  // digests of the bodies, written with each hash
    uint64_t sequence;    // sequence of the last entry
    log_promise needed;   // the entry for which newly posted replies wait
    log_promise next;     // the first entry behind that one, if its sequence is greater
    world_feed *feed;     // feed of a replicated world; else NULL
    bool replicated;      // the feed is there for good, not for a move
    uint64_t fed;         // the feed's sequence of the last entry or image
    uint64_t parting;     // the feed's sequence of an image for a world that leaves; 0: none
    world_log_images images;
    world_log_word word;
} world_log;

// The contents of an image, physics first.
typedef struct world_log_image {
    const physics_world *physics;
    const session_bodies *bodies;
    const owners *owners; // owners of the bodies
    last_requests *marks;
    const area *view; // NULL: none
    bool paused;
} world_log_image;

// `stored` may be NULL. `sequence` is that of its last record, which leads to `tick`; a new world
// (`fresh`) has 1 and shows itself when its first image is written.
void world_log_init(world_log *l, storage_world *stored, storage_durability kept, uint64_t tick,
                    uint64_t sequence, uint64_t until, bool fresh, reply_sink out);
// Call when another server serves the world: refuses every reply waiting in the gate. Nothing but
// world_log_deinit() may follow.
void world_log_disown(world_log *l);
// Refuses every reply waiting in the gate, and releases the storage's handle.
void world_log_deinit(world_log *l);

// Sends the log to a standby too (takes over the reference). Call it directly after
// world_log_init, for a log that is stored.
void world_log_replicate(world_log *l, world_feed *feed);
bool world_log_is_replicated(const world_log *l);
// The same for a world that is to move: from any time on, until it has left, and it does not count
// as replicated. Takes over the reference; does nothing with a log that has a feed.
void world_log_lead_away(world_log *l, world_feed *feed, void (*on_allowed)(void *), void *context);

// The log does not lead to the state that the world has: an image is made first, as after a
// failure. The log is GOOD or NEW; a log that is not stored needs nothing.
void world_log_mend(world_log *l);

// Whether anything is written: results and snapshots wait for the storage then.
bool world_log_is_stored(const world_log *l);

// Replicas read the log from now on, so that its rows are kept for them.
void world_log_keep_rows(world_log *l);

// Adds `ns` (>= 0) to the time that a restart needs for the steps since the last image.
void world_log_add_replay(world_log *l, int64_t ns);

// ---- notifications from the storage: it has written more of the log

// `on_committed` is called with `context` on the storage's thread. `waker` serves the world.
void world_log_watch(world_log *l, void *waker, void (*on_committed)(void *), void *context);
// Another thread serves the world from now on, and `waker` gets the notifications. The caller must
// accept one that may have gone to the earlier thread.
void world_log_move_waker(world_log *l, void *waker);
// The waker, to notify; NULL: a notification is on its way. Any thread.
void *world_log_claim_waker(world_log *l);
// Call when that notification has arrived.
void world_log_accept_notification(world_log *l);

// Whether a restart from this log reaches the present state of `tick`.
bool world_log_settled(const world_log *l, uint64_t tick);

// Replies leave to this sink from now on.
void world_log_redirect(world_log *l, reply_sink out);

// The sink to which the world posts its replies.
reply_sink world_log_sink(world_log *l);
// The sink behind the gate, for replies that show no state: they need not wait.
reply_sink world_log_open_sink(const world_log *l);

// Records a command that was applied. `tick`: the first whose state shows it.
void world_log_note(world_log *l, uint64_t tick, uint64_t session, const char *name,
                    const uint8_t *arguments, uint32_t size);
// Adds a body.remove by the server itself.
void world_log_note_removal(world_log *l, uint64_t tick, const char *world, uint64_t body);

// The end of the log, at the state of `tick`.
log_mark world_log_end(const world_log *l, uint64_t tick);
// The rows from `from` to the end as a record without tick, hash and image; false if they are
// forgotten already. The bytes are valid until the next call that changes the log.
bool world_log_since(const world_log *l, log_mark from, log_record *out);
// Forgets the rows before `oldest` that the storage has, or all that it has if `oldest` lies
// further back than WORLD_LOG_KEPT_BYTES_MAX. `oldest` is UINT64_MAX without readers.
void world_log_trim(world_log *l, uint64_t oldest);

// Whether commands should wait until the storage has accepted the rows so far.
bool world_log_full(const world_log *l);

// Whether the log is FAILED or CLOSED.
bool world_log_is_broken(const world_log *l);

// Whether the log is broken, no image mends it, and a standby follows it, to which the world can
// move.
bool world_log_should_leave(const world_log *l);
// Why the log is broken; empty where it is.
const char *world_log_failure_text(const world_log *l);

// Whether the log is behind the world, which is at `tick`: the storage had no room, or an image has
// to make the log good. *next_ns: when it wants its next world_log_settle; QUEUE_FOREVER: at the
// storage's word.
bool world_log_lags(const world_log *l, uint64_t tick, int64_t now, int64_t *next_ns);

// STATUS_OK, or why the world accepts no commands.
status world_log_takes(const world_log *l, error *err);

// Called at the end of a tick, or of a slice of a paused world: passes new rows to the storage and
// stamps the replies that show them. `now` is the monotonic time, `hz` the world's rate.
void world_log_settle(world_log *l, const world_log_image *image, double hz, int64_t now);

// The world stops stepping at this tick: the ticks promised beyond it were never shown, and a
// restart continues from here. To be called after world_log_settle.
void world_log_rest(world_log *l, const world_log_image *image, double hz);

// Called instead of world_log_settle while the world stands still: passes on what is new, promises
// no tick, and stamps the replies. True: the log leads to the world's state, and no reply waits.
// Of a log that should be left, the standby gets an image of that state instead, and replies go on
// waiting. False also while another log is not good, for which world_log_settle sees.
bool world_log_stand(world_log *l, const world_log_image *image, double hz);
// Whether the standby gets the world by an image, until world_log_go_on.
bool world_log_parts(const world_log *l);
// The world steps on here.
void world_log_go_on(world_log *l);
// The feed's number of the last item; 0: there is no feed.
uint64_t world_log_fed(const world_log *l);

// Must be called when records may have been committed or have failed. True when the log has just
// been given up: all subscriptions must end.
bool world_log_wake(world_log *l);

// The world ends: its end is the last record. The gate sends the answer when that is committed, and
// refuses it if that fails: a restart then restores the world.
void world_log_destroy(world_log *l);

// Whether replies wait.
bool world_log_holds(const world_log *l);

world_log_state world_log_state_of(const world_log *l);

// Whether an image that is to make the log good was given to the storage, and world_log_wake has
// not seen its end.
bool world_log_awaits_image(const world_log *l);

#endif
