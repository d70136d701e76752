"""The rest of the description, beside methods: codes of errors, limits of the server, metrics, kinds of events.

The format is described in proto/schema/README.md, as that of schema.py, which calls these readers.
"""

import dataclasses
import re

from .toml_file import check_keys, entries, evaluate, suggestion

SIDES = {"server", "client"}
METRIC_TYPES = {"counter", "gauge", "histogram"}
FAMILY_NAME = re.compile(r"(carom|process)_[a-z_]+")
KEY_TYPES = {"id", "vector", "number", "string", "any"}


@dataclasses.dataclass
class ErrorCode:
    name: str
    doc: str  # the comment in C
    says: str = ""  # PROTOCOL.md: meaning of the code
    cure: str = ""  # PROTOCOL.md: reaction of a client
    client: bool = False  # a client's own, which no server sends

    @property
    def id(self):
        return self.name.upper()


@dataclasses.dataclass
class ServerLimit:
    name: str
    default: int
    min: int
    max: int
    unit: str
    reason: str  # reason for the default: --help, the manual page
    bounds: str  # what it limits, and the effect of reaching it: PROTOCOL.md
    token: bool  # a token may lower it for its session


@dataclasses.dataclass
class Fixed:
    """A constant that PROTOCOL.md lists among the limits of this version."""
    name: str
    value: int
    doc: str


@dataclasses.dataclass
class Family:
    """A family of metrics at /metrics, in Prometheus' format."""
    name: str
    type: str
    help: str
    labels: list[str]

    @property
    def id(self):
        return self.name.removeprefix("carom_").upper()


@dataclasses.dataclass
class Counter:
    """A counter of server.stats, which is a row of a family of metrics."""
    name: str
    family: Family
    value: str  # value of the family's label; "" without one
    scale: float
    doc: str


@dataclasses.dataclass
class Timing:
    """A histogram of times in server.stats."""
    name: str
    doc: str
    family: Family | None


@dataclasses.dataclass
class Key:
    """A key of an event's map."""
    name: str
    type: str  # id, vector or number
    doc: str
    single: bool = False  # the engine holds it in single precision


@dataclasses.dataclass
class Event:
    name: str
    keys: list[Key]
    doc: str
    engine: bool = True  # False: a command makes it

    @property
    def id(self):
        return self.name.upper()


def table(files, kind):
    """(file, name, row) of the tables `[kind]`, in order: rows {key = value …} by name."""
    for file in files:
        for name, row in file.data.get(kind, {}).items():
            if not isinstance(row, dict):
                file.fail(kind, name, "wants {key = value, …}")
            yield file, name, row


def read_errors(files):
    errors = []
    for file, row in entries(files, "error", {"doc"}, {"says", "cure", "side"}):
        if row.get("side", "server") not in SIDES:
            file.fail(row["name"], "side", f"side '{row['side']}' is none of {', '.join(sorted(SIDES))}")
        client = row.get("side") == "client"
        if not client:
            check_keys(file, row["name"], None, row, {"name", "doc", "says", "cure"}, {"side"})
            if errors and errors[-1].client:
                file.fail(row["name"], None, "a server's code stands before the clients' own")
        errors.append(ErrorCode(row["name"], row["doc"], row.get("says", ""), row.get("cure", ""), client))
    return errors


def whole(file, name, key, value, names):
    """A whole number: itself, or an expression of constants."""
    try:
        number = value if type(value) is int else evaluate(value, names)
    except KeyError as error:
        file.fail(name, key, f"there is no limit {error.args[0]}{suggestion(error.args[0], names)}")
    except (ValueError, AttributeError, TypeError):
        file.fail(name, key, f"{value!r} is no whole number, limit or sum of them")
    if number != int(number) or not 0 <= number < 2**63:
        file.fail(name, key, f"{value!r} is no whole number from 0 on")
    return int(number)


def read_server_limits(files, names):
    limits = []
    for file, row in entries(files, "limit", {"default", "range", "reason", "bounds"}, {"unit", "token"}):
        name = row["name"]
        if not isinstance(row["range"], list) or len(row["range"]) != 2:
            file.fail(name, "range", "range is [least, most]")
        least, most = (whole(file, name, "range", value, names) for value in row["range"])
        default = whole(file, name, "default", row["default"], names)
        if not least <= default <= most:
            file.fail(name, "default", f"default {default} is not within {least} to {most}")
        limits.append(ServerLimit(name, default, least, most, row.get("unit", ""), row["reason"], row["bounds"],
                                  row.get("token", False)))
    return limits


def read_fixed(files, names):
    fixed = []
    for file in files:
        for name, doc in file.data.get("fixed", {}).items():
            fixed.append(Fixed(name, whole(file, "fixed", name, name, names), doc))
    return fixed


def read_families(files):
    families = {}
    for file, name, row in table(files, "families"):
        check_keys(file, "families", name, row, {"type", "help"}, {"labels"})
        if not FAMILY_NAME.fullmatch(name) or (row["type"] == "counter") != name.endswith("_total"):
            file.fail("families", name, "a name is carom_SUBJECT_UNIT, and ends in _total if it is a counter's")
        if row["type"] not in METRIC_TYPES:
            file.fail("families", name, f"type '{row['type']}' is none of {', '.join(sorted(METRIC_TYPES))}")
        families[name] = Family(name, row["type"], row["help"], row.get("labels", []))
    return families


def family_of(file, kind, name, row, families):
    if row["family"] not in families:
        file.fail(kind, name, f"there is no family '{row['family']}'{suggestion(row['family'], families)}")
    return families[row["family"]]


def read_counters(files, families):
    counters = []
    for file, name, row in table(files, "counters"):
        check_keys(file, "counters", name, row, {"family", "doc"}, {"value", "scale"})
        family = family_of(file, "counters", name, row, families)
        if family.type != "counter" or len(family.labels) != ("value" in row):
            file.fail("counters", name, f"{family.name} is a {family.type} with {len(family.labels)} labels: a counter "
                                        "wants a `value` of the one label, or none where there is none")
        counters.append(Counter(name, family, row.get("value", ""), row.get("scale", 1), row["doc"]))
    return counters


def read_timings(files, families):
    timings = []
    for file, name, row in table(files, "timings"):
        check_keys(file, "timings", name, row, {"doc"}, {"family"})
        family = family_of(file, "timings", name, row, families) if "family" in row else None
        timings.append(Timing(name, row["doc"], family))
    return timings


def read_keys(files):
    keys = {}
    for file, name, row in table(files, "event_keys"):
        check_keys(file, "event_keys", name, row, {"type", "doc"}, {"single"})
        if row["type"] not in KEY_TYPES:
            file.fail("event_keys", name, f"type '{row['type']}' is none of {', '.join(sorted(KEY_TYPES))}")
        keys[name] = Key(name, row["type"], row["doc"], row.get("single", False))
    return keys


def read_events(files):
    events, keys = [], read_keys(files)
    for file, row in entries(files, "event", {"keys", "doc"}, {"by"}):
        if row.get("by", "command") != "command":
            file.fail(row["name"], "by", f"'{row['by']}' is not command")
        for key in row["keys"]:
            if key not in keys:
                file.fail(row["name"], key, f"there is no event key '{key}'{suggestion(key, keys)}")
        events.append(Event(row["name"], [keys[key] for key in row["keys"]], row["doc"], "by" not in row))
    return events
