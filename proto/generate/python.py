"""client/python/carom/_methods.py: every method as a typed function, with types for arguments and answers."""

import keyword
import textwrap

from .results import flat_keys

HEAD = '''\
"""Every method of the protocol as a function, and types for arguments and answers.

Generated from proto/schema by proto/generate/python.py: do not edit.

An argument that is None is left out, and means what its default says. `from` is written from_, because it is a word of
Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NotRequired, TypedDict, Union

__all__ = {names}

Vector = Sequence[float]  #: [x, y]
Area = Sequence[float]  #: [x0, y0, x1, y1]: lower left and upper right corner


class Reference(dict):
    """What a command of a batch makes, for later commands of the same batch: {{"$": index}}."""

    @property
    def index(self) -> int:
        """The index of the command in its batch, and of its answer among the results."""
        return self["$"]


Id = Union[int, Reference]  #: a body, shape or joint; in a batch also what an earlier command made
'''

TYPES = {
    "bool": "bool", "number": "float", "integer": "int", "mask": "int", "id": "Id", "string": "str", "name": "str",
    "vector": "Vector", "vectors": "Sequence[Vector]", "area": "Area", "filter": "Filter", "precision": "Precision",
    "shape": "Shape", "form": "Shape", "shapes": "Sequence[Shape]", "commands": "Sequence[Sequence[Any]]", "bytes": "bytes",
    "any": "Any", "prefixes": "Union[bool, Sequence[str]]", "players": "Players",
}
ANSWERS = {
    "count": "int", "id": "int", "integer": "int", "mask": "int", "number": "float", "single": "float", "bool": "bool",
    "string": "str", "moment": "float", "place": "list[float]", "vector": "list[float]", "speed": "list[float]",
    "pair": "list[list[float]]", "area": "list[float]", "hash": "bytes", "bytes": "bytes", "any": "Any",
    "numbers": "dict[str, float]", "counts": "list[int]", "ids": "list[int]", "form": "Any",
}
ENGINE_SCOPES = ("command", "read")  # methods that a local world has


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.replace("_", ".").split("."))


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def words(of):
    return f"Literal[{', '.join(repr(word) for word in of)}]"


def argument_type(a):
    if a.type == "choice":
        return words(a.words)
    if a.type == "choices":
        return f"Sequence[{words(a.words)}]"
    return TYPES[a.type]


def bound(number):
    return str(int(number)) if number == int(number) and abs(number) < 2**63 else f"{number:g}"


def range_of(a):
    """"0 to 1 kg", as far as the description has it."""
    unit = f" {a.unit}" if a.unit else ""
    if a.type in ("number", "integer", "vector", "vectors", "area") and (a.min or a.max):
        return f"{bound(a.min)} to {bound(a.max)}{unit}"
    return unit.strip()


def describe(a):
    bounds = range_of(a)
    default = f" Default {a.default}." if a.default is not None else ""
    return f"{a.doc}{f' [{bounds}]' if bounds else ''}{default}"


def wrapped(text, indent, hanging="    "):
    # A backslash in a docstring would begin an escape.
    return textwrap.fill(text.replace("\\", "\\\\"), 120, initial_indent=indent, subsequent_indent=indent + hanging,
                         break_on_hyphens=False, break_long_words=False)


def listed(before, pieces, after, indent):
    """`before`, the pieces with commas, and `after`: on lines that break between pieces only."""
    lines, hanging = [indent + before], indent + "        "
    for i, piece in enumerate(pieces):
        piece += "," if i + 1 < len(pieces) else after
        if len(lines[-1]) + len(piece) + 1 > 120:
            lines.append(hanging + piece)
        else:
            lines[-1] += ("" if lines[-1].endswith(("(", "{")) else " ") + piece
    return "\n".join(lines if pieces else [indent + before + after]) + "\n"


# ---- maps

def typed_dict(name, doc, fields):
    """`fields`: (name, type, whether it may be absent, description)."""
    if any(not field[0].isidentifier() or keyword.iskeyword(field[0]) for field in fields):
        rows = "".join(f'    "{key}": {f"NotRequired[{kind}]" if absent else kind},\n' for key, kind, absent, _ in fields)
        return f'\n\n{name} = TypedDict("{name}", {{\n{rows}}})\n"""{doc}"""\n'
    out = f'\n\nclass {name}(TypedDict):\n{wrapped(chr(34) * 3 + doc + chr(34) * 3, "    ", "")}\n\n' if doc else f"\n\nclass {name}(TypedDict):\n"
    for key, kind, absent, text in fields:
        out += f"    {key}: {f'NotRequired[{kind}]' if absent else kind}\n"
        out += wrapped(f'"""{text}"""', "    ", "") + "\n" if text else ""
    return out if fields else out + "    pass\n"


