"""Reads proto/schema into plain objects, and refuses what is wrong with the file, the line and the reason.

The format is described in proto/schema/README.md. Every list of arguments is expanded here (`like`, `list`, the
kind of a shape), every limit is a number and every default is checked against type and range, so that the files
which write a target only write.
"""

import dataclasses
import json
import pathlib
import re

from . import facts, results as answers
from .toml_file import File, SchemaError, check_keys, entries, evaluate, suggestion

# The bits of "was this argument given" fit in 32 (METHOD_ARGS_MAX of proto/methods.h).
ARGUMENTS_MAX = 32
NAME = re.compile(r"[a-z][a-z0-9_]*")
METHOD_NAME = re.compile(r"[a-z]+(\.[a-z][a-z_]*)?")

# type: the keys it may have besides those of every argument. `range` and `within` are one thing in two notations.
NUMERIC = {"range", "within", "unit", "single"}
TYPES = {
    "bool": set(), "number": NUMERIC, "integer": {"range", "within", "unit"}, "mask": set(), "id": {"of"},
    "string": {"bytes"}, "name": set(), "choice": {"words"}, "choices": {"words"},
    "vector": NUMERIC, "vectors": NUMERIC | {"count"}, "area": {"range", "within", "unit"},
    "filter": set(), "precision": set(), "shape": set(), "form": set(), "shapes": {"count"},
    "commands": {"count"}, "bytes": set(), "any": set(), "prefixes": {"count"}, "players": set(),
}
RANGED = {"number", "integer", "vector", "vectors", "area"}
ARGUMENT_KEYS = {"name", "as", "c", "type", "required", "default", "doc", "routing", "part", "bit", "absent", "flag",
                 "needs", "ctype", "option", "typescript"}
STEPS = ("decode", "permit", "plan", "dry_run", "apply", "own", "tally", "mark", "crowd", "bytes", "whole", "serve",
         "answer", "token_areas", "rows")
IDS = {"body", "shape", "joint"}
OF = ["body", "shape", "joint", "session", "subscription"]
RULES = {"at_least", "one_of", "not_both", "which"}
BY_HAND = {"check"}  # a function of a plain method's decoder, beside the steps
NOT_PLAIN = {"mask", "vectors"}  # kinds for which c_arguments.py has no fields
CHOICES_MAX = 32  # most words in one list: a bit each


@dataclasses.dataclass
class Limit:
    name: str
    value: float
    header: str | None  # the header that defines it; None: the table's own


@dataclasses.dataclass
class Word:
    word: str
    c: str
    doc: str
    traits: list[str] = dataclasses.field(default_factory=list)  # traits of every method of this scope


@dataclasses.dataclass
class Enum:
    name: str
    words: list[Word]
    bits: bool = False
    header: str | None = None  # defined there; None: written by c_methods.py
    type: str | None = None
    count: str | None = None  # the enumerator after the last
    doc: str = ""


@dataclasses.dataclass
class Argument:
    name: str
    type: str
    doc: str
    required: bool = False
    routing: bool = False
    single: bool = False
    min: float = 0
    max: float = 0
    count: tuple[int, int] = (0, 0)
    default: object = None  # JSON text; None: simply absent
    unit: str = ""
    words: list[str] = dataclasses.field(default_factory=list)
    of: str = ""  # for an id: body, shape …
    field: str = ""  # its name in C
    group: dict | None = None  # for a list that is one field in C: {field, type, read}
    value: object = None  # the default itself
    enum: str = ""  # for a choice
    part: str = ""  # the part of its method's struct that has the field
    bit: str = ""  # the bit that says in the struct's `fields` that it was given
    absent: str = ""  # the field's value where it was not given, as C has it
    flag: str = ""  # the field that says if it was given, where it has another name than has_…
    ctype: str = ""  # its type in C, if it is not the type's usual one
    option: dict | None = None  # for the command line: {name, letter, kind, value, help}; {}: no option; None: by rule
    typescript: str = ""  # its type there, if it is not the type's usual one
    needs: tuple[str, str] | None = None  # the argument without which it is refused, and the error's text


