"""Arguments as C structs, and what decodes them: common/world/method_args.h, proto/commands/decode_plain.h and .c.

A method whose entry has `struct` is plain: each argument is a field of that struct, and a list with a `field` is one
field of the type that it names. Rules between arguments are written by hand, in decoders that `decode` names.
"""

from .text import c_comment, c_number, c_string

MADE_BY = {"body": "METHOD_BODY_SPAWN", "shape": "METHOD_SHAPE_ADD", "joint": "METHOD_JOINT_CREATE"}
UINT32_MAX = 2**32 - 1

ARGS_HEAD = """\
// Generated from proto/schema by proto/generate/c_arguments.py: do not edit. See common/world/command.h.
#ifndef CAROM_COMMON_WORLD_METHOD_ARGS_H
#define CAROM_COMMON_WORLD_METHOD_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "common/physics/query.h"

// clang-format off
"""

HEADER_HEAD = """\
// Generated from proto/schema by proto/generate/c_arguments.py: do not edit.
//
// Decoders of the methods whose arguments have no rules but type and range; see proto/commands/decode.h.
#ifndef CAROM_PROTO_COMMANDS_DECODE_PLAIN_H
#define CAROM_PROTO_COMMANDS_DECODE_PLAIN_H

#include "proto/commands/arguments.h"

"""

SOURCE_HEAD = """\
// Generated from proto/schema by proto/generate/c_arguments.py: do not edit. See decode_plain.h.
#include "proto/commands/decode_plain.h"

#include "proto/commands/decode.h"

// clang-format off
"""


def own(m):
    """The arguments that are the struct's: not those of the command itself."""
    return [a for a in m.args if a.name != "world" and not a.routing]


def plain(schema):
    return [m for m in schema.methods if m.struct]


def field_type(a):
    """(C type, getter) of an argument."""
    if a.type == "id":
        return (f"{a.of}_id", "arguments_id") if a.of in MADE_BY else ("uint64_t", "arguments_uint64")
    if a.type == "integer":
        return ("uint32_t", "arguments_uint32") if a.max <= UINT32_MAX else ("uint64_t", "arguments_uint64")
    return {"bool": ("bool", "arguments_bool"), "number": ("double", "arguments_number"),
            "string": ("const char *", "arguments_text"), "vector": ("vec2d", "arguments_vector"),
            "form": ("shape_geometry", "decode_form_argument")}[a.type]


def has_flag(a):
    """Whether the struct says if it was given: no value of its own means that it was not."""
    return not a.required and a.default is None and a.type in ("vector", "number", "integer")


def fields(m):
    """(declaration, doc) of every field, groups last."""
    out, groups = [], {}
    for a in own(m):
        if a.group:
            groups[a.group["field"]] = a.group["type"]
            continue
        kind = field_type(a)[0]
        if has_flag(a):
            out.append((f"bool has_{a.field}", ""))
        absent = " NULL: not given." if a.type == "string" and a.default is None else ""
        absent = " 0: not given." if a.type == "id" and not a.required else absent
        out.append((f"{kind}{'' if kind.endswith('*') else ' '}{a.field}", a.doc + absent))
    return out + [(f"{kind} {field}", "") for field, kind in groups.items()]


def struct(m, methods):
    users = [other.name for other in methods if other.struct.get("type") == m.struct["type"]]
    lines = ["// " + " and ".join(users), f"typedef struct {m.struct['type']} {{"]
    for declaration, doc in fields(m):
        lines += ["    " + line for line in c_comment(doc, 94)] if doc else []
        lines += [f"    {declaration};"]
    return "\n".join(lines + [f"}} {m.struct['type']};", "", ""])


def write_args(schema):
    out, done = ARGS_HEAD, set()
    for m in plain(schema):
        if "type" in m.struct and m.struct["type"] not in done:
            done.add(m.struct["type"])
            out += struct(m, plain(schema))
    return out + "// clang-format on\n\n#endif\n"


def function(m):
    return f"decode_{m.id.lower()}_command"


def write_header(schema):
    out = HEADER_HEAD + "".join(f"void {function(m)}(const arguments *a, command *out);\n" for m in plain(schema))
    return out + "\n#endif\n"


def initial(a):
    """The default as an expression of C; None where it is zero."""
    if a.default is None or a.type == "vector":
        return None
    if a.type == "string":
        return a.default
    if a.type == "bool":
        return a.default if a.default == "true" else None
    return c_number(a.default) if a.type == "number" else a.default + "u" if float(a.default) else None


def read(a, place):
    getter = field_type(a)[1]
    maker = f"{MADE_BY[a.of]}, " if getter == "arguments_id" else ""
    given = place.replace(a.field, "has_" + a.field).lstrip("&") + " = " if has_flag(a) else ""
    return f"    {given}{getter}(a, {c_string(a.name)}, {maker}{place});\n"


def body(m):
    args = own(m)
    if "type" not in m.struct:
        return read(args[0], f"&out->{m.struct['member']}")
    values = [(a.field, initial(a)) for a in args if not a.group and initial(a)]
    given = ", ".join(f".{field} = {value}" for field, value in values) or "0"
    out = f"    {m.struct['type']} *to = &out->{m.struct['member']};\n    *to = ({m.struct['type']}){{{given}}};\n"
    out += "".join(read(a, f"&to->{a.field}") for a in args if not a.group)
    groups = {a.group["field"]: a.group["read"] for a in args if a.group}
    return out + "".join(f"    {reader}(a, &to->{field});\n" for field, reader in groups.items())


def write_source(schema):
    out = SOURCE_HEAD
    for m in plain(schema):
        out += f"void {function(m)}(const arguments *a, command *out)\n{{\n{body(m)}}}\n\n"
    return out.rstrip("\n") + "\n// clang-format on\n"
