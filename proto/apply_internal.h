// What the files of apply share. Internal to proto; the thread that owns the world.
#ifndef CAROM_PROTO_APPLY_INTERNAL_H
#define CAROM_PROTO_APPLY_INTERNAL_H

#include "proto/apply.h"
#include "proto/command_memory.h"

// ---- reading (apply_read.c)

// A copy of all that is known of a body, in `memory`.
status read_body(const physics_world *world, body_id id, body_record *out, command_memory **memory,
                 error *err);
// Bytes that read_body takes, at most.
size_t read_body_bytes(const physics_world *world, body_id id);
status read_world(const physics_world *world, const char *name, world_state_result *out,
                  command_memory **memory, error *err);

// ---- batches (apply_plan.c)

// Whether every command of the batch would find what it needs, had those before it been carried
// out. Nothing is changed. The text of an error begins with the command's place.
status plan_check(const physics_world *world, const apply_args *batch, error *err);

#endif
