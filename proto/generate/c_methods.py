"""common/world/method_list.h: the methods, roles and scopes as enums, and a row of columns for each method."""

from .schema import STEPS
from .text import c_comment, c_string

HEAD = """\
// Generated from proto/schema by proto/generate/c_methods.py: do not edit.
//
// The one table of methods: a file that needs a column expands a list with a macro that takes it.
//
//   METHOD_LIST    X(id, name on the wire, least role, scope, may stand in a batch)   every method
//   METHOD_DECODE  X(id, function)  arguments into the command: decode_..._command of
//                                   proto/commands/decode.c; `none` where the world is all there is
//   METHOD_PLAN    X(id, function)  whether a batch's command can be carried out: plan_... of
//                                   apply_plan.c
//   METHOD_TRIAL   X(id, function)  what joints of a batch have to know of it: trial_... of
//                                   apply_trial.c
//   METHOD_APPLY   X(id, function)  carries it out on a world: apply_... of apply.c
//   METHOD_ENCODE  X(id, function)  its result: pack_..._result of proto/encode/encode_result.c
//
// The rows are in the order in which PROTOCOL.md describes the methods.
#ifndef CAROM_COMMON_WORLD_METHOD_LIST_H
#define CAROM_COMMON_WORLD_METHOD_LIST_H

#include <stdbool.h>

"""


def enum(e):
    lines = c_comment(e.doc) + [f"typedef enum {e.type} {{"]
    for word in e.words:
        lines += [f"    {word.c}, // {word.doc}"]
    if e.count:
        lines += [f"    {e.count}"]
    return "\n".join(lines + [f"}} {e.type};", ""])


def words_of(e):
    """The words of an enum as an X macro."""
    return macro(f"{e.type.upper()}_WORDS", [f"{w.c}, {c_string(w.word)}" for w in e.words])


def macro(name, rows):
    return f"#define {name}(X) \\\n" + " \\\n".join(f"    X({row})" for row in rows) + "\n\n"


def columns(m, schema):
    scope = next(w.c for w in schema.enums["scope"].words if w.word == m.scope)
    role = next(w.c for w in schema.enums["role"].words if w.word == m.role)
    return f"{m.id}, {c_string(m.name)}, {role}, {scope}, {str(m.batch).lower()}"


def step(name, methods):
    """The methods that have a function for the step; every one has a decoder, be it of nothing."""
    rows = [f"{m.id}, {m.code.get(name, 'none')}" for m in methods if name == "decode" or name in m.code]
    return macro(f"METHOD_{name.upper()}", rows)


def write(schema):
    written = [e for e in schema.enums.values() if e.header is None]
    out = HEAD + "// clang-format off\n" + "".join(enum(e) + "\n" for e in written)
    out += "".join(words_of(e) for e in written)
    out += macro("METHOD_LIST", [columns(m, schema) for m in schema.methods])
    out += "".join(step(name, schema.methods) for name in STEPS)
    out += "typedef enum method {\n" + "".join(f"    METHOD_{m.id},\n" for m in schema.methods)
    out += "    METHOD_COUNT\n} method;\n// clang-format on\n\n#endif\n"
    return out
