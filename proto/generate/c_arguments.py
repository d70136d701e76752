"""Arguments as C structs, and what decodes them: common/world/method_args.h, proto/commands/decode_plain.h and .c.

Each argument of a method is a field of the method's struct, or of one of its parts (a struct of the engine). Its rules (`at_least`, `one_of`, `not_both`, `needs`) are written here; a rule that these do not say is a
function that `check` names. proto/schema/README.md has the format.
"""

from .text import c_comment, c_number, c_string

MADE_BY = {"body": "METHOD_BODY_SPAWN", "shape": "METHOD_SHAPE_ADD", "joint": "METHOD_JOINT_CREATE"}
UINT32_MAX = 2**32 - 1

ARGS_HEAD = """\
// Generated from proto/schema by proto/generate/c_arguments.py: do not edit. See common/world/command.h.
#ifndef CAROM_COMMON_WORLD_METHOD_ARGS_H
#define CAROM_COMMON_WORLD_METHOD_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/physics/joint.h"
#include "common/physics/physics.h"
#include "common/physics/query.h"
#include "common/world/command_types.h"

typedef struct command command;

// clang-format off
"""

HEADER_HEAD = """\
// Generated from proto/schema by proto/generate/c_arguments.py: do not edit.
//
// Decoders of plain methods, and the checks by hand that they call; see proto/commands/decode.h.
#ifndef CAROM_PROTO_COMMANDS_DECODE_PLAIN_H
#define CAROM_PROTO_COMMANDS_DECODE_PLAIN_H

#include "common/world/command.h"
#include "proto/commands/arguments.h"

"""

SOURCE_HEAD = """\
// Generated from proto/schema by proto/generate/c_arguments.py: do not edit. See decode_plain.h.
#include "proto/commands/decode_plain.h"

#include "common/base/assert.h"
#include "proto/commands/decode.h"

// clang-format off
"""


def own(m):
    """The arguments that are fields of the struct, without those of the command itself."""
    return [a for a in m.args if a.name != "world" and not a.routing]


def plain(schema):
    return [m for m in schema.methods if m.struct]


def field_type(a, enums):
    """The C type of an argument's field."""
    if a.ctype:
        return a.ctype
    if a.type == "id":
        return f"{a.of}_id" if a.of in MADE_BY else "uint64_t"
    if a.type == "integer":
        return "uint32_t" if a.max <= UINT32_MAX else "uint64_t"
    if a.type == "choice":
        return enums[a.enum].type
    return {"bool": "bool", "number": "double", "string": "const char *", "name": "const char *", "vector": "vec2d",
            "form": "shape_geometry", "shape": "shape_def", "shapes": "shape_def *", "bytes": "const uint8_t *",
            "choices": "uint32_t", "area": "area", "filter": "shape_filter", "precision": "snapshot_precision", "commands": "command *", "any": "const uint8_t *",
            "prefixes": "const char *const *", "players": "players_bounds"}[a.type]


def beside(a):
    """(type, name) of the field that says how many or how much another one has; None for most."""
    if a.type == "shapes":
        return "uint32_t", a.field.removesuffix("s") + "_count"
    if a.type == "commands":
        return "uint32_t", "count"
    if a.type == "prefixes":
        return "uint32_t", a.field + "_count"
    return ("size_t", a.field + "_size") if a.type in ("bytes", "any") else None


def flag(a, m):
    """The flag that says whether the argument was given, for types that have no value of their own for that;
    None for others."""
    if a.flag:
        return a.flag
    without = a.required or a.default is not None or a.absent or a.bit or a.name in m.one_of
    return None if without or a.type not in ("vector", "number", "integer", "area", "players") else f"has_{a.field}"


def declared(name, kind, doc=""):
    return f"{kind}{'' if kind.endswith('*') else ' '}{name}", doc


def fields(m, enums):
    """(declaration, doc) of every field: parts at the place of their first argument, groups last."""
    out, parts, groups = [], set(), {}
    if "." not in m.struct.get("fields", "."):
        out.append(declared(m.struct["fields"], "uint32_t", "Which were given: bits, by what they are fields of."))
    if m.which:
        out.append(declared(m.which["field"], m.which["type"], "Which one was given."))
    for a in own(m):
        if a.group:
            groups[a.group["field"]] = a.group["type"]
        elif a.part:
            if a.part not in parts:
                out.append(declared(a.part, m.struct["parts"][a.part]["type"], "Values that were given, or defaults."))
            parts.add(a.part)
        else:
            out += own_field(a, m, enums)
    out += [declared(field, kind) for field, kind in groups.items()]
    return out + [tuple(row) for row in m.struct.get("extra", [])]


