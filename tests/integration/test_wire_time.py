#!/usr/bin/env python3
"""Worlds in real time. Label realtime: not meaningful under sanitizers or on a busy machine. Called with the path of
caromd."""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from wire_case import CAROMD, WireTest  # noqa: E402

SECONDS = 3  # length of a measurement, by the ticks of a world


class Time(WireTest):
    def start(self, *options):
        self.server = Caromd(CAROMD, *options)
        self.addCleanup(self.server.__exit__)
        self.client = self.connect()

    def read(self, world):
        """The world's tick, and the server's clock right after it answered."""
        return self.client.call("world.info", world=world)["tick"], self.client.call("ping")["time"]

    def measure(self, *worlds):
        """{world: (ticks, seconds)} while the first of them lives for SECONDS at 60 Hz."""
        before = {world: self.read(world) for world in worlds}
        self.eventually(lambda: self.read(worlds[0])[0] >= before[worlds[0]][0] + 60 * SECONDS)
        after = {world: self.read(world) for world in worlds}
        return {world: (after[world][0] - before[world][0], after[world][1] - before[world][1]) for world in worlds}

    def test_ticks_follow_the_clock(self):
        self.start("--threads", "1")
        rates = {"a": 60, "b": 128, "c": 30, "d": 250, "e": 60}
        for world, hz in rates.items():
            self.client.call("world.create", world=world, hz=hz)
        for world, (ticks, seconds) in self.measure(*rates).items():
            # Each answer comes right after a tick, so the difference shows the punctuality of the two ticks.
            self.assertAlmostEqual(seconds * rates[world], ticks, delta=1 + 0.005 * rates[world], msg=world)

    def test_snapshots_come_at_their_rate(self):
        self.start("--world", "w")
        self.client.call("world.subscribe", world="w", rate=20)
        self.client.read_until(lambda: len(self.client.snapshots()) > 40)
        ticks = [snapshot["tick"] for snapshot in self.client.snapshots()[1:]]
        self.assertEqual(list(range(ticks[0], ticks[0] + 3 * len(ticks), 3)), ticks)

    def test_overloaded_world_slows_itself_alone(self):
        """A heap that no machine steps a thousand times a second, beside a small world on the same thread."""
        self.start("--threads", "1")
        self.client.call("world.create", world="heavy", scene="pyramid", hz=1000, sleep=False, substeps=32)
        self.client.call("world.create", world="light")
        measured = self.measure("light", "heavy")
        ticks, seconds = measured["light"]
        self.assertAlmostEqual(1, ticks / (60 * seconds), delta=0.03)
        ticks, seconds = measured["heavy"]
        self.assertTrue(0 < ticks / seconds < 900, measured)
        self.server.await_log("world 'heavy' is overloaded")
        self.assertNotIn("world 'light' is overloaded", "".join(self.server.log))
        info = self.client.call("world.info", world="heavy")
        self.assertLess(info["rate"], 900)
        self.assertGreater(info["ticks_late"], 0)
        self.assertGreater(self.client.call("server.stats")["counters"]["skipped_us"], 0)

    def test_shutdown_takes_less_than_a_second(self):
        """Idle, or with a demo world, its subscriber and a world.step that would last minutes."""
        for busy in (False, True):
            with self.subTest(busy=busy), Caromd(CAROMD, "--world", "w:demo") as self.server:
                client = self.connect()
                if busy:
                    client.call("world.subscribe", world="w")
                    client.call("world.create", world="s", scene="demo", paused=True)
                    client.request("world.step", world="s", ticks=100000)
                    client.call("ping")
                begin = time.monotonic()
                self.server.process.terminate()
                self.assertEqual(0, self.server.process.wait(60))
                self.assertLess(time.monotonic() - begin, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