@dataclasses.dataclass
class Struct:
    name: str  # its name in errors
    c: str
    args: list[Argument]
    doc: str = ""
    options: bool = False  # for the command line, as in a method
    form: int = 0  # for a shape: the number of leading arguments that describe its form
    kind: str = ""  # for a shape: its shape_kind in C
    place: str = ""  # for a shape: the member of shape_def with the arguments of its form; "": shape_def itself
    count: str = ""  # for a shape with vertices: the field with their count
    make: str = ""  # for a shape with a computed form: the struct of its arguments, from which make_… computes it


@dataclasses.dataclass
class Method:
    name: str
    role: str
    scope: str
    batch: bool
    summary: str
    result: str
    answer: answers.Result | None  # None: an empty map
    answer_list: bool  # a list of those
    code: dict[str, str]
    args: list[Argument]
    subject: tuple[str, str] | None  # (body, shape or joint, its id's place in the C command)
    makes: tuple[str, str] | None  # the same for the thing that it makes, in the C result
    price: float
    traits: list[str]
    struct: dict | None  # for a plain method: {type, member, …} in C, without the type if an id is enough
    at_least: str = ""  # one optional argument must be given; the error names these
    one_of: list[str] = dataclasses.field(default_factory=list)  # exactly one of them
    not_both: list[str] = dataclasses.field(default_factory=list)  # two that exclude each other
    which: dict | None = None  # the field that records which one of one_of was given: {field, type, prefix}
    options: bool = False  # a command has an option for each optional argument
    shows_place: dict | None = None  # the arguments that bound what a read shows: {points, radius, form}
    short_call: bool = False  # libcarom declares carom_GROUP_VERB(client, world, arguments, …, &tick, &error)

    @property
    def id(self):
        return self.name.upper().replace(".", "_")

    def names(self, argument):
        return any(a.name == argument for a in self.args)


@dataclasses.dataclass
class List:
    """Arguments that several lists have."""
    name: str
    args: list[Argument]
    reader: dict | None  # a function that reads them into a struct: {function, type}
    options: bool  # for the command line, as in a method


@dataclasses.dataclass
class Schema:
    version: int
    limits: dict[str, Limit]
    enums: dict[str, Enum]
    methods: list[Method]
    shapes: list[Struct]
    structs: dict[str, Struct]
    lists: list[List]
    results: dict[str, answers.Result]
    errors: list[facts.ErrorCode]
    server_limits: list[facts.ServerLimit]
    fixed: list[facts.Fixed]
    families: dict[str, facts.Family]
    counters: list[facts.Counter]
    timings: list[facts.Timing]
    events: list[facts.Event]
    interface: object = None  # interface of the public headers (headers.py), for files that are checked in


# ---- limits