def own_field(a, m, enums):
    out, given = [], flag(a, m)
    if given:
        out.append(declared(given, "bool"))
    absent = " NULL: not given." if a.type in ("string", "name", "bytes", "any") and a.default is None and not a.required else ""
    absent = " 0: not given." if a.type == "id" and not a.required else absent
    absent = f" {a.absent}: not given." if a.absent else absent
    out.append(declared(a.field, field_type(a, enums), a.doc + absent))
    return out + ([declared(beside(a)[1], beside(a)[0])] if beside(a) else [])


def struct(m, users, enums):
    lines = ["// " + " and ".join(users), f"typedef struct {m.struct['type']} {{"]
    for declaration, doc in fields(m, enums):
        lines += ["    " + line for line in c_comment(doc, 94)] if doc else []
        lines += [f"    {declaration};"]
    return "\n".join(lines + [f"}} {m.struct['type']};", "", ""])


def write_args(schema):
    """Writes the structs of arguments. The one of methods that share a struct has the fields of the method with the most."""
    out = ARGS_HEAD
    methods = [m for m in plain(schema) if "type" in m.struct]
    for kind in dict.fromkeys(m.struct["type"] for m in methods):
        users = [m for m in methods if m.struct["type"] == kind]
        widest = max(users, key=lambda m: len(fields(m, schema.enums)))
        out += struct(widest, [m.name for m in users], schema.enums)
    return out + members(schema) + "// clang-format on\n\n#endif\n"


def members(schema):
    """The union of a command: a member for each struct, or for an id alone."""
    rows = {m.struct["member"]: m.struct.get("type") or field_type(own(m)[0], schema.enums)
            for m in plain(schema) if "." not in m.struct["member"]}
    lines = [f"    {kind} {member};" for member, kind in rows.items()]
    return "// The arguments of a command, by method.\n#define COMMAND_ARGUMENTS \\\n" + " \\\n".join(lines) + "\n"


# ---- forms of shapes

FORM_TYPES = {"number": "float", "vector": "vec2", "bool": "bool", "vectors": "const vec2 *"}
FORM_GETTERS = {"float": "arguments_float", "double": "arguments_number", "vec2": "arguments_vector_float",
                "bool": "arguments_bool"}


def form_args(s):
    """The arguments of a kind's form, except `kind`."""
    return s.args[1:s.form]


def form_struct(s):
    """The arguments of a form that is computed of them."""
    lines = [f"// {s.name}", f"typedef struct {s.make} {{"]
    for a in form_args(s):
        kind = a.ctype or FORM_TYPES[a.type]
        lines += [f"    {kind}{'' if kind.endswith('*') else ' '}{a.field};"] + (["    uint32_t count;"] if a.type == "vectors" else [])
    return "\n".join(lines + [f"}} {s.make};", f"status make_{s.make}(const {s.make} *from, shape_geometry *to, error *err);", "", ""])


def form_read(a, s, base):
    if a.type != "vectors":
        return f"        {FORM_GETTERS[a.ctype or FORM_TYPES[a.type]]}(a, {c_string(a.name)}, &{base}{a.field});\n"
    return (f"        uint32_t count = 0;\n        arguments_vectors(a, {c_string(a.name)}, &{base}{a.field}, &count);\n"
            f"        {base}{s.count if not s.make else 'count'} = ({'uint32_t' if s.make else 'int'})count;\n")


def form_case(s):
    """The arguments of a form go to where the shape's definition has them, or to a struct of which it is made."""
    base = "form." if s.make else f"to->{s.place}." if s.place else "to->"
    read = "".join(form_read(a, s, base) for a in form_args(s))
    kind = s.place.rpartition(".")[2]
    begin = (f"        {s.make} form = {{0}};\n" if s.make else
             f"        to->geometry.kind = {s.kind};\n        to->{s.place} = ({kind}){{0}};\n" if s.place else "        to->form = FORM_CHAIN;\n")
    end = (f"        error err;\n        status made = STATUS_OK;\n        if (a->decoder->status == STATUS_OK) {{\n"
           f"            made = make_{s.make}(&form, &to->geometry, &err);\n        }}\n"
           f'        if (made != STATUS_OK) {{\n            decoder_fail(a->decoder, made, a->where, "%s", err.text);\n        }}\n'
           if s.make else "")
    return f"    case {s.c}: {{\n{begin}{read}{end}        break;\n    }}\n"


