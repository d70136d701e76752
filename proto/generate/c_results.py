"""Answers in C: common/world/method_results.h, proto/encode/results.h, and proto/encode/encode_results.c, which packs them.

A result is a struct: one of the engine's (`header`), or one that is written here with a field for each key. Its packer
writes the pairs in the order of the keys. A command's answer is a member of command_result (common/world/apply.h).
"""

from .results import COMMAND
from .text import c_comment, c_string

WORLD_HEAD = """\
// Generated from proto/schema by proto/generate/c_results.py: do not edit. See common/world/apply.h,
// which includes it when it has the types of the engine.
#ifndef CAROM_COMMON_WORLD_METHOD_RESULTS_H
#define CAROM_COMMON_WORLD_METHOD_RESULTS_H

"""

PROTO_HEAD = """\
// Generated from proto/schema by proto/generate/c_results.py: do not edit.
//
// The answers of methods as structs, and what encodes them; see proto/encode/encode.h. Each function
// appends one whole MessagePack value. Any thread.
#ifndef CAROM_PROTO_ENCODE_RESULTS_H
#define CAROM_PROTO_ENCODE_RESULTS_H

#include "common/world/apply.h"
#include "proto/encode/encode_types.h"

"""

SOURCE_HEAD = """\
// Generated from proto/schema by proto/generate/c_results.py: do not edit. See proto/encode/results.h.
#include "proto/encode/results.h"

#include "common/base/assert.h"
#include "proto/encode/encode_pack.h"
#include "proto/wire/buffer.h"

// clang-format off
"""

C_TYPES = {"count": "uint64_t", "id": "uint64_t", "number": "double", "single": "double", "bool": "bool",
           "string": "const char *", "place": "vec2d", "vector": "vec2", "hash": "uint64_t", "bytes": "const uint8_t *",
           "any": "const uint8_t *", "area": "area", "counts": "uint64_t", "ids": "uint64_t", "encoded": "encoded_list"}
PAIRS = {"count": "pair_uint", "id": "pair_uint", "number": "pair_double", "single": "pair_float", "bool": "pair_bool",
         "string": "pair_text", "place": "pair_place", "vector": "pair_vec2", "speed": "pair_vec2d_float",
         "mask": "pair_int", "integer": "pair_int", "hash": "pair_hash", "moment": "pair_moment", "area": "pair_area"}
COMMANDS = ("command", "read")  # scopes whose answers are of command_result
ITEM = {"counts": "pack_uint", "ids": "pack_uint"}


# ---- structs

def pointer(kind):
    return kind if kind.endswith("*") else kind + " "


def own_field(key, result, schema):
    """The declarations of a key's field."""
    const = "" if result.home == "world" else "const "
    if key.include:
        kind = schema.results[key.include].type
        return [f"{'const ' + kind + ' *' if key.pointer else kind + ' '}{key.c}"]
    if key.ctype.startswith("char["):
        return [f"char {key.c}{key.ctype.removeprefix('char')}"]
    if key.type in ("bytes", "any"):
        return [f"const uint8_t *{key.c}", f"size_t {key.c}_size"]
    if key.type == "numbers":
        return [f"const named_number *{key.c}", f"uint32_t {key.count}"]
    if key.type in ("list", "table", "counts", "ids"):
        kind = key.ctype or (key.of if key.of == COMMAND else schema.results[key.of].type if key.of else C_TYPES[key.type])
        return [f"{const}{kind} *{key.c}", f"uint32_t {key.count}"]
    kind = key.ctype or (schema.enums[key.words].type if key.type == "word" else C_TYPES[key.type])
    return [f"{pointer(kind)}{key.c}"]


def struct(result, schema):
    lines = c_comment(result.doc) + [f"typedef struct {result.type} {{"]
    lines += [f"    const char *{result.row}; // what it is called in the table"] if result.row else []
    for declaration, doc in result.fields:
        lines += ["    " + line for line in c_comment(doc, 94)] + [f"    {declaration};"]
    for key in result.keys:
        if not key.shared and not key.value:
            unit = f" [{key.unit}]" if key.unit else ""
            absent = " NULL: left out." if key.when.endswith("!= NULL") else ""
            doc = key.doc.replace("`", "").rstrip(".") + unit + "." + absent if key.doc else absent.strip()
            lines += ["    " + line for line in c_comment(doc, 94)] if doc else []
            lines += [f"    {field};" for field in own_field(key, result, schema)]
    return "\n".join(lines + [f"}} {result.type};", "", ""])


def written(schema, home):
    """The results whose structs are written, of one header."""
    return [r for r in schema.results.values() if r.type and not r.header and not r.like and r.home == home]