def header_constants(text):
    """{name: expression} of `#define NAME value` and `NAME = value` in a C header."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text.replace("\\\n", " "), flags=re.S)
    found = dict(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S[^\n]*)$", text, re.M))
    for body in re.findall(r"\benum\b[^{;]*\{([^}]*)\}", text):
        found |= dict(re.findall(r"(\w+)\s*=\s*([^,]+)", body))
    return found


def read_header(file, root, header, names, known):
    """{name: value}; `known` are those of the headers before."""
    try:
        constants = header_constants((root / header).read_text(encoding="utf-8"))
    except OSError as error:
        file.fail("headers", header, error.strerror)
    values = {}

    class Lookup(dict):
        def __missing__(self, name):
            return known[name] if name in known else evaluate(constants[name], self)

    for name in names:
        if name not in constants:
            file.fail("headers", header, f"{name} is not defined there{suggestion(name, constants)}")
        try:
            values[name] = evaluate(constants[name], Lookup())
        except (ValueError, KeyError):
            file.fail("headers", header, f"{name}: '{constants[name].strip()}' is more than numbers and names")
        if values[name] != int(values[name]):
            file.fail("headers", header, f"{name} is no whole number: an assertion at compile time could not compare it")
    return values


def read_limits(files, root):
    limits = {}
    for file in files:
        for header, names in file.data.get("headers", {}).items():
            known = {name: limit.value for name, limit in limits.items()}
            for name, value in read_header(file, root, header, names, known).items():
                limits[name] = Limit(name, value, header)
        for name, row in file.data.get("own", {}).items():
            if name in limits:
                file.fail("own", name, "is there twice")
            if not isinstance(row, dict) or type(row.get("value")) not in (int, float):
                file.fail("own", name, "wants {value = NUMBER, unit = …, doc = …}")
            check_keys(file, "own", name, row, {"value", "doc"}, {"unit"})
            limits[name] = Limit(name, row["value"], None)
    return limits


# ---- entries

KINDS = {"enum", "argument", "list", "struct", "shape", "result", "method", "error", "limit", "event"}
TABLES = {"headers", "own", "fixed", "families", "counters", "timings", "event_keys"}


def read_enums(files):
    enums = {}
    for file, table in entries(files, "enum", {"words", "prefix"}, {"type", "header", "bits", "doc", "count"}):
        words = []
        for row in table["words"]:
            check_keys(file, table["name"], row.get("word"), row, {"word"}, {"c", "doc", "traits"})
            c = row.get("c", table["prefix"] + row["word"].upper())
            words.append(Word(row["word"], c, row.get("doc", ""), row.get("traits", [])))
        if not 0 < len(words) <= CHOICES_MAX or len({w.word for w in words}) < len(words):
            file.fail(table["name"], None, f"wants 1 to {CHOICES_MAX} words, none of them twice")
        if not table.get("header") and not table.get("type"):
            file.fail(table["name"], None, "wants a header that defines it, or a type to be written")
        enums[table["name"]] = Enum(table["name"], words, table.get("bits", False), table.get("header"),
                                    table.get("type"), table.get("count"), table.get("doc", ""))
    return enums


def event_enum(events):
    """The kinds of events as words of arguments; the engine has the first ones as event_kind."""
    words = [Word(e.name, f"EVENT_{e.id}", e.doc) for e in events]
    return Enum("event", words, header="common/world/event_kinds.h", count="WORLD_EVENT_KIND_COUNT")


def player_method_enum(files):
    """The methods that `players` of a world may deny to players, a bit each: those of the world's content that a player may call."""
    free = ("none", "viewer", "player")
    words = [Word(table["name"], f'METHOD_{table["name"].upper().replace(".", "_")}', "")
             for file in files for table in file.data.get("method", [])
             if table.get("role") in free and table.get("scope") in ("command", "read") and table.get("bounded", True)]
    if len(words) > CHOICES_MAX:
        raise SchemaError(f"player_method: {len(words)} methods; a bound of players has {CHOICES_MAX} bits")
    return Enum("player_method", words, bits=True, type="method")


