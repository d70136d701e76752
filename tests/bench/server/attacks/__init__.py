"""The attacks of fairness.py on a server. An attack is a function marked with @attack:

    @attack("64 areas of 20 viewers")
    def areas(target, until):
        …until time.monotonic() reaches `until`, by whatever means: connections, forks, worlds…

It runs in a process of its own and may use its time freely; `target.begun()` says that the victim may be measured from
now on (without it, measuring begins with the attack). The victim is a client in the world `mine`, which is quiet; the
attack has the world `theirs`, and may make others. With `same=True` there is a second row, with the attack in the
victim's world. `options` are the server's (`FOLDER` in them becomes an empty folder); with `keys=True` it asks for tokens, and `target.token(role)` signs them;
with `other_key=True` they have a key of their own, which `target.remove_key()` removes;
with `tls=True` it speaks TLS, and so does the victim. With `relay=True` it is a relay, `target.upstream` is the port of
the server that it follows, and the victim, who watches `mine`, sends queries.

Rows are in the order of the files: floods (commands), simulation (threads that step worlds), network (the
network thread), sessions (many, to which the same happens), memory."""

import collections
import select
import time

import msgpack
from wire import REQUEST, Client, RemoteError

BALL = {"kind": "circle", "radius": 0.2}
ATTACKS = {}  # name: Attack

Attack = collections.namedtuple("Attack", "run same options keys tls relay other_key")


def attack(name, same=False, options=(), keys=False, tls=False, relay=False, other_key=False):
    def mark(run):
        ATTACKS[name] = Attack(run, same, tuple(options), keys or other_key, tls, relay, other_key)
        return run
    return mark


class Target:
    """The server as an attack sees it. It is made in the attack's own process."""

    def __init__(self, port, http_port, world, begun, sign, upstream=None, remove_key=None):
        self.upstream, self.remove_key = upstream, remove_key
        self.port, self.http_port, self.world, self.begun, self.token = port, http_port, world, begun.set, sign

    def client(self, role="admin", **claims):
        """A connection; with a token if the server asks for one."""
        client = Client(self.port)
        if self.token:
            client.call("hello", token=self.token(role, **claims))
        return client


def pack(number, method, /, **arguments):
    return msgpack.packb([REQUEST, number, method, [arguments]])


def wait(until):
    time.sleep(max(0, until - time.monotonic()))


def drain(clients, until):
    """Reads and discards the server's messages to the clients."""
    import selectors
    selector = selectors.DefaultSelector()
    for client in clients:
        client.socket.setblocking(False)
        selector.register(client.socket, selectors.EVENT_READ)
    while time.monotonic() < until and selector.get_map():
        for key, _ in selector.select(0.05):
            try:
                if not key.fileobj.recv(1 << 18):
                    selector.unregister(key.fileobj)
            except BlockingIOError:
                pass
            except OSError:
                selector.unregister(key.fileobj)


def pump(clients, block, until):
    """Sends the block repeatedly over each connection, and discards the input."""
    left = {client: b"" for client in clients}
    sockets = {client.socket: client for client in clients}
    for client in clients:
        client.socket.setblocking(False)
    while time.monotonic() < until and sockets:
        readable, writable, _ = select.select(list(sockets), list(sockets), [], 0.05)
        for one in readable + writable:
            client = sockets.get(one)
            try:
                if one in readable and one.recv(1 << 20) == b"":
                    sockets.pop(one, None)
                if client and one in writable:
                    left[client] = left[client] or block
                    left[client] = left[client][one.send(left[client]):]
            except BlockingIOError:
                pass
            except OSError:
                sockets.pop(one, None)


def spawn(client, world, places, shape=BALL, **more):
    """Spawns bodies, a thousand per batch, as fast as requests_per_second allows."""
    places = list(places)
    for first in range(0, len(places), 1000):
        batch = [["body.spawn", {"position": place, "shapes": [shape], **more}] for place in places[first:first + 1000]]
        while not spawned(client, world, batch):
            time.sleep(0.05)


def watch(client, world):
    """Subscribes at a relay, which may not have heard of the world yet."""
    while True:
        try:
            return client.call("world.subscribe", world=world)
        except RemoteError as error:
            if str(error).split(":")[0] not in ("not_found", "unavailable"):
                raise
        time.sleep(0.02)


def spawned(client, world, batch):
    try:
        client.call("world.apply", world=world, commands=batch)
    except RemoteError as error:
        if "requests_per_second" not in str(error):
            raise
        return False
    return True


from attacks import floods, memory, network, sessions, simulation  # noqa: E402, F401
