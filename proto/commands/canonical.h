// Arguments in canonical form: one spelling of everything that decodes to the same command.
//
// The log of a world stores each command's arguments in this form, so that two servers that
// received the same command in different spellings write the same bytes. It is made from the
// arguments as received and not from the decoded command, because decoding loses information: a box
// becomes a polygon whose corners alone would not give the same bits again.
#ifndef CAROM_PROTO_COMMANDS_CANONICAL_H
#define CAROM_PROTO_COMMANDS_CANONICAL_H

#include "common/world/method.h"
#include "proto/wire/buffer.h"

struct msgpack_object;

// Appends one map to `out`. `args` are arguments that command_decode() accepts (asserted); NULL and
// an empty array count as the empty map. Decoding the result gives the same command, bit for bit.
//
//   - keys are str, in the order of the table (METHODS, METHOD_SHAPES, filters), each once
//   - arguments that were not given are left out, and so are `world` inside world.apply and
//   `epoch`:
//     the log is that of one world, and may be played in another
//   - numbers of type ARG_NUMBER, and coordinates, are float 64; ARG_INTEGER and ARG_ID are
//     integers in their shortest form, ARG_MASK the signed integer of its 64 bits
//   - texts and words are str; lists of words keep the order of the table
//   - ARG_ANY is unchanged
void arguments_canonical(buffer *out, method m, const struct msgpack_object *args);

// As arguments_canonical, with `owner` (NULL: none) added to each body.spawn without one, as
// command_own does to the decoded command: so the log records the owner of every spawned body.
void arguments_canonical_owned(buffer *out, method m, const struct msgpack_object *args,
                               const char *owner);

#endif
