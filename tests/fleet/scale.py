#!/usr/bin/env python3
"""How far a fleet scales: what one etcd of three members takes here, and what 1 000 servers, 100 000 worlds and a million
watchers would ask of it; and how evenly placement by chance fills servers.

Usage: scale.py CAROMD [--records N] [--watches N] [--rate N] [--seconds N]

Every write is a transaction as caromd's. Watches read the prefix of all records through the JSON gateway, as caromd does. Writers,
watchers, three etcd and all else share this machine, so the figures are a lower bound.
"""

import argparse
import http.client
import json
import os
import random
import selectors
import socket
import statistics
import sys
import threading
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from fleet import Fleet  # noqa: E402

WRITERS = 32
NODES, WORLDS, WATCHERS = 1000, 100_000, 1_000_000
NODE_WRITES = 1 / 30  # a second and server: FLEET_CHECK_MS of server/fleet/fleet.h; more only while loads change
CHANGE_SHARE = 8  # NODE_CHANGE_SHARE of server/fleet/records.h
text = etcd.Etcd.text


def samples(program):
    """(bytes of a server's record, of a world's) as caromd writes them."""
    fleet = Fleet(program)
    try:
        fleet.start("a")
        with fleet.client("a") as client:
            client.call("world.create", world="a-world-of-a-game-1")
        return [json.dumps(next(iter(fleet.etcd.keys(f"/carom/{kind}/").values())), separators=(",", ":"))
                for kind in ("node", "world")]
    finally:
        fleet.stop()


