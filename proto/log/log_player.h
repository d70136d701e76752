// Plays a world's log: from the state at one tick to the state at a later one, command for command.
//
// A record tells what was commanded between two ticks (log_record.h). The player applies each
// command at its place, steps the engine to the record's end, and compares the state's hash where
// the record knows it. Recovery, replicas, recordings and tests all go through here, so the same
// log gives the same world everywhere.
//
//     running   a command of tick t is applied to the state of t - 1, before the step to t
//     paused    a command of tick t is applied to the state of t as it stands
//
// The log says which of the two it is: world.pause and world.resume stand in it as commands.
//
// Thread: the world's.
#ifndef CAROM_PROTO_LOG_LOG_PLAYER_H
#define CAROM_PROTO_LOG_LOG_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "common/world/apply.h"
#include "proto/log/log_record.h"

typedef struct log_player {
    physics_world *world; // not owned
    bool paused;          // the world stands at its tick
    uint64_t commands;    // that were applied
    uint64_t hashes;      // that were compared, and agreed
    bool unverified;      // hashes are not compared: for looking at what went wrong
    // While it stands within a record, where log_player_play_to left it: which one, and how many of
    // its commands were applied.
    bool within;
    uint64_t within_from, within_tick;
    uint32_t within_rows;
    // Each may be NULL. `applied` sees a command with its result directly after it; `stepped` is
    // called after each step, for its events.
    void (*applied)(void *context, const log_command *row, const command *c,
                    const command_result *result);
    void (*stepped)(void *context, physics_world *world);
    void *context;
} log_player;

// Plays a decoded record, whose `image` is not looked at. Errors, after which the world is that of
// no log and must be given up:
//   STATUS_INVALID_ARGUMENT  the record does not begin at the world's tick; a command that no
//                            world takes, or that this world refuses
//   STATUS_INTERNAL          the hash differs: the log was made by another engine, or is damaged
status log_player_play(log_player *p, const log_record *record, error *err);

// Likewise, but only what the state of `tick` shows, and compares no hash unless that is the
// record's end. Called again with the same record and a later tick, it goes on from there.
status log_player_play_to(log_player *p, const log_record *record, uint64_t tick, error *err);

// Whether the player stands within this record, which it has played in part, at `tick` or before.
bool log_player_is_within(const log_player *p, const log_record *record, uint64_t tick);

// Steps on without commands to `tick`; nothing where the world is there already or stands.
void log_player_advance(log_player *p, uint64_t tick);

#endif
