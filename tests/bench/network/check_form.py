"""Checks that the output of carom-bench-network still has the form in README.md. This is no
measurement.

Runs the program for one second per figure, then checks the tables that it writes for programs: each
has its rows and columns, numbers where numbers belong, and values that hold at any speed.

Usage: check_form.py PROGRAM PARTS SECONDS [OPTION ...]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

# table: (part, rows (None: at least one), columns that are text, columns that may be empty)
TABLES = {
    "bandwidth": ("bandwidth", 4, ["scene"], ["gzip of plain", "zstd of plain"]),
    "bits": ("bandwidth", 4, ["scene"], ["gzip of plain", "zstd of plain"]),
    "coder": ("bandwidth", 4, ["scene"], []),
    "views": ("views", 4, ["views"], []),
    "replica": ("replica", 4, ["scene"], []),
    "lateness": ("lateness", 4, ["world"], []),
    "memory": ("memory", 5, ["subscription"], ["a connection [bytes]", "a subscription [bytes]"]),
    "worlds": ("worlds", None, ["carried"], []),
    "players": ("players", None, ["carried"], []),
    "seats": ("seats", None, ["carried"], []),
    "relay": ("relay", None, ["carried"], []),
}
PLOTS = ["bandwidth", "lateness", "worlds", "players"]


def check_table(name, rows, wanted, texts, optional):
    assert len(rows) == wanted if wanted else rows, f"{name}: {len(rows)} rows, not {wanted}"
    for row in rows:
        for head, value in row.items():
            where = f"{name}, {head}: {value!r}"
            if head in texts:
                assert isinstance(value, str) and value, where
            elif value is None:
                assert head in optional, where
            else:
                assert isinstance(value, (int, float)) and value >= 0, where


def check_bandwidth(tables):
    for row in tables["bandwidth"]:
        assert 0 < row["packed [kbit/s]"] < row["plain [kbit/s]"], row
        assert 0 < row["compact log, rate 20"] < row["compact log"] < row["log [kbit/s]"] / 2, row
    for row in tables["coder"]:
        assert row["worst error [steps]"] <= 0.5 + 1e-9, row


def check_lateness(tables):
    for row in tables["lateness"]:
        assert row["ticks"] > 0 and row["p50 [us]"] <= row["p99 [us]"] <= row["p99.9 [us]"], row


def check_search(name, table=None):
    def check(tables):
        rows = tables[table or name]
        assert all(row["carried"] in ("yes", "no") for row in rows), rows
        counts = [row[name] for row in rows]
        assert counts == sorted(counts) and all(row["rate : hz"] <= 1 for row in rows), rows
    return check


CHECKS = {"bandwidth": check_bandwidth, "lateness": check_lateness,
          "worlds": check_search("worlds"), "players": check_search("players"),
          "seats": check_search("worlds", "seats")}


def main():
    program, parts, seconds, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        subprocess.run([program, "--parts", parts, "--seconds", seconds, "--json", path / "o.json",
                        "--svg", folder, *options], check=True)
        result = json.loads((path / "o.json").read_text())
        assert result["bench"] == "carom-bench-network" and result["machine"]["processors"] >= 1
        tables = result["tables"]
        expected = {name for name, row in TABLES.items() if row[0] in parts.split(",")}
        assert set(tables) == expected, f"tables {sorted(tables)}, not {sorted(expected)}"
        for name, rows in tables.items():
            check_table(name, rows, *TABLES[name][1:])
        for part in parts.split(","):
            if part in CHECKS:
                CHECKS[part](tables)
            if part in PLOTS:
                root = xml.etree.ElementTree.parse(path / f"{part}.svg").getroot()
                assert root.tag.endswith("svg") and len(root) > 10, part


if __name__ == "__main__":
    main()
