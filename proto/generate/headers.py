"""Reads libcarom's public headers: functions, structs, enums and constants, for bindings by foreign-function interfaces.

It reads what clang-format leaves of C declarations: one form of typedef for each of enums, structs and functions. A
declaration that it does not know is an error, so that none is left out.
"""

import dataclasses
import pathlib
import re

# In the order of their includes. arguments.h and the typed helpers are for C: bindings send maps of arguments.
HEADERS = ["status", "value", "shape", "describe", "snapshot", "client", "view", "watch", "interpolation", "clock", "epoch",
           "replica", "prediction", "local", "many"]
REPLICA = {"replica", "prediction", "local", "many"}  # those of libcarom-replica


@dataclasses.dataclass
class Type:
    base: str  # "double", "carom_body", "void" …
    pointers: int = 0  # number of stars
    array: int = 0  # elements of an array in a struct; 0: none
    const: bool = False  # whether the innermost pointer points to a constant
    call: "Call | None" = None  # a pointer to a function
    text: str = ""  # as C has it, without the name


@dataclasses.dataclass
class Member:
    name: str
    type: Type


@dataclasses.dataclass
class Call:
    """A function, or the type of one."""
    name: str
    result: Type
    args: list[Member]
    header: str = ""
    pointer: bool = False  # a typedef of a pointer to a function


@dataclasses.dataclass
class Interface:
    constants: dict[str, int]  # values of enumerators, and of defines that are whole numbers
    enums: dict[str, list[str]]  # enumerators, in order
    structs: dict[str, list[Member]]
    opaque: list[str]
    calls: dict[str, Call]  # types of functions
    functions: list[Call]
    order: list[str]  # structs and types of functions, each after those that it needs


class HeaderError(Exception):
    pass


DEFINE = re.compile(r"^#define (CAROM_\w+)[ \t]+(.+)$", re.M)
BLOCK = re.compile(
    r"typedef enum (?P<enum>\w+) \{(?P<words>[^}]*)\} \w+;"
    r"|enum \{(?P<plain>[^}]*)\};"
    r"|typedef struct (?P<struct>\w+) \{(?P<fields>[^}]*)\} \w+;"
    r"|typedef struct (?P<opaque>\w+) \w+;"
    r"|typedef (?P<type>[^;{]+);"
    r"|CAROM_API (?P<function>[^;{]+);")


def plain(text):
    """The declarations alone: no comments, no preprocessor, white space collapsed."""
    text = re.sub(r"//[^\n]*", "", text).replace("\\\n", " ")
    text = re.sub(r"^[ \t]*#[^\n]*$", "", text, flags=re.M)
    text = re.sub(r"\bCAROM_(BEGIN|END)_DECLS\b", "", text)
    return " ".join(text.split())


def whole(text, known):
    """The value of a constant expression of whole numbers; None if it is none."""
    text = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text.strip())
    text = re.sub(r"\bCAROM_\w+\b", lambda m: str(known.get(m[0], m[0])), text)
    return eval(text, {"__builtins__": {}}) if re.fullmatch(r"[\d\s()+*|<-]+", text) else None