class Arguments:
    """Expands the rows of lists of arguments."""

    def __init__(self, files, limits, enums):
        self.limits, self.enums = limits, enums
        self.values = {name: limit.value for name, limit in limits.items()}
        self.shared, self.lists, self.used, self.readers, self.options = {}, {}, set(), {}, set()
        for file, table in entries(files, "argument", {"type", "doc"}, ARGUMENT_KEYS | set().union(*TYPES.values())):
            self.shared[table["name"]] = (file, {k: v for k, v in table.items() if k != "name"})
        for file, table in entries(files, "list", {"args"}, {"field", "type", "read", "reader", "options"}):
            if "reader" in table:
                check_keys(file, table["name"], "reader", table["reader"], {"function", "type"}, set())
            self.readers[table["name"]] = table.get("reader")
            self.options |= {table["name"]} if table.get("options") else set()
            group = {key: table[key] for key in ("field", "type", "read") if key in table}
            if len(group) not in (0, 3):
                file.fail(table["name"], None, "field, type and read: all of them or none")
            self.lists[table["name"]] = (file, (table["args"], group or None))

    def expand(self, file, entry, rows):
        """Argument objects of the rows of `args`."""
        out = []
        for row in rows:
            if isinstance(row, str):
                row = {"like": row}
            if not isinstance(row, dict):
                file.fail(entry, None, f"{row!r}: wants a name or {{name = …, type = …}}")
            if "list" in row:
                out += self.from_list(file, entry, row)
            else:
                out.append(self.one(file, entry, row))
        for name in [a.name for a in out]:
            if sum(a.name == name for a in out) > 1:
                file.fail(entry, name, "is there twice")
        if len(out) > ARGUMENTS_MAX:
            file.fail(entry, None, f"has {len(out)} arguments; {ARGUMENTS_MAX} are allowed")
        return out

    def from_list(self, file, entry, row):
        name = row["list"]
        check_keys(file, entry, name, row, {"list"}, {"defaults", "part", "bits"})
        if name not in self.lists:
            file.fail(entry, name, f"there is no such list{suggestion(name, self.lists)}")
        self.used.add(("list", name))
        source, (rows, group) = self.lists[name]
        part, bits = row.get("part", ""), row.get("bits")
        args = [dataclasses.replace(a, group=group, part=a.part or part, bit=bits + a.field.upper() if bits else "")
                for a in self.expand(source, name, rows)]
        return args if row.get("defaults", True) else [dataclasses.replace(a, default=None, value=None) for a in args]

    def one(self, file, entry, row):
        if "like" in row:
            name = row["like"]
            if name not in self.shared:
                file.fail(entry, name, f"there is no such [[argument]]{suggestion(name, self.shared)}")
            self.used.add(("argument", name))
            row = self.shared[name][1] | {"name": name} | {k: v for k, v in row.items() if k != "like"}
        return self.argument(file, entry, row)

    def argument(self, file, entry, row):
        name = row.get("name", "?")
        kind = row.get("type")
        if kind not in TYPES:
            file.fail(entry, name, f"type '{kind}' is none of {', '.join(TYPES)}{suggestion(kind, TYPES)}")
        check_keys(file, entry, name, row, {"name", "type", "doc"} | ({"words", "of"} & TYPES[kind]), ARGUMENT_KEYS | TYPES[kind])
        fail = lambda text: file.fail(entry, name, text)
        if not NAME.fullmatch(name):
            fail("a name has a-z, 0-9 and _")
        for key in ("required", "routing", "single"):
            if not isinstance(row.get(key, False), bool):
                fail(f"{key} is true or false")
        a = Argument(row.get("as", name), kind, row["doc"], row.get("required", False), row.get("routing", False),
                     row.get("single", False), unit=row.get("unit", ""))
        a.field = row.get("c", a.name)
        a.enum = row.get("words", "")
        a.part, a.bit, a.absent = row.get("part", ""), row.get("bit", ""), row.get("absent", "")
        a.flag, a.ctype = row.get("flag", ""), row.get("ctype", "")
        a.typescript = row.get("typescript", "")
        a.option = row.get("option")
        if a.option is not None:
            check_keys(file, entry, name, a.option, set(), {"name", "letter", "kind", "value", "help"})
        a.needs = tuple(row["needs"]) if "needs" in row else None
        if a.needs is not None and len(a.needs) != 2:
            fail('needs is ["ARGUMENT", "text of the error"]')
        a.of = row.get("of", "")
        if kind == "id" and a.of not in OF:
            fail(f"of '{a.of}' is none of {', '.join(OF)}")
        if a.doc[-1:] not in (".", ":"):
            fail("doc is a sentence: it ends with a full stop, or with a colon where the next one goes on")
        a.min, a.max = self.range(row, kind, fail)
        a.count = self.count(row, kind, fail)
        if "words" in row:
            if row["words"] not in self.enums:
                fail(f"words: there is no enum '{row['words']}'{suggestion(row['words'], self.enums)}")
            a.words = [w.word for w in self.enums[row["words"]].words]
        if "default" in row:
            if a.required:
                fail("a required argument has no default")
            check_default(a, row["default"], fail)
            a.default = json.dumps(row["default"], ensure_ascii=False)
            a.value = row["default"]
        return a

    def number(self, value, fail):
        """A number as it stands: itself, or an expression of limits."""
        if type(value) in (int, float):
            return value
        try:
            return evaluate(value, self.values)
        except KeyError as error:
            fail(f"there is no limit {error.args[0]}{suggestion(error.args[0], self.values)}")
        except (ValueError, AttributeError, TypeError):
            fail(f"{value!r} is no number, limit or product of them")

    def range(self, row, kind, fail):
        if kind == "id":
            return 1, self.values["ID_MAX"]
        if kind == "string":
            if "bytes" not in row:
                fail("'bytes' is missing: the most that a string may have")
            return 0, self.number(row["bytes"], fail)
        if kind not in RANGED:
            return 0, 0
        if ("range" in row) == ("within" in row):
            fail("wants one of range = [least, most] and within = most (of the size, both ways)")
        if "within" in row:
            most = self.number(row["within"], fail)
            least = -most
        else:
            if not isinstance(row["range"], list) or len(row["range"]) != 2:
                fail("range is [least, most]")
            least, most = (self.number(v, fail) for v in row["range"])
        if not least < most:
            fail(f"its range is empty: {least} to {most}")
        return least, most

    def count(self, row, kind, fail):
        if kind == "choices":
            return 0, CHOICES_MAX
        if "count" not in TYPES[kind]:
            return 0, 0
        if not isinstance(row.get("count"), list) or len(row["count"]) != 2:
            fail("count is [least, most] elements")
        return tuple(self.number(v, fail) for v in row["count"])


