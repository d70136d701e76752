#!/usr/bin/env python3
"""Kills and stops the servers of a replicated world, one after another, under a client that checks every answer.

Usage: survival.py CAROMD [--kills N] [--hangs N] [--hang SECONDS SECONDS] [--calm SECONDS] [--bodies N] [--standby hot|log]
                          [--seed N]

Three etcd and three caromd on this machine. Each time the world's server is killed with -9, or stopped for a time between the
bounds of --hang, while commands are under way; the client resumes its session at the server that took over, and the time from
the fault to the next tick that it is shown is measured. The checker wants every answered command done once, and one hash for
each tick that was shown, also by a server that was stopped and goes on. Before, in a calm time, single commands are sent, and
the time to their answers and the processor time of both servers are measured. Faults come from the seed.
"""

import argparse
import os
import random
import select
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from fleet import Fleet  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from player import BALL, Expired, Fault, Player  # noqa: E402
from wire import Client, Closed, RemoteError  # noqa: E402

HZ = 60


def eventually(condition, what):
    end = time.monotonic() + SECONDS_MAX
    while not (value := condition()):
        if time.monotonic() > end:
            raise Fault(f"{what}: not seen in {SECONDS_MAX} s")
        time.sleep(0.005)
    return value


def spread(name, seconds, goals):
    """A line with the median, the 99th percentile and the largest."""
    ordered = sorted(1e3 * one for one in seconds)
    at = [ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1]]
    print(f"{name}: p50 {at[0]:.1f} ms, p99 {at[1]:.1f} ms, most {at[2]:.1f} ms ({goals})", flush=True)


def disk(folder, rounds):
    """The physical limit: times of writing 64 kB to the disk. A takeover waits for one of its own and for those of two of three etcd."""
    times = []
    with open(Path(folder) / "limit", "wb", buffering=0) as file:
        for _ in range(rounds):
            file.write(bytes(65536))
            begin = time.monotonic()
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - begin)
            time.sleep(0.05)
    spread(f"{rounds} times 64 kB to the disk (fdatasync)", times, "the limit of a takeover")


