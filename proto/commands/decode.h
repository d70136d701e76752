// Parts of decoders, in addition to the getters of arguments.h: shapes, filters, and rules that
// proto/schema cannot express. Internal to proto. Each returns whether the argument was given, and
// reports through the decoder.
#ifndef CAROM_PROTO_COMMANDS_DECODE_H
#define CAROM_PROTO_COMMANDS_DECODE_H

#include "common/physics/physics.h"
#include "proto/commands/arguments.h"
#include "common/world/command.h"

// decode.c
// Decodes the commands of a batch, each by its own method, into the command's memory.
bool decode_commands(const arguments *a, const char *name, command **out, uint32_t *count);
// Copies one MessagePack value of any type, as bytes in the command's memory.
bool decode_any(const arguments *a, const char *name, const uint8_t **out, size_t *size);

// decode_shape.c
// The map of argument "filter", by `list`; `out` has the defaults.
bool decode_filter(const arguments *a, const arg_list *list, shape_filter *out);
// Decodes a shape, a form (without a chain), or a list of shapes into the command's memory.
bool decode_shape_argument(const arguments *a, const char *name, shape_def *out);
bool decode_form_argument(const arguments *a, const char *name, shape_geometry *out);
bool decode_shapes(const arguments *a, const char *name, shape_def **out, uint32_t *count);

// decode_plain.c
void decode_matter(const arguments *a, shape_def *out);

// decode_rules.c
// The definition of a joint of the kind that the arguments name, with no field given; of a revolute
// one where they name none.
joint_def joint_def_of(const arguments *a);
// The bounds of players.
bool decode_players(const arguments *outer, const char *name, players_bounds *to);
// The arguments that all queries share.
void decode_query_filter(const arguments *a, query_filter *out);

#endif
