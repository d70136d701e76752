#!/usr/bin/env python3
"""The time from a command to its acknowledgement and to the snapshot, and whether a world keeps its rate with
many clients: rows of `carom bench --json` against a caromd that this program starts, on the same machine.

Latencies run from the moment a command was due. An acknowledgement waits for the tick that applies it, so its p99
cannot be under 0.99 of a tick; the goal is a tick and 1 ms. With --relay the clients have a simulated distance.

Usage: latency.py CAROMD CAROM [--seconds N] [--most CLIENTS] [--relay NAME=VALUE,...] [--json FILE]
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from caromd import Caromd  # noqa: E402

# name: players, watchers, bodies, hz
CASES = {
    "100 players, 60 Hz": (100, 0, 1000, 60),
    "100 players, 128 Hz": (100, 0, 1000, 128),
    "100 players, 1000 watchers, 60 Hz": (100, 1000, 1000, 60),
    "1000 players of 10000 bodies, 30 Hz": (1000, 0, 9000, 30),
}
SHARES = ("p50", "p99", "p99.9")


def processor_seconds(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(options, players, watchers, bodies, hz):
    """Runs `carom bench`; returns its report, with the processors that the server used."""
    words = ["--connections", min(players, options.most), "--watchers", min(watchers, options.most), "--bodies", bodies,
             "--hz", hz, "--time", f"{options.seconds * 1000:.0f}ms", "--rate", 30, "--area", "24x18", "--timeout", "30s",
             "--threads", 2 if min(players + watchers, options.most) > 1 else 1]
    words += ["--relay", options.relay] if options.relay else []
    with Caromd(options.caromd, "--http", "off") as server:
        used, begin = processor_seconds(server.process), time.monotonic()
        done = subprocess.run([options.carom, "--server", f"127.0.0.1:{server.port}", "--json", "bench", *map(str, words)],
                              stdout=subprocess.PIPE, text=True, timeout=options.seconds + 120)
        used = (processor_seconds(server.process) - used) / (time.monotonic() - begin)
    if done.returncode not in (0, 1) or not done.stdout:  # 1: unanswered commands are figures too
        sys.exit(f"carom bench ended with {done.returncode}")
    return {**json.loads(done.stdout), "processors": used}


def times(report, metric):
    return [report["metrics"].get(metric, {}).get(share, float("nan")) * 1e3 for share in SHARES]


def latency_row(report, hz):
    return dict(zip(("ack p50 [ms]", "p99", "p99.9", "a tick + 1 ms", "above the wait, p99", "seen p50 [ms]", "seen p99", "seen p99.9"),
                    (*times(report, "ack"), 1e3 / hz + 1, times(report, "above")[1], *times(report, "seen"))))


def rate_row(report):
    server = report["server"]
    return {"ticks": server["ticks"], "late ticks": server["ticks_late"], "rate : hz": server["rate_share"],
            "snapshots/s": report["snapshots_per_second"], "skipped": report["snapshots_skipped"],
            "kbit/s a client": report["bytes_in_per_client_second"] * 8e-3, "tick [ms]": server["step_mean"] * 1e3,
            "server's CPUs": report["processors"]}


def print_table(title, rows):
    print(f"\n{title}\n\n| clients | {' | '.join(next(iter(rows.values())))} |\n| --- |{' ---: |' * len(next(iter(rows.values())))}")
    for name, row in rows.items():
        print(f"| {name} | {' | '.join(f'{value:.3g}' if isinstance(value, float) else str(value) for value in row.values())} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("caromd")
    parser.add_argument("carom")
    parser.add_argument("--seconds", type=float, default=15.0, help="of each row")
    parser.add_argument("--most", type=int, default=4096, help="players, and watchers, of a row")
    parser.add_argument("--relay", help="as carom bench takes it")
    parser.add_argument("--json", help="a file for the tables")
    options = parser.parse_args()
    latency, rate = {}, {}
    for name, case in CASES.items():
        report = measure(options, *case)
        latency[name], rate[name] = latency_row(report, case[3]), rate_row(report)
    print_table("Commands, 30 a second of each player; packed snapshots of 24 m x 18 m:", latency)
    print_table("The worlds meanwhile; rate : hz is that of the worst second, a tick's time its mean:", rate)
    if options.json:
        Path(options.json).write_text(json.dumps({"bench": "latency", "tables": {"latency": latency, "rate": rate}}, indent=1))
    for name in CASES:  # checks that hold at any speed
        row = latency[name]
        if not 0 < row["ack p50 [ms]"] <= row["p99"] <= row["p99.9"] or rate[name]["ticks"] <= 0 or rate[name]["snapshots/s"] <= 0:
            sys.exit(f"{name}: these figures cannot be")


if __name__ == "__main__":
    main()
