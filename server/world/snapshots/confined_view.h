// Readers of a paused world who may see only the areas of their token.
//
// They are sent a snapshot only for changes there: an empty snapshot would reveal that something
// has changed elsewhere. While the world runs they are sent one whenever it is due.
//
// One thread: the world's.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_CONFINED_VIEW_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_CONFINED_VIEW_H

#include <stdbool.h>

#include "server/world/snapshots/publisher.h"

// Whether something has changed that the reader may see. The publisher's tables must be of the
// world's present state.
bool confined_view_changed(const publisher *p, const subscription *s);

#endif
