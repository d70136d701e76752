// The worlds' logs on disk, from which a restart restores the worlds.
//
// A world is a sequence of records (opaque bytes, each of a span of ticks), and now and then an
// image of it. All worlds of a directory share one log, written by one thread: it takes all waiting
// records, writes them as one group, syncs once if any of it asks for that, and then publishes to
// each world how much of its log is written. So the slower the disk, the larger the groups.
//
//     owner                          storage thread
//     storage_append() ─> queue ─> [ take all | one write | at most one sync | publish ] ─> wake()
//     answers and snapshots wait until storage_committed() >= the sequence that they show
//
// Life: open (lock, verify, cut a torn tail), recover (pass all worlds to the owner), start (the
// thread), serve, close. README.md has the files' layout, the rules of recovery and truncation, and
// what each durability promises.
//
// Threads: storage_open, _recover, _start and _close from one thread. A world's functions from one
// thread at a time, its owner's; storage_committed, storage_state and the functions for figures
// from any.
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
    STORAGE_NONE,   // nothing is written; sequences are counted all the same
    STORAGE_NORMAL, // committed: handed to the operating system; survives the end of the process
    STORAGE_FULL    // committed: synced to the disk; survives a loss of power
} storage_durability;

typedef struct storage_options {
    uint64_t queue_bytes;       // records that wait; at least one record fits always
    uint64_t image_queue_bytes; // images that wait; at least one image fits always
    uint64_t segment_bytes;     // size at which the log continues in a new file
    uint64_t log_bytes;         // storage_wants_checkpoint() asks for checkpoints beyond this size
    uint32_t sync_ms;           // `normal` is synced as often as that; 0: only by other reasons
    int64_t (*clock)(void);     // nanoseconds that only go forward
    disk *disk;                 // instead of the directory; storage_close() destroys it. NULL
} storage_options;

storage_options storage_options_default(void);

// Opens or makes the data directory `path`: takes its lock, verifies every byte of the log and of
// the images that it needs, cuts off a torn last write. Errors, each naming the file, the place and
// a remedy: in use by another process (with its id), not writable, damaged, of a newer version. A
// damaged or newer directory is left unchanged. An unreadable image affects only its world:
// storage_recover() reports it.
status storage_open(const char *path, const storage_options *options, storage **out, error *err);

// A world as recovery found it.
typedef struct storage_info {
    const char *name;
    uint64_t epoch;
    storage_durability durability;
    uint64_t sequence;  // sequence of its last record; the first value of storage_committed()
    uint64_t last_tick; // tick of its last record or image
    bool has_image, image_has_hash;
    uint64_t image_sequence, image_tick, image_hash, image_size;
    // Why the image cannot be read; the world then comes without it, and the file stays. NULL: it
    // can be read.
    const char *unsound;
} storage_info;

// The name of a file of the log.
enum { SEGMENT_NAME_BYTES = 32 };
void segment_name(uint64_t number, char out[SEGMENT_NAME_BYTES]);

typedef struct storage_record {
    uint64_t sequence, first_tick, last_tick;
    bool has_hash;
    uint64_t hash;    // hash of the state at last_tick
    uint64_t segment; // number of the log's file that has the record
    const uint8_t *bytes;
    size_t size;
} storage_record;

// Each is called by storage_recover; anything but STATUS_OK ends it with that error.
typedef struct storage_visitor {
    void *context;
    // A world; the handle is the owner's from now on, until storage_release().
    status (*world)(void *context, storage_world *w, const storage_info *info, error *err);
    // Called directly after world() with the world's image, in order, in pieces of up to
    // STORAGE_IMAGE_CHUNK_BYTES.
    status (*image)(void *context, storage_world *w, uint64_t offset, const uint8_t *bytes,
                    size_t size, error *err);
    // A record that is not covered by its world's image. Each world's records come in order, mixed
    // with those of other worlds as they were written, so that the log is read once.
    status (*record)(void *context, storage_world *w, const storage_record *r, error *err);
} storage_visitor;

// Must be called before storage_start(). Reports every world first, then the records.
status storage_recover(storage *s, const storage_visitor *visitor, error *err);

// Starts the thread.
status storage_start(storage *s, error *err);

// Used instead of the thread in simulations: does the waiting work in the caller's thread. True
// when there is more to do at once (an image in pieces).
bool storage_turn(storage *s);

// Commits waiting requests, syncs, ends the thread and frees everything, all handles included. The
// error is that of the last commit or sync; everything is freed in any case. NULL is allowed.
status storage_close(storage *s, error *err);

// ---- a world