def arguments_dict(name, doc, args):
    return typed_dict(name, doc, [(a.name, argument_type(a), not a.required, describe(a)) for a in args])


def answer_type(key, schema):
    if key.type == "word":
        return words([w.word for w in schema.enums[key.words].words])
    if key.type == "words":
        return f"list[{words([w.word for w in schema.enums[key.words].words])}]"
    element = "Any" if key.of not in schema.results else answer_name(schema.results[key.of])
    return {"map": element, "list": f"list[{element}]", "encoded": f"list[{element}]",
            "table": f"dict[str, {element}]"}.get(key.type) or ANSWERS[key.type]


def inner_type(result):
    """The name of a result's type in TypeScript, where "Required<Filter>" is a Filter with all members."""
    return result.typescript.removeprefix("Required<").removesuffix(">")


def answer_name(result):
    """A name that no map of arguments has."""
    name = "".join(c for c in inner_type(result) if c.isalnum())
    return f"{name}" if name.endswith(("Result", "Info", "Tick", "Map")) else f"{name}Result"


def answer_dict(result, schema):
    name = answer_name(result)
    if result.alone:
        only = next(key for key in result.keys if key.name == result.alone)
        if len(result.keys) > 1:
            return f"\n\n{name} = Any\n\"\"\"{result.doc}\"\"\"\n"
        return f"\n\n{name} = \"{answer_type(only, schema)}\"\n\"\"\"{result.doc}\"\"\"\n"
    if result.tuple:
        return f"\n\n{name} = \"list[Any]\"\n\"\"\"{result.doc}\"\"\"\n"
    fields, seen = [], set()
    extra = [(key, True) for key in schema.results[result.instead].keys if not key.include] if result.instead else []
    for key, absent in [*flat_keys(result, schema), *extra]:
        if key.type == "form":
            kinds = [s for s in schema.shapes if s.kind or not s.make]
            args = {a.name: a for s in kinds for a in s.args[1:s.form]}
            fields.append(("kind", words([s.name for s in kinds]), False, "The kind of shape."))
            fields += [(a.name, argument_type(a), True, "") for a in args.values()]
        elif key.name not in seen:
            unit = f" [{key.unit}]" if key.unit else ""
            fields.append((key.name, answer_type(key, schema), absent, key.doc + unit))
        seen.add(key.name)
    return typed_dict(name, result.doc, fields)


def answer(m):
    if m.answer is None:
        return "dict[str, Any]"
    name = answer_name(m.answer)
    name = f"list[{name}]" if m.answer_list else name
    return f"{name} | None" if m.answer.nil else name


# ---- shapes

def maker(s):
    """circle(radius, …) -> CircleShape"""
    args = [a for a in s.args if a.name != "kind"]
    needed, others = [a for a in args if a.required], [a for a in args if not a.required]
    parameters = [f"{python_name(a.name)}: {argument_type(a)}" for a in needed] + ["*"]
    parameters += [f"{python_name(a.name)}: {argument_type(a)} | None = None" for a in others]
    text = listed(f"def {s.name}(", parameters, f") -> {camel(s.name)}Shape:", "")
    text += f'    """{s.doc or "A shape of kind " + s.name + "."} Arguments: see {camel(s.name)}Shape."""\n'
    pairs = [f'"kind": "{s.name}"'] + [f'"{a.name}": {python_name(a.name)}' for a in args]
    return "\n\n" + text + listed("return _given({", pairs, "})", "    ")


GIVEN = '''

def _given(args: dict[str, Any]) -> Any:
    return {name: value for name, value in args.items() if value is not None}
'''


# ---- methods

def function(m, name, omitted, result, indent, short=""):
    args = [a for a in m.args if a.name not in omitted]
    needed = [a for a in args if a.required]
    others = [a for a in args if not a.required]
    parameters = ["self"] + [f"{python_name(a.name)}: {argument_type(a)}" for a in needed]
    parameters += ["*"] if others else []
    parameters += [f"{python_name(a.name)}: {argument_type(a)} | None = None" for a in others]
    out = listed(f"def {python_name(name)}(", parameters, f") -> {result}:", indent)
    inner = indent + "    "
    if short:
        out += f'{inner}"""{short}"""\n'
    else:
        out += wrapped(f'"""{m.summary} Least role: {m.role}.', inner, "") + "\n"
        if args:
            out += "\n" + "".join(wrapped(f"{python_name(a.name)}: {describe(a)}", inner) + "\n" for a in [*needed, *others]) + "\n"
        else:
            out += "\n"
        out += wrapped(f"Answers {m.result}.", inner, "") + f'\n{inner}"""\n'
    pairs = [f'"{a.name}": {python_name(a.name)}' for a in args]
    return out + listed(f'return self._call("{m.name}", {{', pairs, "})", inner)


