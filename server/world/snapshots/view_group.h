// A view group: subscriptions that want the same and have the same baseline, and so are sent the
// same bytes, which are built once.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_VIEW_GROUP_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_VIEW_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/bytes.h"
#include "server/world/snapshots/publisher.h"

// A group of equal subscriptions, and the snapshot that all of them get.
typedef struct view_group {
    const subscription *of;
    bool full;
    const buffer *packed; // bodies of a packed one; else NULL
    view_set *seen;       // bodies in view; NULL without an area
    uint32_t row_count, event_count, contact_count, data_count;
} view_group;

// Builds the group's snapshot without its head, which needs to know `pairs`. Fills the rest of `g`
// from `g->of`, and p->descriptions. The caller owns the bytes, and g->seen. NULL if it does not
// fit a message. The publisher's tables are of the world's present state.
shared_bytes *view_group_build(publisher *p, const physics_world *world, view_group *g,
                               uint64_t hash, uint32_t *pairs);

// Whether changes since the subscription's last snapshot are no longer known: the next one is full.
bool view_group_forgotten(const publisher *p, const subscription *s);

// Whether the subscription is sent the event, judging by the bodies in view in its latest snapshot.
bool view_group_wants(const publisher *p, const subscription *s, const event_entry *event);

// The budget of a subscription; NULL: it has none.
struct budget *view_group_budget(const subscription *s);

// Whether the snapshot says that the body that the view followed does not exist any more: the first
// one that can, and each full one.
bool view_group_tells_lost(const view_group *g);

#endif
