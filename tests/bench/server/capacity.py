#!/usr/bin/env python3
"""The capacity of a server compared with another build: 200 worlds, 10 000 connections, 1 000 watchers, 1 000
players.

    capacity.py CAROM CAROMD [CAROMD ...] [--seconds S] [--rounds N]

Builds take turns in each round; a figure is the median of the rounds. The clients share the machine with the
server; its work per second of processor time depends least on other programs. CAROM is the command line
(carom-load beside it), which plays the watchers and players of ../network/latency.py."""

import argparse
import os
import resource
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / "support"))
sys.path.insert(0, str(HERE.parents[1] / "network"))
import latency  # noqa: E402
from caromd import Caromd  # noqa: E402
from wire import Client  # noqa: E402

BALL = {"kind": "circle", "radius": 0.2}
WORLDS, BODIES, CONNECTIONS = 200, 50, 10_000


def worlds(options, caromd):
    """Worlds of 50 moving bodies each at 60 Hz: counts the ticks of all."""
    with Caromd(caromd, "--http", "off", "--limit", f"worlds={WORLDS + 8}") as server:
        client = Client(server.port)
        for i in range(WORLDS):
            client.call("world.create", world=f"w{i}", gravity=[0, 0])
            client.call("world.apply", world=f"w{i}", commands=[
                ["body.spawn", {"position": [3 * k, 0], "angular_velocity": 1, "allow_sleep": False, "shapes": [BALL]}]
                for k in range(BODIES)])
        time.sleep(1)  # worlds move to their final threads
        ticks = client.call("server.stats")["counters"]["ticks"]
        used, begin = latency.processor_seconds(server.process), time.monotonic()
        time.sleep(options.seconds)
        ticks = client.call("server.stats")["counters"]["ticks"] - ticks
        used, lasted = latency.processor_seconds(server.process) - used, time.monotonic() - begin
        return {"ticks a second": ticks / lasted, "ticks a processor second": ticks / used}


def connections(options, caromd):
    """Connections with a session each, whose ping was answered."""
    with Caromd(caromd, "--http", "off", "--limit", f"connections={CONNECTIONS + 8}") as server:
        used, begin, clients = latency.processor_seconds(server.process), time.monotonic(), []
        for _ in range(CONNECTIONS):
            clients.append(Client(server.port))
            clients[-1].call("ping")
        used, lasted = latency.processor_seconds(server.process) - used, time.monotonic() - begin
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        for client in clients:
            client.socket.close()
        return {"connections a second": CONNECTIONS / lasted, "connections a processor second": CONNECTIONS / used,
                "memory, MB": int(status.split("VmRSS:")[1].split()[0]) / 1024}


def crowd(players, watchers, bodies, hz):
    def measure(options, caromd):
        report = latency.measure(SimpleNamespace(**{**vars(options), "caromd": caromd}), players, watchers, bodies, hz)
        return {"snapshots a second": report["snapshots_per_second"], "rate : hz": report["server"]["rate_share"],
                "snapshots a processor second": report["snapshots_per_second"] / report["processors"]}
    return measure


ROWS = {
    f"{WORLDS} worlds of {BODIES} bodies": worlds,
    f"{CONNECTIONS} connections": connections,
    "1 player, 1 000 watchers of 1 000 bodies, 60 Hz": crowd(1, 1000, 1000, 60),
    "1 000 players of 10 000 bodies, 30 Hz": crowd(1000, 0, 9000, 30),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("carom")
    parser.add_argument("caromd", nargs="+")
    parser.add_argument("--seconds", type=float, default=10, help="of each run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.set_defaults(most=4096, relay=None)
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(f"| | |{''.join(f' {os.path.basename(build)} |' for build in options.caromd)}")
    print(f"| --- | --- |{' ---: |' * len(options.caromd)}")
    for name, measure in ROWS.items():
        if options.only not in name:
            continue
        seen = [[measure(options, build) for build in options.caromd] for _ in range(options.rounds)]
        for figure in seen[0][0]:
            medians = (statistics.median(one[k][figure] for one in seen) for k in range(len(options.caromd)))
            print(f"| {name} | {figure} |{''.join(f' {value:.4g} |' for value in medians)}", flush=True)


if __name__ == "__main__":
    main()
