"""Attacks that keep the network thread busy."""

import math
import resource
import socket
import threading
import time
from pathlib import Path

from . import BALL, attack, drain, pack, pump, spawn, wait

OCTAGON = [[math.cos(i), math.sin(i)] for i in range(8)]


@attack("world.list and server.sessions from 10", keys=True)
def lists(target, until):
    first = target.client()
    for i in range(200):
        first.call("world.create", world=f"x{i}", paused=True)
    block = b"".join(pack(i, method) for i in range(100) for method in ("world.list", "server.sessions"))
    target.begun()
    while time.monotonic() < until:  # the server closes connections that owe too much
        pump([target.client() for _ in range(10)], block, until)


@attack("250 strangers end large messages at once", keys=True)
def strangers(target, until):
    message = pack(1, "ping", any=[[[1]]] * 87000)
    target.begun()
    while time.monotonic() < until:
        peers = []
        for _ in range(250):
            peer = socket.create_connection(("127.0.0.1", target.port))
            peers.append(peer)
            try:
                peer.sendall(message[:-1])
            except OSError:
                pass  # the server refused the connection before
        for peer in peers:
            try:
                peer.sendall(message[-1:])
            except OSError:
                pass
        time.sleep(0.5)
        for peer in peers:
            peer.close()


@attack("batches of 4 000 polygons", keys=True)
def polygons(target, until):
    command = ["body.spawn", {"enabled": False, "shapes": [{"kind": "polygon", "vertices": OCTAGON}] * 4}]
    client = target.client()
    client.socket.settimeout(2)
    target.begun()
    while time.monotonic() < until:
        try:
            client.socket.sendall(pack(1, "world.apply", world=target.world, commands=[command] * 1000))
        except OSError:
            client = target.client()
            client.socket.settimeout(2)
        time.sleep(0.04)


@attack("half TLS handshakes", tls=True)
def handshakes(target, until):
    """Begins handshakes, lets the server compute its part, and ends each."""
    half_handshakes(target, until, [target.port])


@attack("half TLS handshakes on both ports", tls=True)
def handshakes_on_both(target, until):
    half_handshakes(target, until, [target.port, target.http_port])


def half_handshakes(target, until, ports):
    import ssl
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    answer, hello = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(answer, hello).do_handshake()
    except ssl.SSLWantReadError:
        hello = hello.read()
    target.begun()
    while time.monotonic() < until:
        peers = []
        for i in range(100):
            try:
                peers.append(socket.create_connection(("127.0.0.1", ports[i % len(ports)])))
                peers[-1].sendall(hello)
            except OSError:
                pass  # the server refused the connection
        for peer in peers:
            peer.close()


@attack("1 000 connections that end at once")
def endings(target, until):
    target.begun()
    while time.monotonic() < until:
        peers = [target.client() for _ in range(1000)]
        for peer in peers:
            peer.socket.close()


