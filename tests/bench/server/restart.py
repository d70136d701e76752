"""The time without messages for clients, after kill -9 of a server and while another process takes over.

Each world has one client, which measures the time between two messages about it. When its connection ends, it
tries to connect every millisecond until it succeeds, and resumes its session. Worlds are boxes in which all
bodies always move, so every tick that a restart replays costs a step. The bodies of a restored world are
counted, and a session that was not resumed fails the program.

Usage: restart.py CAROMD [WORLDS [BODIES [SECONDS [ROUNDS]]]]    SECONDS: that the worlds run before each row
"""

import os
import random
import selectors
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from caromd import Caromd  # noqa: E402
from receiving import receive  # noqa: E402
from wire import Client  # noqa: E402

RATE = 60  # snapshots per second for each client
VIEW = [9e5, 9e5, 9e5 + 1, 9e5 + 1]  # an empty area: only the arrival of snapshots matters
SIDE = 60.0  # side of a world's box [m]
RADIUS = 0.3
DEADLINE_SECONDS = 120
PAUSE_SECONDS = 0.001  # pause between two attempts to connect


class Watcher:
    """A client of one world."""

    def __init__(self, port, world):
        client = Client(port)
        self.port, self.world, self.socket = port, world, client.socket
        self.secret = client.call("hello", client="restart")["resume"]
        client.call("world.subscribe", world=world, rate=RATE, area=VIEW)
        self.socket.setblocking(False)
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)
        self.heard, self.longest, self.resumed = time.monotonic(), 0.0, 0

    def read(self, selector):
        data = receive(self.socket)
        if data is None:
            return
        if not data:
            selector.unregister(self.socket)
            self.socket.close()
            self.socket = None
            return
        self.unpacker.feed(data)
        for message in self.unpacker:
            if message[0] == 1:
                assert message[2] is None, message[2]
                self.resumed += 1
            elif message[1] == "snapshot":
                now = time.monotonic()
                self.longest = max(self.longest, now - self.heard)
                self.heard = now

    def connect(self, selector):
        try:
            made = socket.create_connection(("127.0.0.1", self.port), 30)
            made.sendall(msgpack.packb([0, 1, "hello", [{"resume": self.secret}]]))
        except (ConnectionRefusedError, ConnectionResetError, BrokenPipeError):  # the process ends just now
            return False
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)
        self.socket = made
        self.socket.setblocking(False)
        selector.register(self.socket, selectors.EVENT_READ, self)
        return True


def watch(selector, watchers, seconds, until=None):
    end = time.monotonic() + seconds
    tried = 0.0
    while time.monotonic() < end and (until is None or not until()):
        for key, _ in selector.select(PAUSE_SECONDS):
            key.data.read(selector)
        if time.monotonic() - tried >= PAUSE_SECONDS:
            for one in watchers:
                if one.socket is None and not one.connect(selector):
                    break
            tried = time.monotonic()


def populate(port, worlds, bodies):
    source = random.Random(1)
    wall = SIDE / 2 + 1
    sides = [([-wall, -wall], [wall, -wall]), ([wall, -wall], [wall, wall]),
             ([wall, wall], [-wall, wall]), ([-wall, wall], [-wall, -wall])]
    across = int(bodies ** 0.5) + 1
    with Client(port) as admin:
        admin.call("hello")
        for number in range(worlds):
            world = f"w{number}"
            admin.call("world.create", world=world, gravity=[0, 0], sleep=False)
            commands = [["body.spawn", {"type": "static", "shapes": [
                {"kind": "segment", "a": a, "b": b, "restitution": 1, "friction": 0} for a, b in sides]}]]
            for i in range(bodies):
                place = [(i % across + 0.5) / across * SIDE - SIDE / 2, (i // across + 0.5) / across * SIDE - SIDE / 2]
                commands.append(["body.spawn", {
                    "position": place, "velocity": [source.uniform(-5, 5), source.uniform(-5, 5)],
                    "shapes": [{"kind": "circle", "radius": RADIUS, "restitution": 1, "friction": 0}]}])
            for at in range(0, len(commands), 500):
                admin.call("world.apply", world=world, commands=commands[at:at + 500])


def kill(program, data, server, port):
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    server.reader.join()
    server.process.stderr.close()
    return Caromd(program, "--data", data, "--http", "off", "--listen", f"127.0.0.1:{port}")


def take_over(program, data, server, port):
    made = Caromd(program, "--data", data, "--http", "off", "--takeover", data + "/takeover")
    assert made.port == port
    server.process.wait()
    server.reader.join()
    server.process.stderr.close()
    return made


def processor_seconds(server):
    """Processor seconds of all threads except simulation threads: the cost of restoring worlds."""
    total = 0
    for stat in Path(f"/proc/{server.process.pid}/task").glob("*/stat"):
        name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        if not name.startswith("carom-sim"):
            total += sum(int(ticks) for ticks in rest.split()[11:13])
    return total / os.sysconf("SC_CLK_TCK")


def measure(how, program, data, server, selector, watchers):
    """The new server, the seconds until it listened, its processor time, and the longest gap of each client."""
    for one in watchers:
        one.longest, one.resumed = 0.0, 0
    done = {}

    def act():
        began = time.monotonic()
        done["server"] = how(program, data, server, server.port)
        done["listened"] = time.monotonic() - began
    worker = threading.Thread(target=act)
    worker.start()
    watch(selector, watchers, DEADLINE_SECONDS, until=lambda: all(one.resumed for one in watchers) and not worker.is_alive())
    begun = time.monotonic()
    watch(selector, watchers, DEADLINE_SECONDS, until=lambda: all(one.heard > begun for one in watchers))
    worker.join()
    if not all(one.resumed == 1 for one in watchers):
        sys.exit("a session was not resumed")
    return done["server"], done["listened"], processor_seconds(done["server"]), sorted(one.longest for one in watchers)


def check(server, worlds, bodies):
    with Client(server.port) as admin:
        counts = {info["bodies"] for info in admin.call("world.list")}
    if counts != {bodies + 1}:
        sys.exit(f"worlds came back with {counts} bodies")


def main():
    program = os.path.abspath(sys.argv[1])
    worlds, bodies, seconds, rounds = [int(a) for a in (sys.argv[2:] + ["60", "900", "20", "2"][len(sys.argv) - 2:])]
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        data = os.path.join(folder, "data")
        server = Caromd(program, "--data", data, "--http", "off")
        populate(server.port, worlds, bodies)
        selector = selectors.DefaultSelector()
        watchers = [Watcher(server.port, f"w{i}") for i in range(worlds)]
        for one in watchers:
            selector.register(one.socket, selectors.EVENT_READ, one)
        print(f"{worlds} worlds of {bodies} moving bodies, {seconds} s each time, {os.cpu_count()} processors")
        print("| | listens after [ms] | first client [ms] | median [ms] | longest [ms] | processor [s] |")
        print("| --- | --- | --- | --- | --- | --- |")
        for _ in range(rounds):
            for name, how in (("kill -9", kill), ("takeover", take_over)):
                watch(selector, watchers, seconds)
                server, listened, processor, gaps = measure(how, program, data, server, selector, watchers)
                print(f"| {name} | {listened * 1e3:.0f} | {gaps[0] * 1e3:.0f} | {statistics.median(gaps) * 1e3:.0f} | "
                      f"{gaps[-1] * 1e3:.0f} | {processor:.2f} |", flush=True)
                check(server, worlds, bodies)
                if os.environ.get("SHOW"):
                    print("".join(l for l in server.log if "restored" in l), file=sys.stderr)
        server.__exit__()


if __name__ == "__main__":
    main()
