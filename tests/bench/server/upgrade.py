"""The longest time without messages for clients while a new process takes over from a server.

Each client subscribes to the snapshots of one world and measures the time between two messages. When its
connection ends, it connects again at once and resumes its session. One client in ten sends commands instead:
each impulse makes its own body faster by 1 m/s, it repeats those that `applied` reports as lost, and in the
end the body's velocity shows whether one was lost or applied twice. The program fails if one was, if a
session was not resumed, or if the new process refuses to take over (because a world was not restored
exactly).

Usage: upgrade.py CAROMD [CLIENTS [UPGRADES]]
"""

import os
import resource
import selectors
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from caromd import Caromd  # noqa: E402
from receiving import connect_again, receive  # noqa: E402
from wire import Client  # noqa: E402

RATE = 10  # snapshots per second for each client
SETTLE_SECONDS = 2
WORLDS = 4
COMMANDERS = 10  # one of this many clients
COMMAND_SECONDS = 0.1  # pause between two commands of one client
# Time before an upgrade in which every second commander ignores answers: only `applied` reports those commands
DEAF_SECONDS = 0.5
VIEW = [-100, -500, 500, 500]  # an area without the commanders' bodies, which all move
BODIES = 50


class Watcher:
    """A client that is connected; `gaps` are its longest times without messages, one per upgrade."""

    def __init__(self, server, world):
        client = Client(server.port)
        self.port = server.port
        self.secret = client.call("hello", client="upgrade")["resume"]
        client.call("world.subscribe", world=world, rate=RATE, area=VIEW)
        self.socket = client.socket
        self.socket.setblocking(False)
        self.heard = time.monotonic()
        self.longest = 0.0
        self.resumed = 0
        self.refused = 0
        self.answer = None  # id of the awaited hello

    def read(self, selector):
        data = receive(self.socket)
        if data is None:
            return
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
        if b"closing" not in data:  # a notice of closing is no message about the world
            self.longest = max(self.longest, now - self.heard)
            self.heard = now

    def come_back(self, selector):
        selector.unregister(self.socket)
        self.socket.close()
        self.socket = connect_again(self.port, msgpack.packb([0, 1, "hello", [{"resume": self.secret}]]))
        self.answer = msgpack.Unpacker(raw=False, strict_map_key=False)
        selector.register(self.socket, selectors.EVENT_READ, self)


class Commander:
    """A client that pushes its own body, and keeps account of each push."""

    def __init__(self, server, world, number):
        client = Client(server.port)
        self.port, self.world, self.socket = server.port, world, client.socket
        self.secret = client.call("hello", client="upgrade")["resume"]
        self.body = client.call("body.spawn", world=world, position=[0, 1000 + 3 * number], mass=1, allow_sleep=False,
                                shapes=[])["body"]
        self.socket.setblocking(False)
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)
        self.last = client.last_id
        self.commanded = 0
        self.deaf = False  # true: ignores answers until the next hello, as if they were lost
        self.waiting = {}  # messages of unresolved commands, by id
        self.hello = None  # id of the awaited hello
        self.longest, self.resumed, self.refused = 0.0, 0, 0
        self.answered, self.recovered, self.repeated = 0, 0, 0

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # it is sent again over the next connection

    def command(self):
        if self.hello is None:
            self.last += 1
            self.commanded += 1
            self.waiting[self.last] = msgpack.packb([0, self.last, "body.impulse", [
                {"world": self.world, "body": self.body, "impulse": [1, 0]}]])
            self.send(self.waiting[self.last])

    def take_hello(self, error, result):
        self.hello = None
        self.deaf = False
        self.refused += error is not None
        self.resumed += error is None
        applied = (result or {}).get("applied", {}).get(self.world, {"last": 0})["last"]
        for number in list(self.waiting):
            if number <= applied:
                del self.waiting[number]
                self.recovered += 1
            elif number not in (result or {}).get("pending", []):
                self.repeated += 1
                self.send(self.waiting[number])

    def read(self, selector):
        data = receive(self.socket)
        if data is None:
            return
        if not data:
            self.come_back(selector)
            return
        self.unpacker.feed(data)
        for message in self.unpacker:
            if message[0] != 1:
                continue
            if message[1] == self.hello:
                self.take_hello(message[2], message[3])
            elif not self.deaf and message[2] is None and self.waiting.pop(message[1], None) is not None:
                self.answered += 1

    def come_back(self, selector):
        selector.unregister(self.socket)
        self.socket.close()
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)
        self.last += 1
        self.hello = self.last
        self.socket = connect_again(self.port, msgpack.packb([0, self.hello, "hello", [{"resume": self.secret}]]))
        selector.register(self.socket, selectors.EVENT_READ, self)

    def wrong(self, admin):
        """The number of pushes that the world has applied too few (below 0) or too many."""
        velocity = admin.call("body.get", world=self.world, body=self.body)["velocity"][0]
        return round(velocity) - self.commanded


