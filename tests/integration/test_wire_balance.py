#!/usr/bin/env python3
"""Worlds that move to a less busy simulation thread without any visible effect; worlds that move to threads of
their own; steps. Called with the path of caromd."""

import os
import select
import sys
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
BODIES = 200
HEAP = 300  # circles in one place: 44 850 pairs, a step of about 80 ms


class BalanceTest(unittest.TestCase):
    def threads(self):
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.server.http_port}/metrics").read().decode()
        return {line.split('"')[1]: int(line.split()[1])
                for line in text.splitlines() if line.startswith("carom_world_thread{")}

    def await_threads(self, **wanted):
        """Waits until each world is on one of the given threads: a list may be from a moment before."""
        end = time.monotonic() + SECONDS_MAX
        while not all((at := self.threads()).get(name.replace("_", "-")) in threads for name, threads in wanted.items()):
            self.assertLess(time.monotonic(), end, f"{wanted}, not {at}")
            time.sleep(0.05)
        return at

    # Empty worlds are distributed evenly; then two of one thread get work until one leaves.
    def test_world_moves_and_goes_on(self):
        with Caromd(CAROMD, "--http", "127.0.0.1:0", "--threads", "2", "--limit", "own_threads=0") as self.server:
            client, reader = Client(self.server.port), Client(self.server.port)
            for name in "abcd":
                client.call("world.create", world=name, hz=1000, gravity=[0, 0])
            at_first = self.threads()
            threads = list(at_first.values())  # two worlds each, unless a busy machine has already moved one
            busy = [name for name in "abcd" if at_first[name] == max(threads, key=threads.count)]
            for name in busy:
                reader.call("world.subscribe", world=name, rate=20)
            end = time.monotonic() + SECONDS_MAX
            while not (moved := [name for name in busy if self.threads()[name] != at_first[name]]):
                self.assertLess(time.monotonic(), end, "no world was moved")
                for name in busy:
                    for _ in range(BODIES):
                        client.notify("body.spawn", world=name, velocity=[0.1, 0],
                                      shapes=[{"kind": "circle", "radius": 0.1, "sensor": True}])
                time.sleep(0.5)
            tick = client.call("world.info", world=moved[0])["tick"]
            body = client.call("body.spawn", world=moved[0], shapes=[])["body"]
            self.assertGreater(client.call("world.info", world=moved[0])["tick"], tick)
            client.call("body.remove", world=moved[0], body=body)

    # Paused worlds, so that nobody has to wait for their steps.
    def test_worlds_with_heavy_steps_go_apart_first_and_so_do_their_copies(self):
        with Caromd(CAROMD, "--http", "127.0.0.1:0", "--threads", "1", "--limit", "own_threads=2") as self.server:
            client = Client(self.server.port)
            heap = [["body.spawn", {"shapes": [{"kind": "circle", "radius": 5}]}]] * HEAP
            client.call("world.create", world="calm", paused=True)
            client.call("world.apply", world="calm", commands=heap[:20])
            for i in range(4):
                client.call("world.create", world=f"heap-{i}", paused=True)
                client.call("world.apply", world=f"heap-{i}", commands=heap)  # answered when the commands were applied
            at = self.await_threads(calm=[0], heap_0=[1, 2], heap_1=[1, 2], heap_2=[1, 2], heap_3=[1, 2])
            # As many threads as own_threads allows, then shared
            self.assertEqual({at[f"heap-{i}"] for i in range(4)}, {1, 2})
            client.call("world.fork", world="heap-0", **{"as": "fork"})
            image = client.call("world.image", world="heap-0")["image"]
            client.call("world.create", world="image", image=image, paused=True)
            client.call("world.fork", world="calm", **{"as": "calm-fork"})
            self.await_threads(fork=[1, 2], image=[1, 2], calm_fork=[0])
            self.assertEqual(client.call("server.stats")["counters"]["worlds_set_apart"], 4)
            self.assertEqual(client.call("world.step", world="fork")["tick"], 1)

    # A step takes about a second: lists requested meanwhile have the figures from before it.
    def test_list_does_not_wait_for_a_long_step(self):
        with Caromd(CAROMD, "--http", "off", "--threads", "1") as server:
            client, other = Client(server.port), Client(server.port)
            shape = {"kind": "circle", "radius": 5, "restitution": 0.9}
            heap = [["body.spawn", {"position": [k % 3 * 0.1, 0], "shapes": [shape]}] for k in range(1000)]
            client.call("world.create", world="calm")
            for attempt in range(5):  # the machine may delay the client as long as the step lasts
                name = f"heap-{attempt}"
                client.call("world.create", world=name, paused=True)
                client.call("world.apply", world=name, commands=heap)
                number, lists = client.request("world.step", world=name), []
                while not select.select([client.socket], [], [], 0)[0]:
                    lists.append({world["world"]: world for world in other.call("world.list")})
                client.answer(number)
                if len(lists) > 4:
                    break
            self.assertGreater(len(lists), 4)
            self.assertEqual({seen[name]["bodies"] for seen in lists}, {1000})
            self.assertEqual({seen[name]["tick"] for seen in lists[:-1]}, {0})
            now = {world["world"]: world for world in other.call("world.list")}
            self.assertEqual(now[name]["tick"], 1)  # not the figures from before
            self.assertGreaterEqual(now["calm"]["tick"], lists[-1]["calm"]["tick"])

    def test_steps_end_with_their_session(self):
        with Caromd(CAROMD, "--http", "off", "--threads", "1") as server:
            client, other = Client(server.port), Client(server.port)
            for name in "abcd":
                client.call("world.create", world=name, paused=True)
                for _ in range(3):
                    client.request("world.step", world=name, ticks=100_000)
            client.call("ping")
            client.socket.close()
            # An answer from the thread that steps them arrives after the session's end; no clock is
            # needed.
            ended = {}
            while len(ended) < 4:
                for name in "abcd":
                    other.call("body.spawn", world=name, shapes=[])
                    ended[name] = other.call("world.info", world=name)["tick"]
            self.assertEqual(ended, {name: other.call("world.info", world=name)["tick"] for name in "abcd"})
            self.assertLess(max(ended.values()), 3 * 100_000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
