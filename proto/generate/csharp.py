"""client/csharp/Carom/Methods.cs: every method as a class of its arguments, and the answers as classes."""

import textwrap
from xml.sax.saxutils import escape

from .results import flat_keys

HEAD = """\
// Generated from proto/schema by proto/generate/csharp.py: do not edit.
//
// Every method of the protocol as a class of its arguments, with the type of its answer:
//
//     var made = lab.Call(new BodySpawn { Shapes = new Shape[] { new Circle { Radius = 0.5 } }, Position = new Vec2(0, 9) });
//     lab.Call(new BodyImpulse { Body = made.Body, Impulse = new Vec2(0, 2) });
//
// Members that are null are left out, and mean what their defaults say; the others have to be set.

using System.Collections.Generic;

namespace Carom
{
"""

TYPES = {
    "bool": ("bool", "?"), "number": ("double", "?"), "integer": ("long", "?"), "mask": ("ulong", "?"), "id": ("Id", "?"),
    "string": ("string", ""), "name": ("string", ""), "choice": ("string", ""), "choices": ("string[]", ""),
    "vector": ("Vec2", "?"), "vectors": ("Vec2[]", ""), "area": ("double[]", ""), "filter": ("Filter", ""),
    "precision": ("Precision", ""), "shape": ("Shape", ""), "form": ("Shape", ""), "shapes": ("Shape[]", ""),
    "commands": ("Batch", ""), "bytes": ("byte[]", ""), "any": ("object", ""), "prefixes": ("object", ""),
    "players": ("Players", ""),
}
# type of a key: (type, function of Tree that reads it, whether null needs a `?`)
ANSWERS = {
    "count": ("ulong", "UInt", "?"), "id": ("ulong", "UInt", "?"), "integer": ("long", "Int", "?"), "mask": ("ulong", "Mask", "?"),
    "number": ("double", "Real", "?"), "single": ("double", "Real", "?"), "bool": ("bool", "Bool", "?"), "string": ("string", "Text", ""),
    "moment": ("double", "Real", "?"), "word": ("string", "Text", ""), "words": ("string[]", "Texts", ""), "place": ("Vec2", "Vector", "?"),
    "vector": ("Vec2", "Vector", "?"), "speed": ("Vec2", "Vector", "?"), "pair": ("Vec2[]", "Vectors", ""), "area": ("double[]", "Reals", ""),
    "hash": ("byte[]", "Bytes", ""), "bytes": ("byte[]", "Bytes", ""), "any": ("object", "Any", ""),
    "numbers": ("Dictionary<string, object>", "Map", ""), "counts": ("ulong[]", "UInts", ""), "ids": ("ulong[]", "UInts", ""),
}
FORMS = {"number": ("double", "Real", "?"), "vector": ("Vec2", "Vector", "?"), "vectors": ("Vec2[]", "Vectors", ""), "bool": ("bool", "Bool", "?")}
ENGINE_SCOPES = ("command", "read")


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.replace("_", ".").split("."))


def bound(number):
    return str(int(number)) if number == int(number) and abs(number) < 2**63 else f"{number:g}"


def describe(a):
    words = f" One of {', '.join(a.words)}." if a.words else ""
    unit = f" {a.unit}" if a.unit else ""
    bounds = unit.strip()
    if a.type in ("number", "integer", "vector", "vectors", "area") and (a.min or a.max):
        bounds = f"{bound(a.min)} to {bound(a.max)}{unit}"
    default = f" Default {a.default}." if a.default is not None else ""
    return f"{a.doc}{words}{f' [{bounds}]' if bounds else ''}{default}"


def summary(text, indent):
    lines = textwrap.wrap(escape(text), 116 - len(indent), break_on_hyphens=False, break_long_words=False)
    if len(lines) == 1:
        return f"{indent}/// <summary>{lines[0]}</summary>\n"
    return f"{indent}/// <summary>\n" + "".join(f"{indent}/// {line}\n" for line in lines) + f"{indent}/// </summary>\n"


# ---- arguments

def member(a, owner):
    kind, null = TYPES[a.type]
    needed = " Required." if a.required else ""
    name = camel(a.name)
    name = name + "_" if name == owner else name  # a member must not have its class's name
    return name, summary(describe(a) + needed, "        ") + f"        public {kind}{'' if a.required else null} {name};\n"


def arguments(name, doc, args, base, before=""):
    out = "\n" + summary(doc, "    ") + f"    public sealed class {name} : {base}\n    {{\n{before}"
    puts = ""
    for a in args:
        field, text = member(a, name)
        out += text
        puts += f'            Put(map, "{a.name}", {field});\n'
    return out + f"\n        internal override void Write(Dictionary<string, object> map)\n        {{\n{puts}        }}\n    }}\n"


def shape(s):
    return arguments(camel(s.name), (s.doc or f"A shape of kind {s.name}."), [a for a in s.args if a.name != "kind"], "Shape",
                     f'        internal override string Kind => "{s.name}";\n\n')