def split(text):
    """The pieces between commas that stand in no parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


class Reader:
    def __init__(self):
        self.into = Interface({}, {}, {}, [], {}, [], [])

    def fail(self, header, text):
        raise HeaderError(f"carom/{header}.h: '{text[:90]}' is no declaration that proto/generate/headers.py knows")

    def declarator(self, base, text, header):
        """`base` and one declarator: "*out", "area[4]", "(*event)(…)"."""
        function = re.fullmatch(r"(\*?)\(\*(\w+)\)\((.*)\)", text)
        if function:
            result = self.declarator(base, function[1] + "r", header).type
            call = Call(function[2], result, self.arguments(function[3], header), header)
            return Member(function[2], Type("function", call=call, text=f"{result.text} (*)({function[3]})"))
        plain_name = re.fullmatch(r"((?:\*|const |\s)*)(\w+)(?:\[([^\]]+)\])?", text)
        if not plain_name:
            self.fail(header, f"{base} {text}")
        stars, name, array = plain_name.groups()
        words = base.replace("struct ", "").split()
        const = "const" in words
        words = [word for word in words if word != "const"]
        if words == ["unsigned", "int"]:
            words = ["unsigned"]
        if len(words) != 1:
            self.fail(header, f"{base} {text}")
        count = whole(array, self.into.constants) if array else 0
        return Member(name, Type(words[0], stars.count("*"), count, const, None, f"{base} {stars}".strip()))

    def declaration(self, text, header):
        """The members of "double x, *y": one type, one or more declarators."""
        head = re.match(r"((?:const |struct |unsigned (?=\w+\s*[(*,;]|\w+$)|)*)(\w+ ?(?:const )?)(.*)", text)
        if text.startswith("unsigned "):
            base, rest = "unsigned", text.removeprefix("unsigned ").removeprefix("int ")
        else:
            base, rest = (head[1] + head[2]).strip(), head[3].strip()
        if not rest:
            self.fail(header, text)
        return [self.declarator(base, piece, header) for piece in split(rest)]

    def arguments(self, text, header):
        if text.strip() == "void":
            return []
        members = []
        for piece in split(text):
            member = self.declaration(piece, header)[0]
            if member.type.array:  # an array as an argument is a pointer
                member.type = dataclasses.replace(member.type, array=0, pointers=member.type.pointers + 1,
                                                  text=member.type.text + " *")
            members.append(member)
        return members

    def call(self, text, header):
        """A function, or the type of one, without its `typedef`."""
        pointer = re.fullmatch(r"(.+?)\(\*(\w+)\)\s*\((.*)\)", text)
        function = pointer or re.fullmatch(r"(.+?)(\w+)\((.*)\)", text)
        if not function:
            self.fail(header, text)
        result = self.declaration(function[1].strip() + " r", header)[0].type
        return Call(function[2], result, self.arguments(function[3], header), header, bool(pointer))

    def words(self, text, header):
        value, names = -1, []
        for piece in split(text):
            name, _, given = (part.strip() for part in piece.partition("="))
            value = whole(given, self.into.constants) if given else value + 1
            if value is None:
                self.fail(header, piece)
            self.into.constants[name] = value
            names.append(name)
        return names

    def read(self, header, text):
        bare = re.sub(r"\\\n\s*", " ", re.sub(r"//[^\n]*", "", text))
        for name, value in DEFINE.findall(bare):
            number = whole(value, self.into.constants)
            if number is not None:
                self.into.constants[name] = number
        text, end = plain(text), 0
        for found in BLOCK.finditer(text):
            if text[end:found.start()].strip():
                self.fail(header, text[end:found.start()].strip())
            end = found.end()
            if found["enum"]:
                self.into.enums[found["enum"]] = self.words(found["words"], header)
            elif found["plain"]:
                self.words(found["plain"], header)
            elif found["struct"]:
                fields = [m for field in found["fields"].split(";") if field.strip()
                          for m in self.declaration(field.strip(), header)]
                self.into.structs[found["struct"]] = fields
                self.into.order.append(found["struct"])
            elif found["opaque"]:
                self.into.opaque.append(found["opaque"])
            elif found["type"]:
                call = self.call(found["type"], header)
                self.into.calls[call.name] = call
                self.into.order.append(call.name)
            else:
                self.into.functions.append(self.call(found["function"], header))
        if text[end:].strip():
            self.fail(header, text[end:].strip())


def load(root):
    """The interface of the headers in HEADERS."""
    reader = Reader()
    for header in HEADERS:
        reader.read(header, pathlib.Path(root, "client", "include", "carom", f"{header}.h").read_text(encoding="utf-8"))
    reader.into.opaque = [name for name in reader.into.opaque if name not in reader.into.structs]
    return reader.into


def layout(interface):
    """A program in C that prints the interface as its compiler sees it: "size NAME BYTES", "offset STRUCT.FIELD BYTES",
    "width STRUCT.FIELD BYTES", "value NAME NUMBER". It compiles only if every function has the type that was read."""
    out = "".join(f"#include <carom/{header}.h>\n" for header in HEADERS) + "#include <stdio.h>\n\n"
    for f in interface.functions:
        args = ", ".join(a.type.text for a in f.args) or "void"
        out += f"{f.result.text} (*const type_of_{f.name})({args}) = {f.name};\n"
    out += "\nint main(void)\n{\n"
    for name, members in interface.structs.items():
        out += f'    printf("size {name} %zu\\n", sizeof({name}));\n'
        for m in members:
            out += f'    printf("offset {name}.{m.name} %zu\\n", offsetof({name}, {m.name}));\n'
            out += f'    printf("width {name}.{m.name} %zu\\n", sizeof((({name} *)0)->{m.name}));\n'
    for name in interface.constants:
        out += f'    printf("value {name} %lld\\n", (long long){name});\n'
    return out + "    return 0;\n}\n"