def check_default(a, value, fail):
    """Checks that a default is a valid value of its argument."""
    numbers = value if isinstance(value, list) else [value]
    good = {
        "bool": lambda: isinstance(value, bool),
        "string": lambda: isinstance(value, str) and len(value.encode()) <= a.max,
        "mask": lambda: type(value) is int and -2**63 <= value < 2**64,
        "choice": lambda: value in a.words,
        "choices": lambda: isinstance(value, list) and set(value) <= set(a.words),
        "integer": lambda: type(value) is int,
        "number": lambda: type(value) in (int, float),
        "vector": lambda: isinstance(value, list) and len(value) == 2,
    }.get(a.type, lambda: False)
    if not good():
        fail(f"default {value!r} is no {a.type}" + (f" of {', '.join(a.words)}" if a.words else ""))
    if a.type in RANGED and not all(type(v) in (int, float) and a.min <= v <= a.max for v in numbers):
        fail(f"default {value!r} is not within {a.min} to {a.max}")


def read_structs(files, arguments):
    structs = {}
    for file, table in entries(files, "struct", {"c", "args", "doc"}, {"as", "options"}):
        args = arguments.expand(file, table["name"], table["args"])
        structs[table["name"]] = Struct(table.get("as", table["name"]), table["c"], args, table["doc"],
                                        table.get("options", False))
    return structs


def read_shapes(files, arguments):
    shapes = []
    for file, table in entries(files, "shape", {"form", "args"}, {"is", "place", "count", "make"}):
        name = table["name"]
        kind = Argument("kind", "choice", "The form.", required=True, words=[name])
        args = [kind, *arguments.expand(file, name, table["args"])]
        if type(table["form"]) is not int or not 1 <= table["form"] <= len(args):
            file.fail(name, None, f"form is a number of arguments, 1 to {len(args)}")
        shapes.append(Struct(name, f"METHOD_SHAPE_{name.upper()}", args, form=table["form"], kind=table.get("is", ""),
                             place=table.get("place", ""), count=table.get("count", ""), make=table.get("make", "")))
    return shapes


def read_methods(files, arguments, enums, results):
    methods = []
    for file, table in entries(files, "method", {"role", "scope", "summary", "result", "answers"}, {"batch", "code", "args", "subject", "makes", "price", "traits", "struct",
                                                "short_call", "options", "bounded", "shows_place"} | RULES):
        name = table["name"]
        if not METHOD_NAME.fullmatch(name):
            file.fail(name, None, "a method's name is group.verb in a-z and _, or a verb")
        for key in ("role", "scope"):
            words = [w.word for w in enums[key].words]
            if table[key] not in words:
                file.fail(name, None, f"{key} '{table[key]}' is none of {', '.join(words)}")
        check_keys(file, name, "code", table.get("code", {}), set(), (set(STEPS) - {"decode"}) | BY_HAND)
        method = Method(name, table["role"], table["scope"], table.get("batch", False), table["summary"],
                        table["result"], *answers.answer(file, name, table["answers"], results), table.get("code", {}), arguments.expand(file, name, table.get("args", [])),
                        read_id(file, table, "subject"), read_id(file, table, "makes"), table.get("price", 0),
                        read_traits(file, table, enums), table.get("struct"), table.get("at_least", ""),
                        table.get("one_of", []), table.get("not_both", []), table.get("which"),
                        table.get("options", False), table.get("shows_place"), table.get("short_call", False))
        check_struct(file, method)
        check_place(file, method)
        check_shared_struct(file, method, methods)
        check_method(file, method)
        methods.append(method)
    return methods


