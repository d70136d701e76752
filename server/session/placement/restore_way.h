// A world between its reading (restore.c) and its service: its records in memory, and the steps of
// playing (restore_play.c). Private to these two. One thread at a time.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_RESTORE_WAY_H
#define CAROM_SERVER_SESSION_PLACEMENT_RESTORE_WAY_H

#include "proto/log/log_digest.h"
#include "proto/log/log_player.h"
#include "proto/wire/buffer.h"
#include "server/session/placement/restore.h"
#include "server/world/log/world_image.h"

enum {
    RESTORE_HELD_HEAD_BYTES = 20, // head of a record in memory: u64 sequence, u32 size, u64 segment
    RESTORE_HELD_BYTES_MAX = 256 << 20, // bytes of records; beyond it, those read so far are played
    RESTORE_RECORDS_BYTES_MAX =
        2 * RESTORE_HELD_BYTES_MAX // the bound above, and one record, for one world
};

struct restoration {
    storage_info info;
    block_account *blocks; // account of the world; NULL once the adoption has it
    buffer image;          // the part read so far; freed when the world is made from it
    buffer records;        // read, and not played yet
    last_requests marks;   // last requests at the log's end
    bool handed;           // the image is of the process before, and the log is not played
    bool begun;            // the world was made
    world_image state;
    log_player player;
    log_digests digests;    // the bodies' digests in the log
    uint64_t verified_tick; // the last tick whose hash matched
    int64_t replay_ns;      // time spent playing records
    bool failed;
    error failure;
};

restoration *restore_way_create(void);
void restore_way_free(restored_world *w); // `w` may have no restoration

// Work for this world begins: crashes are reported with its name, and memory is counted for it.
void restore_enter(const restored_world *w);
void restore_leave(void);

// Marks the world as not served. `told`: a clause for the log, "is not served: …"; `why`: the error
// for answers.
void restore_refuse(restored_world *w, const char *told, const error *why);
void restore_fail(restored_world *w, const error *why);
// Marks the world as broken, and frees its records in memory.
void restore_give_up(restored_world *w);

// The fields of an entry before its record; see world_log.h.
typedef struct restore_entry {
    uint64_t until;
    uint32_t marks;
    bool digests, first_digests;
    size_t size; // up to the digests
} restore_entry;

// Reads the head of an entry of a log. False: the bytes are no valid entry.
bool restore_entry_read(const uint8_t *bytes, size_t size, restore_entry *out);

// Calls `work` for each world to be played, on `threads` threads, this one included.
void restore_each(restored_worlds *worlds, int threads, void (*work)(restored_world *w));

#endif
