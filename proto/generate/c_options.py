"""client/cli/method_options.h: the options of commands that call one method, for help, completion and the manual page.

A method, list or struct with `options = true` has an option for each optional argument that a word can say: `--max-bodies N`
for max_bodies. `option` of an argument gives it another name, letter, value or help, and `option = {}` none at all.
"""

from .text import c_string

HEAD = """\
// Generated from proto/schema by proto/generate/c_options.py: do not edit.
//
// For a method, or for arguments that several methods share: OPTIONS_..., rows for the `options` of
// a command (common/args/args.h), and PARAMS_..., rows that name the argument that each of them sets
// (params_method of client/cli/params.h).
#ifndef CAROM_CLIENT_CLI_METHOD_OPTIONS_H
#define CAROM_CLIENT_CLI_METHOD_OPTIONS_H

// clang-format off
"""

KINDS = {"bool": "ARGS_FLAG", "number": "ARGS_NUMBER", "integer": "ARGS_WHOLE", "vector": "ARGS_VECTOR",
         "choice": "ARGS_CHOICE", "choices": "ARGS_TEXT", "string": "ARGS_TEXT", "name": "ARGS_TEXT", "area": "ARGS_AREA",
         "id": "ARGS_ID", "mask": "ARGS_WHOLE", "players": "ARGS_JSON"}
VALUES = {"players": "JSON", "integer": "N", "choices": "WORD,...", "mask": "BITS", "vector": "X,Y", "choice": "WORD", "string": "TEXT", "name": "NAME", "area": "X0,Y0,X1,Y1"}


def optional(args):
    return [a for a in args if not a.required and not a.routing and a.type in KINDS and a.option != {}]


def kind_of(a):
    if a.type == "integer" and a.min < 0:
        return "ARGS_NUMBER"  # a whole number has no sign
    return "ARGS_BODY" if a.type == "id" and a.of == "body" else KINDS[a.type]


def switches_off(a):
    return a.type == "bool" and a.value is True


def given(a, key, otherwise):
    return (a.option or {}).get(key, otherwise)


def name(a):
    return given(a, "name", ("no-" if switches_off(a) else "") + a.name.replace("_", "-"))


def help_text(a):
    """The doc as a phrase, with unit and default."""
    text = a.doc.rstrip(".")
    text = text[0].lower() + text[1:] if text[:2].istitle() or text[:2] == "A " else text
    text = "not: " + text if switches_off(a) else text
    shown = a.default not in (None, "false", "true", '""')
    default = ",".join(str(v) for v in a.value) if isinstance(a.value, list) else a.value
    return text + (f", {a.unit}" if a.unit and a.type == "vector" else "") + (f" (default {default})" if shown else "")


def row(a):
    word = VALUES.get(a.type) or a.of.upper() or a.unit.upper() or "N"
    value = "NULL" if a.type == "bool" else c_string(given(a, "value", word))
    letter = f"'{a.option['letter']}'" if a.option and "letter" in a.option else "0"
    words = c_string("|".join(a.words)) if a.type == "choice" else "NULL"
    kind = given(a, "kind", kind_of(a))
    return f"{{{c_string(name(a))}, {letter}, {kind}, {value}, {c_string(given(a, 'help', help_text(a)))}, {words}}}"


def params(a):
    value, words = "false" if switches_off(a) else "true", "true" if a.type == "choices" else "false"
    return f"{{{c_string(name(a))}, {c_string(a.name)}, {kind_of(a)}, {value}, {words}}}"


def macro(kind, name, rows):
    return f"#define {kind}_{name} \\\n" + ", \\\n".join(f"    {r}" for r in rows) + "\n\n"


def write(schema):
    out = HEAD
    shared = [(l.name.upper(), l.args) for l in schema.lists if l.options]
    shared += [(name.upper(), s.args) for name, s in schema.structs.items() if s.options]
    for symbol, args in shared + [(m.id, m.args) for m in schema.methods if m.options]:
        out += macro("OPTIONS", symbol, [row(a) for a in optional(args)])
        out += macro("PARAMS", symbol, [params(a) for a in optional(args)])
    return out + "// clang-format on\n\n#endif\n"
