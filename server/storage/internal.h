// Shared by the sources of this folder: the structs of the storage, of a world, of a request.
//
// A letter beside each field says which thread may use it: O the world's owner, S the storage
// thread (before storage_start() and within storage_turn() the caller's), L any thread that has
// `lock`.
#ifndef CAROM_SERVER_STORAGE_INTERNAL_H
#define CAROM_SERVER_STORAGE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "common/base/array.h"
#include "server/base/home.h"
#include "server/storage/format.h"
#include "server/storage/image.h"
#include "server/storage/journal.h"
#include "server/storage/scan.h"
#include "server/storage/storage.h"

// Where a world's records are: in `segment` from `first` on.
typedef struct world_span {
    uint64_t segment;
    uint64_t first;
} world_span;

// The knowledge that the log on the disk has of a world; stored_change_stage() makes every change.
typedef enum stored_stage {
    STORED_UNLOGGED, // nothing is on the disk; a world of durability none stays in this stage
    STORED_ENTERING, // its first record is in the group that is being written
    STORED_LOGGED,
    STORED_GONE // destroyed for good; freed when released
} stored_stage;

struct storage_world {
    storage *storage;
    uint64_t number; // never used again in this directory
    uint64_t epoch;
    storage_durability durability;
    char name[STORAGE_NAME_BYTES_MAX + 1];

    uint64_t assigned;      // O: sequence of the newest request
    uint64_t assigned_tick; // O
    bool ended;             // O: storage_destroy() was called

    uint64_t logged;            // S: sequence of the newest record in the log
    uint64_t logged_tick;       // S
    uint64_t lost;              // S: sequence of the newest request that could not be logged
    stored_stage stage;         // S
    bool owner_released;        // S: storage_release() was called
    bool wake_due;              // S: its owner is woken after this group
    checkpoint_info checkpoint; // S: the newest checkpoint that the log names
    char *unsound;              // why its image could not be read at the start; NULL: it could
    ARRAY(world_span) spans;    // S: spans of records that the checkpoint does not cover

    status state; // L: the log's status
    char state_text[ERROR_TEXT_MAX];
    status checkpoint_state; // L
    char checkpoint_text[ERROR_TEXT_MAX];
    storage_wake *wake; // wake_lock
    void *wake_context; // wake_lock

    _Atomic uint64_t committed;
    _Atomic uint64_t appended_bytes; // bytes appended since the beginning
    _Atomic uint64_t covered_bytes;  // those of `appended_bytes` that the newest checkpoint covers
    atomic_bool failed;              // true when `state` is not STATUS_OK
    atomic_bool wants_checkpoint;
    atomic_bool end_failed; // the last STORE_DESTROY could not be logged
};

typedef enum store_request_kind {
    STORE_CREATE,
    STORE_APPEND,
    STORE_CHECKPOINT,   // an image to be written
    STORE_CHECKPOINTED, // the image is written: the log must record it
    STORE_DESTROY,
    STORE_RELEASE,
    STORE_TRUNCATE // the log must record the oldest segment that is still needed
} store_request_kind;

typedef struct store_request {
    struct store_request *next;
    homing way;
    store_request_kind kind;
    storage_world *world;
    uint64_t sequence, first_tick, last_tick;
    uint64_t hash;
    bool has_hash;
    uint64_t covered_bytes;     // STORE_CHECKPOINT(ED): appended_bytes at the call
    shared_bytes *bytes;        // a reference, or NULL
    checkpoint_info checkpoint; // STORE_CHECKPOINTED
} store_request;

typedef struct request_chain {
    store_request *first;
    store_request **last;
    uint64_t count;
} request_chain;

// An image that is being written, piece by piece between groups.
typedef struct image_job {
    store_request *request; // NULL: none
    image_writer writer;
    int64_t took_ns; // time spent on its pieces so far
} image_job;

