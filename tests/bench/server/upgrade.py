"""The longest time that clients are without word from the server while a new process takes over from it.

Each client subscribes to the snapshots of one world and counts the time between two things that it receives.
When its connection ends it connects again at once and resumes its session.

Usage: upgrade.py CAROMD [CLIENTS [UPGRADES]]
"""

import os
import resource
import selectors
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop"))
from caromd import Caromd  # noqa: E402
from wire import Client  # noqa: E402

RATE = 10  # snapshots a second, of each client
SETTLE_SECONDS = 2
WORLDS = 4
BODIES = 50


class Watcher:
    """A client that is connected; `gaps` are its longest times without word, one an upgrade."""

    def __init__(self, server, world):
        client = Client(server.port)
        self.port = server.port
        self.secret = client.call("hello", client="upgrade")["resume"]
        client.call("world.subscribe", world=world, rate=RATE)
        self.socket = client.socket
        self.socket.setblocking(False)
        self.heard = time.monotonic()
        self.longest = 0.0
        self.resumed = 0
        self.refused = 0
        self.answer = None  # of hello, as long as it is awaited

    def read(self, selector):
        try:
            data = self.socket.recv(1 << 18)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        now = time.monotonic()
        if not data:
            self.come_back(selector)
            return
        if self.answer is not None:
            self.answer.feed(data)
            for message in self.answer:
                if message[0] == 1:
                    self.refused += message[2] is not None
                    self.resumed += message[2] is None
                    self.answer = None
                    break
        if b"closing" not in data:  # that is no word of the world
            self.longest = max(self.longest, now - self.heard)
            self.heard = now

    def come_back(self, selector):
        selector.unregister(self.socket)
        self.socket.close()
        self.socket = socket.create_connection(("127.0.0.1", self.port), 30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(msgpack.packb([0, 1, "hello", [{"resume": self.secret}]]))
        self.socket.setblocking(False)
        self.answer = msgpack.Unpacker(raw=False, strict_map_key=False)
        selector.register(self.socket, selectors.EVENT_READ, self)


def watch(selector, seconds, until=None):
    end = time.monotonic() + seconds
    while time.monotonic() < end and (until is None or not until()):
        for key, _ in selector.select(0.05):
            key.data.read(selector)


def populate(server):
    with Client(server.port) as admin:
        admin.call("hello")
        for number in range(WORLDS):
            world = f"w{number}"
            admin.call("world.create", world=world, durability="none" if number % 2 else "normal", gravity=[0, 0])
            for i in range(BODIES):
                admin.call("body.spawn", world=world, position=[3 * i, 0], velocity=[0, 1], allow_sleep=False,
                           shapes=[{"kind": "circle", "radius": 0.5}])


def upgrade(program, data, old, limits):
    began = time.monotonic()
    new = Caromd(program, "--data", data, "--takeover", data + "/takeover", *limits)
    served = time.monotonic() - began
    old.process.wait()
    old.process.stderr.close()
    return new, served


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    upgrades = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files[1], files[1]))
    limits = ["--http", "off", "--limit", f"connections={2 * count + 64}",
              "--limit", f"detached_sessions={2 * count + 64}"]
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        server = Caromd(program, "--data", data, *limits)
        populate(server)
        selector = selectors.DefaultSelector()
        watchers = [Watcher(server, f"w{i % WORLDS}") for i in range(count)]
        for one in watchers:
            selector.register(one.socket, selectors.EVENT_READ, one)
        watch(selector, SETTLE_SECONDS)
        print(f"{count} clients, {RATE} snapshots a second each, {WORLDS} worlds of {BODIES} bodies, "
              f"{os.cpu_count()} processors")
        print("| upgrade | process serves after [ms] | gap, median client [ms] | gap, longest [ms] | resumed | refused |")
        print("| --- | --- | --- | --- | --- | --- |")
        rows = []
        for number in range(upgrades + 1):
            for one in watchers:
                one.longest, one.resumed, one.refused = 0.0, 0, 0
            served = 0.0
            if number > 0:
                done = {}
                worker = threading.Thread(target=lambda: done.update(zip(("server", "served"), upgrade(
                    program, data, server, limits))))
                worker.start()
                watch(selector, 60, until=lambda: not worker.is_alive())
                server, served = done["server"], done["served"]
            watch(selector, SETTLE_SECONDS)
            gaps = [one.longest for one in watchers]
            rows.append(max(gaps))
            print(f"| {number if number else 'none'} | {served * 1e3:.0f} | {statistics.median(gaps) * 1e3:.0f} | "
                  f"{max(gaps) * 1e3:.0f} | {sum(one.resumed for one in watchers)} | "
                  f"{sum(one.refused for one in watchers)} |", flush=True)
        server.__exit__()


if __name__ == "__main__":
    main()