def read_id(file, table, key):
    """(kind, place in C) of `subject` and `makes`: {body = "push.body"}."""
    row = table.get(key)
    if row is None:
        return None
    if not isinstance(row, dict) or len(row) != 1 or not row.keys() <= IDS:
        file.fail(table["name"], key, f"{key} is {{KIND = \"FIELD\"}} with one kind of {', '.join(sorted(IDS))}")
    return next(iter(row.items()))


def read_traits(file, table, enums):
    """Its own, and those that every method of its scope has; in the order of the enum."""
    known = [w.word for w in enums["trait"].words]
    own = table.get("traits", [])
    of_scope = next(w.traits for w in enums["scope"].words if w.word == table["scope"])
    for trait in own + of_scope:
        if trait not in known:
            file.fail(table["name"], trait, f"trait '{trait}' is none of {', '.join(known)}{suggestion(trait, known)}")
    for trait in own:
        if trait in of_scope:
            file.fail(table["name"], trait, f"every method of scope {table['scope']} has the trait {trait}")
    return [trait for trait in known if trait in own + of_scope]


def check_struct(file, m):
    """Checks a method whose decoder is generated."""
    if m.struct is None:
        for rule in (m.at_least, m.one_of, m.not_both, m.which, "check" in m.code):
            if rule:
                file.fail(m.name, None, "rules are of methods with a struct, whose decoders are generated")
        return
    check_keys(file, m.name, "struct", m.struct, {"member"}, {"type", "parts", "fields", "extra"})
    check_rules(file, m)
    own = [a for a in m.args if a.name != "world" and not a.routing]
    for a in own:
        if a.type in NOT_PLAIN and not a.group:
            file.fail(m.name, a.name, f"a struct has no fields of type {a.type}")
        if a.part and a.part not in m.struct.get("parts", {}):
            file.fail(m.name, a.name, f"there is no part '{a.part}' in struct.parts")
    if "type" not in m.struct and [a.type for a in own] != ["id"]:
        file.fail(m.name, "struct", "'type' is missing: only an id stands alone")
    m.code = m.code | {"decode": m.id.lower()}


PLACE_TYPES = {"points": "vector", "radius": "number", "form": "form"}


def check_place(file, m):
    """A place that is shown is bounded by arguments that the method has."""
    if m.shows_place is None:
        return
    if m.struct is None or "shows" not in m.traits or "token_areas" in m.code:
        file.fail(m.name, "shows_place", "shows_place is of a method with a struct that shows a world, without token_areas in code")
    check_keys(file, m.name, "shows_place", m.shows_place, {"points"}, PLACE_TYPES.keys() - {"points"})
    for key, row in m.shows_place.items():
        known = {a.name for a in m.args if a.type == PLACE_TYPES[key] and (a.required or a.default is not None)}
        for name in row if key == "points" else [row]:
            if name not in known:
                file.fail(m.name, name, f"{key}: there is no argument '{name}' of type {PLACE_TYPES[key]} that always has a value"
                          f"{suggestion(name, known)}")


def check_rules(file, m):
    """Rules speak of arguments that the method has."""
    optional = {a.name for a in m.args if not a.required and not a.routing}
    if len(m.not_both) not in (0, 2):
        file.fail(m.name, "not_both", "not_both has two arguments")
    for name in m.one_of + m.not_both:
        if name not in optional:
            file.fail(m.name, name, f"there is no optional argument '{name}'{suggestion(name, optional)}")
    for a in m.args:
        if a.needs and a.needs[0] not in optional:
            file.fail(m.name, a.name, f"needs: there is no optional argument '{a.needs[0]}'{suggestion(a.needs[0], optional)}")
    if m.at_least and not optional:
        file.fail(m.name, None, "at_least wants optional arguments")
    if m.which is not None:
        check_keys(file, m.name, "which", m.which, {"field", "type", "prefix"}, set())


