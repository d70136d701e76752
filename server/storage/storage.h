// The worlds' logs on disk: what a restart brings back.
//
// A world is a sequence of records (opaque bytes, each of a span of ticks), and now and then an
// image of it. All worlds of a directory share one log, written by one thread: it takes all that
// waits, writes it as one group, syncs once if any of it asks for that, and then publishes to each
// world how far its log has come. So commits are grouped naturally: the slower the disk, the larger
// the groups.
//
//     owner                          storage thread
//     storage_append() ─> queue ─> [ take all | one write | at most one sync | publish ] ─> wake()
//     answers and snapshots wait until storage_committed() >= the sequence that they show
//
// Life: open (lock, verify, cut a torn tail), recover (hand all worlds to the owner), start (the
// thread), serve, close. README.md has the files' layout, the rules of recovery and truncation, and
// what each durability promises.
//
// Threads: storage_open, _recover, _start and _close from one thread. A world's functions from one
// thread at a time, its owner's; storage_committed, storage_state and those of figures from any.
#ifndef CAROM_SERVER_STORAGE_STORAGE_H
#define CAROM_SERVER_STORAGE_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/base/bytes.h"
#include "server/storage/disk.h"
#include "server/storage/limits.h"

typedef struct storage storage;
typedef struct storage_world storage_world;

typedef enum storage_durability {
    STORAGE_NONE,   // nothing is written; sequences count on all the same
    STORAGE_NORMAL, // committed: handed to the operating system; survives the end of the process
    STORAGE_FULL    // committed: synced to the disk; survives a loss of power
} storage_durability;

typedef struct storage_options {
    uint64_t queue_bytes;       // records that wait; at least one record fits always
    uint64_t image_queue_bytes; // images that wait; at least one image fits always
    uint64_t segment_bytes;     // when the log goes on in a new file
    uint64_t log_bytes;         // past that, storage_wants_checkpoint() speaks up
    uint32_t sync_ms;           // `normal` is synced as often as that; 0: only by other reasons
    int64_t (*clock)(void);     // nanoseconds that only go forward
    disk *disk;                 // instead of the directory; storage_close() destroys it. NULL
} storage_options;

storage_options storage_options_default(void);

// Opens or makes the data directory `path`: takes its lock, verifies every byte of the log and of
// the images that it needs, cuts off a torn last write. Errors, each naming the file, the place and
// a remedy: in use by another process (with its id), not writable, damaged, of a newer version. A
// damaged or newer directory is left as it was. An image that cannot be read is its world's alone:
// storage_recover() tells of it.
status storage_open(const char *path, const storage_options *options, storage **out, error *err);

// A world as recovery found it.
typedef struct storage_info {
    const char *name;
    uint64_t epoch;
    storage_durability durability;
    uint64_t sequence;  // of its last record; storage_committed() begins here
    uint64_t last_tick; // of its last record or image
    bool has_image, image_has_hash;
    uint64_t image_sequence, image_tick, image_hash, image_size;
    // Why the image cannot be read, where that is so: it does not come, and its file stays. NULL
    const char *unsound;
} storage_info;

typedef struct storage_record {
    uint64_t sequence, first_tick, last_tick;
    bool has_hash;
    uint64_t hash; // of last_tick
    const uint8_t *bytes;
    size_t size;
} storage_record;

// Each is called by storage_recover; anything but STATUS_OK ends it with that error.
typedef struct storage_visitor {
    void *context;
    // A world; the handle is the owner's from now on, until storage_release().
    status (*world)(void *context, storage_world *w, const storage_info *info, error *err);
    // Its image, in order, in pieces of up to STORAGE_IMAGE_CHUNK_BYTES; directly after world().
    status (*image)(void *context, storage_world *w, uint64_t offset, const uint8_t *bytes,
                    size_t size, error *err);
    // A record that its image does not hold. Each world's come in order; those of several worlds
    // mixed, as they were written, so that the log is read once.
    status (*record)(void *context, storage_world *w, const storage_record *r, error *err);
} storage_visitor;

// Before storage_start(): every world first, then the records.
status storage_recover(storage *s, const storage_visitor *visitor, error *err);

// Starts the thread.
status storage_start(storage *s, error *err);

// Instead of the thread, where time is not real: does what waits, in the caller's thread. True when
// there is more to do at once (an image in pieces).
bool storage_turn(storage *s);

