#!/usr/bin/env python3
"""How long a well-behaved client waits for its acknowledgements while another one floods the server.

    fairness.py CAROMD [--seconds S] [--limit NAME=VALUE ...] [--markdown]

The server has one simulation thread and two worlds of 60 Hz. A client sends an impulse every 5 ms to
its world and times each acknowledgement; meanwhile a second process floods: with spawns, with queries
over everything whose answers it does not read, with fans of rays, or with large bodies all in one place.
Once the flood is in the other world, once in the same. A command waits for the next tick by design, so
that 17 ms is the most that an idle server takes. The flood, the client and the server's threads share
the processors: figures of a machine that does something else as well say little. The last columns are
processor time, 100 being one processor."""

import argparse
import collections
import multiprocessing
import os
import select
import sys
import time
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from caromd import Caromd  # noqa: E402
from wire import REQUEST, Client  # noqa: E402

EVERY_S = 0.005
TICK_MS = 1000 / 60
BALL = {"kind": "circle", "radius": 0.2}


def pack(number, method, **arguments):
    return msgpack.packb([REQUEST, number, method, [arguments]])


class Flood:
    """What is sent: `once`, then `again` and again; anew over another connection when the server closes one.
    Made beforehand, so that the flood spends its time in send(2) as a program in C would."""

    def __init__(self, once=b"", again=b"", reads=True):
        self.once, self.again, self.reads = once, again, reads

    def run(self, port, until):
        """Until the server closes the connection, or the time is over."""
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
            time.sleep(0 if data else max(0, until - time.monotonic()))


def block(messages, size=1 << 18):
    """Enough of them that the loop in Python costs nothing."""
    return messages * (size // len(messages) + 1)


def nothing(client, world):
    return Flood()


def spawns(client, world):
    """120 000 spawns, apart from each other."""
    return Flood(b"".join(pack(i, "body.spawn", world=world, position=[1000 + i % 400, i // 400], shapes=[BALL])
                          for i in range(120_000)), block(pack(1, "ping")))


def crowd(client, world):
    """Some thousand bodies to be asked about."""
    for i in range(4):
        client.call("world.apply", world=world, commands=[
            ["body.spawn", {"position": [1000 + k, 10 * i], "shapes": [BALL]}] for k in range(1000)])


def overlaps(client, world):
    """Overlap with everything, whose answers nobody reads."""
    crowd(client, world)
    return Flood(again=block(pack(1, "query.overlap", world=world, area=[-1e5, -1e5, 1e5, 1e5])), reads=False)


def rays(client, world):
    """A fan of rays, each through a thousand bodies."""
    crowd(client, world)
    return Flood(again=block(b"".join(
        pack(1, "query.ray", world=world, **{"from": [0, y], "to": [3000, y]}, all=True) for y in (0, 10, 20, 30))))


def heap(client, world):
    """5 000 circles of 5 m in one place."""
    return Flood(b"".join(pack(i, "body.spawn", world=world, position=[5000, 0],
                               shapes=[{"kind": "circle", "radius": 5}]) for i in range(5000)), block(pack(1, "ping")))


def pings(client, world):
    """What the server answers itself, and refuses when it is too much."""
    return Flood(again=block(pack(1, "ping")))


FLOODS = {"nothing": nothing, "pings without end": pings, "120 000 spawns": spawns, "overlap over everything": overlaps, "ray fans": rays,
          "5 000 circles in one place": heap}


def run_flood(name, port, world, seconds, begun):
    flood = FLOODS[name](Client(port), world)
    begun.set()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            flood.run(port, until)
        except (ConnectionError, TimeoutError):
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


def cpu_seconds(pid):
    """Of each thread, by name."""
    used = collections.Counter()
    for task in Path(f"/proc/{pid}/task").iterdir():
        name, fields = (task / "stat").read_text().rsplit(")", 1)
        used[name.split("(", 1)[1]] += sum(map(int, fields.split()[11:13])) / os.sysconf("SC_CLK_TCK")
    return used


def measure(caromd, limits, flood, same, seconds):
    options = [word for limit in limits for word in ("--limit", limit)]
    with Caromd(caromd, "--threads", "1", *options) as server:
        client = Client(server.port)
        for world in ("mine", "theirs"):
            client.call("world.create", world=world, gravity=[0, 0])
        body = client.call("body.spawn", world="mine", shapes=[BALL])["body"]
        begun = multiprocessing.Event()
        process = multiprocessing.Process(
            target=run_flood, args=(flood, server.port, "mine" if same else "theirs", seconds, begun))
        process.start()
        begun.wait()
        before = cpu_seconds(server.process.pid), cpu_seconds(process.pid)
        times = acknowledgements(client, "mine", body, seconds)
        used = [after - first for after, first in zip((cpu_seconds(server.process.pid), cpu_seconds(process.pid)), before)]
        process.kill()
        process.join()
        client.socket.close()
        memory = [line for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
                  if line.startswith("VmHWM")][0].split()[1]
        counters = Client(server.port).call("server.stats")["counters"]
    return times, int(memory) / 1024, counters, used


def percentile(times, share):
    return times[min(len(times) - 1, int(share * len(times)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("caromd")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--limit", action="append", default=[], help="of the server, NAME=VALUE")
    parser.add_argument("--counters", action="store_true", help="print the server's after each flood")
    parser.add_argument("--only", default="", help="floods whose name has this in it")
    parser.add_argument("--check", action="store_true", help="fail where another world waits a tick longer")
    arguments = parser.parse_args()
    print("| flood | in | acknowledgements | p50 ms | p99 ms | max ms | memory MB | network % | worlds % | flood % |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    slow = []
    idle = None
    for flood in FLOODS:
        for same in (False, True):
            if (flood == "nothing" and same) or arguments.only not in flood:
                continue
            times, memory, counters, used = measure(arguments.caromd, arguments.limit, flood, same, arguments.seconds)

            def share(threads, prefix):
                return round(100 * sum(s for name, s in threads.items() if name.startswith(prefix)) / arguments.seconds)

            p50, p99, most = (percentile(times, share) for share in (0.5, 0.99, 1))
            idle = p99 if idle is None else idle
            print(f"| {flood} | {'the same' if same else 'another'} world | {len(times)} | {p50:.1f} | {p99:.1f} | "
                  f"{most:.1f} | {memory:.0f} | {share(used[0], 'caromd')} | {share(used[0], 'carom-sim')} | "
                  f"{share(used[1], '')} |", flush=True)
            if arguments.counters:
                print({name: value for name, value in counters.items() if value})
            if not same and p99 > idle + TICK_MS:
                slow.append(flood)
    if arguments.check and slow:
        sys.exit(f"another world waited more than a tick longer: {', '.join(slow)}")


if __name__ == "__main__":
    main()
