// A world that copies another server's world from that world's log, as a relay serves it.
//
// The network thread receives notifications of encoding log (PROTOCOL.md, "The log of a world") and
// passes each to the world as an item; the world plays the items tick by tick, as fast as they
// come, and compares each hash that the log has. An item with an image replaces the world. At a
// fault (a record that does not fit, a hash that differs) the world stands still and reports it by
// its link; the network thread then asks for an image.
//
// Bounded: MIRROR_ITEMS_MAX items and MIRROR_BYTES_MAX of them wait for a world; beyond that the
// network thread begins again with an image.
//
// The link is shared by both threads. Items and mirror belong to one thread at a time.
#ifndef CAROM_SERVER_WORLD_STATE_MIRROR_H
#define CAROM_SERVER_WORLD_STATE_MIRROR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "common/world/capacity.h"
#include "common/world/limits.h"
#include "proto/log/log_player.h"

enum {
    MIRROR_ITEMS_MAX = 4096,     // half a minute of 120 Hz
    MIRROR_BYTES_MAX = 512 << 20 // the image of the largest world and commands behind it
};

// State that the network thread and the thread of the world share.
typedef struct mirror_link {
    atomic_uint references;
    _Atomic(const char *) upstream; // HOST:PORT that the log comes from; outlives the worlds
    atomic_uint waiting;            // items that were not played yet
    atomic_uint_least64_t waiting_bytes;
    atomic_uint_least64_t tick;    // tick of the world's state
    atomic_uint_least64_t matches; // hashes that were compared, and equal
    atomic_bool skip;              // too many items wait: the world drops them all
    atomic_uint readers;           // subscriptions of the world
    atomic_bool failed;            // an image is needed; `failure` says why
    char failure[ERROR_TEXT_MAX];  // written before `failed` is set, read after
} mirror_link;

mirror_link *mirror_link_create(const char *upstream); // has one reference
mirror_link *mirror_link_ref(mirror_link *l);
void mirror_link_unref(mirror_link *l); // NULL is allowed

typedef enum mirror_kind {
    MIRROR_PLAIN,   // the map of a notification (log_record.h)
    MIRROR_COMPACT, // a record in the compact form (log_compact.h)
    MIRROR_LOST     // no bytes: the connection to the other server is lost
} mirror_kind;

typedef struct mirror_item {
    struct mirror_item *next;
    mirror_link *link; // a reference
    mirror_kind kind;
    int64_t received_ns; // on the monotonic clock
    size_t size;
    uint8_t bytes[];
} mirror_item;

// Copies the bytes, and counts the item at the link.
mirror_item *mirror_item_create(mirror_link *l, mirror_kind kind, const uint8_t *bytes, size_t size,
                                int64_t received_ns);
void mirror_item_free(mirror_item *item); // NULL is allowed

// Reads the image of an item of kind PLAIN. `room` bounds the world. *paused: as its record says.
// Errors: STATUS_INVALID_ARGUMENT or STATUS_LIMIT_EXCEEDED.
status mirror_read_image(const mirror_item *item, const capacity_limits *room, uint64_t epoch,
                         physics_world **out, bool *paused, error *err);
// Whether the item has an image.
bool mirror_has_image(const mirror_item *item);

typedef struct mirror {
    mirror_link *link; // a reference
    char world[WORLD_NAME_BYTES_MAX + 1];
    log_player player;
    mirror_item *first, **last; // items still to be played
    bool playing;               // `record` belongs to the first item
    log_record record;
    buffer rows, spelled; // bytes of `record`, if the item is compact
    bool lost;            // the connection to the other server is lost
    bool broken;          // nothing is played until an image comes
    int64_t heard_ns;     // time at which the record of the world's state came
} mirror;

// Begins with a world (not owned) that mirror_read_image() made.
mirror *mirror_create(mirror_link *l, const char *name, physics_world *world, bool paused,
                      int64_t heard_ns);
void mirror_free(mirror *m); // NULL is allowed

// Takes over the item.
void mirror_put(mirror *m, mirror_item *item);
// Whether an item waits that can be dealt with.
bool mirror_has_work(const mirror *m);
// The first item if it has an image, else NULL; it stays the mirror's until mirror_drop_first.
const mirror_item *mirror_next_image(mirror *m);
void mirror_drop_first(mirror *m);
// Plays the first item's record, which has no image, by one tick at most, or as far as the player's
// `admits` and `may_step` let it. Errors: it does not fit; the mirror is broken then.
status mirror_play(mirror *m, error *err);
// Call when a received image has replaced the world.
void mirror_begin_anew(mirror *m, physics_world *world, bool paused, int64_t heard_ns);
// Reports the fault to the network thread, once a fault: two reports would count as two. Nothing is
// played until an image comes.
void mirror_break(mirror *m, const error *why);
// Whether the world stands still until another record comes: it is paused, or its log has stopped.
bool mirror_stands(const mirror *m);
// Seconds since the record of the state was received; 0 for a paused world.
double mirror_lag(const mirror *m, int64_t now_ns);

#endif
