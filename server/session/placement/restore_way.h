// A world between its reading (restore.c) and its life: what is held of it, and the steps of
// playing (restore_play.c). Private to these two. One thread at a time.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_RESTORE_WAY_H
#define CAROM_SERVER_SESSION_PLACEMENT_RESTORE_WAY_H

#include "proto/log/log_digest.h"
#include "proto/log/log_player.h"
#include "proto/wire/buffer.h"
#include "server/session/placement/restore.h"
#include "server/world/log/world_image.h"

enum {
    RESTORE_HELD_HEAD_BYTES = 12,       // of a record that is held: u64 sequence, u32 size
    RESTORE_HELD_BYTES_MAX = 256 << 20, // of records; past that those read so far are played
    RESTORE_RECORDS_BYTES_MAX =
        2 * RESTORE_HELD_BYTES_MAX // of one world: the bound above, and one record
};

struct restoration {
    storage_info info;
    block_account *blocks; // the world's; NULL once the adoption has it
    buffer image;          // as far as it was read; given back when the world is made of it
    buffer records;        // read, and not played yet
    last_requests marks;   // as the log ends
    bool handed;           // the image is of the process before, and the log is not played
    bool begun;            // the world was made
    world_image state;
    log_player player;
    log_digests digests;    // of the bodies, as the log tells them
    uint64_t verified_tick; // the last whose hash agreed
    int64_t replay_ns;      // for which records were played
    bool failed;
    error failure;
};

restoration *restore_way_create(void);
void restore_way_free(restored_world *w); // may have none

// Work for this world begins: faults are noted as its own, and so is memory.
void restore_enter(const restored_world *w);
void restore_leave(void);

// It will not be served. `told`: its clause of the log, "is not served: …"; `why`: that of answers.
void restore_refuse(restored_world *w, const char *told, const error *why);
void restore_fail(restored_world *w, const error *why);
// So it is broken, and what was held of it is given back.
void restore_give_up(restored_world *w);

// The parts of an entry before its record; see world_log.h.
typedef struct restore_entry {
    uint64_t until;
    uint32_t marks;
    bool digests, first_digests;
    size_t size; // up to the digests
} restore_entry;

// False where the entry cannot be.
bool restore_entry_read(const uint8_t *bytes, size_t size, restore_entry *out);

// Plays the records that are held.
void restore_play_held(restored_world *w);
// Does `work` to each world that is to be played, on as many threads; this one works too.
void restore_each(restored_worlds *worlds, int threads, void (*work)(restored_world *w));

#endif
