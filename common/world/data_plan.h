// Foresees what commands do to a world's data (common/physics/data.h): a
// batch is checked as a whole, and a server has limits of its own.
//
// A plan follows the keys that a batch names, each as the earlier commands leave it: whether it is
// there, its version and its bytes. Nothing is changed.
//
// Thread: the one that owns the world.
#ifndef CAROM_COMMON_WORLD_DATA_PLAN_H
#define CAROM_COMMON_WORLD_DATA_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/data.h"
#include "common/world/command.h"
#include "common/world/owners.h"

typedef struct data_limits {
    uint64_t value_bytes; // size of a value
    uint64_t keys, bytes; // sums of a world, as DATA_BYTES_MAX counts them
} data_limits;

// The limits of the engine.
extern const data_limits DATA_LIMITS_ENGINE;

typedef struct planned_datum {
    const char *key;  // in the command's memory
    uint32_t hash;    // hash of the key
    uint64_t version; // 0: the key is not there
    uint64_t bytes;
} planned_datum;

typedef struct data_plan {
    const physics_world *world;
    const data_limits *most;
    ARRAY(planned_datum) touched;
    uint64_t keys, bytes, changes; // sums of the world after the commands so far
} data_plan;

// `most` must live as long as the plan.
void data_plan_init(data_plan *p, const physics_world *world, const data_limits *most);
void data_plan_deinit(data_plan *p);

// Adds the next command to the plan. Errors: those of world_data_check(), STATUS_LIMIT_EXCEEDED
// with the limit's name, STATUS_ALREADY_EXISTS for another version than the command names,
// STATUS_NOT_FOUND for the removal of a missing key.
status data_plan_set(data_plan *p, const data_set_args *set, error *err);
status data_plan_remove(data_plan *p, const data_remove_args *remove, error *err);

// Whether `version` (0: the key is not there) is the one that the command asks for, if it does.
status data_version_check(const char *key, bool has_asked, uint64_t asked, uint64_t version,
                          error *err);

// Whether the command's changes of data fit `most`, and those of a player `percent` of it. Other
// faults are left to apply_command(). Commands without data cost nothing. Error:
// STATUS_LIMIT_EXCEEDED; the text names the limit.
status data_admit(const physics_world *world, const data_limits *most, uint64_t percent,
                  const actor *who, const command *c, error *err);

// Whether the world's data, as they are, fit `most`.
status data_fit(const physics_world *world, const data_limits *most, error *err);

// Whether a player whose subject this is may change the key: those under player/SUBJECT/. A subject
// with a slash has none, since another's keys would begin like its own.
bool data_key_is_of(const char *key, const char *subject);

#endif
