"""client/web/src/methods.js, which every client loads, and table.js, which has the texts too."""

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
    return out + "};\n"


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
    for name in ("filter", "precision"):
        struct = schema.structs[name]
        out += f"\n/** {struct.doc} */\nexport const {name.upper()} = {{\n{arguments(struct.args, '  ')}}};\n"
    return out
