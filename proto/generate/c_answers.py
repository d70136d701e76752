"""client/lib/answers.h: libcarom's readers of answers, for those that its public structs have.

A result with `client = {type = "carom_hit"}` gets `read_hit(map, to)`, which fills the fields that the struct has: those
of all keys that a field can hold, or of `keys`. `absent` of a key is what it is where an older server does not send it.
"""

from .text import c_string

HEAD = """\
// Generated from proto/schema by proto/generate/c_answers.py: do not edit.
//
// Answers of the server as public structs: each function sets the fields that the answer has, and
// leaves the others. Any thread.
#ifndef CAROM_CLIENT_LIB_ANSWERS_H
#define CAROM_CLIENT_LIB_ANSWERS_H

#include <carom/describe.h>
#include <carom/query.h>
#include <carom/world.h>

#include "client/lib/call.h"

// clang-format off
"""

GETTERS = {"count": ("carom_get_uint", "0"), "id": ("carom_get_uint", "0"), "number": ("carom_get_real", "0.0"),
           "single": ("carom_get_real", "0.0"), "bool": ("carom_get_bool", "false")}
VECTORS = {"place", "vector", "speed"}


def keys(result, schema):
    """All keys, those of included results too, that a public struct can have as a field."""
    for key in result.keys:
        if key.include:
            yield from keys(schema.results[key.include], schema)
        elif key.type in GETTERS or key.type in VECTORS:
            yield key


def field(key):
    if key.type in VECTORS:
        return f"    to->{key.name} = get_vec(map, {c_string(key.name)});\n"
    getter, absent = GETTERS[key.type]
    return f"    to->{key.name} = {getter}(map, {c_string(key.name)}, {key.absent or absent});\n"


def function(result, schema):
    wanted = result.client.get("keys")
    lines = "".join(field(key) for key in keys(result, schema) if wanted is None or key.name in wanted)
    return f"static inline void read_{result.name}(const carom_value *map, {result.client['type']} *to)\n{{\n{lines}}}\n\n"


def write(schema):
    results = [r for r in schema.results.values() if r.client]
    return HEAD + "".join(function(r, schema) for r in results) + "// clang-format on\n\n#endif\n"
