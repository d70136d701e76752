// A world of another server that this one follows (pairs.h), and the link that it comes from.
// Network thread only, but for `world` while a worker plays it.
//
//     followers.c  lists of followers and links; messages of the primary
//     sources.c    links that other servers dialled, with the records of their sessions
//     follower.c   life of one follower: image, log, playing
//     takeover.c   a follower becomes a world of this server
#ifndef CAROM_SERVER_SESSION_PAIR_FOLLOWER_H
#define CAROM_SERVER_SESSION_PAIR_FOLLOWER_H

#include <uv.h>

#include "proto/wire/buffer.h"
#include "server/base/memory.h"
#include "server/session/pair/internal.h"
#include "server/session/placement/restore.h"

enum {
    // bytes of entries that wait to be played; WORLD_FEED_BYTES_LOW while memory is short
    FOLLOWER_BYTES_MAX = 256 << 20
};

// A link that another server dialled, and that server's sessions.
typedef struct source {
    peer_link *link; // NULL: it has ended
    char node[RECORD_NAME_MAX + 1];
    shipped sessions;
    buffer held; // records of sessions, newer than a world's last tick there: u32 size, bytes
    bool overfull;
} source;

typedef struct follower {
    pairs *of;
    source *from;
    uv_work_t work;
    restored_world world;   // the worker's while `playing`
    bool playing;           // a worker or `placing` works on it
    bool plays;             // the log as it comes; else it is played when this server takes over
    bool renews;            // another image was asked for
    bool sound;             // its image is one, so it acknowledges
    bool missed;            // its server was given up, at `missed_ms`: nothing more is acknowledged
    bool stored;            // after that: it was played, and is on the disk or about to be
    bool asked;             // after that: EVENT_PRIMARY_MISSED was reported
    bool beaten;            // another server was quicker
    bool taking;            // this server serves it from now on
    bool yielded;           // its server gives the world up, and notifies its sessions
    bool placed;            // its sessions are here
    turn_job placing;       // makes these sessions
    shipped_making *making; // NULL: not under way
    bool gone;              // it is freed as soon as no thread works on it
    world_record record;
    int64_t revision;
    uint64_t missed_ms; // uv_now
    uint64_t image_size, tick, hash;
    uint64_t unplayed; // bytes of the log since the image
    buffer image;
    uint64_t sequence, newest_tick; // numbers of the last entry or image
    buffer incoming;                // entries to be played: u64 sequence, u64 tick, u32 size, bytes
    memory_charge charge;           // the image until it is a world, and the log that is kept
} follower;

// ---- sources.c

void source_free(pairs *p, source *s);
// Frees the source unless its link is open or a follower belongs to it.
void source_free_unused(pairs *p, source *s);
// Keeps the record of a session; delays it while a world is being handed over.
void source_receive_session(const pairs *p, source *from, const uint8_t *bytes, size_t size);
// Accepts the delayed records if no world is being handed over any more.
void source_release_sessions(const pairs *p, source *from);
// Tells the server that its world is not followed here.
void source_refuse(const source *from, uint64_t epoch, const char *why);

// ---- follower.c

// The newest follower of a world: an older one stays until the newer one is sound. NULL: none.
follower *follower_find(const pairs *p, const source *from, uint64_t epoch);
// The follower of a world whose image was found to be sound. NULL: none.
follower *follower_find_sound(const pairs *p, const char *world);
// Frees the follower as soon as no thread works on it.
void follower_drop(follower *f);
void follower_acknowledge(const follower *f, int64_t term);
// The world cannot be followed any more; this server does not take it over.
void follower_give_up(follower *f, const char *why);
// Runs `work` on a thread of the loop's pool; the follower goes on when it is done.
void follower_queue_work(follower *f, uv_work_cb work);
// Checks the whole image, then follows the world.
void follower_start(follower *f);
// Sets the charge to what the follower keeps now.
void follower_note_memory(follower *f);
// Adds an entry to those that wait to be played. False: there are more than FOLLOWER_BYTES_MAX.
bool follower_add_entry(follower *f, uint64_t sequence, uint64_t tick, const uint8_t *bytes,
                        size_t size);
// Moves the waiting entries into the world's log. False: they are not sound.
bool follower_move_entries(follower *f, error *err);
// Plays the waiting entries, unless a thread does so already.
void follower_play(follower *f);

// ---- takeover.c

// Call when the world's server is missed: plays the world to the end of its log and writes it to
// the disk.
void takeover_prepare(follower *f);
// That was done: the fleet is asked for the world. The follower may be gone then.
void takeover_ask_fleet(follower *f);
// Ends the log that was begun, unless this server may have won the world.
void takeover_release_log(const follower *f);
// Call when this server has won the world: requests for it wait from now on instead of being sent
// elsewhere.
void takeover_begin(follower *f);
// Serves the world, and frees the follower.
void takeover_finish(follower *f);

#endif
