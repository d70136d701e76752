"""common/world/method_list.h: the methods, roles and scopes as enums, and a row of columns for each method."""

from .schema import STEPS
from .text import c_comment, c_number, c_string

HEAD = """\
// Generated from proto/schema by proto/generate/c_methods.py: do not edit.
//
// The one table of methods: a file that needs a column expands a list with a macro that takes it.
//
//   METHOD_LIST    X(id, name on the wire, least role, scope, traits, price)   every method
//   METHOD_SUBJECTS, METHOD_MAKES   X(id, field)   where a command has the id of the body, shape or
//                                   joint that it is about, and a result that of what was made
//   METHOD_PLAYERS_BITS   X(id, place)   methods that the `players` of a world may deny to players
//   METHOD_PAST    X(id, field)     where a command has `at`, a tick of the past that it reads
//   METHOD_DECODE  X(id, function)  arguments into the command: decode_..._command, generated too
//                                   (decode_plain.c); `none` where the world is all there is
//   METHOD_PERMIT  X(id, function)  whether a player may: permit_... of ownership.c
//   METHOD_PLAN    X(id, function)  whether a batch's command can be carried out: plan_... of
//                                   apply_plan.c
//   METHOD_DRY_RUN   X(id, function)  what joints of a batch have to know of it: dry_run_... of
//                                   apply_dry_run.c
//   METHOD_APPLY   X(id, function)  carries it out on a world: apply_... of apply.c
//   METHOD_OWN     X(id, function)  what becomes of owners then: own_... of owners.c
//   METHOD_TALLY   X(id, function)  how many things it makes and removes: tally_... of capacity.c
//   METHOD_MARK    X(id, function)  whose full maps it changes: mark_... of descriptions.c
//   METHOD_CROWD   X(id, rule)      which pairs of shapes it makes: crowd_... of crowding.c
//   METHOD_BYTES   X(id, function)  about what its things will take: bytes_... of served_requests.c
//   METHOD_WHOLE   X(id, function)  about how long it takes where it goes over the whole world:
//                                   whole_... of served_apply.c
//   METHOD_SERVE   X(id, function)  how its world answers: do_... of served_requests.c
//   METHOD_ANSWER  X(id, function)  how the server answers itself: answer_... of call.c
//   METHOD_TOKEN_AREAS   X(id, function)  whether a token's areas allow it: token_areas_... of rights.c
//   METHOD_SHOWN_PLACES   X(id, parts)   the place that a read shows: SHOWN_POINT(vec2d), one after the
//                                   other, SHOWN_RADIUS(double), SHOWN_FORM(shape_geometry) of command c
//   METHOD_ROWS    X(id, function)  how many rows its answer has: rows_... of rights.c
//
// The rows are in the order in which PROTOCOL.md describes the methods.
#ifndef CAROM_COMMON_WORLD_METHOD_LIST_H
#define CAROM_COMMON_WORLD_METHOD_LIST_H

#include <stdbool.h>

"""


def enum(e):
    lines = c_comment(e.doc) + [f"typedef enum {e.type} {{"]
    for word in e.words:
        value = f" = 1 << {e.words.index(word)}" if e.bits else ""
        lines += [f"    {word.c}{value}, // {word.doc}"]
    if e.count:
        lines += [f"    {e.count}"]
    return "\n".join(lines + [f"}} {e.type};", ""])


def words_of(e):
    """The words of an enum as an X macro."""
    return macro(f"{e.type.upper()}_WORDS", [f"{w.c}, {c_string(w.word)}" for w in e.words])


def macro(name, rows):
    return f"#define {name}(X) \\\n" + " \\\n".join(f"    X({row})" for row in rows) + "\n\n"


def columns(m, schema):
    scope = next(w.c for w in schema.enums["scope"].words if w.word == m.scope)
    role = next(w.c for w in schema.enums["role"].words if w.word == m.role)
    traits = " | ".join(f"TRAIT_{trait.upper()}" for trait in m.traits) or "0"
    return f"{m.id}, {c_string(m.name)}, {role}, {scope}, {traits}, {c_number(m.price)}"


def step(name, methods):
    """The methods that have a function for the step; every one has a decoder, be it of nothing."""
    rows = [f"{m.id}, {m.code.get(name, 'none')}" for m in methods if name == "decode" or name in m.code]
    return macro(f"METHOD_{name.upper()}", rows)


def shown_place(m):
    """The arguments that bound what the method shows, as calls of macros."""
    fields = {a.name: a.field for a in m.args}
    parts = [("SHOWN_POINT", name) for name in m.shows_place["points"]]
    parts += [(f"SHOWN_{key.upper()}", m.shows_place[key]) for key in ("radius", "form") if key in m.shows_place]
    return f"{m.id}, " + " ".join(f"{macro}(c->{m.struct['member']}.{fields[name]})" for macro, name in parts)


def write(schema):
    written = [e for e in schema.enums.values() if e.header is None and e.name != "player_method"]
    out = HEAD + "// clang-format off\n" + "".join(enum(e) + "\n" for e in written)
    out += "".join(words_of(e) for e in written)
    out += macro("METHOD_LIST", [columns(m, schema) for m in schema.methods])
    for name, column in (("METHOD_SUBJECTS", "subject"), ("METHOD_MAKES", "makes")):
        out += macro(name, [f"{m.id}, {getattr(m, column)[1]}" for m in schema.methods if getattr(m, column)])
    players = schema.enums["player_method"].words
    out += macro("METHOD_PLAYERS_BITS", [f"{w.c.removeprefix('METHOD_')}, {i}" for i, w in enumerate(players)])
    past = [f"{m.id}, {m.struct['member']}" for m in schema.methods if m.scope == "read" and any(a.name == "at" for a in m.args)]
    out += macro("METHOD_PAST", past)
    out += macro("METHOD_SHOWN_PLACES", [shown_place(m) for m in schema.methods if m.shows_place])
    out += "".join(step(name, schema.methods) for name in STEPS)
    out += "enum method_shape {\n" + "".join(f"    {s.c},\n" for s in schema.shapes) + "    METHOD_SHAPE_COUNT\n};\n\n"
    out += "typedef enum method {\n" + "".join(f"    METHOD_{m.id},\n" for m in schema.methods)
    out += "    METHOD_COUNT\n} method;\n// clang-format on\n\n#endif\n"
    return out