class Writers:
    """Threads with a connection each, which take keys from one list."""

    def __init__(self, cluster, keys, value, rate=None):
        self.urls = [urllib.parse.urlparse(member.url).netloc for member in cluster.members]
        self.keys, self.value, self.rate = iter(keys), value, rate
        self.lock, self.times, self.begin = threading.Lock(), [], time.monotonic()

    def take(self):
        with self.lock:
            key = next(self.keys, None)
            due = self.begin + len(self.times) / self.rate if self.rate else 0
            self.times.append(None)
        if due > time.monotonic():
            time.sleep(due - time.monotonic())
        return key

    def work(self, which):
        connection = http.client.HTTPConnection(self.urls[which % len(self.urls)], timeout=60)
        while (key := self.take()) is not None:
            begin = time.monotonic()
            body = {"compare": [{"key": text(key), "result": "GREATER", "target": "VERSION", "version": "-1"}],
                    "success": [{"request_put": {"key": text(key), "value": text(self.value)}}]}
            connection.request("POST", "/v3/kv/txn", json.dumps(body))
            answer = json.load(connection.getresponse())
            with self.lock:
                if answer.get("succeeded"):
                    self.done.append(time.monotonic() - begin)
                else:  # a busy etcd may still have written it
                    self.failed[answer.get("message", str(answer))] = self.failed.get(answer.get("message", str(answer)), 0) + 1
        connection.close()

    def run(self):
        """(seconds, durations of the writes)."""
        self.done, self.failed, self.begin = [], {}, time.monotonic()
        threads = [threading.Thread(target=self.work, args=(i,)) for i in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.monotonic() - self.begin, sorted(self.done)


class Watches:
    """Watches of the prefix, a connection each as in caromd, over all members: one thread reads them. Counts events and bytes."""

    MARK = b'"mod_revision"'
    OPENING = 64  # asked for at once, and not answered yet

    def __init__(self, members, prefix, count):
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        body = json.dumps({"create_request": {"key": text(prefix), "range_end": text(end)}})
        self.places = [urllib.parse.urlparse(member.url) for member in members]
        self.request = f"POST /v3/watch HTTP/1.1\r\nHost: etcd\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        self.poll, self.ended = selectors.DefaultSelector(), threading.Event()
        self.ready = self.events = self.bytes = 0
        begin = time.monotonic()
        for i in range(count):
            self.open(i)
            while i + 1 - self.ready >= self.OPENING:
                self.read(1)
        while self.ready < count and time.monotonic() < begin + 600:
            self.read(1)
        assert self.ready == count, f"{self.ready} of {count} watches began"
        self.opened_s = time.monotonic() - begin
        self.events = self.bytes = 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def open(self, i):
        place = self.places[i % len(self.places)]
        connection = socket.create_connection((place.hostname, place.port), timeout=60)
        connection.sendall(self.request)
        connection.setblocking(False)
        self.poll.register(connection, selectors.EVENT_READ, [False, b""])  # whether it has begun; the last bytes

    def read(self, timeout):
        for key, _ in self.poll.select(timeout):
            data = key.fileobj.recv(1 << 18)
            assert data, "etcd ended a watch"
            begun, before = key.data
            whole = before + data
            if not begun and b'"created":true' in whole:
                begun = True
                self.ready += 1
            self.events += whole.count(self.MARK)
            self.bytes += len(data)
            # A mark may be split between two reads; a whole one is not counted twice.
            keep = len(self.MARK) - 1 if begun else len(whole)
            key.data[:] = [begun, whole[len(whole) - min(keep, len(whole)):]]

    def run(self):
        while not self.ended.is_set():
            self.read(0.1)

    def wait(self, events, seconds):
        """Waits for so many events in all; the time that it took."""
        begin = time.monotonic()
        while self.events < events and time.monotonic() < begin + seconds:
            time.sleep(0.0005)
        return time.monotonic() - begin

    def close(self):
        self.ended.set()
        self.thread.join()
        for key in list(self.poll.get_map().values()):
            key.fileobj.close()
        self.poll.close()


def memory(cluster):
    """Resident bytes of all members."""
    pages = [int(Path(f"/proc/{member.process.pid}/statm").read_text().split()[1]) for member in cluster.members]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


def one_by_one(cluster, watches, node, count=20):
    """Times from the beginning of a write until every watch has its event."""
    times = []
    for i in range(count):
        before = watches.events
        begin = time.monotonic()
        Writers(cluster, [f"/carom/node/one{i}"], node).run()
        watches.wait(before + watches.ready, 60)
        times.append(time.monotonic() - begin)
    return sorted(times)


def measure(options, node, world):
    cluster = etcd.Cluster()
    try:
        took, times = Writers(cluster, (f"/carom/world/w{i}" for i in range(options.records)), world).run()
        size = int(cluster.leader().ask("/maintenance/status")["dbSize"])
        print(f"{options.records} records of worlds ({len(world)} bytes): {len(times) / took:.0f} transactions/s, p50 "
              f"{1e3 * statistics.median(times):.1f} ms, p99 {1e3 * times[int(0.99 * len(times))]:.1f} ms; {size / 1e6:.1f} MB on disk")
        before = memory(cluster)
        watches = Watches(cluster.members, "/carom/", options.watches)
        try:
            print(f"{options.watches} watches: open after {watches.opened_s:.1f} s ({options.watches / watches.opened_s:.0f} a second); "
                  f"{(memory(cluster) - before) / 1e6:.0f} MB more in etcd, {(memory(cluster) - before) / 1e3 / options.watches:.0f} kB each")
            times = one_by_one(cluster, watches, node)
            print(f"one write at a time, until all watches have it: p50 {1e3 * statistics.median(times):.0f} ms, most {1e3 * times[-1]:.0f} ms")
            rate = options.rate
            count = rate * options.seconds
            begin, first, first_bytes = time.monotonic(), watches.events, watches.bytes
            writers = Writers(cluster, (f"/carom/node/n{i % rate}" for i in range(count)), node, rate)
            took, times = writers.run()
            watches.wait(first + len(times) * options.watches, 120)
            took_all = time.monotonic() - begin
            events, size = watches.events - first, watches.bytes - first_bytes
            print(f"{rate} servers write their record ({len(node)} bytes) once a second, {options.watches} watches: {len(times) / took:.1f} writes/s, "
                  f"{events / took_all:.0f} events/s, {size / events:.0f} bytes an event, {8e-6 * size / took_all:.1f} Mbit/s; the last event "
                  f"{took_all - took:.1f} s after the last write; {events} of {count * options.watches} events came")
            for why, failed in writers.failed.items():
                print(f"  {failed} of {count} writes failed: {why}")
        finally:
            watches.close()
        return size / events, events / took_all
    finally:
        cluster.stop()


def compute(node, world, event, rate):
    writes = NODES * NODE_WRITES
    print(f"\ncomputed for {NODES} servers, {WORLDS} worlds, {WATCHERS} watchers:")
    print(f"  writes to etcd: {writes:.0f} /s of servers' records, {writes * len(node) / 1e6:.3f} MB/s of log; "
          f"{60 * 10 * writes * len(node) / 1e6:.0f} MB between compactions 10 minutes apart; {NODES} leases extended a second, which no log has")
    print(f"  worlds' records: {WORLDS * len(world) / 1e6:.0f} MB; none is written while nothing changes")
    print(f"  a server's death: {WORLDS // NODES} transactions, {WORLDS // NODES * NODES} events")
    print(f"  watch traffic: each server {8e-6 * writes * event:.2f} Mbit/s, from etcd {8e-9 * writes * NODES * event:.2f} Gbit/s in "
          f"{writes * NODES:.0f} events/s: the first limit")
    print(f"  servers whose records make as many events as were measured: {int((rate / NODE_WRITES) ** 0.5)}")
    servers = int((1e9 * 3 / (8 * event * NODE_WRITES)) ** 0.5)
    print(f"  servers whose records fill three members' links of 1 Gbit/s: {servers}")
    print(f"  if each server wrote once a second: {NODES * NODES} events/s, {8e-9 * NODES * NODES * event:.1f} Gbit/s, "
          f"{int(rate ** 0.5)} servers with the events measured")
    print(f"  watchers: {WATCHERS // NODES} a server on average; they ask etcd nothing")


def balance(seed=1):
    """Prints how evenly new worlds fill the servers: placed by chance, or on the emptier of two servers by their records,
    which are a second old and written only if an eighth has changed."""
    chance = random.Random(seed)
    for name, choices in (("one server by chance", 1), ("the fewer worlds of two", 2)):
        for rate in (100, 10_000):
            load = [0] * NODES
            seen = list(load)
            for i in range(WORLDS):
                if i % rate == 0:
                    seen = [is_now if abs(is_now - was) * CHANGE_SHARE >= max(was, 1) else was for was, is_now in zip(seen, load)]
                load[min(chance.sample(range(NODES), choices), key=seen.__getitem__)] += 1
            print(f"  {name}, {rate} new worlds/s: {min(load)} to {max(load)} worlds a server, mean {WORLDS // NODES}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("caromd")
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--watches", type=int, default=100)
    parser.add_argument("--rate", type=int, default=100, help="servers that write their record once a second")
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    node, world = samples(options.caromd)
    compute(node, world, *measure(options, node, world))
    print("\nplacement, simulated:")
    balance()


if __name__ == "__main__":
    main()
