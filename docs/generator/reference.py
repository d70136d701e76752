"""The reference as Markdown, from the one description in proto/schema: methods, shapes, errors, limits, events, metrics.

It has the tables of PROTOCOL.md without the prose and bytes around them, and an anchor for each thing: methods, shapes,
errors, limits, events and metrics have headings, arguments and keys are links to themselves (#bodyspawn-position).
"""

import re
import sys

from .markup import slug

FOLDER = "docs/reference"
OF_PROTOCOL = "../../proto/PROTOCOL.md"
GROUPS = {"server": "Server", "world": "Worlds", "body": "Bodies", "shape": "Shapes", "joint": "Joints", "query": "Queries",
          "data": "Data", "message": "Messages"}


def load(root):
    """The description, and the module that writes PROTOCOL.md's tables."""
    sys.path.insert(0, str(root / "proto"))
    try:
        from generate import protocol, schema
    finally:
        sys.path.pop(0)
    return schema.load(root / "proto" / "schema", root), protocol


def anchored(table, prefix):
    """The table with an anchor for the name in each row's first column."""
    return re.sub(r"^\| `(\w+)` \|", lambda row: f'| <a id="{prefix}-{row[1]}" href="#{prefix}-{row[1]}"><code>{row[1]}</code></a> |',
                  table, flags=re.M)


def arguments(name, args, tables):
    """The table of arguments, or a sentence where there are none."""
    return anchored(tables.table(args), slug(name))


def answer(name, result, description, tables):
    rows = list(tables.answer_rows(result, description))
    return anchored(tables.columns(["key of the answer", "unit", ""], rows), f"{slug(name)}-answer") if rows else ""


def method_section(method, description, tables):
    keys = answer(method.name, method.answer, description, tables) if method.answer is not None else ""
    in_batch = " It is allowed in `world.apply`." if method.batch else ""
    return "\n\n".join(filter(None, [
        f"### {method.name}", f"{method.summary}{in_batch}", f"Least role: `{method.role}`. Answers {answer_words(method)}.",
        arguments(method.name, method.args, tables), keys,
        f"In full, with its bytes: [PROTOCOL.md]({OF_PROTOCOL}#{slug(method.name)}).", ""]))


def answer_words(method):
    form, colon, rest = method.result.partition(":")
    return f"`{form}`{colon}{rest}" if form[0] in "{[" else method.result


def methods_page(description, tables):
    groups = {}
    for method in description.methods:
        groups.setdefault(GROUPS.get(method.name.partition(".")[0], "Sessions"), []).append(method)
    out = ["# Methods", "Every method of the protocol, its arguments and the keys of its answer. [Sections in prose]"
           f"({OF_PROTOCOL}) explain them; [errors](errors.md) and [limits](limits.md) have pages of their own.",
           tables.columns(["method", "role", ""], [[f"[{m.name}](methods.md#{slug(m.name)})", m.role, first_sentence(m.summary)]
                                                    for m in description.methods])]
    for title, methods in groups.items():
        out += [f"## {title}", *(method_section(m, description, tables) for m in methods)]
    return "\n\n".join(out)


def first_sentence(text):
    return text.partition(". ")[0].rstrip(".") + "."


def shapes_page(description, tables):
    out = ["# Shapes", f"The kinds of shapes and their arguments; [PROTOCOL.md]({OF_PROTOCOL}#shapes) has examples."]
    for shape in description.shapes:
        out += [f"## {shape.name}", arguments(shape.name, shape.args, tables)]
    for name, title in (("filter", "Filter of a shape"), ("query_filter", "Filter of a query")):
        out += [f"## {title}", arguments(title, description.structs[name].args, tables)]
    return "\n\n".join(out)


def errors_page(description, _):
    out = ["# Errors", f"An error is a code, a colon and a text that names the fault ([PROTOCOL.md]({OF_PROTOCOL}#errors))."]
    for error in description.errors:
        out += [f"## {error.name}", *([error.doc, "Only libcarom answers this code."] if error.client
                                      else [error.says, f"A client's reaction: {error.cure}"])]
    return "\n\n".join(out)


def limits_page(description, tables):
    out = ["# Limits", "## Set by the operator", "`caromd --limit NAME=VALUE` sets them."]
    for limit in description.server_limits:
        unit = f" {limit.unit}" if limit.unit else ""
        token = " A token may lower it for its session." if limit.token else ""
        out += [f"### {limit.name}", f"Default {tables.in_groups(limit.default)}{unit}, from {tables.in_groups(limit.min)} to "
                f"{tables.in_groups(limit.max)}.{token}", limit.bounds, f"Reason for the default: {limit.reason}"]
    out += ["## Fixed by the protocol"]
    for fixed in description.fixed:
        out += [f"### {fixed.name}", f"{tables.in_groups(fixed.value)}: {fixed.doc}."]
    return "\n\n".join(out)


def events_page(description, tables):
    out = ["# Events", f"Maps with `kind`, `tick` and the keys below ([PROTOCOL.md]({OF_PROTOCOL}#events))."]
    for event in description.events:
        out += [f"## {event.name}", f"{event.doc[0].upper()}{event.doc[1:]}.",
                anchored(tables.columns(["key", "type", ""], [[f"`{k.name}`", k.type, k.doc] for k in event.keys]), event.name)]
    return "\n\n".join(out)


def metrics_page(description, tables):
    out = ["# Metrics", "Families of `/metrics`, in Prometheus' format."]
    for family in description.families.values():
        values = [[f"`{c.value}`", c.doc] for c in description.counters if c.family is family and c.value]
        labels = f" Labels: {', '.join(f'`{label}`' for label in family.labels)}." if family.labels else ""
        out += [f"## {family.name}", f"{family.help} A {family.type}.{labels}"]
        out += [tables.columns([family.labels[0], "counts"], values)] if values else []
    return "\n\n".join(out)


def pages(root):
    """{path: Markdown} of the reference."""
    description, tables = load(root)
    writers = {"methods": methods_page, "shapes": shapes_page, "errors": errors_page, "limits": limits_page,
               "events": events_page, "metrics": metrics_page}
    # Links within the description's texts are to sections of PROTOCOL.md.
    return {f"{FOLDER}/{name}.md": write(description, tables).replace("](#", f"]({OF_PROTOCOL}#") + "\n"
            for name, write in writers.items()}
