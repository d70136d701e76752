// Restoring: a restart restores every world of the data directory, in the state that its log
// records.
//
// Reading (restore_read) is done before the server listens: loads images and records into memory,
// and finds out which worlds there are, where their logs end, and the last requests of sessions in
// them. Playing (restore_play) takes most of the time, and is done world by world on several
// threads while clients are served: each world begins with its newest image; the records after it
// are applied, each recorded hash is compared, and the world steps on to the last tick that may
// have been shown. A world whose log cannot be played is broken: the reason is logged, it is not
// served, and its log stays unchanged; the others continue.
//
// A world that another process hands over comes as an image (restore_from_image): only the end of
// its log is checked.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_RESTORE_H
#define CAROM_SERVER_SESSION_PLACEMENT_RESTORE_H

#include <stdatomic.h>

#include "common/base/array.h"
#include "common/base/block.h"
#include "common/base/status.h"
#include "common/world/command.h"
#include "server/session/placement/aside.h"
#include "server/storage/storage.h"
#include "server/world/message/messages.h"
#include "server/world/state/last_requests.h"

enum { RESTORE_THREADS_MAX = 64 }; // besides the calling thread

typedef struct restoration restoration;

struct session_bodies;

typedef struct restored_world {
    char name[WORLD_NAME_BYTES_MAX + 1];
    uint64_t epoch;
    storage_world *stored; // NULL: it has no log
    storage_durability durability;
    // Its records that are not yet played; NULL: all are played, or the world is broken
    restoration *way;
    adoption *adoption;        // once it was played; NULL if it is broken
    char *broken;              // why: "was not restored: …", or "is set aside: …"
    bool has_image;            // the log has an image, and not only its announcement
    bool handed;               // its state comes from another process, as an image
    bool unlogged;             // its log lacks a part of its state
    bool taken;                // a playing thread has taken it
    const atomic_bool *stop;   // set to true to stop playing early. NULL: never
    uint64_t sequence;         // sequence of its log's last record
    uint64_t until;            // the last tick that may have been shown
    uint64_t tick;             // tick that the last record leads to
    uint64_t commands, hashes; // numbers of those played, and compared
    uint64_t session;          // session with which a world without a log ends; 0: none
} restored_world;

typedef ARRAY(restored_world) restored_worlds;

// The number of threads that play at once: one per processor.
int restore_threads(void);

// Reads all worlds of a storage that was opened and not started yet, except worlds that are set
// aside. Worlds whose creation was never answered, and all but the newest of one name (their
// destruction was requested), are destroyed. If records do not fit into memory, those read so far
// are played by `threads` threads. Network thread. Errors: those of storage_recover; the caller
// owns `out` in any case.
status restore_read(storage *s, aside_list *aside, int threads, restored_worlds *out, error *err);

// The sessions' last commands that took effect in a world, unless it is broken.
const last_requests *restore_marks(const restored_world *w);

// Estimated cost of playing it, for comparison with others.
double restore_cost(const restored_world *w);

// Sets the world's state to the image (world_image.h; taken over) of that tick and hash, without
// using its log.
void restore_from_image(restored_world *w, uint8_t *image, size_t size, uint64_t tick,
                        uint64_t hash);

// ---- a world whose log comes from another server (server/session/pair)

// After restore_from_image: the image promises ticks ahead as an entry of a log does.
void restore_promise(restored_world *w);
// The next entry of its log, up to the state of `tick`; restore_play_held plays it. Not while
// another thread plays. STATUS_INVALID_ARGUMENT: the entry is damaged or does not continue the log.
status restore_add_record(restored_world *w, uint64_t sequence, uint64_t tick, const uint8_t *bytes,
                          size_t size, error *err);
// Plays the records that were added. Any thread, while no other uses the world.
void restore_play_held(restored_world *w);
// The reason why the world's log cannot be played; NULL: there is none.
const char *restored_world_failure(const restored_world *w);
// The bodies that end with sessions, as far as the log was played, and the marks of sessions up to
// its end, which the caller may change. Also when it was played to its end.
const struct session_bodies *restore_bodies(const restored_world *w);
last_requests *restore_own_marks(restored_world *w);
// The account of the world's memory: marks are changed with it.
block_account *restore_blocks(const restored_world *w);
void restored_world_deinit(restored_world *w);

// Plays a world that was read: afterwards it has `adoption` or `broken`. Any thread, which has the
// world for itself.
void restore_play(restored_world *w);
// Plays all remaining worlds, on as many threads. Network thread, which waits.
void restore_play_all(restored_worlds *worlds, int threads);

// Frees one, whose place the last one takes; its log stays.
void restored_worlds_remove(restored_worlds *list, uint32_t i);
void restored_worlds_free(restored_worlds *list);

// The name under which a world is stored: its own, a dot and its epoch, since a name may be used
// again while the end of its last world is still being written.
enum { STORED_NAME_BYTES_MAX = WORLD_NAME_BYTES_MAX + 1 + 20 };
void restore_stored_name(char out[STORED_NAME_BYTES_MAX + 1], const char *name, uint64_t epoch);

#endif
