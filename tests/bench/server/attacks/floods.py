"""Endless commands over one connection, or over a new one when the server closes it."""

import select
import time

from attacks import BALL, attack, pack, spawn, wait
from wire import Client


class Flood:
    """Sends `once`, then `again` repeatedly; begins over another connection when the server closes one. The
    bytes are made beforehand, so that the flood spends its time in send(2), like a program in C."""

    def __init__(self, once=b"", again=b"", reads=True):
        self.once, self.again, self.reads = once, again, reads

    def run_once(self, port, until):
        """Sends until the server closes the connection, or the time is over."""
        with Client(port) as client:
            client.socket.setblocking(False)
            data = memoryview(self.once or self.again)
            while time.monotonic() < until and data:
                readable, writable, _ = select.select([client.socket] if self.reads else [], [client.socket], [], 0.05)
                try:
                    if readable and not client.socket.recv(1 << 20):
                        return
                    if writable:
                        data = data[client.socket.send(data):] or memoryview(self.again)
                except BlockingIOError:
                    pass
            if not data:
                wait(until)

    def run(self, target, until):
        target.begun()
        while time.monotonic() < until:
            try:
                self.run_once(target.port, until)
            except (ConnectionError, TimeoutError):
                pass  # the server refused the connection


def block(messages, size=1 << 18):
    """Repeats messages to a block so large that the loop in Python costs nothing."""
    return messages * (size // len(messages) + 1)


def crowd(target):
    """Spawns some thousand bodies for queries."""
    spawn(target.client(), target.world, ([1000 + k, 10 * i] for i in range(4) for k in range(1000)))


@attack("nothing")
def nothing(target, until):
    target.begun()
    wait(until)


@attack("pings without end", same=True)
def pings(target, until):
    """Requests that the network thread answers itself, and refuses when there are too many."""
    Flood(again=block(pack(1, "ping"))).run(target, until)


@attack("120 000 spawns", same=True)
def spawns(target, until):
    """Spawns bodies apart from each other."""
    Flood(b"".join(pack(i, "body.spawn", world=target.world, position=[1000 + i % 400, i // 400], shapes=[BALL])
                   for i in range(120_000)), block(pack(1, "ping"))).run(target, until)


@attack("overlap over everything", same=True)
def overlaps(target, until):
    """Requests lists of overlaps without reading the answers."""
    crowd(target)
    question = pack(1, "query.overlap", world=target.world, area=[-1e5, -1e5, 1e5, 1e5])
    Flood(again=block(question), reads=False).run(target, until)


@attack("ray fans", same=True)
def rays(target, until):
    """Queries rays, each through a thousand bodies."""
    crowd(target)
    Flood(again=block(b"".join(
        pack(1, "query.ray", world=target.world, **{"from": [0, y], "to": [3000, y]}, all=True)
        for y in (0, 10, 20, 30)))).run(target, until)


@attack("5 000 circles in one place", same=True)
def heap(target, until):
    """Spawns circles of 5 m in one place."""
    Flood(b"".join(pack(i, "body.spawn", world=target.world, position=[5000, 0],
                        shapes=[{"kind": "circle", "radius": 5}]) for i in range(5000)),
          block(pack(1, "ping"))).run(target, until)