def forms(schema):
    return ("void decode_form_arguments(const arguments *a, uint32_t kind, shape_def *to)\n{\n    switch (kind) {\n" +
            "".join(form_case(s) for s in schema.shapes) + "    default:\n        ASSERT(false);\n    }\n}\n\n")


# ---- decoders

def function(m):
    return f"decode_{m.id.lower()}_command"


def write_header(schema):
    out = HEADER_HEAD + "".join(f"void {function(m)}(const arguments *a, command *out);\n" for m in plain(schema))
    checks = {m.code["check"]: m.struct["type"] for m in plain(schema) if "check" in m.code}
    out += "\n// Written by hand, for rules that the description cannot express. Called when all arguments are read.\n"
    out += "".join(f"void check_{name}(const arguments *a, {kind} *to);\n" for name, kind in checks.items())
    out += "\n// ---- forms of shapes\n\n// The words of their kinds, and the same for people.\n"
    names = [s.name for s in schema.shapes]
    out += f'#define SHAPE_KINDS {c_string("|".join(names))}\n#define SHAPE_KINDS_TEXT {c_string(", ".join(names))}\n\n'
    out += "// The arguments of a form that is computed, and by hand: what computes it.\n"
    out += "".join(form_struct(s) for s in schema.shapes if s.make)
    out += "// Reads the bounds of players from a map of METHOD_PLAYERS.\nbool decode_players_map(const arguments *a, players_bounds *to);\n"
    out += "// Reads the arguments of a form of this kind (METHOD_SHAPE_...), but for the kind itself.\n"
    return out + "void decode_form_arguments(const arguments *a, uint32_t kind, shape_def *to);\n\n#endif\n"


def initial(a, schema):
    """The field's initial value as an expression of C; None for zero."""
    if a.absent:
        return a.absent if a.absent != "0" else None
    if a.type == "precision":
        values = [c_number(p.default or 0) for p in schema.structs["precision"].args]
        return "{" + ", ".join(values) + "}"
    if a.default is None:
        return None
    if a.type == "choice":
        enum = schema.enums[a.enum]
        return next(w.c for w in enum.words if w.word == a.value)
    if a.type == "choices":
        return f"{sum(1 << a.words.index(word) for word in a.value)}u"
    if a.type == "vector":
        return "{" + ", ".join(c_number(v) for v in a.value) + "}" if any(a.value) else None
    if a.type == "string":
        return a.default
    if a.type == "bool":
        return a.default if a.value else None
    return c_number(a.default) if a.type == "number" else a.default + "u" if a.value else None


GETTERS = {"bool": "arguments_bool", "number": "arguments_number", "string": "arguments_text", "name": "arguments_text",
           "vector": "arguments_vector", "form": "decode_form_argument", "shape": "decode_shape_argument",
           "shapes": "decode_shapes", "bytes": "arguments_bytes", "choices": "arguments_choices", "area": "arguments_area",
           "filter": "decode_filter", "precision": "decode_precision", "commands": "decode_commands",
           "any": "decode_any", "prefixes": "arguments_prefixes", "players": "decode_players"}
GETTERS_OF = {"uint32_t": "arguments_uint32", "uint64_t": "arguments_uint64", "int": "arguments_int32",
              "vec2": "arguments_vector_float"}


def expression(a, base, enums):
    """Reads the argument; true if it was given and is right."""
    kind = field_type(a, enums)
    if a.type == "id" and a.of in MADE_BY:
        return f'arguments_id(a, {c_string(a.name)}, {MADE_BY[a.of]}, &{base}{a.field})'
    getter = GETTERS_OF[kind] if kind in GETTERS_OF and a.type != "choices" else GETTERS[a.type]
    lists = "&METHOD_FILTER, " if a.type == "filter" else f"{c_string(a.name)}, "
    more = f", &{base}{beside(a)[1]}" if beside(a) else ""
    return f"{getter}(a, {lists}&{base}{a.field}{more})"


def read(a, m, enums):
    """The lines that read one argument."""
    base = f"to->{a.part}." if a.part else "to->"
    given = flag(a, m)
    bits = f"to->{m.struct['fields']} |= {a.bit};" if a.bit and "fields" in m.struct else ""
    if a.type == "choice":
        then = f"{base}{a.field} = ({enums[a.enum].type})word;" + (" " + bits if bits else "")
        return f"    if (arguments_choice(a, {c_string(a.name)}, &word)) {{ {then} }}\n"
    text = expression(a, base, enums)
    if given:
        return f"    to->{given} = {text};\n"
    return f"    if ({text}) {{ {bits} }}\n" if bits else f"    {text};\n"


