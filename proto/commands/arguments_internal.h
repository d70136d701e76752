// Shared by the two files of arguments; nobody else includes it.
#ifndef CAROM_PROTO_COMMANDS_ARGUMENTS_INTERNAL_H
#define CAROM_PROTO_COMMANDS_ARGUMENTS_INTERNAL_H

#include "proto/commands/arguments.h"

// An argument as a getter sees it: its row of the table and the value that came.
typedef struct argument {
    decoder *decoder;
    const method_arg *arg;
    const msgpack_object *value;
    place where;
} argument;

// Finds the argument's row and value; false if it was not given.
bool argument_find(const arguments *a, const char *name, argument *out);

// Fails with "expected WANTED, got TYPE".
bool decoder_fail_type(decoder *d, const place *where, const char *wanted,
                       const msgpack_object *object);

#endif