@attack("2 000 watchers with tiny windows")
def watchers(target, until):
    """Watches with clients that send little, are sent 1 000 bodies every tick, and read almost nothing."""
    spawn(target.client(), target.world, ([k % 50 * 2, k // 50 * 2] for k in range(1000)), angular_velocity=1,
          gravity_scale=0, allow_sleep=False)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    questions = b"".join(pack(1, "world.info", world=target.world) for _ in range(20))
    peers = []
    for _ in range(2000):
        peer = socket.socket()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        peer.connect(("127.0.0.1", target.port))
        peer.sendall(pack(1, "world.subscribe", world=target.world, describe=True) + questions)
        peer.setblocking(False)
        peers.append(peer)
    target.begun()
    while time.monotonic() < until:
        for peer in peers:
            try:
                peer.recv(512)
            except OSError:
                pass  # no input, or the connection was closed


@attack("sessions that begin and are lost", keys=True)
def reconnects(target, until):
    """Opens and loses sessions, each with a token and eight subscriptions."""
    spawn(target.client(), target.world, ([k % 50 * 2, k // 50 * 2] for k in range(1000)), angular_velocity=1,
          gravity_scale=0, allow_sleep=False)
    message = (pack(1, "hello", token=target.token("viewer")) +
               pack(2, "world.subscribe", world=target.world, describe=True) * 8)
    target.begun()
    while time.monotonic() < until:
        peers = []
        for _ in range(50):
            try:
                peers.append(socket.create_connection(("127.0.0.1", target.port), 2))
                peers[-1].sendall(message)
            except OSError:
                pass  # the server refused the connection
        for peer in peers:
            peer.close()


@attack("sessions with 64 subscriptions, on disk", keys=True, options=("--data", "FOLDER/data"))
def stored_sessions(target, until):
    """Makes subscriptions with long names of data, each of which is a record of 4 kB in the file of sessions."""
    names = [f"{k:0128}" for k in range(32)]
    target.client().call("world.create", world="still", paused=True)
    block = b"".join(pack(k, "world.subscribe", world="still", data=names) for k in range(64))
    target.begun()
    viewers = []
    while time.monotonic() < until:
        viewers.append(target.client("viewer", sub=f"mal-{len(viewers) % 50}"))
        pump(viewers[-1:], block, time.monotonic() + 0.02)


@attack("200 worlds that end with their session", keys=True, options=("--data", "FOLDER/data"))
def bound_worlds(target, until):
    """300 sessions send a command to each of 200 worlds, which then end at once; again and again."""
    players = [target.client("player", sub=f"mal-{k % 50}") for k in range(300)]
    while time.monotonic() < until:
        owner = target.client()
        worlds = [f"bound-{k}" for k in range(200)]
        for world in worlds:
            owner.request("world.create", world=world, paused=True, lifetime="session")
        owner.call("ping")
        for player in players:
            player.send(b"".join(pack(1, "body.spawn", world=world, lifetime="session", shapes=[BALL]) for world in worlds))
        for player in players:
            player.call("ping")
        target.begun()
        owner.call("goodbye")
        owner.socket.close()


@attack("scrapes of 250 worlds")
def scrapes_of_worlds(target, until):
    first = target.client()
    for i in range(250):
        first.call("world.create", world=f"{'w' * 50}-{i}", paused=True)
    scrape_without_end(target, until, ("/metrics",))


@attack("scrapes and small HTTP requests from 100")
def scrapes(target, until):
    scrape_without_end(target, until, ("/metrics", "/nothing"))


def scrape_without_end(target, until, paths):
    class Peer:
        def __init__(self):
            self.socket = socket.create_connection(("127.0.0.1", target.http_port))
    block = b"".join(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() for path in paths * 50)
    target.begun()
    while time.monotonic() < until:
        pump([Peer() for _ in range(100)], block, min(until, time.monotonic() + 1))
    wait(until)


@attack("worlds made and destroyed")
def short_worlds(target, until):
    """Makes worlds endlessly, over one connection that does not wait for answers."""
    client = target.client()
    names = [f"short-{i}" for i in range(100)]
    block = b"".join(pack(1, "world.create", world=name) for name in names) + b"".join(
        pack(2, "world.destroy", world=name) for name in names)
    target.begun()
    while time.monotonic() < until:
        pump([client], block, min(until, time.monotonic() + 1))
        client = target.client()


@attack("images read while forked")
def images_and_forks(target, until):
    """Makes worlds of 3 000 bodies; taken names are refused, and the pool's threads make the others."""
    spawn(target.client(), target.world, ([k % 100 * 3, k // 100 * 3] for k in range(3000)), angular_velocity=1,
          gravity_scale=0, allow_sleep=False)
    images = pack(1, "world.image", world=target.world) * 5
    forks = b"".join(pack(1, "world.fork", world=target.world, **{"as": f"fork-{k}"}) +
                     pack(2, "world.destroy", world=f"fork-{k}") for k in range(6))
    clients = [target.client() for _ in range(6)]
    target.begun()
    while time.monotonic() < until:
        pump(clients[:3], images, time.monotonic() + 0.1)
        pump(clients[3:], forks, time.monotonic() + 0.1)


@attack("data.set with versions that lose", keys=True)
def versions(target, until):
    """Sends versions of one key from 10 referees."""
    target.client().call("data.set", world=target.world, key="a", value=1)
    block = b"".join(pack(k, "data.set", world=target.world, key="a", value=k, version=0) for k in range(300))
    target.begun()
    while time.monotonic() < until:
        pump([target.client("referee", sub=f"mal-{i}") for i in range(10)], block, min(until, time.monotonic() + 1))


@attack("data.get of everything", keys=True)
def all_data(target, until):
    """Requests all data, 400 kB an answer."""
    owner = target.client()
    for k in range(100):
        owner.call("data.set", world=target.world, key=f"k{k}", value="v" * 4000)
    block = pack(1, "data.get", world=target.world) * 50
    target.begun()
    while time.monotonic() < until:
        pump([target.client("viewer", sub=f"mal-{i}") for i in range(10)], block, min(until, time.monotonic() + 1))


@attack("lists of 1 000 joints", keys=True)
def joints(target, until):
    """Requests lists of joints, 200 kB an answer."""
    first = target.client()
    bodies = []
    for begin in range(0, 1001, 143):
        commands = [["body.spawn", {"position": [2 * k, 0], "shapes": [BALL]}] for k in range(begin, begin + 143)]
        bodies += [result["body"] for result in first.call("world.apply", world=target.world, commands=commands)["results"]]
    first.call("world.apply", world=target.world, commands=[
        ["joint.create", {"kind": "distance", "a": a, "b": b}] for a, b in zip(bodies, bodies[1:])])
    lists_without_end(target, until, pack(1, "joint.list", world=target.world) * 50)


@attack("lists and queries of 2 000 bodies", keys=True)
def found_bodies(target, until):
    """Answers that name all bodies: of overlap, of a ray along all of them, of contacts and of the whole state."""
    spawn(target.client(), target.world, ([0.3 * k, 0] for k in range(2000)), gravity_scale=0)
    everything = [-1, -1, 700, 1]
    lists_without_end(target, until, 10 * (
        pack(1, "query.overlap", world=target.world, area=everything) +
        pack(2, "query.ray", world=target.world, **{"from": [-1, 0], "to": [700, 0], "all": True}) +
        pack(3, "world.contacts", world=target.world) + pack(4, "world.state", world=target.world)))


def lists_without_end(target, until, block):
    target.begun()
    while time.monotonic() < until:
        pump([target.client("viewer", sub=f"mal-{i}") for i in range(10)], block, min(until, time.monotonic() + 1))


@attack("world.create if_absent without end")
def absent(target, until):
    block = pack(1, "world.create", world=target.world, gravity=[0, 0], if_absent=True) * 1000
    target.begun()
    while time.monotonic() < until:
        pump([target.client() for _ in range(10)], block, min(until, time.monotonic() + 1))


@attack("areas that jump without end", keys=True)
def jumps(target, until):
    """Moves the areas of 20 viewers, packed and described, to other bodies each time."""
    spawn(target.client(), target.world, ([k % 100 * 3, k // 100 * 3] for k in range(10000)), angular_velocity=1,
          allow_sleep=False)
    viewers, blocks = [target.client("viewer", sub=f"mal-{i}") for i in range(20)], {}
    for i, viewer in enumerate(viewers):
        number = viewer.call("world.subscribe", world=target.world, area=[0, 0, 50, 50], describe=True,
                             **({"encoding": "packed"} if i % 2 else {}))["subscription"]
        blocks[viewer] = b"".join(pack(k, "world.view", subscription=number, area=[x, x, x + 150, x + 150])
                                  for k in range(50) for x in [7 * k % 150])
    target.begun()
    while time.monotonic() < until:
        for viewer in viewers:
            pump([viewer], blocks[viewer], time.monotonic() + 0.002)


@attack("subscriptions that begin without end", keys=True)
def renewals(target, until):
    """Subscriptions of 20 subjects, as plain and packed snapshots and as a log; each connection ends when it has all
    subscriptions that it may have."""
    spawn(target.client(), target.world, ([k % 100 * 3, k // 100 * 3] for k in range(10000)), angular_velocity=1,
          allow_sleep=False)
    block = b"".join(pack(k, "world.subscribe", world=target.world, describe=True, **more) for k in range(20)
                     for more in ({}, {"encoding": "packed"}, {"area": [0, 0, 9 + k, 300]}))
    block += b"".join(pack(k, "world.subscribe", world=target.world, encoding="log") for k in range(4))
    target.begun()
    while time.monotonic() < until:
        viewers = [target.client("viewer", sub=f"mal-{i}") for i in range(20)]
        pump(viewers, block, min(until, time.monotonic() + 0.3))
        for viewer in viewers:
            viewer.socket.close()


@attack("tokens that are wrong, from 100", keys=True)
def wrong_tokens(target, until):
    good = target.token("viewer")
    block = pack(1, "hello", token=good[:-8] + ("A" * 8)) * 4
    target.begun()
    while time.monotonic() < until:
        peers = []
        for _ in range(100):
            try:
                peers.append(socket.create_connection(("127.0.0.1", target.port), 2))
                peers[-1].sendall(block)
            except OSError:
                pass  # the server refused the connection
        for peer in peers:
            peer.close()


@attack("server.stats without end", keys=True)
def stats(target, until):
    block = pack(1, "server.stats") * 200
    target.begun()
    while time.monotonic() < until:
        pump([target.client("player", sub=f"mal-{i}") for i in range(10)], block, min(until, time.monotonic() + 1))


PAGES = Path(__file__).resolve().parents[4] / "client/web/examples"


@attack("files of --www to slow readers", options=("--www", str(PAGES)))
def pages(target, until):
    """Requests every file repeatedly over 100 connections, and reads little of the answers."""
    block = b"".join(f"GET /{path.relative_to(PAGES)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
                     for path in sorted(PAGES.rglob("*.*"))[:50] if path.is_file())
    peers = []
    target.begun()
    while time.monotonic() < until:
        if not peers:
            for _ in range(100):
                peer = socket.socket()
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                peer.connect(("127.0.0.1", target.http_port))
                peer.setblocking(False)
                peers.append(peer)
        for peer in list(peers):
            try:
                peer.send(block)
                peer.recv(2048)
            except BlockingIOError:
                pass
            except OSError:
                peers.remove(peer)


# ---- many readers

ROOM = Path(__file__).with_name("room.json")  # a template


def again(target, clients, block, until):
    """The server closes connections that owe too much."""
    while time.monotonic() < until:
        pump([target.client("player" if clients > 5 else "admin", sub=f"mal-{i}") for i in range(clients)], block,
             min(until, time.monotonic() + 1))


@attack("joins and leaves before 200 watchers", keys=True, options=("--template", f"room={ROOM}"))
def joins(target, until):
    """Sends joins and leaves, each with 3 kB for all watchers, who have a subject each."""
    target.client("player", sub="first").call("world.join", template="room")
    watchers = [target.client("viewer", sub=f"watcher-{i}") for i in range(200)]
    for watcher in watchers:
        watcher.request("world.subscribe", world="room-1", events=["join", "leave"])
    threading.Thread(target=drain, args=(watchers, until)).start()
    target.begun()
    again(target, 20, (pack(1, "world.join", template="room", data="d" * 3000) + pack(2, "world.leave", world="room-1")) * 50, until)


@attack("pauses of 100 worlds with logs of 100", keys=True)
def pauses(target, until):
    admin = target.client()
    for k in range(100):
        admin.call("world.create", world=f"paused-{k}")
    viewers = [target.client("viewer", sub=f"viewer-{k}") for k in range(100)]
    for viewer in viewers:
        for k in range(60):
            viewer.request("world.subscribe", world=f"paused-{k}", encoding="log")
    threading.Thread(target=drain, args=(viewers, until)).start()
    target.begun()
    again(target, 5, b"".join(pack(1, "world.pause", world=f"paused-{k}") + pack(2, "world.resume", world=f"paused-{k}")
                              for k in range(100)), until)
