// Shared by the files of this folder.
#ifndef CAROM_SERVER_WORLD_HISTORY_HISTORY_INTERNAL_H
#define CAROM_SERVER_WORLD_HISTORY_HISTORY_INTERNAL_H

#include "server/world/history/history.h"

// Frees the worlds of the past. The caller charges its blocks to the history's account.
void history_free_lanes(history *h);

// Whether a question about the past came recently.
bool history_is_asked(const history *h, uint64_t tick);

#endif