// Begins a world's log. `name` is a valid world name that no other world has. The record of its
// creation is sequence 1. Errors: invalid_argument, already_exists, limit_exceeded, unavailable.
status storage_create(storage *s, const char *name, uint64_t epoch, storage_durability durability,
                      storage_world **out, error *err);

// Queues a record of ticks `first_tick` to `last_tick` (neither may go back) and, where known, the
// state's hash at `last_tick`. Takes a reference to `bytes`. `sequence` becomes the record's: one
// more than the last one's. Errors, after which nothing is queued:
//   limit_exceeded  the queue is full: the disk is slower than the worlds; try again later
//   unavailable     the world's log has failed (storage_state says why), or it is destroyed
//   invalid_argument  ticks go back, or it is larger than STORAGE_RECORD_BYTES_MAX
status storage_append(storage_world *w, uint64_t first_tick, uint64_t last_tick,
                      const uint64_t *hash, shared_bytes *bytes, uint64_t *sequence, error *err);

// Queues an image of the world at `tick`, which must cover everything appended before this call.
// Once it is on the disk, the log before it may be dropped. An image also repairs a failed log,
// unless the whole storage has failed. One at a time: `unavailable` while the last is in progress.
// Takes a reference to `image`.
status storage_checkpoint(storage_world *w, uint64_t tick, const uint64_t *hash,
                          shared_bytes *image, error *err);

// Ends a world: once `sequence` is committed, a restart does not restore it, and its name is free.
// Also for a world whose log has failed.
status storage_destroy(storage_world *w, uint64_t *sequence, error *err);

// Whether the last requested end could not be logged, so that a restart brings the world back.
bool storage_destroy_failed(const storage_world *w);

// The owner does not use the handle any more. A world that was not destroyed stays on the disk.
void storage_release(storage_world *w);

// Like storage_destroy, for a world that its owner has released: no restart restores it, and soon
// the name is free. Does nothing if there is none of that name, or it is destroyed already.
void storage_drop(storage *s, const char *name);

// `wake` is called on the storage thread after storage_committed(), storage_state() or
// storage_checkpoint_state() of this world may have changed. It only sends word to the owner and
// calls nothing of the storage.  NULL ends that; no call is in progress any more when this returns.
typedef void storage_wake(void *context);
void storage_watch(storage_world *w, storage_wake *wake, void *context);

// The sequence up to which all records are in the log at the world's durability. Never decreases.
uint64_t storage_committed(const storage_world *w);

// STATUS_OK, or the reason why the world's log accepts nothing: what failed, where, and the remedy.
status storage_state(const storage_world *w, error *err);

// STATUS_OK: none is in progress and the last one succeeded; STATUS_UNAVAILABLE  with an empty
// text: one is in progress; else why the last one failed.
status storage_checkpoint_state(const storage_world *w, error *err);

// Bytes of log that a recovery of this world would have to read.
uint64_t storage_log_bytes(const storage_world *w);

// Whether the log is over its limit and old records of this world keep it from shrinking.
bool storage_wants_checkpoint(const storage_world *w);

// Whether an image may be made now whose only purpose is a shorter restart: all worlds together
// make STORAGE_IMAGES_A_SECOND of them, and fewer where the disk is slow (STORAGE_IMAGES_SHARE).
// True uses up one of these. Any thread.
bool storage_image_turn(storage_world *w, int64_t now_ns);

// Whether there are worlds with a log and none of these logs accepts records; `err` has the reason.
// Any thread.
bool storage_takes_nothing(storage *s, error *err);

typedef struct storage_figures {
    uint64_t groups, records, bytes, syncs, images, segments;
    uint64_t queue_bytes, log_bytes; // present sizes
    uint64_t failures;               // failed writes and syncs
} storage_figures;

storage_figures storage_read_figures(storage *s);

// ---- copies

typedef struct storage_report {
    uint64_t worlds, segments, groups, records, bytes, images, image_bytes;
    uint64_t torn_bytes; // bytes of an unfinished last write, which the next start cuts off
    bool clean;          // the last process closed it
} storage_report;

// Writes a backup of the data directory `path` while a server may be using it: from another
// process, which needs only the right to read. The backup covers everything committed before the
// call, and was checked as by storage_check. `report` describes its content.
status storage_copy(const char *path, const char *backup, storage_report *report, error *err);

// Makes the data directory `path`, which must not exist or be empty, from a backup, and checks it.
status storage_restore(const char *backup, const char *path, error *err);

// Reads every byte of a data directory that no server uses, and changes nothing: checksums of all
// records and images, gaps, ticks that go back, missing files. `options` may be NULL.
status storage_check(const char *path, const storage_options *options, storage_report *out,
                     error *err);

#endif
