"""client/web/src/methods.d.ts: the arguments of every method, and clients, worlds and batches as typed functions.

In results.d.ts, which is otherwise written by hand, it renews the answers of methods.
"""

import re
import textwrap

from .results import COMMAND
from .text import js_string

HEAD = """\
// Generated from proto/schema by proto/generate/typescript.py: do not edit.
{imports}

/** A body, shape, joint or subscription; in a batch also what an earlier command made. */
export type Id = number | {$: number};
/** [x, y] */
export type Vector = [number, number];
/** [x0, y0, x1, y1]: lower left and upper right corner */
export type Area = [number, number, number, number];
/** A command of world.apply: the method and its arguments without `world`. */
export type Command = {[M in BatchMethodName]: [method: M, args: BatchArguments<M>]}[BatchMethodName];
/** What a command of a batch makes, for later commands of the same batch. */
export type Reference = {$: number};

"""

ERRORS = "/** The codes of errors that a server answers with. */\nexport type ProtocolErrorCode =\n  "
EVENT = """\
/** What happened, and the tick whose state first shows it; the keys besides depend on the kind. */
export interface WorldEvent {
  kind:
"""
EVENT_TYPES = {"id": "Number53", "vector": "Vector", "number": "number", "string": "string", "any": "unknown"}

TAIL = """\
export type MethodName = keyof Arguments;
export interface MethodInfo {
  role: 'none' | 'viewer' | 'player' | 'referee' | 'admin'; scope: string; batch: boolean; args: string[];
}
export const PROTOCOL_VERSION: number;
export const METHODS: Record<MethodName, MethodInfo>;
"""

TYPES = {
    "bool": "boolean", "number": "number", "integer": "number", "mask": "number | bigint", "id": "Id",
    "string": "string", "name": "string", "vector": "Vector", "vectors": "Vector[]", "area": "Area",
    "filter": "Filter", "precision": "Precision", "shape": "Shape", "form": "Form", "shapes": "Shape[]",
    "commands": "Command[]", "bytes": "Uint8Array", "any": "unknown",
    "prefixes": "boolean | string[]", "players": "Players",
}


# ---- answers

BLOCK = re.compile(r"(// generated from proto/schema: results\n)(.*?)(// end of generated\n)", re.S)
ANSWERS = {
    "count": "number", "id": "Number53", "integer": "number", "mask": "number | bigint", "number": "number",
    "single": "number", "bool": "boolean", "string": "string", "moment": "number", "place": "Vector", "vector": "Vector", "speed": "Vector",
    "pair": "[Vector, Vector]", "area": "Area", "hash": "Hash", "bytes": "Uint8Array", "any": "unknown",
    "numbers": "Record<string, number>", "counts": "number[]", "ids": "Number53[]",
}


def element_type(key, schema):
    return "unknown" if key.of == COMMAND else schema.results[key.of].typescript


def answer_type(key, schema):
    if key.type in ("word", "words"):
        text = " | ".join(js_string(w.word) for w in schema.enums[key.words].words)
        return text if key.type == "word" else f"({text})[]"
    if key.type == "map":
        return element_type(key, schema)
    if key.type in ("list", "encoded"):
        return element_type(key, schema) + "[]"
    if key.type == "table":
        return f"Record<string, {element_type(key, schema)}>"
    return ANSWERS[key.type]


def form_fields(schema):
    """The arguments of each kind of shape that describe its form, which other kinds do not have."""
    out, args = "", {}
    kinds = [s for s in schema.shapes if s.kind or not s.make]
    for s in kinds:
        args |= {a.name: a for a in s.args[1:s.form]}
    out += f"  kind: {' | '.join(js_string(s.name) for s in kinds)};\n"
    return out + "".join(f"  {a.name}?: {argument_type(a)};\n" for a in args.values())


def pair_field(key, schema, optional):
    if key.type == "form":
        return form_fields(schema)
    unit = f" [{key.unit}]" if key.unit else ""
    return f"  /** {key.doc}{unit} */\n  {key.name}{'?' if optional else ''}: {answer_type(key, schema)};\n"


def pair_fields(result, schema, optional=False):
    out = ""
    for key in result.keys:
        if key.include:
            out += pair_fields(schema.results[key.include], schema, optional or key.optional)
        else:
            out += pair_field(key, schema, optional or key.optional)
    return out


def answer_interface(result, schema):
    """The type of a result: an interface, a list, or a tuple."""
    head = f"/** {result.doc} */\n"
    first = result.keys[0]
    if result.alone:
        only = next(key for key in result.keys if key.name == result.alone)
        rest = "".join(f"; {key.name}?: {answer_type(key, schema)}" for key in result.keys).removeprefix("; ")
        named = f" & {{{rest}}}" if len(result.keys) > 1 else ""
        return f"{head}export type {result.typescript} = {answer_type(only, schema)}{named};\n"
    if result.tuple:
        return f"{head}export type {result.typescript} = [{', '.join(answer_type(key, schema) for key in result.keys)}];\n"
    if result.like and first.include == result.like:
        own = "".join(pair_field(key, schema, key.optional) for key in result.keys[1:])
        return f"{head}export interface {result.typescript} extends {schema.results[result.like].typescript} {{\n{own}}}\n"
    fields = pair_fields(result, schema)
    if result.instead:
        fields += "".join(pair_field(key, schema, True) for key in schema.results[result.instead].keys if not key.include)
    return f"{head}export interface {result.typescript} {{\n{fields}}}\n"


def answer(m):
    """The type of a method's answer."""
    if m.answer is None:
        return "{}"
    return m.answer.typescript + ("[]" if m.answer_list else "") + (" | null" if m.answer.nil else "")


