// A recording served as a world: its commands replace those of clients, tick by tick.
//
// The whole file is in memory, its frames verified and listed when it is opened, so that playing
// reads no disk. Each hash of the recording is compared; at the first mismatch the replay fails and
// pauses. Records with images let it begin in the middle: seeking plays from the last one before.
//
// One thread at a time: the one that opens it, then the world's.
#ifndef CAROM_SERVER_WORLD_STATE_REPLAY_H
#define CAROM_SERVER_WORLD_STATE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "proto/log/log_player.h"

typedef struct replay replay;

// Reads the recording `path` of at most `bytes_max` bytes; an incomplete one up to its last whole
// frame, with a warning. Errors: STATUS_UNAVAILABLE with the system's error, or if recorded by
// another engine; STATUS_LIMIT_EXCEEDED; STATUS_INVALID_ARGUMENT if damaged, or no recording.
status replay_open(const char *path, uint64_t bytes_max, replay **out, error *err);
void replay_free(replay *r); // NULL is allowed

// Name of the world that was recorded.
const char *replay_name(const replay *r);
uint64_t replay_first(const replay *r); // ticks
uint64_t replay_last(const replay *r);

// Whether the recorded world was paused at the replay's tick.
bool replay_stands(const replay *r);

// Called after each command is applied (log_player.applied).
typedef void replay_applied(void *context, const log_command *row, const command *c,
                            const command_result *result);
void replay_on_applied(replay *r, replay_applied *call, void *context);

// Asked before each command and step of replay_step(), with the context of replay_on_applied()
// (log_player.admits, log_player.may_step). After a no, that returns with replay_is_held().
void replay_on_admits(replay *r,
                      bool (*admits)(void *context, const log_command *row, const command *c),
                      bool (*may_step)(void *context));
// The last replay_step() stopped before its tick was complete; called again, it continues.
bool replay_is_held(const replay *r);

// Bytes of the image that replay_step() begins with; 0: with none.
uint64_t replay_image_bytes(const replay *r, const physics_world *world);

// The way of replay_seek(): the bytes of an image, ticks, and bytes of their commands.
typedef struct replay_way {
    uint64_t image_bytes, ticks, bytes;
} replay_way;

replay_way replay_way_to(const replay *r, uint64_t tick);

// Makes the world as it was at `tick`, within first and last. *world is replaced, and the old one
// freed if not NULL; it is unchanged on errors: STATUS_INVALID_ARGUMENT, STATUS_INTERNAL for a hash
// mismatch.
status replay_seek(replay *r, physics_world **world, uint64_t tick, error *err);

// Plays one tick. *anew: the recording had a gap there, and the world was replaced.
status replay_step(replay *r, physics_world **world, bool *anew, error *err);

#endif
