// Readers of a world that stands who see the areas of a token alone.
//
// They are sent a snapshot for what changes there: a snapshot in which nothing is would tell that
// something has changed elsewhere. While the world runs they are sent one whenever it is due.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_CONFINED_VIEW_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_CONFINED_VIEW_H

#include <stdbool.h>

#include "server/world/snapshots/publisher.h"

// Whether the reader has something to be told that it may see. The publisher's tables are of the
// world's present state.
bool confined_view_changed(const publisher *p, const subscription *s);

#endif
