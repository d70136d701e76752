"""libcarom's typed calls: client/include/carom/arguments.h and client/lib/calls_typed.c.

Every method is a struct of its arguments, a function that makes the map of the protocol of it, one that calls it, and
one that adds it to a batch. The template for a binding of another language is cpp.py: the same in fewer words.
"""

import textwrap

from .text import c_comment, c_string

NOTE = "// Generated from proto/schema by proto/generate/c_calls.py: do not edit.\n"

HEADER_HEAD = NOTE + """\
//
// Every method of the protocol as a struct of its arguments, and all arguments that it has:
//
//   carom_args_body_impulse push = {.body = ball, .impulse = {0.0, 2.0}};
//   carom_call_body_impulse(client, "demo", &push, 1000, NULL, &error); // waits for the answer
//   carom_add_body_impulse(batch, &push);                               // in a batch
//   carom_request(client, "body.impulse", carom_map_body_impulse("demo", &push), …);
//
// A struct that begins as {0} has no argument. An optional one is left out, and then means what
// PROTOCOL.md says: ids that are 0; texts, lists, shapes, maps and bytes that are NULL; switches
// that are false by default; all others unless their has_ is set.
//
// Calls wait up to `timeout_ms` > 0, or send only, with CAROM_NO_REPLY. *result (may be NULL) is
// the answer, the caller's to free; NULL on failure and when nothing was awaited. Errors are those
// of carom_call. An id may be CAROM_RESULT(i) in a batch. Maps are the caller's to free; `world` is
// NULL for a batch. The common methods have shorter helpers in carom/body.h and its neighbours.
#ifndef CAROM_ARGUMENTS_H
#define CAROM_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/batch.h>
#include <carom/client.h>
#include <carom/export.h>
#include <carom/shape.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

// clang-format off
"""

SOURCE_HEAD = NOTE + """\
#include <carom/arguments.h>

#include <carom/body.h>
#include <carom/joint.h>
#include <carom/world.h>

#include "client/lib/call.h"

// clang-format off
static carom_value *words_value(const char *const *words, size_t count)
{
    carom_value *v = carom_array();
    for (size_t i = 0; i < count; i++) {
        carom_push(v, carom_str(words[i]));
    }
    return v;
}

static carom_value *shapes_value(const carom_shape *shapes, size_t count)
{
    carom_value *v = carom_array();
    for (size_t i = 0; shapes != NULL && i < count; i++) {
        carom_push(v, carom_shape_value(&shapes[i]));
    }
    return v;
}

"""

POINTERS = {"string": "const char *", "name": "const char *", "choice": "const char *",
            "choices": "const char *const *", "filter": "const carom_args_filter *",
            "precision": "const carom_args_precision *", "shape": "const carom_shape *", "form": "const carom_shape *",
            "shapes": "const carom_shape *", "bytes": "const void *", "any": "const carom_value *",
            "prefixes": "const char *const *", "players": "const carom_args_players *"}
VALUES = {"bool": "bool", "number": "double", "mask": "uint64_t", "id": "uint64_t", "vector": "carom_vec2"}
STRUCTS = ("filter", "precision", "players")
LEFT_OUT = {"commands"}  # world.apply is carom_batch_apply


def member(a):
    """The argument's name as a member of a struct, which C++ reads too."""
    return f"{a.name}_name" if a.name == "template" else a.name


def count(a):
    return {"choices": f"{member(a)}_count", "prefixes": f"{member(a)}_count", "shapes": f"{member(a)}_count", "bytes": f"{member(a)}_size"}.get(a.type)


def has_flag(a):
    return not (a.required or a.type in POINTERS or a.type == "id" or (a.type == "bool" and a.value is False))


def field(a):
    words = f" One of {', '.join(a.words)}." if a.words else ""
    default = f" Default {a.default}." if a.default is not None else ""
    unit = f" [{a.unit}]" if a.unit else ""
    out = "".join(f"    {line}\n" for line in c_comment(a.doc + words + default + unit, 94))
    out += f"    bool has_{member(a)};\n" if has_flag(a) else ""
    if a.type in POINTERS:
        out += f"    {POINTERS[a.type]}{member(a)};\n"
    elif a.type == "area":
        out += f"    double {member(a)}[4];\n"
    elif a.type == "integer":
        out += f"    {'int64_t' if a.min < 0 else 'uint64_t'} {member(a)};\n"
    else:
        out += f"    {VALUES[a.type]} {member(a)};\n"
    return out + (f"    size_t {count(a)};\n" if count(a) else "")


def own(m):
    return [a for a in m.args if a.name != "world" and not a.routing]


def methods(schema):
    return [m for m in schema.methods if not any(a.type in LEFT_OUT for a in m.args)]


def lower(m):
    return m.id.lower()


def struct(name, args):
    return f"typedef struct carom_args_{name} {{\n{''.join(field(a) for a in args)}}} carom_args_{name};\n"


def parameters(m, first):
    """`first` are those that stand before the arguments."""
    args = [f"const carom_args_{lower(m)} *args"] if own(m) else []
    return ", ".join(first + args)


def world_of(m):
    return ["const char *world"] if m.names("world") else []


def prototypes(m):
    """(map, call, add): `add` is None for a method that is not allowed in a batch."""
    name = lower(m)
    make = f"carom_value *carom_map_{name}({parameters(m, world_of(m)) or 'void'})"
    call = (f"carom_status carom_call_{name}({parameters(m, ['carom_client *client', *world_of(m)])}, int timeout_ms, "
            "carom_value **result, carom_error *err)")
    add = f"size_t carom_add_{name}({parameters(m, ['carom_batch *batch'])})" if m.batch else None
    return make, call, add


