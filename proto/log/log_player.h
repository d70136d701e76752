// Plays a world's log: from the state at one tick to the state at a later one, command by command.
//
// A record has the commands between two ticks (log_record.h). The player applies each command at
// its tick, steps the engine to the record's end, and compares the state's hash if the record has
// one. Recovery, replicas, recordings and tests all use it, so the same log gives the same world
// everywhere.
//
//     running   a command of tick t is applied to the state of t - 1, before the step to t paused
//     a command of tick t is applied to the state of t itself
//
// The log itself says which: world.pause and world.resume are commands in it.
//
// Thread: the world's.
#ifndef CAROM_PROTO_LOG_LOG_PLAYER_H
#define CAROM_PROTO_LOG_LOG_PLAYER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "common/world/apply.h"
#include "proto/log/log_record.h"

typedef struct log_player {
    physics_world *world; // not owned
    bool paused;          // the world does not step
    uint64_t commands;    // applied
    uint64_t hashes;      // compared, and equal
    bool unverified;      // hashes are not compared: for examining a mismatch
    // When any thread sets it to true, no further step is taken, and playing ends with
    // STATUS_UNAVAILABLE. NULL: never.
    const atomic_bool *stop;
    // The position within a record at which log_player_play_to stopped: the record, and the number
    // of its commands that were applied.
    bool within;
    uint64_t within_from, within_tick;
    uint32_t within_rows;
    // `admits` or `may_step` said no: playing stopped before that command or step.
    bool held;
    // Callbacks; each may be NULL. `admits` is asked twice about each command, before it is decoded
    // (`c` is NULL then) and before it is applied, and `may_step` before each step. After a no,
    // log_player_play_to returns with `held` set; called again, it asks again.
    bool (*admits)(void *context, const log_command *row, const command *c);
    bool (*may_step)(void *context);
    // `applied` gets a command and its result directly after it took
    // effect; `stepped` is called after each step, for its events.
    void (*applied)(void *context, const log_command *row, const command *c,
                    const command_result *result);
    void (*stepped)(void *context, physics_world *world);
    // Called after a world.pause or world.resume of the log.
    void (*halted)(void *context, const log_command *row);
    void *context;
} log_player;

// Plays a decoded record; its `image` is ignored. Errors, after which the world matches no log and
// must be given up:
//   STATUS_INVALID_ARGUMENT  the record does not begin at the world's tick; a command that no
//                            world accepts, or that this world refuses
//   STATUS_INTERNAL          the hash differs: the log was made by another engine, or is damaged
//   STATUS_UNAVAILABLE       it was stopped
status log_player_play(log_player *p, const log_record *record, error *err);

// As log_player_play, but plays only to the state of `tick`, and compares no hash unless that is
// the record's end. Called again with the same record and a later tick, it continues from there;
// if it was held, with the same tick.
status log_player_play_to(log_player *p, const log_record *record, uint64_t tick, error *err);

// Plays one command of a log: steps to where it was applied (`paused` says what its tick means),
// and applies it. Errors: STATUS_INVALID_ARGUMENT as above.
status log_player_command(log_player *p, const log_command *row, error *err);

// Whether the player is within this record, partly played, at `tick` or before.
bool log_player_is_within(const log_player *p, const log_record *record, uint64_t tick);

// Steps to `tick` without commands; does nothing if the world has reached it or is paused.
void log_player_advance(log_player *p, uint64_t tick);

#endif
