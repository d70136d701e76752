"""proto/method_table.c: every argument with type, range, default and words, and the links between the schema and C."""

from .text import c_number, c_string

HEAD = """\
// Generated from proto/schema by proto/generate/c_table.py: do not edit. See proto/methods.h.
#include "proto/methods.h"

"""

ASSERTS = """
// What generate.py read in the headers is what they say, and the words of choices count as C's enums do.
#define IS(name, value) _Static_assert((int64_t)name == value, #name)
"""

TEXTS = """
// Texts that only people and generators read.
#ifdef CAROM_SMALL
#define WORDS(text) NULL
#else
#define WORDS(text) text
#endif

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

"""


def headers(schema):
    used = {limit.header for limit in schema.limits.values()} | {e.header for e in schema.enums.values()}
    return "".join(f'#include "{h}"\n' for h in sorted(used - {None}))


def asserts(schema):
    out = ""
    for limit in schema.limits.values():
        if limit.header:
            out += f"IS({limit.name}, {int(limit.value)});\n"
    for e in schema.enums.values():
        if e.header:
            for i, word in enumerate(e.words):
                out += f"IS({word.c}, {1 << i if e.bits else i});\n"
            out += f"IS({e.count}, {len(e.words)});\n" if e.count else ""
    return out


def argument(a):
    parts = [f".name = {c_string(a.name)}", f".type = ARG_{a.type.upper()}"]
    parts += [f".{flag} = true" for flag in ("required", "single", "routing") if getattr(a, flag)]
    parts += [f".min = {c_number(a.min)}"] if a.min else []
    parts += [f".max = {c_number(a.max)}"] if a.max else []
    parts += [f".count_min = {a.count[0]}"] if a.count[0] else []
    parts += [f".count_max = {a.count[1]}"] if a.count[1] else []
    parts += [f".fallback = WORDS({c_string(a.default)})"] if a.default is not None else []
    parts += [f".unit = WORDS({c_string(a.unit)})"] if a.unit else []
    parts += [f".choices = {c_string('|'.join(a.words))}"] if a.words else []
    return "    {" + ", ".join(parts) + f",\n     .doc = WORDS({c_string(a.doc)})}},\n"


def arguments(name, args):
    rows = "".join(argument(a) for a in args)
    return f"static const method_arg {name}_ARGS[] = {{\n{rows}}};\n" if args else ""


def args_list(name, symbol, args, form=0):
    both = f"{symbol}_ARGS, COUNT({symbol}_ARGS)" if args else "NULL, 0"
    return f"{{{c_string(name)}, {both}, {form}}}"


def method(m, schema):
    role = next(w.c for w in schema.enums["role"].words if w.word == m.role)
    scope = next(w.c for w in schema.enums["scope"].words if w.word == m.scope)
    return (f"    [METHOD_{m.id}] = {{.id = METHOD_{m.id}, .rights = {role}, .scope = {scope}, .available = true,"
            f" .batch = {str(m.batch).lower()},\n"
            f"     .summary = WORDS({c_string(m.summary)}),\n     .result = WORDS({c_string(m.result)}),\n"
            f"     .list = {args_list(m.name, m.id, m.args)}}},\n")


def write(schema):
    out = HEAD + headers(schema) + "\n// clang-format off\n" + ASSERTS.lstrip("\n") + asserts(schema) + TEXTS
    for struct in schema.structs.values():
        out += arguments(struct.c, struct.args)
        out += f"const arg_list {struct.c} = {args_list(struct.name, struct.c, struct.args)};\n\n"
    out += "".join(arguments(s.c, s.args) for s in schema.shapes)
    out += "\nconst arg_list METHOD_SHAPES[METHOD_SHAPE_COUNT] = {\n"
    out += "".join(f"    [{s.c}] = {args_list(s.name, s.c, s.args, s.form)},\n" for s in schema.shapes) + "};\n\n"
    out += "".join(arguments(m.id, m.args) for m in schema.methods)
    out += "\nconst method_info METHODS[METHOD_COUNT] = {\n"
    return out + "".join(method(m, schema) for m in schema.methods) + "};\n"