class Survival:
    def __init__(self, program, chance, standby="hot", network=None):
        self.chance, self.standby = chance, standby
        self.fleet = Fleet(program, pairs=True, network=network)
        for node in "abc":
            self.start(node)

    def start(self, node):
        self.fleet.start(node, "--fleet-standby", self.standby, "--log", "debug")  # logs which sessions have ended

    def server(self, node):
        return self.fleet.servers[node]

    def create(self, **more):
        """Makes a replicated world as soon as its server knows another server; returns its player."""
        player = Player(self.server("a"))

        def created():
            try:
                return player.client.call("world.create", world="arena", durability="replicated", hz=HZ, **more)
            except RemoteError as error:
                if "no other server of the fleet can be the world's standby" not in str(error):
                    raise
                return None
        eventually(created, "the world")
        player.subscribe()
        return player

    def paired(self, world="arena"):
        return eventually(lambda: (record := self.fleet.record(world))["standby"] and record, "a standby")

    def alive(self, but=None):
        return [server for server in self.fleet.servers.values() if server is not but and server.process.poll() is None]

    # ---- calm

    def processor(self, node):
        """Seconds of processor time that the server used so far."""
        fields = Path(f"/proc/{self.server(node).process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def calm(self, player, seconds, bodies):
        """Sends single commands at random times, over a pile of moving bodies."""
        primary = self.paired("arena")["primary"]
        with self.fleet.client(primary) as client:
            client.call("world.create", world="pile", durability="replicated", hz=HZ)
            client.call("body.spawn", world="pile", type="static", shapes=[{"kind": "segment", "a": [-40, 0], "b": [80, 0]}])
            for begin in range(0, bodies, 500):
                client.call("world.apply", world="pile", commands=[
                    ["body.spawn", {"position": [1.1 * (i % 40), 1.0 + 1.1 * (i // 40)], "shapes": [BALL], "allow_sleep": False,
                                    "velocity": [0.1 * (i % 7) - 0.3, 0.0]}]
                    for i in range(begin, min(begin + 500, bodies))])
        standby = self.paired("pile")["standby"]
        idle = next(node for node in "abc" if node not in (primary, standby))
        nodes = (primary, standby, idle)
        times, client = [], player.client
        before, begun = [self.processor(node) for node in nodes], time.monotonic()
        while time.monotonic() < begun + seconds:
            time.sleep(self.chance.uniform(0, 0.03))
            sent = time.monotonic()
            player.spawn(player.number)
            player.number += 1
            while player.sent:
                if select.select([client.socket], [], [], SECONDS_MAX)[0]:
                    client.read()
                player.take()
            times.append(time.monotonic() - sent)
        took = time.monotonic() - begun
        used = [(self.processor(node) - was) / took for node, was in zip(nodes, before)]
        spread(f"{len(times)} commands, to the answer", times, f"goal: p99 under a tick + 3 ms, {1e3 / HZ + 3:.1f} ms")
        with self.fleet.client(primary) as client:
            step_ms = client.call("world.info", world="pile")["step_ms"]
            client.call("world.destroy", world="pile")
        print(f"processor time with {bodies} moving bodies, a step of {step_ms:.2f} ms: primary {100 * used[0]:.1f} %, {self.standby} standby "
              f"{100 * used[1]:.1f} %, a server that is neither {100 * used[2]:.1f} % of one processor (the primary also answers, sends "
              "snapshots and writes its log)", flush=True)

    # ---- faults

    def play(self, player, seconds):
        """Plays; follows the world if it moves meanwhile, as on a busy machine: a server that gets no processor for 250 ms is
        given up."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 or player.moved:
            player.play(max(0, min(left, 0.5)))
            if player.moved:
                old = player.client
                self.resume(player, self.alive)
                old.__exit__()

    def resume(self, player, servers):
        try:
            player.resume(servers)
        except Expired as expired:
            self.expired += 1
            print(f"{expired}; a new session begins", flush=True)
            player.begin_again(self.server(self.fleet.record("arena")["primary"]))

    def aim(self, player):
        """Waits until the world has a standby and the player is at the primary; returns the world's record."""
        end = time.monotonic() + SECONDS_MAX
        while True:
            record = self.fleet.record("arena")
            if record["standby"] and self.server(record["primary"]).port == player.client.peer[1]:
                return record
            if time.monotonic() > end:
                raise Fault(f"a world with a standby, and the player at its primary: not seen in {SECONDS_MAX} s")
            self.play(player, 0.05)

    def is_alone(self, server):
        """Whether the server gave its standby up before the fault: nobody can take the world over."""
        record = self.fleet.record("arena")
        return record["primary"] == server.node and record["standby"] is None

    def kill(self, player):
        self.play(player, self.chance.uniform(0.2, 1.0))
        victim = self.server(self.aim(player)["primary"])
        begun = time.monotonic()
        victim.process.kill()
        player.drain()
        missed = player.moved  # the world was another server's already
        victim.kill()

        def servers():
            nonlocal missed
            if self.server(victim.node) is victim and self.is_alone(victim):  # what it wrote last may take effect late
                missed = True
                self.start(victim.node)
            return self.alive()
        self.resume(player, servers)
        gap = time.monotonic() - begun
        self.play(player, 0.2)
        if self.server(victim.node) is victim:
            self.start(victim.node)
        return None if missed else gap

    def hang(self, player, seconds):
        self.play(player, self.chance.uniform(0.2, 1.0))
        hung, old = self.server(self.aim(player)["primary"]), player.client
        hung.log.clear()
        begun = time.monotonic()
        hung.process.send_signal(signal.SIGSTOP)
        try:
            eventually(lambda: self.fleet.record("arena")["primary"] != hung.node or self.is_alone(hung), "another server")
            if self.is_alone(hung):
                return None
            self.resume(player, lambda: self.alive(hung))
            gap = time.monotonic() - begun
            self.play(player, max(0.1, begun + seconds - time.monotonic()))
        finally:
            hung.process.send_signal(signal.SIGCONT)
        self.play(player, 0.2)
        self.read_old(player, old)
        hung.await_log("world 'arena' of this server is server ")
        return gap

    @staticmethod
    def read_old(player, old):
        """Checks that later messages of the stopped server fit the world's one history."""
        try:
            old.read_until(lambda: any(kind == "moved" for kind, _ in old.notifications))
        except (Closed, OSError):
            pass
        player.check_shown(old)
        old.__exit__()

    def faults(self, name, count, goals, fault):
        if not count:
            return
        player, gaps = self.player, []
        while len(gaps) < count:
            gaps.append(fault(player))
            if gaps[-1] is None:  # nobody could take the world over
                self.alone += 1
                gaps.pop()
        spread(f"{count} {name}, to the next shown tick", gaps, goals)

    def run(self, options):
        self.player, self.alone, self.expired = self.create(), 0, 0
        if options.calm:
            self.calm(self.player, options.calm, options.bodies)
        self.faults("kills", options.kills, "goals: p50 100 ms, p99 250 ms", self.kill)
        self.faults("hangs", options.hangs, "goal: 600 ms", lambda player: self.hang(player, self.chance.uniform(*options.hang)))
        self.player.finish()
        term = self.fleet.record("arena")["term"]
        print(f"{self.expired} sessions ended because the machine was too busy to resume them in time; of {len(self.player.unknown)} "
              "commands nothing was told", flush=True)
        if term < options.kills + options.hangs + 1:
            raise Fault(f"{options.kills + options.hangs} faults, and term {term}")
        print(f"{len(self.player.answered)} answered commands, each done once; {len(self.player.shown)} ticks shown, one hash each; "
              f"term {term}; {self.alone} more faults found the world without a standby", flush=True)
        self.player.client.__exit__()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("caromd")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--hangs", type=int, default=100)
    parser.add_argument("--hang", type=float, nargs=2, default=[3, 15], metavar="SECONDS", help="least and most (default 3 15)")
    parser.add_argument("--calm", type=float, default=30, help="seconds (default 30)")
    parser.add_argument("--bodies", type=int, default=1000, help="moving bodies of another replicated world meanwhile (default 1000)")
    parser.add_argument("--standby", choices=["hot", "log"], default="hot", help="as caromd --fleet-standby (default hot)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        disk(folder, 20 + 10 * int(options.calm))
    survival = Survival(options.caromd, random.Random(options.seed), options.standby)
    try:
        survival.run(options)
    except Exception:
        for node, server in survival.fleet.servers.items():
            print(f"\nthe last lines of server {node}:\n{''.join(server.log[-20:])}", file=sys.stderr)
        print(survival.fleet.record("arena"), file=sys.stderr)
        raise
    finally:
        survival.fleet.stop()


if __name__ == "__main__":
    main()
