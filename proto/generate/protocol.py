"""The tables of proto/PROTOCOL.md: what each method, shape and map takes, between the comments that name them.

A block `<!-- method NAME -->` holds the method's table, then its example, which the code itself makes
(tests/unit/proto/test_protocol.py); a block `<!-- reference NAME -->` holds a table alone.
"""

import re

BLOCK = re.compile(r"(<!-- (?:method|reference) (.*?) -->\n)(.*?)((?:^```\n[^`]*^```\n)?<!-- end -->)", re.S | re.M)
TYPES = {
    "bool": "bool", "number": "number", "integer": "integer", "mask": "mask", "id": "id", "string": "string",
    "name": "name", "choice": "word", "choices": "[word …]", "vector": "[x, y]", "vectors": "[[x, y] …]",
    "area": "[x0, y0, x1, y1]", "filter": "filter", "precision": "precision", "shape": "shape", "form": "form",
    "shapes": "[shape …]", "commands": "[[method, {…}] …]", "bytes": "bytes", "any": "any value",
    "prefixes": "true or [string …]", "players": "players",
}
RANGED = {"number", "integer", "vector", "vectors", "area"}


def range_of(a):
    out = ""
    if a.type in RANGED:
        out = f"±{a.max:.10g}" if a.min == -a.max else f"{a.min:.10g} to {a.max:.10g}"
    elif a.type == "string":
        out = f"{a.max:.10g} bytes"
    elif a.words:
        out = ", ".join(f"`{word}`" for word in a.words)
    out += f" {a.unit}" if a.unit else ""
    if a.type in ("vectors", "shapes", "commands", "prefixes"):
        out += "; " if a.type == "vectors" else ""
        out += f"{a.count[0]} to {a.count[1]}"
    return out


def row(a):
    otherwise = "an error" if a.required else f"`{a.default}`" if a.default is not None else ""
    return f"| `{a.name}` | {TYPES[a.type]} | {range_of(a)} | {otherwise} | {a.doc} |"


def table(args):
    if not args:
        return "No arguments."
    return "\n".join(["| argument | type | range | left out | |", "| --- | --- | --- | --- | --- |", *map(row, args)])


def method(m):
    form, colon, rest = m.result.partition(":")
    form = f"`{form}`" if form[0] in "{[" else form
    batch = " Allowed in `world.apply`." if m.batch else ""
    return f"{m.summary} Role: {m.role}.{batch}\nAnswers {form}{colon}{rest}.\n\n{table(m.args)}"


def columns(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line).replace("|  |", "| |") + " |" for line in lines)


def in_groups(number):
    """Digits in groups of three."""
    return f"{number:,}".replace(",", " ")


def shown_range(limit):
    return f"{in_groups(limit.default)}{' ' + limit.unit if limit.unit else ''}"


def facts(schema):
    """Everything except methods: errors, limits, events, metrics."""
    server = [e for e in schema.errors if not e.client]
    return {
        "errors": columns(["code", "what it says", "what a client does"],
                          [[f"`{e.name}`", e.says, e.cure] for e in server]),
        "fixed limits": columns(["limit", "value"],
                                [[f.doc, f"`{f.name}` ({in_groups(f.value)})"] for f in schema.fixed]),
        "limits": columns(["limit", "default", "what it bounds, and what happens there"],
                          [[f"`{l.name}`", shown_range(l), l.bounds] for l in schema.server_limits]),
        "kinds of events": columns(["kind", "keys", "when"],
                          [[f"`{e.name}`", ", ".join(f"`{k.name}`" for k in e.keys), e.doc] for e in schema.events]),
        "event keys": columns(["key", ""], [[f"`{k.name}`", k.doc] for k in event_keys(schema)]),
        "counters": columns(["counter", "counts"],
                            [[f"`{c.name}`", c.doc] for c in schema.counters]),
        "latencies": columns(["latency", "measures"], [[f"`{t.name}`", t.doc] for t in schema.timings]),
        "metrics": columns(["family", "type", "labels", "shows"],
                           [[f"`{f.name}`", f.type, ", ".join(f.labels), f.help] for f in schema.families.values()]),
    }


def answer_rows(result, schema):
    for key in result.keys:
        if key.include:
            yield from answer_rows(schema.results[key.include], schema)
        else:
            yield [f"`{key.name}`", key.unit, key.doc]


def event_keys(schema):
    return {key.name: key for e in schema.events for key in e.keys}.values()


def reference(schema):
    """{block: Markdown}"""
    sections = {m.name: method(m) for m in schema.methods}
    sections |= {f"shape {s.name}": table(s.args) for s in schema.shapes}
    sections |= {f"answer {r.name}": columns(["key", "unit", ""], list(answer_rows(r, schema))) for r in schema.results.values() if r.page}
    structs = schema.structs
    sections |= facts(schema)
    return sections | {"filter of a shape": table(structs["filter"].args), "precision": table(structs["precision"].args), "players": table(structs["players"].args),
                       "filter of a query": table(structs["query_filter"].args)}


def with_all_methods(schema, text):
    """The page with a heading and an empty block for each method that it lacks, after the previous method."""
    if "<!-- method " not in text:
        return text  # the page is not PROTOCOL.md: it has only other blocks
    for before, m in zip(schema.methods, schema.methods[1:]):
        if f"<!-- method {m.name} -->" not in text:
            start = text.index("<!-- end -->", text.index(f"<!-- method {before.name} -->"))
            end = start + len("<!-- end -->\n")
            text = text[:end] + f"\n### {m.name}\n<!-- method {m.name} -->\n<!-- end -->\n" + text[end:]
    return text


def renew(schema, text):
    """The page with its tables as the schema has them; examples, and blocks of others, as they are."""
    text = with_all_methods(schema, text)
    sections = reference(schema)

    def block(match):
        head, name, _, rest = match.groups()
        if name not in sections:
            return match[0]
        return head + sections[name] + "\n" + ("\n" if rest.startswith("```") else "") + rest

    return BLOCK.sub(block, text)
