// Decodes commands from bytes.
//
// Decoding is strict, so that a client's author sees a mistake at once: unknown and duplicate keys,
// wrong types, NaN, infinity, numbers out of range and missing arguments are errors, and the text
// names the path: "shapes[2].vertices[0]: expected [x, y], got str". The arguments, with type and
// range, are listed only in the table of methods.h. Ids and capacity, which depend on the world,
// are checked when the command is applied.
#ifndef CAROM_PROTO_COMMANDS_COMMAND_DECODE_H
#define CAROM_PROTO_COMMANDS_COMMAND_DECODE_H

#include "common/world/command.h"
#include "proto/methods.h"

struct msgpack_object;

// Fills `out` from the map of named arguments. `args` may be NULL (no arguments) or a nil-free map;
// all that it refers to may be freed afterwards. On failure `out` owns nothing. Errors:
// STATUS_INVALID_ARGUMENT, STATUS_LIMIT_EXCEEDED (too many commands or elements),
// STATUS_UNKNOWN_METHOD (inside world.apply).
status command_decode(method m, const struct msgpack_object *args, command *out, error *err);

// As command_decode, but a lack of memory does not end the process: all that arguments of `values`
// values and `bytes` bytes of MessagePack can need is allocated first. Also STATUS_INTERNAL: memory
// has run out.
status command_decode_bounded(method m, const struct msgpack_object *args, size_t values,
                              size_t bytes, command *out, error *err);

// Decodes bounds of players from one MessagePack value of the form of `players` of world.create,
// which is what errors call it.
status players_decode(const uint8_t *bytes, size_t size, players_bounds *out, error *err);

#endif