def method(m, schema):
    result = answer(m, schema)
    of_world = str(m.names("world") and m.args[0].required).lower()  # a world that may be left out is an argument
    local = str(m.scope in ENGINE_SCOPES).lower()
    before = (f'        internal override string Method => "{m.name}";\n'
              f"        internal override bool OfWorld => {of_world};\n        internal override bool InBatch => {str(m.batch).lower()};\n"
              f"        internal override bool Local => {local};\n\n")
    text = arguments(camel(m.name), f"{m.name}: {m.summary} Least role: {m.role}. Answers {m.result}.",
                     [a for a in m.args if (a.name != "world" or not a.required) and not a.routing], f"Arguments<{result[0]}>", before)
    read = f"\n        internal override {result[0]} Read(object answer)\n        {{\n            return {result[1]};\n        }}\n    }}\n"
    return text.removesuffix("    }\n") + read


# ---- answers

def class_name(result):
    name = "".join(c for c in result.typescript if c.isalnum())
    return name if name.endswith(("Result", "Map")) else name + "Result"


def is_class(result):
    return not result.alone and not result.tuple and result.typescript.isidentifier()


def alone(result, schema):
    """(type, expression) of an answer that is a list, or has more beside it and is a map then."""
    key = next(key for key in result.keys if key.name == result.alone)
    value = f'Tree.Alone(answer, "{key.name}")'
    of = schema.results.get(key.of)
    if of is not None and is_class(of):
        return f"{class_name(of)}[]", f"Tree.List({value}, {class_name(of)}.From)"
    return ("ulong[]", f"Tree.List({value}, Tree.ToUInt)") if key.type == "ids" else ("object", value)


def answer(m, schema):
    """(type, expression that reads it from `answer`)."""
    if m.answer is None:
        return "object", "answer"
    if m.answer.alone:
        return alone(m.answer, schema)
    if not is_class(m.answer):
        return "object", "answer"
    name = class_name(m.answer)
    return (f"{name}[]", f"Tree.List(answer, {name}.From)") if m.answer_list else (name, f"{name}.From(answer)")


def key_type(key, schema):
    """(type, expression that reads it, mark of null)."""
    of = schema.results.get(key.of)
    if key.type in ("map", "list", "encoded", "table"):
        if of is None or not is_class(of):
            return "object", f'Tree.Any(map, "{key.name}")', ""
        name = class_name(of)
        return {
            "map": (name, f'{name}.From(Tree.Any(map, "{key.name}"))', ""),
            "table": (f"Dictionary<string, {name}>", f'Tree.Table(Tree.Any(map, "{key.name}"), {name}.From)', ""),
        }.get(key.type, (f"{name}[]", f'Tree.List(Tree.Any(map, "{key.name}"), {name}.From)', ""))
    kind, read, null = ANSWERS[key.type]
    return kind, f'Tree.{read}(map, "{key.name}")', null


def answer_class(result, schema):
    name = class_name(result)
    out = "\n" + summary(result.doc, "    ") + f"    public sealed class {name}\n    {{\n"
    reads, seen = "", set()

    def add(wire, doc, kind, read, null, absent):
        nonlocal out, reads
        field = camel(wire) + ("_" if camel(wire) == name else "")
        if wire in seen:
            return
        seen.add(wire)
        out += (summary(doc, "        ") if doc else "") + f"        public {kind}{null if absent else ''} {field};\n"
        if absent and null:
            read = f'map.ContainsKey("{wire}") ? {read} : ({kind}?)null'
        reads += f"            made.{field} = {read};\n"

    extra = [(key, True) for key in schema.results[result.instead].keys if not key.include] if result.instead else []
    for key, absent in [*flat_keys(result, schema), *extra]:
        if key.type == "form":
            add("kind", "The kind of shape.", "string", 'Tree.Text(map, "kind")', "", False)
            for a in {a.name: a for s in schema.shapes if s.kind or not s.make for a in s.args[1:s.form]}.values():
                kind, read, null = FORMS[a.type]
                add(a.name, "", kind, f'Tree.{read}(map, "{a.name}")', null, True)
        else:
            kind, read, null = key_type(key, schema)
            add(key.name, key.doc + (f" [{key.unit}]" if key.unit else ""), kind, read, null, absent)
    return (out + f"\n        internal static {name} From(object value)\n        {{\n"
            "            var map = value as Dictionary<string, object>;\n"
            f"            if (map == null) return null;\n            var made = new {name}();\n{reads}            return made;\n        }}\n    }}\n")


def write(schema):
    out = HEAD + "    /// <summary>The codes of errors, by the number that libcarom has for them.</summary>\n"
    out += "    public static class Codes\n    {\n        internal static readonly string[] All =\n        {\n            \"ok\",\n"
    out += "".join(f'            "{e.name}",\n' for e in schema.errors) + "        };\n\n"
    out += "".join(summary(e.doc, "        ") + f'        public const string {camel(e.name)} = "{e.name}";\n' for e in schema.errors) + "    }\n"
    out += "\n    /// <summary>The kinds of events, by the number that libcarom has for them.</summary>\n    public static class EventKinds\n    {\n"
    out += "        internal static readonly string[] All =\n        {\n" + "".join(f'            "{e.name}",\n' for e in schema.events) + "        };\n    }\n"
    for name in ("filter", "precision", "players"):
        out += arguments(camel(name), schema.structs[name].doc, schema.structs[name].args, "ArgumentMap")
    out += "".join(shape(s) for s in schema.shapes)
    out += "".join(answer_class(r, schema) for r in schema.results.values() if is_class(r))
    return out + "".join(method(m, schema) for m in schema.methods) + "}\n"