def groups(methods, prefix, omitted, result, own=(), short=""):
    """A class for each group of methods, and the class whose members they are. That class has the methods of the groups
    `own` itself."""
    out, names = "", list(dict.fromkeys(m.name.split(".")[0] for m in methods if "." in m.name))
    for group in names:
        if group in own:
            continue
        out += f'\n\nclass {prefix}{camel(group)}:\n    """Methods {group}.…"""\n\n'
        out += "    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):\n        self._call = call\n"
        for m in methods:
            if m.name.startswith(group + "."):
                out += "\n" + function(m, m.name.split(".")[1], omitted, result(m), "    ", short and short.format(m.name))
    out += f'\n\nclass {prefix}Methods:\n    """The methods as functions, in groups."""\n\n'
    out += "    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):\n        self._call = call\n"
    out += "".join(f"        self.{group} = {prefix}{camel(group)}(call)\n" for group in names if group not in own)
    for m in methods:
        if "." not in m.name or m.name.split(".")[0] in own:
            out += "\n" + function(m, m.name.split(".")[-1], omitted, result(m), "    ", short and short.format(m.name))
    return out


def tables(schema):
    out = "\n\n#: The codes of errors, by the number that libcarom has for them.\nERROR_CODES = (\n    \"ok\",\n"
    out += "".join(f'    "{e.name}",  # {e.doc}\n' for e in schema.errors) + ")\n"
    out += "\n#: The kinds of events, by the number that libcarom has for them.\nEVENT_KINDS = (\n"
    out += "".join(f'    "{e.name}",\n' for e in schema.events) + ")\n"
    out += "\n#: The methods that a local world has.\nLOCAL_METHODS = frozenset({\n"
    return out + "".join(f'    "{m.name}",\n' for m in schema.methods if m.scope in ENGINE_SCOPES) + "})\n"


def write(schema):
    out = arguments_dict("Filter", schema.structs["filter"].doc, schema.structs["filter"].args)
    out += arguments_dict("Precision", schema.structs["precision"].doc, schema.structs["precision"].args)
    out += arguments_dict("Players", schema.structs["players"].doc, schema.structs["players"].args)
    for s in schema.shapes:
        fields = [(a.name, f'Literal["{s.name}"]' if a.name == "kind" else argument_type(a), not a.required and a.name != "kind",
                   "" if a.name == "kind" else describe(a)) for a in s.args]
        out += typed_dict(camel(s.name) + "Shape", s.doc or f"A shape of kind {s.name}.", fields)
    shapes = ", ".join(camel(s.name) + "Shape" for s in schema.shapes)
    out += "\n\n" + wrapped(f"Shape = Union[{shapes}]", "", "              ") + "\n" + GIVEN
    out += "".join(maker(s) for s in schema.shapes)
    out += "".join(answer_dict(r, schema) for r in schema.results.values() if inner_type(r).isidentifier())
    out += groups(schema.methods, "Server", (), answer)
    of_world = [m for m in schema.methods if m.names("world")]
    out += groups(of_world, "World", ("world", "epoch"), answer, own=("world",))
    local = [m for m in of_world if m.scope in ENGINE_SCOPES]
    out += groups(local, "Local", ("world", "epoch", "at", "late"), answer, own=("world",), short="As {} of a server.")
    batch = [m for m in schema.methods if m.batch]
    out += groups(batch, "Batch", ("world", "epoch"), lambda m: "Reference", own=("world",), short="Adds {} to the batch.")
    names = ["Area", "Id", "Reference", "Vector", "Shape", "Filter", "Precision", "Players"]
    names += [s.name for s in schema.shapes] + [camel(s.name) + "Shape" for s in schema.shapes]
    listed = "[\n" + textwrap.fill(", ".join(f'"{n}"' for n in sorted(names)), 116, initial_indent="    ",
                                   subsequent_indent="    ") + ",\n]"
    return HEAD.format(names=listed) + out + tables(schema)
