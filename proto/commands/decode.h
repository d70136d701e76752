// The decoders of the methods' arguments, by concept. Internal to proto: command_decode picks among
// them. Each fills its struct with defaults first, then with what was given, and reports through
// the decoder.
#ifndef CAROM_PROTO_COMMANDS_DECODE_H
#define CAROM_PROTO_COMMANDS_DECODE_H

#include "common/physics/physics.h"
#include "proto/commands/arguments.h"
#include "common/world/command.h"

// decode_session.c
void decode_ping(const arguments *a, ping_args *out);

// decode_world.c
void decode_world_create(const arguments *a, world_create_args *out);
void decode_fork(const arguments *a, world_fork_args *out);
void decode_world_set(const arguments *a, world_set_args *out);
void decode_subscribe(const arguments *a, subscribe_args *out);
void decode_view(const arguments *a, view_args *out); // world.unsubscribe too

// decode_shape.c
// The map of argument "filter", by `list`; `out` has the defaults.
void decode_filter(const arguments *a, const arg_list *list, shape_filter *out);
void decode_shape(decoder *d, const msgpack_object *object, const place *where, shape_def *out);
// The form alone; a chain is refused.
void decode_form(decoder *d, const msgpack_object *object, const place *where, shape_geometry *out);

void decode_shape_set(const arguments *a, shape_set_args *out);

// decode_body.c
void decode_body_spawn(const arguments *a, body_spawn_args *out);
void decode_body_set(const arguments *a, body_set_args *out);
void decode_shape_add(const arguments *a, shape_add_args *out);

// decode_joint.c
void decode_joint_create(const arguments *a, joint_args *out);
void decode_joint_set(const arguments *a, joint_args *out);

// decode_query.c
// The arguments that all queries share, and a form as an argument: whether it was given.
void decode_query_filter(const arguments *a, query_filter *out);
bool decode_form_argument(const arguments *a, const char *name, shape_geometry *out);
void decode_overlap(const arguments *a, query_overlap_args *out);

#endif
