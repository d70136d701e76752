// The directory of worlds, by name and by number, with the simulation thread of each.
//
// A world has its name from the moment its creation begins, so that two cannot have the same;
// requests that come before the world exists are queued here. It loses the name when its
// destruction is sent, which frees the name; the entry stays until the last result has arrived.
// Numbers are never reused.
//
// Network thread only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_DIRECTORY_H
#define CAROM_SERVER_SESSION_PLACEMENT_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/world/command.h"
#include "server/base/bytes.h"
#include "server/schedule/turn_queue.h"
#include "server/session/calls/reply_line.h"
#include "server/world/tick/sim_thread.h"
#include "server/world/message/messages.h"

// A seat of a world that joins made, as the network thread knows it: seating.c.
typedef enum seat_state {
    SEAT_JOINING, // its last request is a join that the world has not answered
    SEAT_TAKEN,
    SEAT_LEAVING // its last request is a leave that the world has not answered
} seat_state;

typedef struct entry_seat {
    uint32_t seat;
    seat_state state;
    uint32_t waiting; // joins and leaves of it that the world has not answered
    session_key session;
    char subject[OWNER_BYTES_MAX + 1];
} entry_seat;

typedef struct world_seating {
    char template_name[TEMPLATE_NAME_BYTES_MAX + 1]; // "": no join made the world
    uint32_t count;                                  // seats
    uint64_t idle_ms;    // time after which a world without taken seats ends
    uint64_t free_since; // since when no seat is taken [ms of the loop]
    uint64_t maker;      // whose join made it (seating.c); 0: nobody that is bounded, or a restart
    ARRAY(entry_seat) taken; // those that are not free, ascending by seat
} world_seating;

// A row of world.list, see session/worlds_list.c.
typedef struct world_figures {
    shared_bytes *row; // the row as last reported; NULL: never
    bool fresh;        // no later reply of the world shows a later state
    bool asked;        // its answer is awaited
    uint32_t at;       // its place in the current survey, if there is one
} world_figures;

typedef struct world_entry {
    uint64_t number;
    char name[WORLD_NAME_BYTES_MAX + 1];
    sim_thread *thread; // NULL while it is being built, restored or moved
    uint64_t session;   // the session that it ends with; 0: it ends with the server
    world_seating seating;
    bool unnamed;           // destroyed, or could not be made
    bool logged;            // a restart restores it
    bool coming;            // the world is being restored; requests are queued until then
    bool adopting;          // the world was restored; its thread has not answered yet
    bool handed;            // the world's thread has reported its final state (handover.h)
    struct departure *left; // owned: where the world has gone; NULL for most (departure.h)
    char *broken;           // owned: why it is not served, though it is on the disk; NULL for most
    uint64_t tick;          // last tick in a broken world's log
    storage_world *stored;  // a broken world's storage, until it is destroyed
    storage_durability durability; // for a world with a log, or a fork that is being made
    bool replicated;               // the fork is to have a standby
    uint32_t moves;                // tries to move it, of a server that shuts down (moving.h)
    bool relayed;                  // a relay follows it (server/session/relay)
    uint64_t waiting;              // accepted commands that are not answered yet
    request *held;                 // requests queued, in order, while it has no simulation thread
    request **held_last;
    reply_line replies; // its unhandled replies
    uint32_t delivered; // deliveries of the snapshot that goes next that were sent
    turn_job replying;
    void *owner;              // the directory, for the job
    world_figures figures[2]; // indexed by the asking session's `confined`
} world_entry;

typedef struct directory {
    ARRAY(world_entry *) by_name;   // worlds with a name, sorted by it
    ARRAY(world_entry *) by_number; // all, ascending
    uint64_t next_number;           // 1 at first; may be raised
} directory;

void directory_init(directory *d);
// No request may be queued.
void directory_deinit(directory *d);

// NULL if there is none.
world_entry *directory_find(const directory *d, const char *name);
world_entry *directory_find_number(const directory *d, uint64_t number);

// Why a broken world is not served. The reason may name a body, which is not shown to a session
// with token areas (`confined`).
const char *directory_reason(const world_entry *entry, bool confined);

// The number of worlds that are not served.
uint32_t directory_broken(const directory *d);

// Adds a world that is being made; its name must be free.
world_entry *directory_add(directory *d, const char *name);
// Adds a world with a given number, which no other one has. New worlds go on being numbered as
// before: two servers that counted on from the number of a world that went from one to the other
// would give the same numbers.
world_entry *directory_add_numbered(directory *d, const char *name, uint64_t number);

// Frees the world's name.
void directory_unname(directory *d, world_entry *entry);

// Frees the entry if it has no name, no awaited answers and no unhandled replies.
void directory_release(directory *d, world_entry *entry);

#endif