def declaration(prototype):
    """One line, or several with the parameters below the first one."""
    head, params = f"CAROM_API {prototype};".replace("*err)", "*error)").split("(", 1)
    whole = textwrap.wrap(params.replace(", ", ",\0").replace(" ", "\1").replace("\0", " "), 99 - len(head),
                          break_long_words=False)
    return head + "(" + ("\n" + " " * (len(head) + 1)).join(whole).replace("\1", " ") + "\n"


def write_header(schema):
    out = HEADER_HEAD
    for name in STRUCTS:
        s = schema.structs[name]
        out += "\n".join(c_comment(s.doc)) + "\n" + struct(name, s.args) + "\n"
    for m in methods(schema):
        out += "\n".join(c_comment(f"{m.name}: {m.summary} Least role: {m.role}. Answers {m.result}.")) + "\n"
        out += struct(lower(m), own(m)) if own(m) else ""
        out += "".join(declaration(text) for text in prototypes(m) if text) + "\n"
    return out + "// clang-format on\n\nCAROM_END_DECLS\n\n#endif\n"


# ---- definitions

def value(a, of="args->"):
    """The argument as a value of the protocol."""
    x = of + member(a)
    if a.type in STRUCTS:
        return f"{a.type}_map({x})"
    if a.type == "integer":
        return f"{'carom_int' if a.min < 0 else 'carom_uint'}({x})"
    return {"bool": f"carom_bool({x})", "number": f"carom_real({x})", "mask": f"carom_uint({x})", "id": f"id_value({x})",
            "vector": f"vec_value({x})", "area": f"area_value({x})", "string": f"carom_str({x})", "name": f"carom_str({x})",
            "choice": f"carom_str({x})", "choices": f"words_value({x}, {of}{member(a)}_count)",
            "shape": f"carom_shape_value({x})", "form": f"shape_form_value({x})",
            "shapes": f"shapes_value({x}, {of}{member(a)}_count)", "bytes": f"carom_bin({x}, {of}{member(a)}_size)",
            "prefixes": f"words_value({x}, {of}{member(a)}_count)", "any": f"carom_value_clone({x})"}[a.type]


def given(a):
    """Whether the argument is given, as an expression of C; None for one that always is."""
    x = f"args->{member(a)}"
    if a.required:
        return f"{x} != NULL" if a.type in POINTERS and a.type != "shapes" else None
    if has_flag(a):
        return f"args->has_{member(a)}"
    return {"id": f"{x} != 0", "bool": x}.get(a.type, f"{x} != NULL")


def put(a):
    line = f"carom_set(map, {c_string(a.name)}, {value(a)});"
    return f"    if ({given(a)}) {{ {line} }}\n" if given(a) else f"    {line}\n"


def part_map(name, s):
    out = f"static carom_value *{name}_map(const carom_args_{name} *args)\n{{\n    carom_value *map = carom_map();\n"
    return out + "".join(put(a) for a in s.args) + "    return map;\n}\n\n"


def passed(m, first):
    return ", ".join(first + (["args"] if own(m) else []))


def definitions(m):
    make, call, add = prototypes(m)
    world = "world" if m.names("world") else None
    out = f"{make}\n{{\n" + ("    if (args == NULL) { return NULL; }\n" if own(m) else "")
    out += f"    carom_value *map = {f'world_args({world})' if world else 'carom_map()'};\n"
    out += "".join(put(a) for a in own(m)) + "    return map;\n}\n\n"
    mapped = f"carom_map_{lower(m)}({passed(m, [world] if world else [])})"
    missing = '    if (args == NULL) { return fault_missing(err, "args"); }\n' if own(m) else ""
    of_one = bool(world) and m.args[0].required  # the world may be left out otherwise
    how = "call_world(client, world, " if of_one else "call_method(client, "
    out += f"{call}\n{{\n{missing}    return {how}{c_string(m.name)}, {mapped}, timeout_ms, result, err);\n}}\n\n"
    if add:
        source = "args" if own(m) else '""'
        mapped = f"carom_map_{lower(m)}({passed(m, ['NULL'] if world else [])})"
        out += f"{add}\n{{\n    return batch_add_made(batch, {c_string(m.name)}, {mapped}, {source});\n}}\n\n"
    return out


def short_call(m):
    """carom_body_remove and its like, which a public header declares: required arguments as parameters, optional
    vectors as pointers, and the tick of the answer."""
    args = own(m)
    kinds = {"id": "uint64_t", "number": "double", "vector": "carom_vec2", "integer": "uint64_t"}
    params = ["carom_client *client", "const char *world"]
    params += [f"{kinds[a.type]} {a.name}" if a.required else f"const {kinds[a.type]} *{a.name}" for a in args]
    params += ["int timeout_ms", "uint64_t *tick", "carom_error *err"]
    out = f"carom_status carom_{lower(m)}({', '.join(params)})\n{{\n    carom_value *map = world_args(world);\n"
    for a in args:
        key = c_string(a.name)
        if a.required:
            out += f"    carom_set(map, {key}, {value(a, of='')});\n"
        else:
            out += f"    if ({a.name} != NULL) {{ carom_set(map, {key}, vec_value(*{a.name})); }}\n"
    return out + f"    return call_command(client, world, {c_string(m.name)}, map, timeout_ms, tick, err);\n}}\n\n"


def write_source(schema):
    out = SOURCE_HEAD + "".join(part_map(name, schema.structs[name]) for name in STRUCTS)
    out += "".join(definitions(m) for m in methods(schema))
    out += "// ---- calls that public headers declare with parameters of their own\n\n"
    out += "".join(short_call(m) for m in schema.methods if m.short_call)
    return out.rstrip("\n") + "\n// clang-format on\n"
