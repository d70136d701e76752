"""client/web/src/methods.js, which every client loads, and table.js, which has the texts too."""

import textwrap

from .text import js_number, js_string

HEAD = "// Generated from proto/schema by proto/generate/javascript.py: do not edit.\n"
RANGED = {"number", "integer", "vector", "vectors", "area", "string"}


def row(m):
    return f"role: '{m.role}', scope: '{m.scope}', batch: {str(m.batch).lower()}"


def write_methods(schema):
    out = HEAD + "\n/** The version of the protocol that this table is of. */\n"
    out += f"export const PROTOCOL_VERSION = {schema.version};\n\n"
    out += ("/** Every method: least role, where it is carried out, the arguments' names; table.js has the rest. */\n"
            "export const METHODS = {\n")
    for m in schema.methods:
        names = ", ".join(f"'{a.name}'" for a in m.args)
        out += f"  '{m.name}': {{{row(m)}, args: [{names}]}},\n"
    out += "};\n\n/** The codes of errors, as errors.js has them with the client's own. */\n"
    out += words("ERRORS", [e.name for e in schema.errors if not e.client])
    out += "\n/** The kinds of events, in the order of the engine's numbers. */\n"
    return out + words("EVENT_KINDS", [e.name for e in schema.events])


def words(name, all_of_them):
    """A constant array of words, wrapped."""
    lines = textwrap.wrap(", ".join(js_string(word) for word in all_of_them) + ",", 96)
    return f"export const {name} = [\n" + "".join(f"  {line}\n" for line in lines) + "];\n"


def argument(a, indent):
    out = f"{indent}{a.name}: {{type: '{a.type}'"
    if a.required:
        out += ", required: true"
    if a.type in RANGED:
        out += f", min: {js_number(a.min)}, max: {js_number(a.max)}"
    if a.count[1]:
        out += f", count: [{a.count[0]}, {a.count[1]}]"
    if a.words:
        out += ", words: [" + ", ".join(f"'{w}'" for w in a.words) + "]"
    if a.default is not None:
        out += f", fallback: {a.default}"
    if a.unit:
        out += f", unit: {js_string(a.unit)}"
    return out + f", doc: {js_string(a.doc)}}},\n"


def arguments(args, indent):
    return "".join(argument(a, indent) for a in args)


def write_table(schema):
    out = HEAD + ("\n/** Every method: least role, where it is carried out, arguments, texts. */\n"
                  "export const TABLE = {\n")
    for m in schema.methods:
        out += f"  '{m.name}': {{\n    {row(m)},\n    summary: {js_string(m.summary)},\n"
        out += f"    result: {js_string(m.result)},\n    args: {{\n{arguments(m.args, '      ')}    }},\n  }},\n"
    out += "};\n\n/** The arguments of each kind of shape. */\nexport const SHAPES = {\n"
    for s in schema.shapes:
        out += f"  {s.name}: {{\n{arguments(s.args, '    ')}  }},\n"
    out += "};\n"
    for name in ("filter", "precision", "players"):
        struct = schema.structs[name]
        out += f"\n/** {struct.doc} */\nexport const {name.upper()} = {{\n{arguments(struct.args, '  ')}}};\n"
    return out
