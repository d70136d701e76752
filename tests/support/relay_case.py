"""Cases over relays: fake servers, and a port before one, whose connections the test cuts."""

import select
import socket
import threading
import time

from caromd import Caromd
from patience import SECONDS_MAX
from wire import Client, RemoteError
from wire_case import BALL, CAROMD, WireTest


class Forwarder:
    """A TCP port before a server, whose connections the test cuts, and whose server it changes."""

    def __init__(self, target):
        self.target = target
        self.open = True
        self.pairs = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended.is_set():
            with self.lock:
                pairs = list(self.pairs)
            sockets = [self.listener] + [s for pair in pairs for s in pair]
            try:
                readable, _, _ = select.select(sockets, [], [], 0.02)
            except (OSError, ValueError):  # cut meanwhile
                continue
            for ready in readable:
                if ready is self.listener:
                    self.accept()
                else:
                    self.forward(ready, pairs)

    def accept(self):
        near, _ = self.listener.accept()
        with self.lock:
            try:
                far = socket.create_connection(("127.0.0.1", self.target)) if self.open else None
            except OSError:
                far = None
            if far is None:
                near.close()
            else:
                self.pairs.append((near, far))

    def forward(self, ready, pairs):
        near, far = next(pair for pair in pairs if ready in pair)
        try:
            data = ready.recv(65536)
            (far if ready is near else near).sendall(data)
        except OSError:
            data = b""
        if not data:
            with self.lock:
                if (near, far) in self.pairs:
                    self.pairs.remove((near, far))
            near.close()
            far.close()

    def cut(self):
        with self.lock:
            self.open = False
            for pair in self.pairs:
                for each in pair:
                    each.close()
            self.pairs.clear()

    def mend(self, target=None):
        with self.lock:
            self.target = target or self.target
            self.open = True

    def end(self):
        self.ended.set()
        self.thread.join(SECONDS_MAX)
        self.cut()
        self.listener.close()


class RelayTest(WireTest):
    """Tests start the servers that they need: `self.server` is the relay that `connect` goes to."""

    def start(self, *options):
        # A client says its first word when the test comes to it, on a busy machine long after it has connected.
        server = Caromd(CAROMD, "--http", "off", "--limit", f"first_message_ms={1000 * SECONDS_MAX}", *options)
        self.addCleanup(server.__exit__)
        return server

    def relay(self, port, *options):
        self.server = self.start("--relay", f"127.0.0.1:{port}", *options)
        return self.server

    def client_of(self, server):
        client = Client(server.port)
        self.addCleanup(client.__exit__)
        return client

    def listed(self, client, world="lab"):
        """Waits until the relay lists the world, and returns its row."""
        def row():
            return next((w for w in client.call("world.list") if w["world"] == world), None)
        return self.eventually(row)

    def follow_hashes(self, client, world="lab"):
        """Subscribes to the log; each notification then has a hash."""
        return client.call("world.subscribe", world=world, encoding="log")["subscription"]

    def hashes(self, client):
        return {s["tick"]: s["hash"] for s in client.snapshots() if "hash" in s}

    def compare(self, near, far, ticks):
        """Reads from both until that many more ticks have hashes at both; all must be equal."""
        begun = len(self.hashes(near).keys() & self.hashes(far).keys())
        end = time.monotonic() + SECONDS_MAX
        common = set()
        while len(common) < begun + ticks:
            self.assertLess(time.monotonic(), end, "too few ticks in common")
            near.call("ping")
            far.call("ping")
            mine, theirs = self.hashes(near), self.hashes(far)
            common = mine.keys() & theirs.keys()
        self.assertEqual({t: mine[t] for t in common}, {t: theirs[t] for t in common})

    def equal_when_paused(self, near, far, world="lab"):
        """The far server's world is paused: the near one comes to the same tick and the same bits."""
        there = far.call("world.info", world=world)
        self.assertTrue(there["paused"])

        def arrived():
            here = near.call("world.info", world=world)  # commands change a paused world, too: the hash, not the tick
            return here if all(here[key] == there[key] for key in ("tick", "hash", "paused")) else None
        here = self.eventually(arrived)
        for key in ("epoch", "hash", "bodies", "joints", "gravity", "hz", "data_keys", "time"):
            self.assertEqual(here[key], there[key], key)
        return here

    def subscribe_when_allowed(self, client, world, refusal):
        """Subscribes as soon as the relay no longer answers with the refusal, a regular expression."""
        def subscribed():
            try:
                return client.call("world.subscribe", world=world)
            except RemoteError as error:
                self.assertRegex(str(error), refusal)
                return None
        self.eventually(subscribed)

    def stats(self, client, name):
        return client.call("server.stats")["counters"][name]


def spawn(client, x, y=30.0, world="lab", **more):
    return client.call("body.spawn", world=world, position=[x, y], shapes=[BALL], **more)["body"]
