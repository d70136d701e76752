"""The answers in the description: the maps and lists that methods answer with, key by key.

The format is described in proto/schema/README.md, as that of schema.py, which calls this reader.
"""

import dataclasses

from .toml_file import check_keys, entries, suggestion

# type: the keys it needs besides name, type and doc.
TYPES = {
    "count": set(), "id": set(), "integer": set(), "mask": set(), "number": set(), "single": set(), "bool": set(),
    "string": set(), "moment": set(), "word": {"words"}, "words": {"words"}, "place": set(), "vector": set(), "speed": set(),
    "pair": set(), "hash": set(), "bytes": set(), "any": set(), "numbers": set(), "counts": set(), "ids": set(),
    "form": set(), "area": set(), "map": {"of"}, "list": {"of"}, "table": {"of"}, "encoded": {"of"},
}
COMMAND = "command_result"  # type of an element of a batch's results, for any method
OWN = {"type", "header", "home", "member", "instead", "like", "row", "tuple", "alone", "nil", "pack", "public", "page", "typescript",
       "fields", "client"}


@dataclasses.dataclass
class Key:
    """A pair of the map; or, with `include`, all pairs of another result."""
    name: str = ""
    type: str = ""
    doc: str = ""
    include: str = ""
    c: str = ""  # its member in the struct
    ctype: str = ""  # the field's type, if not the usual one
    count: str = ""  # for lists: the field with the count
    of: str = ""  # for lists and maps: the result of its elements
    words: str = ""  # an enum
    unit: str = ""
    when: str = ""  # condition in C for its presence; `$` stands for the struct
    optional: bool = False  # in types of bindings: may be absent
    shared: bool = False  # a field of command_result itself
    absent: str = ""  # in libcarom: its value in C if a server does not send it
    value: str = ""  # a constant of C instead of a field
    pointer: bool = False  # for an include: the struct has a pointer to it


@dataclasses.dataclass
class Result:
    name: str
    doc: str
    keys: list[Key]
    type: str  # its struct in C; "" without one of its own
    header: str  # defines the struct; "": it is written by c_results.py
    home: str  # "world" for those that common/world/apply.h needs, "proto" for the others
    member: str  # its member in command_result; "" if no command answers it
    instead: str  # another result that may be answered instead
    like: str  # the result whose struct it has
    row: str  # in a row of a table: the field that is its key
    tuple: bool  # only its values, as an array
    alone: str  # the key whose list is all of the answer
    nil: str  # the condition in C under which nil is answered instead
    pack: str  # a list of these is packed by this function, written by hand
    public: bool  # encode_… is called from outside, though no method answers it as it is
    page: bool  # PROTOCOL.md has a table of its keys
    typescript: str  # the name of its type there
    client: dict | None  # libcarom's public struct: {type, keys}
    fields: list  # further fields of the struct: [declaration, doc]


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def read_key(file, entry, row, enums):
    if "include" in row:
        check_keys(file, entry, row["include"], row, {"include"}, {"c", "when", "pointer", "optional"})
        return Key(include=row["include"], c=row.get("c", ""), when=row.get("when", ""), pointer=row.get("pointer", False),
                   optional=row.get("optional", "when" in row))
    name, kind = row.get("name", "?"), row.get("type")
    if kind not in TYPES:
        file.fail(entry, name, f"type '{kind}' is none of {', '.join(TYPES)}{suggestion(kind, TYPES)}")
    check_keys(file, entry, name, row, {"name", "type", "doc"} | TYPES[kind],
               {"c", "ctype", "count", "unit", "when", "optional", "shared", "value", "absent"})
    if "words" in row and row["words"] not in enums:
        file.fail(entry, name, f"words: there is no enum '{row['words']}'{suggestion(row['words'], enums)}")
    if row["doc"][-1:] != ".":
        file.fail(entry, name, "doc is a sentence: it ends with a full stop")
    return Key(name, kind, row["doc"], "", row.get("c", name), row.get("ctype", ""),
               row.get("count", name.removesuffix("s") + "_count"), row.get("of", ""), row.get("words", ""), row.get("unit", ""),
               row.get("when", ""), row.get("optional", "when" in row), row.get("shared", False),
               row.get("absent", ""), row.get("value", ""))


def read(files, enums):
    """{name: Result}, in order."""
    results, places = {}, {}
    for file, row in entries(files, "result", {"doc", "keys"}, OWN):
        name = row["name"]
        keys = [read_key(file, name, key, enums) for key in row["keys"]]
        if row.get("home", "proto") not in ("world", "proto"):
            file.fail(name, "home", f"home '{row['home']}' is neither world nor proto")
        results[name] = Result(name, row["doc"], keys, row.get("type", ""), row.get("header", ""), row.get("home", "proto"),
                               row.get("member", ""), row.get("instead", ""), row.get("like", ""), row.get("row", ""),
                               row.get("tuple", False), row.get("alone", ""), row.get("nil", ""), row.get("pack", ""),
                               row.get("public", False), row.get("page", False),
                               row.get("typescript", camel(name) + "Result"), row.get("client"), row.get("fields", []))
        places[name] = file
    for name, result in results.items():
        check(places[name], result, results)
    return results


def check(file, result, results):
    named = {key.name for key in result.keys}
    for key in result.keys:
        other = key.include or key.of
        if other and other not in results and other != COMMAND:
            file.fail(result.name, other, f"there is no result '{other}'{suggestion(other, results)}")
        if key.shared and not (result.member or not result.type):
            file.fail(result.name, key.name, "shared: only what commands answer has fields of command_result")
    if len(named) < sum(not key.include for key in result.keys):
        file.fail(result.name, None, "has a key twice")
    if result.client is not None:
        check_keys(file, result.name, "client", result.client, {"type"}, {"keys"})
    if result.instead and result.instead not in results:
        file.fail(result.name, "instead", f"there is no result '{result.instead}'{suggestion(result.instead, results)}")
    if result.like:
        if result.like not in results:
            file.fail(result.name, "like", f"there is no result '{result.like}'{suggestion(result.like, results)}")
        result.type, result.header = results[result.like].type, results[result.like].header
    if result.alone and (result.alone not in named or any(not key.when and key.name != result.alone for key in result.keys)):
        file.fail(result.name, "alone", "names a list, the only key that is always there")


def answer(file, method, text, results):
    """Parses `answers`: (result, False) for "NAME", (result, True) for a list "[NAME]", (None, False) for "{}"."""
    if text == "{}":
        return None, False
    name = text.removeprefix("[").removesuffix("]")
    if name not in results:
        file.fail(method, "answers", f"answers: there is no result '{name}'{suggestion(name, results)}")
    return results[name], text != name


def flat_keys(result, schema, absent=False):
    """(key, whether it may be absent), with those that it includes; each name once."""
    for key in result.keys:
        if key.include:
            yield from flat_keys(schema.results[key.include], schema, absent or key.optional)
        else:
            yield key, absent or key.optional