def write_world(schema):
    out = WORLD_HEAD + "// clang-format off\n" + "".join(struct(r, schema) for r in written(schema, "world"))
    members = {r.member: r for r in schema.results.values() if r.member}
    rows = [f"    {r.type} {member};" for member, r in members.items()]
    out += "// The members of command_result: what a command answers besides its tick.\n#define COMMAND_RESULTS \\\n"
    return out + " \\\n".join(rows) + "\n// clang-format on\n\n#endif\n"


# ---- packers

def path(base, key):
    """The key's value in C, where `base` is the struct ("v->"); `.` is the struct itself."""
    return f"*{base.removesuffix('->')}" if key.c == "." else base + key.c


def condition(key):
    return key.when.replace("$", "v->")


def words(e):
    rows = ", ".join(c_string(w.word) for w in e.words)
    return f"static const char *const {e.name.upper()}_WORDS[] = {{{rows}}};\n"


def element(key, schema, item):
    """The statement that packs an element of a list."""
    if key.of == COMMAND:
        return f"pack_command_result(k, &{item});"
    return f"pack_{key.of}(k, &{item});"


def each(key, base, schema):
    """A loop over a list's elements."""
    packed = f"{ITEM[key.type]}(k, {base}{key.c}[i]);" if key.type in ITEM else element(key, schema, f"{base}{key.c}[i]")
    named = f"pack_text(k, {base}{key.c}[i].{schema.results[key.of].row}); " if key.type == "table" else ""
    return f"    for (uint32_t i = 0; i < {base}{key.count}; i++) {{ {named}{packed} }}\n"


def value(key, base, schema):
    """The lines that pack a key's value, where no pair_ function does it."""
    at = path(base, key)
    if key.type == "word":
        enum = schema.enums[key.words]
        return f"    ASSERT((unsigned){at} < {len(enum.words)});\n    pack_text(k, {enum.name.upper()}_WORDS[{at}]);\n"
    if key.type == "words":
        enum = schema.enums[key.words]
        return f"    pack_word_bits(k, {at}, {enum.name.upper()}_WORDS, {len(enum.words)});\n"
    if key.type in ("bytes", "any"):
        return f"    {'pack_bytes' if key.type == 'bytes' else 'pack_raw'}(k, {at}, {at}_size);\n"
    if key.type == "numbers":
        return f"    pack_numbers(k, {at}, {base}{key.count});\n"
    if key.type == "encoded":
        return f"    pack_array(k, {at}.count);\n    pack_raw(k, {at}.bytes, {at}.size);\n"
    if key.type == "map":
        return f"    pack_{key.of}(k, {'v' if key.c == '.' else '&' + at});\n"
    if key.type == "pair":
        places = [f"    pack_place(k, {base}{name.strip()});\n" for name in key.c.split(",")]
        return "    pack_array(k, 2);\n" + "".join(places)
    if key.type == "list" and schema.results.get(key.of) and schema.results[key.of].pack:
        return f"    pack_{schema.results[key.of].pack}(k, v);\n"
    head = "pack_map" if key.type == "table" else "pack_array"
    return f"    {head}(k, {base}{key.count});\n" + each(key, base, schema)


def pair(key, base, schema, named=True):
    """The lines that pack a key and its value; without `named` the value alone."""
    if key.include:
        reference = f"{base}{key.c}" if key.pointer else f"&{base}{key.c}" if key.c else base.removesuffix("->")
        return f"    pack_{key.include}_pairs(k, {reference});\n"
    if key.type == "form":
        return f"    pack_form(k, &{base}{key.c});\n"
    at = key.value or ("r->" + key.c if key.shared else path(base, key))
    if not named and key.type in PAIRS:
        return f"    {PAIRS[key.type].replace('pair_', 'pack_')}(k, {at});\n"
    if key.type in PAIRS:
        cast = {"count": "(uint64_t)", "mask": "(int64_t)"}.get(key.type, "")
        return f"    {PAIRS[key.type]}(k, {c_string(key.name)}, {cast}{at});\n"
    return (f"    pack_text(k, {c_string(key.name)});\n" if named else "") + value(key, base, schema)


def statements(result, base, schema):
    """All pairs of a result; neighbours with one condition share its `if`."""
    out, now = "", ""
    for key in result.keys:
        when = condition(key)
        if when != now:
            out += ("    }\n" if now else "") + (f"    if ({when}) {{\n" if when else "")
            now = when
        text = pair(key, base, schema, not result.tuple)
        out += "".join("    " + line + "\n" for line in text.splitlines()) if when else text
    return out + ("    }\n" if now else "")


