// Worlds that a restart brings back, and recordings, as served worlds. Network thread only.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_WORLDS_RESTORED_H
#define CAROM_SERVER_SESSION_PLACEMENT_WORLDS_RESTORED_H

#include "server/session/server.h"

// Worlds that a restart brings back have their names, and begin to run as they come.
void worlds_begin_restored(server *s);
// Call when the server ends: worlds that are not yet restored are given up.
void worlds_end_coming(server *s);
// Serves the recording that the options name, as a world.
status worlds_replay(server *s, error *err);
// Serves a world that was played and whose entry is `coming`, or marks it as broken.
struct restored_world;
void worlds_take_restored(server *s, struct restored_world *w);

#endif
