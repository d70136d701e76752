"""A server that loses data when it hands over is detected: the new process refuses to take over, and the old one
continues with everything. The faults are planted (planted/faults.c).

Usage: test_wire_handover.py CAROMD CAROMD_PLANTED
"""

import os
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_wire_takeover import BALL, CAROMD, SECONDS_MAX, TakeoverTest  # noqa: E402
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client, RemoteError  # noqa: E402

PLANTED = os.path.abspath(sys.argv[2])
LOST = "lost from here"  # the tag of a body; from its spawn on nothing is written


class Planted(TakeoverTest):
    FAULT = ""

    def setUp(self):
        super().setUp()
        os.environ["CAROM_PLANT"] = self.FAULT
        try:
            self.server = Caromd(PLANTED, "--data", str(self.data), "--http", "off")
        finally:
            del os.environ["CAROM_PLANT"]
        self.port = self.server.port
        self.player = self.greet()

    def make(self, world, **settings):
        self.player.call("world.create", world=world, gravity=[0, 0], **settings)
        self.begun = self.player.call("body.spawn", world=world, velocity=[1, 0], shapes=[BALL])["tick"] - 1

    def state(self, world):
        info = self.player.call("world.info", world=world)
        return info["epoch"], info["tick"], info["hash"], info["bodies"]

    def refused_and_resumed(self, words):
        """The new process refuses with this text; the session is resumed on the old one."""
        log = self.refused("--takeover", str(self.path), "--data", str(self.data), "--http", "off")
        self.assertRegex(log, words)
        self.assertNotIn("listening on", log)
        self.player = self.resume(self.player)
        self.logged("has ended: this one continues")

    def logged(self, words):
        end = time.monotonic() + SECONDS_MAX
        while words not in "".join(list(self.server.log)):
            self.assertLess(time.monotonic(), end, words)
            time.sleep(0.01)

    def kill_and_restart(self, program=CAROMD):
        self.server.kill()
        self.server = Caromd(program, "--data", str(self.data), "--http", "off")
        self.port = self.server.port
        self.player = Client(self.port)
        self.addCleanup(self.player.__exit__)


class LostCommands(Planted):
    FAULT = "lost-commands"

    def test_last_commands_of_a_log_are_missed_and_the_world_goes_on_as_it_was(self):
        for world, settings in (("normal", {}), ("full", {"durability": "full"}), ("other", {})):
            self.make(world, paused=True, **settings)
        for world in ("normal", "full"):
            self.player.call("body.spawn", world=world, position=[9, 9], tag=LOST, shapes=[BALL])
            self.player.call("world.step", world=world, ticks=5)
        before = {world: self.state(world) for world in ("normal", "full", "other")}
        self.refused_and_resumed("world '(normal|full)' was handed over with record [0-9]+, at tick 5 with the hash "
                                 "[0-9a-f]{16}; its log ends with record [0-9]+, at tick 0")
        self.assertEqual({world: self.state(world) for world in before}, before)
        # Its log begins again: a server without faults can also take over from it, and a kill loses nothing.
        self.take_over("--http", "off")
        self.player = self.resume(self.player)
        self.assertEqual({world: self.state(world) for world in before}, before)
        self.kill_and_restart()
        self.assertEqual({world: self.state(world) for world in before}, before)

    def test_kill_after_the_refusal_loses_nothing(self):
        self.make("w", paused=True)
        self.player.call("body.spawn", world="w", position=[9, 9], tag=LOST, shapes=[BALL])
        before = self.state("w")
        self.refused_and_resumed("world 'w' was handed over with record")
        self.assertEqual(self.state("w"), before)  # answered, so it is in the new log
        self.kill_and_restart()
        self.assertEqual(self.state("w"), before)


class LostEnd(Planted):
    FAULT = "lost-end"

    def test_tick_at_which_a_world_stopped_is_missed(self):
        self.make("w", hz=200)
        self.player.call("world.subscribe", world="w")
        self.player.read_until(lambda: len(self.player.snapshots()) > 20)
        shown = self.player.snapshots()[-1]
        self.refused_and_resumed("world 'w' was handed over with record .*; its log ends with record")
        self.player.call("world.pause", world="w")
        epoch, tick, _, bodies = self.state("w")
        self.assertEqual((epoch, bodies), (shown["epoch"], 1))
        self.assertGreater(tick, shown["tick"])
        [body] = self.player.call("world.state", world="w")["bodies"]
        self.assertAlmostEqual(body["position"][0], (tick - self.begun) / 200, 3)  # each tick was made once


