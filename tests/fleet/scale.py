#!/usr/bin/env python3
"""How far a fleet scales: what one etcd of three members takes here, and what 1 000 servers, 100 000 worlds and a million
watchers would ask of it; and how evenly placement by chance fills servers.

Usage: scale.py CAROMD [--records N] [--watches N] [--seconds N]

Every write is a transaction as caromd's. Watches read the prefix of all records through the JSON gateway, as caromd does. Writers,
watchers, three etcd and all else share this machine, so the figures are a lower bound.
"""

import argparse
import http.client
import json
import random
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
NODE_WRITES = 1  # a second and server
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
            assert answer.get("succeeded"), answer
            with self.lock:
                self.done.append(time.monotonic() - begin)
        connection.close()

    def run(self):
        """(seconds, durations of the writes)."""
        self.done, self.begin = [], time.monotonic()
        threads = [threading.Thread(target=self.work, args=(i,)) for i in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.monotonic() - self.begin, sorted(self.done)


class Watch(threading.Thread):
    """Reads the events of the prefix; counts them and their bytes."""

    def __init__(self, member, prefix):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection(urllib.parse.urlparse(member.url).netloc, timeout=600)
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        self.connection.request("POST", "/v3/watch", json.dumps({"create_request": {"key": text(prefix), "range_end": text(end)}}))
        self.answer = self.connection.getresponse()
        self.answer.readline()  # that it was created
        self.events = self.bytes = 0

    def run(self):
        while line := self.answer.readline():
            self.events += line.count(b'"mod_revision"')
            self.bytes += len(line)


def measure(options, node, world):
    cluster = etcd.Cluster()
    try:
        took, times = Writers(cluster, (f"/carom/world/w{i}" for i in range(options.records)), world).run()
        size = int(cluster.leader().ask("/maintenance/status")["dbSize"])
        print(f"{options.records} records of worlds ({len(world)} bytes): {len(times) / took:.0f} transactions/s, p50 "
              f"{1e3 * statistics.median(times):.1f} ms, p99 {1e3 * times[int(0.99 * len(times))]:.1f} ms; {size / 1e6:.1f} MB on disk")
        watches = [Watch(cluster.members[i % 3], "/carom/") for i in range(options.watches)]
        for watch in watches:
            watch.start()
        rate = 100
        count = rate * options.seconds
        took, times = Writers(cluster, (f"/carom/node/n{i % rate}" for i in range(count)), node, rate).run()
        end = time.monotonic() + 60
        while sum(watch.events for watch in watches) < count * len(watches) and time.monotonic() < end:
            time.sleep(0.01)
        took_all = took + max(0, time.monotonic() - (end - 60))
        events, size = (sum(getattr(watch, what) for watch in watches) for what in ("events", "bytes"))
        print(f"{rate} servers write their record ({len(node)} bytes) once a second, {options.watches} watches: {count / took:.0f} writes/s, "
              f"{events / took_all:.0f} events/s, {size / events:.0f} bytes an event, {8e-6 * size / took_all:.1f} Mbit/s; "
              f"{events} of {count * len(watches)} events came")
        return size / events, events / took_all
    finally:
        cluster.stop()


def compute(node, world, event, rate):
    writes = NODES * NODE_WRITES
    print(f"\ncomputed for {NODES} servers, {WORLDS} worlds, {WATCHERS} watchers:")
    print(f"  writes to etcd: {writes} /s of servers' records, {writes * len(node) / 1e6:.2f} MB/s of log; "
          f"{60 * 10 * writes * len(node) / 1e6:.0f} MB between compactions 10 minutes apart")
    print(f"  worlds' records: {WORLDS * len(world) / 1e6:.0f} MB; none is written while nothing changes")
    print(f"  a server's death: {WORLDS // NODES} transactions, {WORLDS // NODES * NODES} events")
    print(f"  watch traffic: each server {8e-6 * writes * event:.1f} Mbit/s, from etcd {8e-9 * writes * NODES * event:.1f} Gbit/s in "
          f"{writes * NODES} events/s: the first limit")
    print(f"  servers whose records, every second, make as many events as were measured: {int(rate ** 0.5)}")
    for interval in (1, 10):
        servers = int((interval * 1e9 * 3 / (8 * event)) ** 0.5)
        print(f"  servers whose records, every {interval} s, fill three members' links of 1 Gbit/s: {servers}")
    print(f"  watchers: {WATCHERS // NODES} a server on average; they ask etcd nothing")


def balance(seed=1):
    """The world with the most and the mean, of placement by the fewer worlds of two servers as they were a second ago."""
    chance = random.Random(seed)
    for name, choices in (("one server by chance", 1), ("the fewer worlds of two", 2)):
        for rate in (100, 10_000):
            load = [0] * NODES
            seen = list(load)
            for i in range(WORLDS):
                if i % rate == 0:
                    seen = list(load)
                load[min(chance.sample(range(NODES), choices), key=seen.__getitem__)] += 1
            print(f"  {name}, {rate} new worlds/s: {min(load)} to {max(load)} worlds a server, mean {WORLDS // NODES}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("caromd")
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--watches", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    node, world = samples(options.caromd)
    compute(node, world, *measure(options, node, world))
    print("\nplacement, simulated:")
    balance()


if __name__ == "__main__":
    main()
