#!/usr/bin/env python3
"""Worlds that go to a simulation thread that has less to do, and notice nothing of it.
Called with the path of caromd."""

import os
import sys
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from wire import Client  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
BODIES = 200
SECONDS_MAX = 60


class BalanceTest(unittest.TestCase):
    def threads(self):
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.server.http_port}/metrics").read().decode()
        return {line.split('"')[1]: int(line.split()[1])
                for line in text.splitlines() if line.startswith("carom_world_thread{")}

    # Worlds are dealt out while they are empty; then two of one thread get work until one leaves.
    def test_world_moves_and_goes_on(self):
        with Caromd(CAROMD, "--http", "127.0.0.1:0", "--threads", "2", "--limit", "own_threads=0") as self.server:
            client, reader = Client(self.server.port), Client(self.server.port)
            for name in "abcd":
                client.call("world.create", world=name, hz=1000, gravity=[0, 0])
            at_first = self.threads()
            busy = [name for name in "abcd" if at_first[name] == at_first["a"]]
            self.assertEqual(sorted(at_first.values()), [0, 0, 1, 1])
            for name in busy:
                reader.call("world.subscribe", world=name, rate=20)
            end = time.monotonic() + SECONDS_MAX
            while (now := self.threads()) == at_first:
                self.assertLess(time.monotonic(), end, "no world was moved")
                for name in busy:
                    for _ in range(BODIES):
                        client.notify("body.spawn", world=name, velocity=[0.1, 0],
                                      shapes=[{"kind": "circle", "radius": 0.1, "sensor": True}])
                time.sleep(0.5)
            moved = [name for name in "abcd" if now[name] != at_first[name]]
            self.assertEqual(len(moved), 1)
            self.assertIn(moved[0], busy)
            tick = client.call("world.info", world=moved[0])["tick"]
            body = client.call("body.spawn", world=moved[0], shapes=[])["body"]
            self.assertGreater(client.call("world.info", world=moved[0])["tick"], tick)
            client.call("body.remove", world=moved[0], body=body)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