class LostDestroy(Planted):
    FAULT = "lost-destroy"

    def test_world_that_comes_back_is_noticed_and_ends_again(self):
        self.make("kept", paused=True)
        self.make("gone", paused=True)
        before = self.state("kept")
        self.player.call("world.destroy", world="gone")
        self.refused_and_resumed("world 'gone' had ended when the others were handed over")
        self.assertEqual([w["world"] for w in self.player.call("world.list")], ["kept"])
        self.assertEqual(self.state("kept"), before)
        self.take_over("--http", "off")
        self.player = self.resume(self.player)
        self.assertEqual([w["world"] for w in self.player.call("world.list")], ["kept"])


class Unserved(Planted):
    """A world whose log cannot be played is no obstacle, is not lost, and is served by the process that can play it."""

    def setUp(self):
        super().setUp()
        for world in ("kept", "slow-broken"):
            self.make(world, paused=True)
        self.before = {world: self.state(world) for world in ("kept", "slow-broken")}
        gate = self.folder / "gate"
        gate.touch()
        self.addCleanup(os.environ.pop, "CAROM_GATE", None)
        self.addCleanup(os.environ.pop, "CAROM_PLANT", None)
        os.environ["CAROM_GATE"] = str(gate)

    def restart_unserved(self):
        self.kill_and_restart(PLANTED)
        self.player = self.greet()
        self.is_unserved()

    def is_unserved(self):
        with self.assertRaisesRegex(RemoteError, "world 'slow-broken' was not restored: a fault is planted in it"):
            self.player.call("world.step", world="slow-broken")

    def test_it_is_taken_over_and_served_once_its_log_can_be_played(self):
        self.restart_unserved()
        for _ in range(2):
            self.take_over("--http", "off", program=PLANTED)
            self.player = self.resume(self.player)
            self.is_unserved()
            self.assertEqual(self.state("kept"), self.before["kept"])
        self.take_over("--http", "off")
        self.player = self.resume(self.player)
        self.assertEqual({world: self.state(world) for world in self.before}, self.before)

    def test_it_stays_where_a_take_over_is_refused(self):
        os.environ["CAROM_PLANT"] = "lost-commands"
        self.restart_unserved()
        self.player.call("body.spawn", world="kept", position=[9, 9], tag=LOST, shapes=[BALL])
        self.refused_and_resumed("world 'kept' was handed over with record")
        self.is_unserved()
        self.kill_and_restart()
        self.assertEqual(self.state("slow-broken"), self.before["slow-broken"])


class LostWorld(Planted):
    FAULT = "lost-world"

    def test_world_that_no_log_keeps_is_missed(self):
        self.make("kept", paused=True)
        self.make("bare", durability="none", paused=True)
        before = self.state("kept")
        self.refused_and_resumed("the file of worlds handed over is cut short")
        self.logged("world 'bare' was not handed over")
        self.assertEqual(self.state("kept"), before)


class Sound(Planted):
    """Without a fault nothing is refused, in any state of the worlds."""

    def test_worlds_of_every_kind_are_taken_over(self):
        for world, settings in (("running", {}), ("full", {"durability": "full"}), ("bare", {"durability": "none"}),
                                ("paused", {"paused": True}), ("mine", {"lifetime": "session"})):
            self.make(world, **settings)
        self.make("gone")
        self.player.call("world.destroy", world="gone")
        self.player.call("world.fork", world="running", **{"as": "fork"})
        for _ in range(3):
            self.player.call("body.spawn", world="running", position=[50, 50], tag=LOST, shapes=[BALL])
            self.take_over("--http", "off")
            self.player = self.resume(self.player)
            self.assertEqual({w["world"] for w in self.player.call("world.list")},
                             {"running", "full", "bare", "paused", "mine", "fork"})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