struct storage {
    storage_options options;
    disk *disk;
    char path[256]; // the path in messages; longer paths are cut
    bool threaded;  // the thread runs
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t pushed;      // a request was pushed, or the thread must end
    pthread_mutex_t wake_lock;  // locked while owners are woken
    request_chain incoming;     // L
    uint64_t queue_bytes;       // L: bytes of records not yet committed
    uint64_t image_queue_bytes; // L: bytes of images not yet written
    bool stopping;              // L
    status dead;                // L: not STATUS_OK once the log is lost
    char dead_text[ERROR_TEXT_MAX];
    ARRAY(storage_world *)
    worlds;              // L: by number, all that are not gone; S reads without it only
                         //    before storage_start()
    uint64_t next_world; // L

    journal log;                    // S
    group_builder group;            // S
    uint64_t first_segment;         // S: the oldest file
    uint64_t oldest;                // S: the oldest that the log needs, as the log says
    uint64_t closed_bytes;          // S: bytes of the segments before the current one
    ARRAY(uint64_t) segment_bytes;  // S: size of each segment, from first_segment on
    request_chain pending;          // S: requests not yet in a group
    request_chain in_group;         // S
    request_chain images;           // S: STORE_CHECKPOINTs that wait
    image_job job;                  // S
    uint64_t next_image;            // S: a lower bound of the next image's number
    ARRAY(storage_world *) touched; // S
    ARRAY(storage_world *) gone;    // S: destroyed, and not yet released
    bool dirty;                     // S: written and not synced, since dirty_ns
    int64_t dirty_ns;
    storage_figures figures;       // L
    _Atomic int64_t image_turn_ns; // when the next image may be made that only shortens a restart
    _Atomic int64_t image_took_ns; // time in which the storage thread wrote the last image

    uint64_t torn_bytes; // bytes of an unfinished last write, found at the start
    bool found_sealed;   // the log ended with a seal
    bool found_clean;    // the last process closed the log cleanly
    // number of the newest group that a later group proves to have been synced
    uint64_t attested;
    storage_report found; // counts of the scan
};

// ---- requests.c
void chain_init(request_chain *c);
void chain_push(request_chain *c, store_request *r);
void chain_push_front(request_chain *c, store_request *r);
store_request *chain_pop(request_chain *c); // NULL: empty
// Adds a request without checking limits: for requests that storage makes itself.
void storage_push(storage *s, store_request *r);
// As storage_push; the caller has the lock.
void storage_push_locked(storage *s, store_request *r);
// The bytes that the request counts for in the queue.
uint64_t store_request_bytes(const store_request *r);
// Adds a request in front of all others; storage thread.
void storage_push_front(storage *s, store_request *r);

// recover.c: reads the whole log into s->worlds and s->log. With `change` cuts a torn tail and
// removes files that nothing needs, but only after all was found sound.
status storage_scan(storage *s, bool change, error *err);

// closed.c
status closed_write(storage *s, error *err);
status closed_verify(storage *s, error *err); // STATUS_OK too if there is no such file
// must be called before the names are synced; 0 or errno
int closed_remove(disk *d);

// commit.c
bool storage_turn_once(storage *s);
// Adds the records that a segment begins with.
void catalogue_add(storage *s, group_builder *g, uint64_t oldest);
// Syncs, seals and syncs again: the last step of storage_close().
status storage_finish(storage *s, error *err);

store_request *store_request_make(store_request_kind kind, storage_world *w);
void store_request_free(storage *s, store_request *r);
void stored_free(storage_world *w);
// The error for a directory that another process has (`holder`: its id, 0: unknown), with the
// remedy.
status storage_name_holder(long holder, const char *remedy, error *err);
storage *storage_make(const storage_options *options, disk *d, const char *path);
void storage_free(storage *s);
// Frees everything without writing, as a crash would. For tests.
void storage_abandon(storage *s);

void stored_change_stage(storage_world *w, stored_stage next);

// worlds by number
storage_world *stored_find(storage *s, uint64_t number);
storage_world *stored_find_name(storage *s, const char *name);
storage_world *stored_make(storage *s, uint64_t number, const char *name, uint64_t epoch,
                           storage_durability durability);
// Records that the world's records from `sequence` on are in `segment`, the segment being written
// or scanned.
void stored_note(storage_world *w, uint64_t segment, uint64_t sequence);
// Drops the spans that the checkpoint covers.
void stored_trim(storage_world *w);

#endif