def constant(result, schema):
    """How many pairs it always has; None if that depends on the struct."""
    total = 0
    for key in result.keys:
        more = constant(schema.results[key.include], schema) if key.include else None if key.type == "form" else 1
        if key.when or more is None:
            return None
        total += more
    return total


def size(key, base, schema):
    """(number of pairs that the key always adds, None), or (None, a C expression of that number)."""
    if key.type == "form":
        return None, f"form_pairs(&{base}{key.c})"
    if not key.include:
        return 1, "1u"
    many = constant(schema.results[key.include], schema)
    reference = f"{base}{key.c}" if key.pointer else f"&{base}{key.c}" if key.c else base.removesuffix("->")
    return many, f"{key.include}_pairs({reference})"


def sizes(result, base, schema):
    """The number of pairs as an expression; neighbours with one condition are counted together."""
    counts = {}
    for key in result.keys:
        many, text = size(key, base, schema)
        fixed, texts = counts.get(condition(key), (0, []))
        counts[condition(key)] = (fixed + (many or 0), texts + ([] if many is not None else [text]))
    terms = []
    for when, (fixed, texts) in counts.items():
        total = " + ".join(([f"{fixed}u"] if fixed else []) + texts)
        terms.append(f"(({when}) ? {total} : 0u)" if when else total)
    return " + ".join(terms) or "0u"


def included(schema):
    return {key.include for r in schema.results.values() for key in r.keys if key.include}


def packed(schema):
    """The results whose packers others call: elements, maps, and what is encoded by itself."""
    return {key.of for r in schema.results.values() for key in r.keys if key.of} | {r.name for r in encoded(schema)}


def encoded(schema):
    """The results that encode_… writes: answers of the session and the server, and those that are public."""
    answers = {m.answer.name for m in schema.methods if m.answer and m.scope not in COMMANDS}
    return [r for r in schema.results.values() if r.public or r.name in answers]


def encoder(result):
    return f"encode_{result.name if result.header or result.like else result.type}"


def pairs_function(result, schema):
    """The parts that a result which includes this one calls."""
    out = ""
    if constant(result, schema) is None:
        out += (f"static uint32_t {result.name}_pairs(const {result.type} *v)\n{{\n"
                f"    return {sizes(result, 'v->', schema)};\n}}\n\n")
    return out + (f"static void pack_{result.name}_pairs(packer *k, const {result.type} *v)\n{{\n"
                  f"{statements(result, 'v->', schema)}}}\n\n")


def beside(keys, only, schema, indent):
    """An answer that is one bare value becomes a map, with a name for the value, if one of these keys is present."""
    out = ""
    for key in keys:
        lines = f"    if ({condition(key)}) {{\n        pack_map(k, 2);\n    {pair(key, 'v->', schema)}        pack_text(k, {c_string(only.name)});\n    }}\n"
        out += "".join(indent + line + "\n" for line in lines.splitlines())
    return out


def body(result, schema):
    """The body of a packer, with `v` the struct (and `r` the command's result)."""
    if result.alone:
        rest = [key for key in result.keys if key.name != result.alone]
        only = next(key for key in result.keys if key.name == result.alone)
        return beside(rest, only, schema, "") + value(only, "v->", schema)
    out = ""
    if result.nil:
        rest = [key for key in result.keys if key.when]
        inner = beside(rest, next(key for key in result.keys if not key.when), schema, "    ")
        out = f"    if ({result.nil.replace('$', 'v->')}) {{\n{inner}        msgpack_pack_nil(k);\n        return;\n    }}\n"
    if result.tuple:
        return out + f"    pack_array(k, {len(result.keys)});\n" + statements(result, "v->", schema)
    if result.name in included(schema) and not any(key.include for key in result.keys):
        return out + f"    pack_map(k, {sizes(result, 'v->', schema)});\n    pack_{result.name}_pairs(k, v);\n"
    return out + f"    pack_map(k, {sizes(result, 'v->', schema)});\n" + statements(result, "v->", schema)


def packer_function(result, schema):
    return f"static void pack_{result.name}(packer *k, const {result.type} *v)\n{{\n{body(result, schema)}}}\n\n"


def command_function(result, schema):
    """The packer of a command's answer."""
    own = f"    const {result.type} *v = &r->{result.member};\n" if result.member else ""
    return (f"static void pack_{result.name}_answer(packer *k, const command_result *r)\n{{\n"
            f"{own}{body(result, schema)}}}\n\n")


# ---- forms of shapes

