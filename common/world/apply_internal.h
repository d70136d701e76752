// Shared by the files that apply commands; internal to common/world. Thread: the one that owns the
// world.
#ifndef CAROM_COMMON_WORLD_APPLY_INTERNAL_H
#define CAROM_COMMON_WORLD_APPLY_INTERNAL_H

#include "common/world/apply.h"
#include "common/world/command_memory.h"

// ---- reading (apply_read.c)

// Copies all properties of a body into `memory`. `table` is NULL if no body has an owner.
status read_body(const physics_world *world, const owners *table, body_id id, body_record *out,
                 command_memory **memory, error *err);
// The most bytes that read_body allocates.
size_t read_body_bytes(const physics_world *world, body_id id);
// Copies all joints into `memory`.
status read_joints(const physics_world *world, const char *name, joints_result *out,
                   command_memory **memory, error *err);
// Copies the touching contacts into `memory`; only those of `body`, unless it is 0.
status read_contacts(const physics_world *world, const char *name, body_id body,
                     contacts_result *out, command_memory **memory, error *err);
status read_world(const physics_world *world, const owners *table, const char *name,
                  world_state_result *out, command_memory **memory, error *err);

// ---- data (apply_data.c)

// Errors: those of the engine, and STATUS_ALREADY_EXISTS for another version than the one named.
status set_data(physics_world *world, const data_set_args *set, data_set_result *out, error *err);
status remove_data(physics_world *world, const data_remove_args *remove, error *err);
// Copies the keys that are asked for into `memory`.
void read_data(const physics_world *world, const data_get_args *get, data_result *out,
               command_memory **memory);

// ---- messages (apply_message.c)

// STATUS_INVALID_ARGUMENT for a name that is empty, too long or not UTF-8, and for data that are
// not one MessagePack value or nest too deep; STATUS_LIMIT_EXCEEDED for too many bytes of data.
status check_message(const message_args *message, error *err);
// The same of a join's data.
status check_join_data(const world_join_args *join, error *err);

// ---- batches (apply_plan.c)

// Whether every command of the batch will succeed after those before it. Changes nothing. The text
// of an error begins with the command's index.
status plan_check(const physics_world *world, const apply_args *batch, error *err);

// ---- joints of a batch (apply_dry_run.c)

typedef struct dry_run dry_run;

// NULL if no command of the batch concerns joints.
dry_run *dry_run_create(const physics_world *world, const apply_args *batch);
void dry_run_free(dry_run *t); // NULL is allowed

// Applies command `index`, which has passed its own check, to the dry run's world as far as joints
// may depend on it. For joint.create, set, remove and get this is the check.
status dry_run_command(dry_run *t, uint32_t index, error *err);

// ---- queries (apply_query.c)
status find_ray(const physics_world *world, const query_ray_args *query, hits_result *out,
                command_memory **memory, error *err);
status find_cast(const physics_world *world, const query_cast_args *query, hits_result *out,
                 command_memory **memory, error *err);
status find_overlap(const physics_world *world, const query_overlap_args *query, bodies_result *out,
                    command_memory **memory, error *err);

#endif
