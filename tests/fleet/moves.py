#!/usr/bin/env python3
"""Planned moves under the eyes of a watcher: the longest time between two of its snapshots. Usage: moves.py CAROMD CAROM
[--moves 50]. The watcher is `carom watch`, a program of libcarom, which has a connection to the world's standby ahead of need.

Every second move goes to the standby; the others to a third server, which gets an image first.
"""

import argparse
import json
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from fleet import Fleet, creates  # noqa: E402
from patience import SECONDS_MAX, eventually  # noqa: E402
from player import BALL  # noqa: E402

HZ = 60


class Watcher:
    """`carom watch`: when it printed each tick."""

    def __init__(self, carom, server):
        self.seen = []  # (time, tick)
        self.process = subprocess.Popen([carom, "watch", "arena", "--json", "--rate", str(HZ), "--server", f"127.0.0.1:{server.port}"],
                                        stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            now = time.monotonic()
            told = json.loads(line)
            if "tick" in told:
                self.seen.append((now, told["tick"]))

    def longest_gap(self, begin):
        """The longest time between two snapshots from then on, and the number of ticks that were left out or came twice."""
        seen = [one for one in list(self.seen) if one[0] >= begin]
        steps = [tick - before for (_, before), (_, tick) in zip(seen, seen[1:])]
        return max(late - early for (early, _), (late, _) in zip(seen, seen[1:])), sum(step != 1 for step in steps)


def measure(fleet, carom, moves):
    """Gaps by the kind of move, [s]."""
    servers = {node: fleet.start(node) for node in "abc"}
    with fleet.client("a") as client:
        eventually(lambda: creates(client))
        for i in range(10):
            client.call("body.spawn", world="arena", position=[3.0 * i, 5.0], velocity=[1.0, 0.0], gravity_scale=0.0, shapes=[BALL])
    watcher = Watcher(carom, servers["a"])
    gaps, left_out = {"to the standby": [], "to another server": []}, 0
    try:
        eventually(lambda: len(watcher.seen) > HZ)
        for i in range(moves):
            eventually(lambda: fleet.record("arena")["standby"])
            record = fleet.record("arena")
            third = next(node for node in "abc" if node not in (record["primary"], record["standby"]))
            target = third if i % 2 else record["standby"]
            time.sleep(6.0 if i == 0 else 1.5)  # the watcher asks for the standby now and then
            begin = time.monotonic()
            with fleet.client(record["primary"]) as admin:
                admin.call("world.move", world="arena", to=target)
            moved = time.monotonic()
            eventually(lambda: watcher.seen[-1][0] > moved + 0.5)
            gap, wrong = watcher.longest_gap(begin - 0.2)
            gaps["to another server" if i % 2 else "to the standby"].append(gap)
            left_out += wrong
    finally:
        watcher.process.terminate()
        watcher.process.wait(SECONDS_MAX)
    return gaps, left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("caromd")
    parser.add_argument("carom")
    parser.add_argument("--moves", type=int, default=50)
    asked = parser.parse_args()
    fleet = Fleet(asked.caromd, pairs=True)
    try:
        gaps, left_out = measure(fleet, asked.carom, asked.moves)
    finally:
        fleet.stop()
    print(f"{asked.moves} moves of a world of {HZ} Hz (a tick is {1e3 / HZ:.1f} ms; goal: two); the longest time between two snapshots")
    print("| move | moves | p50 [ms] | most [ms] |\n| --- | ---: | ---: | ---: |")
    for kind, all_gaps in gaps.items():
        if all_gaps:
            print(f"| {kind} | {len(all_gaps)} | {1e3 * statistics.median(all_gaps):.0f} | {1e3 * max(all_gaps):.0f} |")
    print(f"{left_out} snapshots were not of the tick after the one before")


if __name__ == "__main__":
    main()