def check_shared_struct(file, m, methods):
    """Methods that share a struct have the same fields, under any names on the wire; or one has the fields of both."""
    def fields(method):
        args = [a for a in method.args if a.name != "world" and not a.routing]
        return {(a.part,) if a.part else (a.field, a.type, a.of) for a in args}
    for other in methods:
        if not m.struct or not other.struct or m.struct.get("type", m) != other.struct.get("type"):
            continue
        if not fields(other) <= fields(m) and not fields(m) <= fields(other):
            file.fail(m.name, "struct", f"{other.name} has the same struct, with other fields (c = FIELD names them)")


def check_method(file, m):
    fail = lambda text: file.fail(m.name, None, text)
    named = bool(m.args) and m.args[0].name == "world"
    ends = bool(m.args) and m.args[-1].routing
    if any(a.name == "world" for a in m.args) != named:
        fail("'world' is the first argument")
    if named != ends or any(a.routing for a in m.args[:-1]):
        fail("'epoch' is the last argument, of methods that name a world and no others")
    if m.scope in ("host", "command", "read") and not named:
        fail(f"scope {m.scope} wants the argument 'world'")
    if m.scope in ("command", "read") and "apply" not in m.code:
        fail(f"scope {m.scope} wants apply in code")
    if m.scope in ("command", "read") and (m.answer is None or m.answer_list or m.answer.type and not m.answer.member):
        fail(f"scope {m.scope} answers a result that is a member of command_result, or has its keys alone")
    if m.scope == "command" and m.batch and m.role == "player" and "permit" not in m.code:
        fail("a command of players wants permit in code: which bodies its sender must own (ownership.c)")
    if m.code.get("permit") in IDS and (m.subject is None or m.subject[0] != m.code["permit"]):
        fail(f"permit = {m.code['permit']} looks at its subject, and wants subject = {{{m.code['permit']} = FIELD}}")
    for scopes, name in ((("session", "server"), "answer"), (("host", "subscription"), "serve")):
        if m.scope in scopes and name not in m.code:
            fail(f"scope {m.scope} wants {name} in code")
    if m.batch and (m.scope not in ("command", "read") or "plan" not in m.code):
        fail("a method that is allowed in a batch has scope command or read, and plan in code")
    if len(m.args) > (2 if named else 0) and "decode" not in m.code:
        fail("a method with arguments of its own wants struct")


def headers(folder):
    """The headers that limits.toml takes constants from."""
    return list(File(pathlib.Path(folder) / "limits.toml").data.get("headers", {}))


def load(folder, root):
    """The whole description. Raises SchemaError."""
    folder = pathlib.Path(folder)
    first = File(folder / "schema.toml")
    check_keys(first, "schema", None, first.data, {"version", "files"}, set())
    files = [File(folder / f"{name}.toml") for name in first.data["files"]]
    for path in sorted(folder.glob("*.toml")):
        if path.stem not in [*first.data["files"], "schema"]:
            raise SchemaError(f"{path}: is not one of the files that {first.path} lists")
    for file in files:
        for kind in file.data:
            if kind not in KINDS | TABLES:
                file.fail(kind, None, f"there is no such kind{suggestion(kind, KINDS | TABLES)}")
    limits = read_limits(files, pathlib.Path(root))
    numbers = {name: limit.value for name, limit in limits.items()}
    events = facts.read_events(files)
    enums = read_enums(files) | {"event": event_enum(events)}
    enums["player_method"] = player_method_enum(files)
    arguments = Arguments(files, limits, enums)
    structs = read_structs(files, arguments)
    shapes = read_shapes(files, arguments)
    results = answers.read(files, enums)
    methods = read_methods(files, arguments, enums, results)
    for kind, known in (("argument", arguments.shared), ("list", arguments.lists)):
        for name, (file, _) in known.items():
            if (kind, name) not in arguments.used:
                file.fail(name, None, f"nothing takes this {kind}")
    families = facts.read_families(files)
    lists = [List(name, arguments.expand(file, name, rows), arguments.readers[name], name in arguments.options)
             for name, (file, (rows, _)) in arguments.lists.items()]
    return Schema(first.data["version"], limits, enums, methods, shapes, structs, lists, results,
                  facts.read_errors(files),
                  facts.read_server_limits(files, numbers), facts.read_fixed(files, numbers), families,
                  facts.read_counters(files, families), facts.read_timings(files, families), events)