def watch(selector, seconds, until=None, commanders=()):
    now = time.monotonic()
    end, due = now + seconds, now
    while time.monotonic() < end and (until is None or not until()):
        for key, _ in selector.select(0.02):
            key.data.read(selector)
        if commanders and time.monotonic() >= due:
            due += COMMAND_SECONDS
            for one in commanders:
                one.command()


def check_commands(server, selector, commanders):
    """Prints the outcome of the commands; returns whether it is right."""
    watch(selector, 10, until=lambda: not any(one.waiting for one in commanders))
    with Client(server.port) as admin:
        wrong = [one.wrong(admin) for one in commanders]
    print(f"\n{len(commanders)} clients: {sum(one.answered for one in commanders)} commands answered, "
          f"{sum(one.recovered for one in commanders)} of which only `applied` told, "
          f"{sum(one.repeated for one in commanders)} sent again; "
          f"{-sum(n for n in wrong if n < 0)} lost, {sum(n for n in wrong if n > 0)} done twice, "
          f"{sum(len(one.waiting) for one in commanders)} never answered")
    told = all(one.answered + one.recovered == one.commanded for one in commanders)
    return not any(wrong) and told and not any(one.waiting for one in commanders)


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
    """Returns the new server and the seconds until it served; if it refused, the old one and the reason."""
    began = time.monotonic()
    try:
        new = Caromd(program, "--data", data, "--takeover", data + "/takeover", *limits)
    except RuntimeError as why:
        return old, str(why)
    served = time.monotonic() - began
    old.process.wait()
    old.reader.join()
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
        commanders = [Commander(server, f"w{i % WORLDS}", i) for i in range(count // COMMANDERS)]
        watchers = [Watcher(server, f"w{i % WORLDS}") for i in range(count - len(commanders))]
        for one in watchers + commanders:
            selector.register(one.socket, selectors.EVENT_READ, one)
        watch(selector, SETTLE_SECONDS, commanders=commanders)
        print(f"{count} clients, {RATE} snapshots a second each, {WORLDS} worlds of {BODIES} bodies, "
              f"{os.cpu_count()} processors")
        print("| upgrade | process serves after [ms] | gap, median client [ms] | gap, longest [ms] | resumed | refused |")
        print("| --- | --- | --- | --- | --- | --- |")
        sound = True
        for number in range(upgrades + 1):
            for one in watchers + commanders:
                one.longest, one.resumed, one.refused = 0.0, 0, 0
            served = 0.0
            if number > 0:
                for one in commanders[::2]:
                    one.deaf = True
                watch(selector, DEAF_SECONDS, commanders=commanders)
                done = {}
                worker = threading.Thread(target=lambda: done.update(zip(("server", "served"), upgrade(
                    program, data, server, limits))))
                worker.start()
                watch(selector, 60, until=lambda: not worker.is_alive(), commanders=commanders)
                server, served = done["server"], done["served"]
                if isinstance(served, str):
                    server.process.kill()
                    sys.exit(f"upgrade {number} was refused: {served}")
            watch(selector, SETTLE_SECONDS, commanders=commanders)
            gaps = [one.longest for one in watchers]
            resumed = sum(one.resumed for one in watchers + commanders)
            sound = sound and resumed == (count if number else 0)
            print(f"| {number if number else 'none'} | {served * 1e3:.0f} | {statistics.median(gaps) * 1e3:.0f} | "
                  f"{max(gaps) * 1e3:.0f} | {resumed} | "
                  f"{sum(one.refused for one in watchers + commanders)} |", flush=True)
        sound = check_commands(server, selector, commanders) and sound
        server.__exit__()
    sys.exit(0 if sound else "something was lost")


if __name__ == "__main__":
    main()