// Commits what waits, syncs, ends the thread, gives back everything, all handles included. The
// error is that of the last commit or sync; all is freed in any case. NULL is allowed.
status storage_close(storage *s, error *err);

// ---- a world

// Begins a world's log. `name` is as the wire has it and taken by no other world. The record of its
// making is sequence 1. Errors: invalid_argument, already_exists, limit_exceeded, unavailable.
status storage_create(storage *s, const char *name, uint64_t epoch, storage_durability durability,
                      storage_world **out, error *err);

// Hands over a record of ticks `first_tick` to `last_tick` (neither may go back) and, where known,
// the state's hash at `last_tick`. Takes a reference to `bytes`. `sequence` is then the record's:
// one more than the last one's. Errors, with which nothing was handed over:
//   limit_exceeded  the queue is full: the disk is slower than the worlds; try again later
//   unavailable     the world's log has failed (storage_state tells why), or it is destroyed
//   invalid_argument  ticks go back, or it is larger than STORAGE_RECORD_BYTES_MAX
status storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                      const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence, error *err);

// Hands over an image of the world at `tick`, which holds all that was appended before this call.
// Once it is on the disk, the log before it may be dropped. It is also what makes a failed log good
// again, unless the whole storage has failed. One at a time: `unavailable` while the last is under
// way. Takes a reference to `image`.
status storage_checkpoint(storage_world *w, uint64_t tick, const uint64_t *hash,
                          shared_bytes *image, error *err);

// Ends a world: when `sequence` is committed, a restart does not bring it back, and its name is
// free. Also for a world whose log has failed.
status storage_destroy(storage_world *w, uint64_t *sequence, error *err);

// The end that was asked for last could not be logged: a restart brings the world back.
bool storage_destroy_failed(const storage_world *w);

// The owner uses the handle no more. A world that was not destroyed stays on the disk.
void storage_release(storage_world *w);

// `wake` is called on the storage thread after storage_committed(), storage_state() or
// storage_checkpoint_state() of this world may have changed. It only sends word to the owner and
// calls nothing of the storage. NULL ends that; no call is under way any more when this returns.
typedef void storage_wake(void *context);
void storage_watch(storage_world *w, storage_wake *wake, void *context);

// All records up to this sequence are in the log at the world's durability. Never goes back.
uint64_t storage_committed(const storage_world *w);

// STATUS_OK, or why the world's log takes nothing: what failed, where, what to do.
status storage_state(const storage_world *w, error *err);

// STATUS_OK: none is under way and the last one succeeded; STATUS_UNAVAILABLE with an empty text:
// one is under way; else why the last one failed.
status storage_checkpoint_state(const storage_world *w, error *err);

// Bytes of log that a recovery of this world would have to go through.
uint64_t storage_log_bytes(const storage_world *w);

// The log is over its limit and this world's old records are what keeps it.
bool storage_wants_checkpoint(const storage_world *w);

// Whether an image that nothing but a short restart asks for may be made now: so many a second of
// all worlds (STORAGE_IMAGES_A_SECOND). True takes the turn. Any thread.
bool storage_image_turn(storage_world *w, int64_t now_ns);

// Whether there are worlds with a log, and the log of none takes anything: `err` is why not. Any
// thread.
bool storage_takes_nothing(storage *s, error *err);

typedef struct storage_figures {
    uint64_t groups, records, bytes, syncs, images, segments;
    uint64_t queue_bytes, log_bytes; // now
    uint64_t failures;               // of writes and syncs
} storage_figures;

storage_figures storage_read_figures(storage *s);

// ---- copies

typedef struct storage_report {
    uint64_t worlds, segments, groups, records, bytes, images, image_bytes;
    uint64_t torn_bytes; // of an unfinished last write: the next start cuts it off
    bool clean;          // the last process closed it
} storage_report;

// Writes a backup of the data directory `path` from beside the server that uses it, if any: from
// another process, with the right to read it alone. It holds all that was committed when it began,
// and was checked as storage_check does. `report` is of what it holds.
status storage_copy(const char *path, const char *backup, storage_report *report, error *err);

// Makes the data directory `path`, which must not exist or be empty, from a backup, and checks it.
status storage_restore(const char *backup, const char *path, error *err);

// Reads every byte of a data directory that no server uses, and changes nothing: checksums of all
// records and images, gaps, ticks that go back, missing files. `options` may be NULL.
status storage_check(const char *path, const storage_options *options, storage_report *out,
                     error *err);

#endif
