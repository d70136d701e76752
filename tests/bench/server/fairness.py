#!/usr/bin/env python3
"""How long a well-behaved client waits for its acknowledgements while another one floods the server.

    fairness.py CAROMD [--seconds S] [--limit NAME=VALUE ...] [--markdown]

The server has one simulation thread and two worlds of 60 Hz. A client sends an impulse every 5 ms to
its world and times each acknowledgement; meanwhile a second process floods: with spawns, with queries
over everything whose answers it does not read, or with large bodies all in one place. Once the flood is
in the other world, once in the same. A command waits for the next tick by design, so that 17 ms is the
most that an idle server takes. The flood, the client and the server's threads share the processors:
figures of a machine that does something else as well say little."""

import argparse
import multiprocessing
import select
import sys
import time
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop"))
from caromd import Caromd  # noqa: E402
from wire import REQUEST, Client, Closed, RemoteError  # noqa: E402

EVERY_S = 0.005
TICK_MS = 1000 / 60
BALL = {"kind": "circle", "radius": 0.2}


def pack(number, method, **arguments):
    return msgpack.packb([REQUEST, number, method, [arguments]])


def flood_nothing(client, world, until):
    while time.monotonic() < until:
        time.sleep(0.05)


def send_without_reading(client, messages, until):
    """Pipelines as much as the server takes; answers stay where they are."""
    client.socket.setblocking(False)
    data = b""
    while time.monotonic() < until:
        data = data or b"".join(next(messages) for _ in range(200))
        if select.select([], [client.socket], [], 0.05)[1]:
            try:
                data = data[client.socket.send(data):]
            except (BlockingIOError, ConnectionError):
                time.sleep(0.01)


def send_and_read(client, messages, until):
    """Keeps pipelining, and reads the answers."""
    client.socket.settimeout(0)
    data = b""
    while time.monotonic() < until:
        data = data or b"".join(next(messages) for _ in range(500))
        readable, writable, _ = select.select([client.socket], [client.socket], [], 0.05)
        try:
            if readable and not client.socket.recv(1 << 20):
                return
            if writable:
                data = data[client.socket.send(data):]
        except BlockingIOError:
            pass
        except ConnectionError:
            return


def flood_spawns(client, world, until):
    """120 000 spawns, apart from each other, as fast as they are taken."""
    def messages():
        number = 0
        while True:
            number += 1
            where = [1000 + number % 400, number // 400]
            yield pack(number, "body.spawn", world=world, position=where, shapes=[BALL])
    send_and_read(client, messages(), until)


def flood_queries(client, world, until):
    """Overlap with everything, over a world of some thousand bodies."""
    for i in range(4):
        client.call("world.apply", world=world, commands=[
            ["body.spawn", {"position": [1000 + k, 10 * i], "shapes": [BALL]}] for k in range(1000)])

    def messages():
        number = 0
        while True:
            number += 1
            yield pack(number, "query.overlap", world=world, area=[-1e5, -1e5, 1e5, 1e5])
    send_without_reading(client, messages(), until)


def flood_heap(client, world, until):
    """5 000 circles of 5 m in one place."""
    def messages():
        number = 0
        while True:
            number += 1
            yield pack(number, "body.spawn", world=world, position=[5000, 0],
                       shapes=[{"kind": "circle", "radius": 5}]) if number <= 5000 else pack(number, "ping")
    send_and_read(client, messages(), until)


FLOODS = {"nothing": flood_nothing, "120 000 spawns": flood_spawns, "overlap over everything": flood_queries,
          "5 000 circles in one place": flood_heap}


def run_flood(name, port, world, seconds):
    try:
        FLOODS[name](Client(port), world, time.monotonic() + seconds)
    except (Closed, ConnectionError, RemoteError, TimeoutError):
        pass  # it was turned away


def acknowledgements(client, world, body, seconds):
    """Milliseconds from each command to its answer."""
    sent, times = {}, []
    number, begin = 10**6, time.monotonic()
    next_at = begin
    client.socket.setblocking(False)
    while time.monotonic() < begin + seconds or (sent and time.monotonic() < begin + seconds + 20):
        now = time.monotonic()
        if now >= next_at and now < begin + seconds:
            number += 1
            sent[number] = now
            client.socket.send(pack(number, "body.impulse", world=world, body=body, impulse=[0, 0]))
            next_at += EVERY_S
        if select.select([client.socket], [], [], max(0, min(next_at - time.monotonic(), EVERY_S)))[0]:
            client.unpacker.feed(client.socket.recv(1 << 16))
            now = time.monotonic()
            for message in client.unpacker:
                if message[0] == 1 and message[1] in sent:
                    times.append(1000 * (now - sent.pop(message[1])))
    times += [1000 * (time.monotonic() - t) for t in sent.values()]  # never answered
    return sorted(times)


def measure(caromd, limits, flood, same, seconds):
    options = [word for limit in limits for word in ("--limit", limit)]
    with Caromd(caromd, "--threads", "1", *options) as server:
        client = Client(server.port)
        for world in ("mine", "theirs"):
            client.call("world.create", world=world, gravity=[0, 0])
        body = client.call("body.spawn", world="mine", shapes=[BALL])["body"]
        process = multiprocessing.Process(
            target=run_flood, args=(flood, server.port, "mine" if same else "theirs", seconds))
        process.start()
        times = acknowledgements(client, "mine", body, seconds)
        process.kill()
        process.join()
        client.socket.close()
        memory = [line for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
                  if line.startswith("VmHWM")][0].split()[1]
        counters = Client(server.port).call("server.stats")["counters"]
    return times, int(memory) / 1024, counters


def percentile(times, share):
    return times[min(len(times) - 1, int(share * len(times)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("caromd")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--limit", action="append", default=[], help="of the server, NAME=VALUE")
    parser.add_argument("--check", action="store_true", help="fail where another world waits a tick longer")
    arguments = parser.parse_args()
    print("| flood | in | acknowledgements | p50 ms | p99 ms | max ms | memory MB |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    slow = []
    idle = None
    for flood in FLOODS:
        for same in (False, True):
            if flood == "nothing" and same:
                continue
            times, memory, _ = measure(arguments.caromd, arguments.limit, flood, same, arguments.seconds)
            p50, p99, most = (percentile(times, share) for share in (0.5, 0.99, 1))
            idle = p99 if idle is None else idle
            print(f"| {flood} | {'the same' if same else 'another'} world | {len(times)} | {p50:.1f} | {p99:.1f} | "
                  f"{most:.1f} | {memory:.0f} |", flush=True)
            if not same and p99 > idle + TICK_MS:
                slow.append(flood)
    if arguments.check and slow:
        sys.exit(f"another world waited more than a tick longer: {', '.join(slow)}")


if __name__ == "__main__":
    main()
