// The log of a replicated world on its way to the standby: an image, then each entry as it goes to
// the storage, and back the number up to which the standby has them.
//
// The world's thread puts items in and asks what may be shown; the network thread takes them, and
// reports how much the standby has acknowledged. Without a standby nothing is kept, and everything
// may be shown. The rule that this file keeps (server/fleet/ownership.h, rules 2 and 6): what is
// shown is known to the network thread before it leaves, and nothing leaves that it has not
// allowed.
//
// Bounded: WORLD_FEED_BYTES_MAX wait for the network thread, and no more than WORLD_FEED_BYTES_LOW
// while memory is short; beyond that the feed is cut, and the standby needs another image. Any
// thread; a lock is kept for some instructions.
#ifndef CAROM_SERVER_WORLD_MESSAGE_WORLD_FEED_H
#define CAROM_SERVER_WORLD_MESSAGE_WORLD_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/bytes.h"

enum {
    WORLD_FEED_BYTES_MAX = 64 << 20, // entries; an image comes in addition
    WORLD_FEED_BYTES_LOW = 1 << 20
};

typedef struct world_feed world_feed;

typedef enum feed_kind {
    FEED_IMAGE, // world_image.h; the entries before it are not needed
    FEED_ENTRY, // an entry of the log (world_log.h)
    FEED_END    // the world was destroyed
} feed_kind;

typedef struct feed_item {
    struct feed_item *next;
    feed_kind kind;
    uint64_t sequence;
    uint64_t tick;       // tick of the state after it
    uint64_t hash;       // FEED_IMAGE: of that state
    shared_bytes *bytes; // a reference; NULL: FEED_END
} feed_item;

// `wake` is called on the world's thread, with `context`, when there are items after there were
// none, or the feed was cut. The caller gets one reference.
world_feed *world_feed_create(void (*wake)(void *context), void *context);
world_feed *world_feed_ref(world_feed *f);
void world_feed_unref(world_feed *f); // NULL is allowed

// ---- the world's thread

// `on_allowed` is called, on the network thread, when more may be shown or an image is wanted. NULL
// ends that: no call is in progress when this returns.
void world_feed_watch(world_feed *f, void (*on_allowed)(void *context), void *context);
// Whether a standby waits for an image.
bool world_feed_wants_image(world_feed *f);
// Whether a standby has got an image: a new one replaces it where the log has a gap.
bool world_feed_follows(world_feed *f);
// Adds an item (a reference to `bytes`), if somebody wants it; returns its sequence.
uint64_t world_feed_put(world_feed *f, feed_kind kind, uint64_t tick, uint64_t hash,
                        shared_bytes *bytes);
// Whether the items up to `sequence` may be shown; then they count as shown.
bool world_feed_show(world_feed *f, uint64_t sequence);

// ---- the network thread

// A standby wants an image and what follows: items from before are dropped.
void world_feed_attach(world_feed *f);
// The standby wants an image among the entries, behind which it needs none of those before.
void world_feed_renew(world_feed *f);
// There is no standby any more: items are dropped.
void world_feed_detach(world_feed *f);
// Whether `waiting` bytes of entries may wait for a standby, in the feed or behind it: up to
// `most`, and no more than WORLD_FEED_BYTES_LOW while memory is short.
bool world_feed_may_wait(uint64_t waiting, uint64_t most);
// Moves all items to the caller; NULL: none. *cut: too many waited, and the feed is detached.
feed_item *world_feed_take(world_feed *f, bool *cut);
void feed_item_free(feed_item *item);
// Items up to `sequence` may be shown from now on; UINT64_MAX: all. May go back.
void world_feed_allow(world_feed *f, uint64_t sequence);
// The last sequence that may have been shown.
uint64_t world_feed_shown(world_feed *f);

#endif
