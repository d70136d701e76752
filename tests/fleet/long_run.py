#!/usr/bin/env python3
"""A replicated world under faults of every kind, drawn from a seed, for minutes or hours, under a client that checks every answer.

Usage: long_run.py CAROMD [--minutes N | --rounds N] [--without KIND,...] [--standby hot|log] [--seed N]

Three etcd and three caromd, each at a host of its own (support/network.py); needs root. The faults, one at a time:

    kill      kill -9 of the world's server
    standby   kill -9 of its standby
    hang      SIGSTOP of the world's server for 0.3 to 8 s, then it goes on
    off       the world's server is cut off from all others for 0.3 to 8 s
    link      the link between both servers of the pair is cut for 0.2 to 5 s
    etcd      the leader of etcd is killed, and starts again after up to 3 s
    quorum    two members of etcd are stopped for up to 3 s
    disk      the disk of the world's server is full, which the world leaves; then the server is killed
    clock     the clock of one server is set, by up to a day forwards or backwards (faketime)
    move      world.move to another server

The checker is that of survival.py: each answered command done once, one hash for each tick that was shown, also by a server that
was cut off or stopped, and goes on. Each --rounds has each kind once, in an order of its own.
"""

import argparse
import random
import resource
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from network import Network, isolate, missing  # noqa: E402
from player import Fault  # noqa: E402
from survival import Survival, eventually  # noqa: E402
from wire import RemoteError  # noqa: E402

FAKETIME = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
DAY_S = 86400