def coordinate(a, s):
    """The lines that pack an argument of a form, out of the shape's definition."""
    at = f"def->{s.place}.{a.field}" if s.place else f"def->{a.field}"
    if a.type == "vectors":
        many = f"def->{s.place}.{s.count}" if s.place else f"def->{s.count}"
        return f"        pack_points(k, {c_string(a.name)}, {at}, (uint32_t){many});\n"
    kind = {"number": "pair_float", "vector": "pair_vec2", "bool": "pair_bool"}[a.type]
    return f"        {kind}(k, {c_string(a.name)}, {'(double)' if a.type == 'number' else ''}{at});\n"


def forms(schema):
    """Counts and packs the pairs of a form. A computed form (a box) has become another one."""
    shapes = [s for s in schema.shapes if s.kind or not s.make]
    kinds = "".join(f"    case {s.kind}:\n        return {s.c};\n" for s in shapes if s.kind)
    sizes = ", ".join(f"[{s.c}] = {s.form}" for s in shapes)
    cases = "".join(f"    case {s.c}:\n" + "".join(coordinate(a, s) for a in s.args[1:s.form]) + "        break;\n" for s in shapes)
    return ("static enum method_shape form_kind(const shape_def *def)\n{\n    if (def->form == FORM_CHAIN) {\n"
            "        return METHOD_SHAPE_CHAIN;\n    }\n    switch (def->geometry.kind) {\n" + kinds +
            "    case SHAPE_CHAIN_SEGMENT: // a segment of a chain has no id and is never encoded alone\n    case SHAPE_KIND_COUNT:\n"
            "        break;\n    }\n    ASSERT(false);\n    return METHOD_SHAPE_COUNT;\n}\n\n"
            "static uint32_t form_pairs(const shape_def *def)\n{\n"
            f"    static const uint8_t PAIRS[METHOD_SHAPE_COUNT] = {{{sizes}}};\n    return PAIRS[form_kind(def)];\n}}\n\n"
            "static void pack_form(packer *k, const shape_def *def)\n{\n    const enum method_shape kind = form_kind(def);\n"
            '    pair_text(k, "kind", METHOD_SHAPES[kind].name);\n    switch (kind) {\n' + cases +
            "    default:\n        ASSERT(false);\n    }\n}\n\n")


# ---- commands

def dispatch(schema):
    """From a command's method to its packer."""
    rows = "".join(f"    [METHOD_{m.id}] = pack_{m.answer.name}_answer,\n" for m in schema.methods if m.scope in COMMANDS)
    return ("typedef void answer_function(packer *k, const command_result *r);\n\n"
            f"static answer_function *const ANSWERS[METHOD_COUNT] = {{\n{rows}}};\n\n"
            "static void pack_command_result(packer *k, const command_result *r)\n{\n"
            "    ASSERT((unsigned)r->method < METHOD_COUNT && ANSWERS[r->method] != NULL);\n"
            "    ANSWERS[r->method](k, r);\n}\n\n"
            "void encode_command_result(struct buffer *out, const command_result *r)\n{\n"
            "    packer k = buffer_packer(out);\n    pack_command_result(&k, r);\n}\n")


def write_source(schema):
    results = schema.results.values()
    enums = dict.fromkeys(key.words for r in results for key in r.keys if key.words)
    commands = dict.fromkeys(m.answer.name for m in schema.methods if m.scope in COMMANDS)
    out = SOURCE_HEAD + "static void pack_command_result(packer *k, const command_result *r); // one of a batch\n\n"
    out += "".join(words(schema.enums[name]) for name in enums) + "\n" + forms(schema)
    for r in in_order(schema):
        out += pairs_function(r, schema) if r.name in included(schema) else ""
        out += packer_function(r, schema) if r.name in packed(schema) and not r.pack else ""
    out += "".join(command_function(schema.results[name], schema) for name in commands)
    for r in encoded(schema):
        out += (f"void {encoder(r)}(struct buffer *out, const {r.type} *v)\n{{\n"
                f"    packer k = buffer_packer(out);\n    pack_{r.name}(&k, v);\n}}\n\n")
    return out + dispatch(schema) + "// clang-format on\n"


def in_order(schema):
    """Results after those that they are made of."""
    out = []

    def add(r):
        for key in r.keys:
            other = schema.results.get(key.include or key.of)
            if other and other not in out:
                add(other)
        if r not in out:
            out.append(r)
    for r in schema.results.values():
        add(r)
    return out


def write_header(schema):
    out = PROTO_HEAD + "// clang-format off\n" + "".join(struct(r, schema) for r in written(schema, "proto"))
    for r in encoded(schema):
        out += "\n".join(c_comment(r.doc)) + f"\nvoid {encoder(r)}(struct buffer *out, const {r.type} *v);\n"
    out += "// The result of a command that apply_command carried out, by r->method.\n"
    return out + "void encode_command_result(struct buffer *out, const command_result *r);\n// clang-format on\n\n#endif\n"