def renew(schema, text):
    """results.d.ts with its answers as the schema has them."""
    out = "".join(answer_interface(r, schema) for r in schema.results.values() if r.typescript.isidentifier())
    return BLOCK.sub(lambda match: match[1] + out + match[3], text)


# ---- methods

def imports(schema):
    names = sorted({m.answer.typescript for m in schema.methods if m.answer} | {"CallOptions", "Number53"})
    return ("import type {\n" + textwrap.fill(", ".join(names), 110, initial_indent="  ", subsequent_indent="  ",
                                              break_on_hyphens=False) + ",\n} from './results.js';")


def type_name(name):
    """world.create -> WorldCreate"""
    return "".join(part[:1].upper() + part[1:] for part in name.replace("_", ".").split("."))


def words(a):
    return " | ".join(js_string(w) for w in a.words)


def argument_type(a):
    if a.type == "choice":
        return words(a)
    if a.type == "choices":
        return f"({words(a)})[]"
    return a.typescript or TYPES[a.type]


def field(a):
    default = f" Default {a.default}." if a.default is not None else ""
    unit = f" [{a.unit}]" if a.unit else ""
    return f"  /** {a.doc}{default}{unit} */\n  {a.name}{'' if a.required else '?'}: {argument_type(a)};\n"


def interface(name, args):
    return f"export interface {name} {{\n{''.join(field(a) for a in args)}}}\n\n"


def function(m, verb, omitted, result, options, indent):
    """One method as a member: `omitted` arguments are filled in by the caller."""
    optional = all(not a.required or a.name in omitted for a in m.args)
    names = " | ".join(f"'{name}'" for name in omitted if m.names(name))
    arguments = f"Omit<{type_name(m.name)}Arguments, {names}>" if names else f"{type_name(m.name)}Arguments"
    return (f"{indent}/** {m.summary} Least role: {m.role}. */\n"
            f"{indent}{verb}(args{'?' if optional else ''}: {arguments}{options}): {result};\n")


def members(methods, omitted=(), result="Promise<Results['{}']>", options=", options?: CallOptions"):
    """Methods as functions in groups: `body.spawn` is a member of `body`."""
    out = "".join(function(m, m.name, omitted, result.format(m.name), options, "  ")
                  for m in methods if "." not in m.name)
    for group in dict.fromkeys(m.name.split(".")[0] for m in methods if "." in m.name):
        out += f"  readonly {group}: {{\n"
        for m in methods:
            if m.name.startswith(group + "."):
                out += function(m, m.name.split(".")[1], omitted, result.format(m.name), options, "    ")
        out += "  };\n"
    return out


def choice(words, indent):
    lines = textwrap.wrap(" | ".join(js_string(word) for word in words), 96, break_on_hyphens=False)
    return "\n".join(indent + line for line in lines)


def event(schema):
    """The map of an event: a key is optional, as not every kind has it."""
    keys = {key.name: key for e in schema.events for key in e.keys}
    out = EVENT + choice([e.name for e in schema.events], "    ") + ";\n  tick: number;\n"
    for key in keys.values():
        kinds = ", ".join(e.name for e in schema.events if key in e.keys)
        out += f"  /** {key.doc} Of {kinds}. */\n  {key.name}?: {EVENT_TYPES[key.type]};\n"
    return out + "}\n\n"


def write(schema):
    results = "".join(f"  '{m.name}': {answer(m)};\n" for m in schema.methods)
    batchable = [m for m in schema.methods if m.batch]
    out = HEAD.replace("{imports}", imports(schema)) + interface("Filter", schema.structs["filter"].args)
    out += interface("Precision", schema.structs["precision"].args)
    out += interface("Players", schema.structs["players"].args)
    out += "".join(interface(type_name(s.name) + "Shape", s.args) for s in schema.shapes)
    out += "export type Shape = " + " | ".join(type_name(s.name) + "Shape" for s in schema.shapes) + ";\n"
    out += "/** A shape without its matter; no chain. */\nexport type Form = Exclude<Shape, ChainShape>;\n\n"
    out += "".join(interface(type_name(m.name) + "Arguments", m.args) for m in schema.methods)
    out += "/** The arguments of every method, by its name. */\nexport interface Arguments {\n"
    out += "".join(f"  '{m.name}': {type_name(m.name)}Arguments;\n" for m in schema.methods) + "}\n\n"
    out += (f"/** The answer of every method. */\nexport interface Results {{\n{results}"
            "  // Of a server that knows more methods than this package.\n  [method: string]: unknown;\n}\n\n")
    out += "/** The methods that are allowed in a batch. */\nexport type BatchMethodName =\n  "
    out += " |\n  ".join(f"'{m.name}'" for m in batchable) + ";\n"
    out += ("/** Their arguments there: the batch says which world, and which epoch. */\n"
            "export type BatchArguments<M extends BatchMethodName> = Omit<Arguments[M], 'world' | 'epoch'>;\n\n")
    out += f"/** Every method as a function. */\nexport interface Methods {{\n{members(schema.methods)}}}\n\n"
    bound = members([m for m in schema.methods if m.names("world")], ("world",))
    out += f"/** The methods of one world, whose name is filled in. */\nexport interface WorldMethods {{\n{bound}}}\n\n"
    batch = members(batchable, ("world", "epoch"), "Reference", "")
    out += f"/** The methods of a batch, each a command that is added to it. */\nexport interface BatchMethods {{\n{batch}}}\n\n"
    out += ERRORS + choice([e.name for e in schema.errors if not e.client], "  ").lstrip() + ";\n\n" + event(schema)
    return out + TAIL