class LongRun(Survival):
    def __init__(self, program, chance, standby, network, kinds):
        self.network, self.kinds = network, kinds
        super().__init__(program, chance, standby, network)
        self.counts = dict.fromkeys(kinds, 0)

    def clock(self, node):
        return Path(self.fleet.folder.name) / f"clock-{node}"

    def start(self, node):
        env = None
        if "clock" in self.kinds:
            if not self.clock(node).exists():
                self.clock(node).write_text("+0", encoding="ascii")
            env = {"LD_PRELOAD": str(FAKETIME[0]), "FAKETIME_TIMESTAMP_FILE": str(self.clock(node)), "FAKETIME_NO_CACHE": "1",
                   "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        self.fleet.start(node, "--fleet-standby", self.standby, "--log", "debug", env=env)

    # ---- faults; each begins with a world that has a standby, and a player at its server

    def fault_kill(self, player, record):
        self.kill(player)

    def fault_standby(self, player, record):
        self.server(record["standby"]).kill()
        self.play(player, self.chance.uniform(0.1, 2.0))
        self.start(record["standby"])

    def fault_hang(self, player, record):
        hung = self.server(record["primary"])
        self.apart(player, hung, lambda: hung.process.send_signal(signal.SIGSTOP), lambda: hung.process.send_signal(signal.SIGCONT))

    def fault_off(self, player, record):
        lost = self.server(record["primary"])
        self.apart(player, lost, lambda: self.network.cut_off(lost.node), self.network.heal)

    def apart(self, player, server, begin, end):
        """The server is out of reach for some time, then it is back; meanwhile the player goes on at the standby, if that takes over
        in this time."""
        old, until = player.client, time.monotonic() + self.chance.choice([0.3, 1.0, 8.0]) * self.chance.uniform(0.5, 1.0)
        begin()
        try:
            taken = False
            while not taken and time.monotonic() < until:
                taken = self.fleet.record("arena")["primary"] != server.node
                time.sleep(0.01)
            if taken:
                self.resume(player, lambda: self.alive(server))
                self.play(player, max(0, until - time.monotonic()))
        finally:
            end()
        self.play(player, 0.2)
        if taken:
            self.read_old(player, old)

    def fault_link(self, player, record):
        self.network.cut(record["primary"], record["standby"])
        try:
            self.play(player, self.chance.uniform(0.2, 5.0))
        finally:
            self.network.heal()

    def fault_etcd(self, player, record):
        leader = self.fleet.etcd.leader()
        leader.kill()
        self.play(player, self.chance.uniform(0.0, 3.0))
        leader.start()

    def fault_quorum(self, player, record):
        stopped = self.chance.sample(self.fleet.etcd.members, 2)
        for member in stopped:
            member.process.send_signal(signal.SIGSTOP)
        try:
            self.play(player, self.chance.uniform(0.5, 3.0))
        finally:
            for member in stopped:
                member.process.send_signal(signal.SIGCONT)

    def fault_disk(self, player, record):
        full = self.server(record["primary"])
        _, hard = resource.prlimit(full.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(full.process.pid, resource.RLIMIT_FSIZE, (1, hard))
        self.play(player, self.chance.uniform(0.1, 1.0))
        full.process.kill()
        there = player.client.peer[1] == full.port  # the world has not left yet, or the player has not heard of it
        if there:
            player.drain()
        full.kill()
        if there:
            self.resume(player, self.alive)
        self.start(full.node)

    def fault_clock(self, player, record):
        node = self.chance.choice("abc")
        self.clock(node).write_text(f"{self.chance.randint(-DAY_S, DAY_S):+d}", encoding="ascii")
        self.play(player, 0.5)

    def fault_move(self, player, record):
        target = self.chance.choice([node for node in "abc" if node != record["primary"]])
        with self.fleet.client(record["primary"]) as admin:
            request = admin.request("world.move", world="arena", to=target)
            self.play(player, 0.5)
            try:
                admin.answer(request)
            except RemoteError as error:  # the target is not there yet after an earlier fault, or the world is another's already
                if not str(error).startswith(("unavailable: ", "moved: ", "not_found: ", "invalid_argument: ")):
                    raise
                self.refused += 1

    # ---- the run

    def round(self, player):
        for kind in self.chance.sample(self.kinds, len(self.kinds)):
            self.play(player, self.chance.uniform(0.1, 0.6))
            begun, before = time.monotonic(), len(player.answered)
            getattr(self, f"fault_{kind}")(player, self.aim(player))
            self.aim(player)
            try:
                player.check_bodies()
            except RemoteError as error:  # it has moved again
                if not str(error).startswith("moved: "):
                    raise
            self.counts[kind] += 1
            print(f"{kind} {self.counts[kind]}: whole again after {time.monotonic() - begun:.1f} s, "
                  f"{len(player.answered) - before} commands answered meanwhile", flush=True)
            if time.monotonic() > self.end:
                break

    def run(self, options):
        self.player, self.alone, self.expired, self.refused = self.create(), 0, 0, 0
        self.end = time.monotonic() + (60 * options.minutes if not options.rounds else float("inf"))
        rounds = 0
        while time.monotonic() < self.end and not (options.rounds and rounds >= options.rounds):
            self.round(self.player)
            rounds += 1
        self.player.finish()
        print(f"faults: {', '.join(f'{count} {kind}' for kind, count in self.counts.items())}; {self.refused} moves were refused")
        print(f"{self.expired} sessions ended because the machine was too busy to resume them in time; of {len(self.player.unknown)} "
              "commands nothing was told")
        print(f"{len(self.player.answered)} answered commands, each done once; {len(self.player.shown)} ticks shown, one hash each; "
              f"term {self.fleet.record('arena')['term']}")
        self.player.client.__exit__()


def main():
    kinds = [name.removeprefix("fault_") for name in LongRun.__dict__ if name.startswith("fault_")]
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("caromd")
    parser.add_argument("--minutes", type=float, default=60, help="(default 60)")
    parser.add_argument("--rounds", type=int, default=0, help="this many rounds instead, each with each kind of fault")
    parser.add_argument("--without", default="", metavar="KIND,...", help=f"leaves out some of {', '.join(kinds)}")
    parser.add_argument("--standby", choices=["hot", "log"], default="hot", help="as caromd --fleet-standby (default hot)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    without = [kind for kind in options.without.split(",") if kind]
    if unknown := set(without) - set(kinds):
        parser.error(f"--without: no {', '.join(sorted(unknown))}; there are {', '.join(kinds)}")
    kinds = [kind for kind in kinds if kind not in without]
    if "clock" in kinds and not FAKETIME:
        parser.error("faketime is not installed (docker/install.sh test), or --without clock")
    if why := missing():
        parser.error(why)
    isolate()
    print(f"seed {options.seed}", flush=True)
    with Network("abc") as network:
        run = LongRun(options.caromd, random.Random(options.seed), options.standby, network, kinds)
        try:
            run.run(options)
        except Exception:
            for node, server in run.fleet.servers.items():
                lines = [line for line in server.log if "debug session" not in line or "not resumed" in line]
                print(f"\nthe last lines of server {node}:\n{''.join(lines[-30:])}", file=sys.stderr)
            print(run.fleet.record("arena"), file=sys.stderr)
            raise
        finally:
            network.heal()
            run.fleet.stop()


if __name__ == "__main__":
    main()