def rules(m):
    """The rules of a method's entry about several arguments."""
    out = ""
    fail = "decoder_fail(a->decoder, STATUS_INVALID_ARGUMENT, "
    if m.one_of:
        count = " + ".join(f"(int)arguments_given(a, {c_string(name)})" for name in m.one_of)
        names = ", ".join(m.one_of[:-1]) + " and " + m.one_of[-1]
        out += f'    if ({count} != 1) {{\n        {fail}a->where, "give exactly one of {names}");\n    }}\n'
    if m.which:
        for name in m.one_of:
            out += f"    if (arguments_given(a, {c_string(name)})) {{ to->{m.which['field']} = {m.which['prefix']}{name.upper()}; }}\n"
    if m.not_both:
        first, second = m.not_both
        out += (f"    if (arguments_given(a, {c_string(first)}) && arguments_given(a, {c_string(second)})) {{\n"
                f"        place where = arguments_place(a, {c_string(second)});\n"
                f'        {fail}&where, "either {first} or {second}");\n    }}\n')
    for a in m.args:
        if a.needs:
            out += (f"    if (arguments_given(a, {c_string(a.name)}) && !arguments_given(a, {c_string(a.needs[0])})) {{\n"
                    f"        place where = arguments_place(a, {c_string(a.name)});\n"
                    f"        {fail}&where, {c_string(a.needs[1])});\n    }}\n")
    if m.at_least:
        out += f"    if (!arguments_any(a)) {{\n        {fail}a->where, {c_string('nothing to set; give ' + m.at_least)});\n    }}\n"
    return out


def starting(m, schema):
    """The struct before anything is read."""
    values = [(part, row["initial"]) for part, row in m.struct.get("parts", {}).items() if "initial" in row]
    values += [(a.field, initial(a, schema)) for a in own(m) if not a.group and not a.part and initial(a, schema)]
    return ", ".join(f".{field} = {value}" for field, value in values) or "0"


def body(m, schema):
    args = own(m)
    if "type" not in m.struct:
        return f"    {expression(args[0], 'out->', schema.enums).replace('out->' + args[0].field, 'out->' + m.struct['member'])};\n"
    out = f"    {m.struct['type']} *to = &out->{m.struct['member']};\n"
    out += "    uint32_t word = 0;\n" if any(a.type == "choice" for a in args) else ""
    out += f"    *to = ({m.struct['type']}){{{starting(m, schema)}}};\n"
    out += "".join(read(a, m, schema.enums) for a in args if not a.group)
    groups = {a.group["field"]: a.group["read"] for a in args if a.group}
    out += "".join(f"    {reader}(a, &to->{field});\n" for field, reader in groups.items()) + rules(m)
    return out + (f"    check_{m.code['check']}(a, to);\n" if "check" in m.code else "")


def reader(l, enums):
    """A function that reads a list into a struct of the engine, also for lists that are decoded elsewhere."""
    out = f"void {l.reader['function']}(const arguments *a, {l.reader['type']} *to)\n{{\n"
    return out + "".join(f"    {expression(a, 'to->', enums)};\n" for a in l.args) + "}\n\n"


def precision(schema):
    out = "static bool decode_precision(const arguments *outer, const char *name, snapshot_precision *to)\n{\n"
    out += ("    const msgpack_object *object = arguments_value(outer, name);\n"
            "    place where = arguments_place(outer, name);\n    arguments inner, *a = &inner;\n"
            "    if (object == NULL || !arguments_read(a, outer->decoder, &METHOD_PRECISION, object, &where)) {\n"
            "        return false;\n    }\n")
    out += "".join(f"    {expression(a, 'to->', schema.enums)};\n" for a in schema.structs["precision"].args)
    return out + "    return true;\n}\n\n"


def players(schema):
    """The bounds, each with the bit that says that it is there."""
    out = "bool decode_players_map(const arguments *a, players_bounds *to)\n{\n    *to = (players_bounds){0};\n"
    for a in schema.structs["players"].args:
        out += f"    if ({expression(a, 'to->', schema.enums)}) {{ to->fields |= PLAYERS_{a.name.upper()}; }}\n"
    return out + "    return a->decoder->status == STATUS_OK;\n}\n\n"


def write_source(schema):
    out = SOURCE_HEAD + "".join(reader(l, schema.enums) for l in schema.lists if l.reader) + precision(schema) + players(schema) + forms(schema)
    for m in plain(schema):
        out += f"void {function(m)}(const arguments *a, command *out)\n{{\n{body(m, schema)}}}\n\n"
    return out.rstrip("\n") + "\n// clang-format on\n"
