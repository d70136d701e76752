"""Checks that carom-bench-fanout still writes the table and plots in README.md. This is no
measurement.

Usage: check_form.py CAROM_BENCH_FANOUT CAROMD
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

SERVERS = ("caromd", "redis", "nats", "bare")
SIZES = (64, 1024)
SUBSCRIBERS = (10, 20)
SVG = "{http://www.w3.org/2000/svg}"


def check_plot(path, title, rows):
    """Checks that the plot has a line for each installed server, with a point for each size."""
    root = xml.etree.ElementTree.parse(path).getroot()
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert title in texts, texts
    measured = {server: [row for row in rows if row[f"{server} [us]"] is not None] for server in SERVERS}
    for server in SERVERS:
        assert (server in texts) == bool(measured[server]), f"{path.name}: {server} in {texts}"
    points = sum(map(len, measured.values()))
    circles = len(list(root.iter(f"{SVG}circle")))
    assert circles == points, f"{path.name}: {circles} points, not {points}"


def main():
    program, caromd = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        subprocess.run([program, caromd, "--sizes", ",".join(map(str, SIZES)), "--subscribers",
                        ",".join(map(str, SUBSCRIBERS)), "--seconds", "0.3", "--rounds", "1",
                        "--json", path / "o.json", "--svg", folder], check=True)
        result = json.loads((path / "o.json").read_text())
        assert result["bench"] == "carom-bench-fanout", result["bench"]
        rows = result["tables"]["fanout"]
        assert [row["subscribers"] for row in rows] == [*SUBSCRIBERS] * len(SIZES), rows
        for row in rows:
            assert 64 <= row["bytes"] <= 1100 and row["rate [Hz]"] >= 1, row
            assert row["caromd [us]"] > 0 and row["bare [us]"] > 0 and row["to bare"] > 0, row
        for count in SUBSCRIBERS:
            check_plot(path / f"fanout-{count}.svg", f"A message to {count} subscribers",
                       [row for row in rows if row["subscribers"] == count])


if __name__ == "__main__":
    main()
