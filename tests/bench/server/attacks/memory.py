"""Attacks that take memory: the server has a limit of 1 GB (--memory), and the memory column shows its peak."""

import itertools
import time

from attacks import attack, drain, pack, spawn, wait
from wire import Closed, RemoteError

BOUND = ("--memory", "1G")


def place(k):
    return [k % 200 * 3, k // 200 * 3]


@attack("512 packed areas of 20 000 bodies", options=BOUND, keys=True)
def packed(target, until):
    """Opens 8 connections of one viewer, each with 64 areas of its own."""
    spawn(target.client(), target.world, map(place, range(20000)))
    viewers = [target.client("viewer") for _ in range(8)]
    target.begun()
    for viewer in viewers:
        for k in range(64):
            viewer.request("world.subscribe", world=target.world, encoding="packed", area=[-1 - k / 64, -1, 3000, 3000])
    drain(viewers, until)


@attack("batches that wait for a later tick", options=BOUND, keys=True)
def waiting(target, until):
    """Sends as many batches as are accepted, of a thousand commands each, from 16 connections; again when all were closed."""
    batch = [["body.spawn", {"shapes": [{"kind": "circle", "radius": 0.2}]}]] * 1000
    while time.monotonic() < until:
        clients = [target.client("player") for _ in range(16)]
        target.begun()
        for _ in range(100):
            for client in list(clients):
                try:
                    client.request("world.apply", world=target.world, commands=batch, at=100_000)
                except OSError:  # the server closed the connection after so many refusals
                    clients.remove(client)
        drain(clients, until)


@attack("forks of 20 000 bodies", options=BOUND)
def forks(target, until):
    """Makes as many forks as are accepted, destroys them and makes them again."""
    client = target.client()
    client.call("world.create", world="large", gravity=[0, 0])
    spawn(client, "large", map(place, range(20000)))
    target.begun()
    while time.monotonic() < until:
        made = []
        try:
            for k in range(200):
                client.call("world.fork", world="large", **{"as": f"fork-{k}"})
                made.append(f"fork-{k}")
        except RemoteError:
            pass
        for name in made:
            client.call("world.destroy", world=name)


@attack("packed sessions that lose their connection", options=BOUND, keys=True)
def detached(target, until):
    """Leaves sessions with 16 packed areas each, which the server keeps for resume_ms."""
    spawn(target.client(), target.world, map(place, range(5000)))
    target.begun()
    while time.monotonic() < until:
        try:
            with target.client("viewer") as viewer:
                for k in range(16):
                    viewer.request("world.subscribe", world=target.world, encoding="packed",
                                   area=[-1 - time.monotonic() % 1, -1, 3000, 3000])
                viewer.call("ping")
        except (RemoteError, Closed, ConnectionError):
            time.sleep(0.01)


@attack("12 000 balls that fly together", options=BOUND)
def gather(target, until):
    """Spawns balls that do not overlap; a tick later all are within some metres."""
    client = target.client()
    ring = range(12000)
    client.call("world.create", world="ring", gravity=[0, 0], paused=True)
    for first in range(0, len(ring), 1000):
        commands = []
        for k in ring[first:first + 1000]:
            x, y = k % 110 * 1.02 - 56, k // 110 * 1.02 - 56
            commands.append(["body.spawn", {"position": [x, y], "velocity": [-57 * x, -57 * y], "allow_sleep": False,
                                            "shapes": [{"kind": "circle", "radius": 0.5}]}])
        client.call("world.apply", world="ring", commands=commands)
    target.begun()
    client.call("world.resume", world="ring")
    wait(until)


class Sender:
    """A connection to which as much is sent as it accepts; it may read or not. A closed one is replaced."""

    def __init__(self, connect, messages, reads=True):
        self.connect, self.messages, self.reads = connect, itertools.cycle(messages), reads
        self.client, self.left = None, b""

    def send(self):
        try:
            self.client = self.client or self.connect()
            self.client.socket.setblocking(False)
            if self.reads:
                self.client.socket.recv(1 << 18)
        except BlockingIOError:
            pass
        except (RemoteError, Closed, OSError):
            self.client, self.left = None, b""
            return
        try:
            self.left = self.left or next(self.messages)
            self.left = self.left[self.client.socket.send(self.left):]
        except BlockingIOError:
            pass
        except OSError:
            self.client, self.left = None, b""


@attack("all that takes memory, at once", options=BOUND, keys=True)
def combined(target, until):
    """Combines packed areas, waiting batches, forks, lost sessions, queries of the past and unread images."""
    admin = target.client()
    for world in ("large", "asked"):
        admin.call("world.create", world=world, gravity=[0, 0])
    spawn(admin, "large", map(place, range(20000)))
    spawn(admin, "asked", map(place, range(5000)), angular_velocity=1, allow_sleep=False)
    batch = [["body.spawn", {"shapes": [{"kind": "circle", "radius": 0.2}]}]] * 1000
    waiting = [pack(1, "world.apply", world=target.world, commands=batch, at=100_000)]
    areas = [pack(1, "world.subscribe", world="large", encoding="packed", area=[-1 - k / 512, -1, 3000, 3000])
             for k in range(64)]
    forks = ([pack(1, "world.fork", world="large", **{"as": f"fork-{k}"}) for k in range(40)] +
             [pack(1, "world.destroy", world=f"fork-{k}") for k in range(40)])
    past = [pack(1, "query.nearest", world="asked", point=[0, 0], at=at + 0.5) for at in range(0, 60000, 7)]
    images = [pack(1, "world.image", world="large")]

    def lose():
        client = target.client("viewer")
        client.send(b"".join(areas[:16]))
        raise ConnectionError  # the connection is lost at once
    senders = ([Sender(lambda: target.client("viewer"), areas) for _ in range(8)] +
               [Sender(lambda: target.client("player"), waiting) for _ in range(8)] +
               [Sender(target.client, forks) for _ in range(2)] + [Sender(lose, [b""]) for _ in range(2)] +
               [Sender(target.client, past) for _ in range(4)] + [Sender(target.client, images, False) for _ in range(8)])
    target.begun()
    while time.monotonic() < until:
        for sender in senders:
            sender.send()
