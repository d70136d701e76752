// A recording that is served as a world: its commands take the place of clients', tick by tick.
//
// The whole file is in memory, its frames verified and listed when it is opened, so that playing
// reads no disk. Each hash of the recording is compared; at the first that differs the replay fails
// and stands. Records with images let it begin in the middle: seeking plays from the last one
// before.
//
// One thread at a time: whoever opens it, then the world's.
#ifndef CAROM_SERVER_WORLD_STATE_REPLAY_H
#define CAROM_SERVER_WORLD_STATE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "proto/log/log_player.h"

typedef struct replay replay;

// Reads the recording `path` of at most `bytes_max` bytes; a cut one as far as it is whole, with a
// warning. Errors: STATUS_UNAVAILABLE with what the system says or of another engine;
// STATUS_LIMIT_EXCEEDED; STATUS_INVALID_ARGUMENT for what is no recording, or altered.
status replay_open(const char *path, uint64_t bytes_max, replay **out, error *err);
void replay_free(replay *r); // NULL is allowed

// Of the world that was recorded.
const char *replay_name(const replay *r);
uint64_t replay_first(const replay *r); // ticks
uint64_t replay_last(const replay *r);

// Whether the recorded world stood where the replay is.
bool replay_stands(const replay *r);

// Each command is told after it was applied (log_player.applied).
typedef void replay_applied(void *context, const log_command *row, const command *c,
                            const command_result *result);
void replay_on_applied(replay *r, replay_applied *call, void *context);

// Makes the world as it was at `tick`, within first and last. *world is replaced, and freed if not
// NULL; it is left as it is on errors: STATUS_INVALID_ARGUMENT, STATUS_INTERNAL where a hash
// differs.
status replay_seek(replay *r, physics_world **world, uint64_t tick, error *err);

// Plays on by one tick. *anew: the recording had a gap there, and the world is another one.
status replay_step(replay *r, physics_world **world, bool *anew, error *err);

#endif
