"""Codes of errors, limits, metrics and events as lists of C, which tables and enums are expanded from."""

from .text import c_comment, c_string

NOTE = "// Generated from proto/schema by proto/generate/c_facts.py: do not edit. "


def header(path, about, body):
    guard = "CAROM_" + path.upper().replace("/", "_").replace(".", "_")
    return f"{NOTE}{about}\n#ifndef {guard}\n#define {guard}\n\n// clang-format off\n{body}// clang-format on\n\n#endif\n"


def macro(name, columns, rows):
    """An X macro; `columns` lists the arguments of X."""
    return f"// X({columns})\n#define {name}(X) \\\n" + " \\\n".join(f"    X({row})" for row in rows) + "\n\n"


def enum(name, first, rows, last):
    """`rows` are (enumerator, doc)."""
    out = f"typedef enum {name} {{\n" + "".join(f"    {line},\n" for line in first)
    for c, doc in rows:
        out += "".join(f"    {line}\n" for line in c_comment(doc, 94)) + f"    {c},\n"
    return out + f"    {last}\n}} {name};\n\n"


def write_status(schema):
    codes = [e for e in schema.errors if not e.client]
    body = enum("status", ["STATUS_OK = 0"], [(f"STATUS_{e.id}", e.doc) for e in codes], "STATUS_COUNT")
    body += macro("STATUS_WORDS", "id, word of the wire", ['OK, "ok"', *(f"{e.id}, {c_string(e.name)}" for e in codes)])
    return header("common/base/status_list.h", "See common/base/status.h.", body)


def write_limits(schema):
    rows = [f"{l.name}, {l.default}, {l.min}, {l.max}, {c_string(l.unit)}, {c_string(l.reason)}"
            for l in schema.server_limits]
    body = macro("LIMITS_TABLE", "name, default, smallest, largest, unit, reason", rows)
    words = "|".join(l.name for l in schema.server_limits if l.token)
    body += f"// Names of limits that a token may lower, as error texts have them.\n#define LIMITS_OF_TOKENS {c_string(words)}\n"
    return header("server/base/limit_list.h", "See server/base/limits.h.", body)


def labels(c):
    return c_string(f'{{{c.family.labels[0]}="{c.value}"}}') if c.value else '""'


def write_metrics(schema):
    body = macro("METRICS_TABLE", "name of a counter, its family, labels of its row there, scale",
                 [f"{c.name}, {c.family.id}, {labels(c)}, {float(c.scale)}" for c in schema.counters])
    body += macro("TIMINGS_TABLE", "id, name", [f"{t.name.upper()}, {c_string(t.name)}" for t in schema.timings])
    body += macro("FAMILIES_TABLE", "id, name, type, help",
                  [f"{f.id}, {c_string(f.name)}, {c_string(f.type)}, {c_string(f.help)}" for f in schema.families.values()])
    body += enum("timing", [], [(f"TIMING_{t.name.upper()}", t.doc) for t in schema.timings], "TIMING_COUNT")
    return header("server/base/metric_list.h", "See server/base/metrics.h.", body)


def write_events(schema):
    body = macro("EVENT_WORDS", "id, word of the wire", [f"{e.id}, {c_string(e.name)}" for e in schema.events])
    return header("proto/event_list.h", "The kinds of events by name.", body)


# ---- encoding

ENCODE_HEAD = NOTE + """See proto/encode/encode.h.
#include "common/world/event_kinds.h"
#include "proto/encode/encode_pack.h"
#include "proto/event_list.h"
#include "proto/wire/buffer.h"

// clang-format off
const char *event_kind_name(uint32_t kind)
{
#define NAME(id, word) [EVENT_##id] = word,
    static const char *const NAMES[WORLD_EVENT_KIND_COUNT] = {EVENT_WORDS(NAME)};
#undef NAME
    return kind < WORLD_EVENT_KIND_COUNT ? NAMES[kind] : "unknown";
}

"""


def pack(key):
    if key.type == "id":
        return f'pair_uint(k, "{key.name}", e->{key.name});'
    if key.type == "vector":
        return f'{"pair_vec2" if key.single else "pair_place"}(k, "{key.name}", e->{key.name});'
    return f'{"pair_float" if key.single else "pair_double"}(k, "{key.name}", (double)e->{key.name});'


def write_encode_event(schema):
    """A function for each set of keys, which several kinds have; events of commands are encoded by hand."""
    engine = [e for e in schema.events if e.engine]
    sets = list(dict.fromkeys(tuple(key.name for key in e.keys) for e in engine))
    out = ENCODE_HEAD
    for i, names in enumerate(sets):
        keys = next(e.keys for e in engine if tuple(key.name for key in e.keys) == names)
        out += f"static void pack_keys_{i}(packer *k, const physics_event *e)\n{{\n"
        out += "".join(f"    {pack(key)}\n" for key in keys) + "}\n\n"
    out += "// Keys beside kind and tick, and what writes them.\nstatic const struct {\n    uint32_t pairs;\n"
    out += "    void (*pack)(packer *k, const physics_event *e);\n} KEYS[EVENT_KIND_COUNT] = {\n"
    for e in engine:
        i = sets.index(tuple(key.name for key in e.keys))
        out += f"    [EVENT_{e.id}] = {{{len(e.keys)}, pack_keys_{i}}},\n"
    return out + """};

void encode_event(struct buffer *out, const physics_event *event)
{
    packer k = buffer_packer(out);
    pack_map(&k, 2 + KEYS[event->kind].pairs);
    pair_text(&k, "kind", event_kind_name(event->kind));
    pair_uint(&k, "tick", event->tick);
    KEYS[event->kind].pack(&k, event);
}
// clang-format on
"""
