"""A restart serves each world as soon as it is restored. Worlds whose names begin with `slow` are delayed until a file,
the gate, exists (planted/faults.c), so that each test sees the server between its first world and its last.

Usage: test_wire_restoring.py CAROMD CAROMD_PLANTED
"""

import http.client
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import RemoteError  # noqa: E402
from wire_case import WireTest  # noqa: E402

CAROMD, PLANTED = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
BALL = {"kind": "circle", "radius": 0.5}


class RestoringTest(WireTest):
    WORLDS = ("fast", "slow")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data, self.gate = Path(folder.name) / "data", Path(folder.name) / "gate"
        self.server = Caromd(PLANTED, "--data", str(self.data), "--http", "off")
        self.addCleanup(self.stop)
        self.player = self.greet()
        for world in self.WORLDS:
            self.player.call("world.create", world=world, paused=True)
            self.player.call("body.spawn", world=world, velocity=[1, 0], shapes=[BALL])
            self.player.call("world.step", world=world, ticks=20)
        # The last request that changed `slow`, which may be the last world to be restored
        self.stepped = self.player.last_id
        self.states = {world: self.state(self.player, world) for world in self.WORLDS}

    def stop(self):
        if self.server is not None:
            self.gate.touch()
        super().stop()

    def kill_and_restart(self):
        """The next server delays slow worlds until the gate is open."""
        self.kill()
        os.environ["CAROM_GATE"] = str(self.gate)
        try:
            self.server = Caromd(PLANTED, "--data", str(self.data), "--http", "127.0.0.1:0")
        finally:
            del os.environ["CAROM_GATE"]

    def restart_as_usual(self):
        self.server = Caromd(CAROMD, "--data", str(self.data), "--http", "off")

    @staticmethod
    def state(client, world):
        info = client.call("world.info", world=world)
        return info["epoch"], info["tick"], info["hash"], info["bodies"]

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.http_port, timeout=SECONDS_MAX)
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def refused(self, client, request, words):
        with self.assertRaisesRegex(RemoteError, words):
            client.answer(request)

    def rows(self, client):
        return {row["world"]: row for row in client.call("world.list")}


class Served(RestoringTest):
    def test_worlds_are_served_as_they_come(self):
        subscription = self.player.call("world.subscribe", world="slow")["subscription"]
        self.kill_and_restart()
        self.server.await_log("world 'fast' continues at tick 20")
        self.assertEqual(self.get("/healthz")[0], 200)
        self.assertEqual(self.get("/readyz")[0], 503)
        other = self.greet()
        self.assertEqual(self.state(other, "fast"), self.states["fast"])
        self.assertEqual(self.get("/readyz"), (503, "1 world is being created or restored\n"))
        other.call("body.spawn", world="fast", shapes=[BALL])
        info = other.request("world.info", world="slow")  # answered when the world is restored
        spawned = other.request("body.spawn", world="slow", shapes=[BALL])
        with self.assertRaisesRegex(RemoteError, "already_exists"):
            other.call("world.create", world="slow")
        rows = self.rows(other)
        self.assertEqual(rows["slow"]["unavailable"], "is being restored: ask again")
        self.assertEqual((rows["slow"]["epoch"], rows["fast"]["bodies"]), (self.states["slow"][0], 2))
        player = self.greet(resume=self.player.greeting["resume"])  # `applied` does not wait for any world
        self.assertEqual(player.greeting["applied"]["slow"]["last"], self.stepped)
        self.assertEqual([s["subscription"] for s in player.greeting["subscriptions"]], [subscription])
        self.assertFalse({info, spawned} & other.responses.keys())
        self.server.await_log("seconds: 1 world is being created or restored, among them 'slow'")
        self.gate.touch()
        self.assertEqual(other.answer(info)["hash"], self.states["slow"][2])
        other.answer(spawned)
        shown = player.read_until(player.snapshots)[0]
        self.assertEqual((shown["subscription"], shown["full"], shown["epoch"]), (subscription, True, rows["slow"]["epoch"]))
        self.server.await_log("2 worlds restored from")
        other.read_until(lambda: self.get("/readyz")[0] == 200 or other.call("ping"))
        self.assertNotIn("unavailable", self.rows(other)["slow"])

    def test_nobody_takes_over_meanwhile(self):
        self.kill_and_restart()
        options = [CAROMD, "--data", str(self.data), "--http", "off", "--takeover", str(self.data / "takeover")]
        made = subprocess.run(options, stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX, stdin=subprocess.DEVNULL,
                              check=False)
        self.assertEqual(made.returncode, 1)
        self.assertIn("brings worlds back: try again when /readyz answers 200", made.stderr)
        self.gate.touch()
        self.server.await_log("2 worlds restored from")
        player = self.greet()
        self.assertEqual({world: self.state(player, world) for world in self.WORLDS}, self.states)
        old, self.server = self.server, Caromd(*options)
        self.assertEqual(old.await_end(), 0)
        player = self.greet()
        self.assertEqual({world: self.state(player, world) for world in self.WORLDS}, self.states)


class CutShort(RestoringTest):
    def test_kill_amid_a_restore_loses_nothing(self):
        self.kill_and_restart()
        other = self.greet()
        other.call("world.step", world="fast", ticks=5)
        self.states["fast"] = self.state(other, "fast")
        other.request("world.step", world="slow", ticks=5)  # the request waits, so it is lost with the process
        self.kill_and_restart()
        self.kill()
        self.restart_as_usual()
        player = self.greet(resume=self.player.greeting["resume"])
        self.assertEqual({world: self.state(player, world) for world in self.WORLDS}, self.states)

    def test_shutdown_amid_a_restore_answers_what_waits(self):
        self.kill_and_restart()
        other = self.greet()
        waits = other.request("world.step", world="slow", ticks=5)
        listed = other.request("world.list")
        other.call("ping")
        self.server.process.send_signal(signal.SIGTERM)
        self.refused(other, waits, "unavailable: the server is shutting down")
        self.refused(other, listed, "unavailable: the server is shutting down")
        self.gate.touch()
        self.assertEqual(self.server.await_end(), 0)
        self.restart_as_usual()
        player = self.greet()
        self.assertEqual({world: self.state(player, world) for world in self.WORLDS}, self.states)


class Broken(RestoringTest):
    WORLDS = ("fast", "slow", "slow-broken", "slow-broken-too")

    def test_world_that_cannot_be_restored_is_told_to_all_who_wait(self):
        subscription = self.player.call("world.subscribe", world="slow-broken")["subscription"]
        self.kill_and_restart()
        player = self.greet(resume=self.player.greeting["resume"])
        other = self.greet()
        waits = [other.request("world.info", world="slow-broken"), other.request("world.fork", world="slow-broken", **{"as": "w"})]
        ends = other.request("world.destroy", world="slow-broken-too")
        more = other.request("body.spawn", world="slow-broken-too", shapes=[BALL])
        self.refused(other, more, "not_found")
        other.call("world.create", world="slow-broken-too", paused=True)  # the name is free already
        self.gate.touch()
        for request in waits:
            self.refused(other, request, "unavailable: world 'slow-broken' was not restored: a fault is planted in it")
        self.assertEqual(other.answer(ends)["world"], "slow-broken-too")
        player.read_until(lambda: any(n[0] == "world_closed" for n in player.notifications))
        [closed] = [n[1][0] for n in player.notifications if n[0] == "world_closed"]
        self.assertEqual((closed["subscription"], closed["code"]), (subscription, "unavailable"))
        self.assertEqual(self.state(other, "slow"), self.states["slow"])
        self.server.await_log("4 worlds restored from")
        self.eventually(lambda: "1 world is not served" in self.get("/readyz")[1])  # the log reports it a moment before
        rows = self.rows(other)
        self.assertEqual(set(rows), set(self.WORLDS))
        self.assertIn("a fault is planted", rows["slow-broken"]["unavailable"])
        made = self.state(other, "slow-broken-too")
        self.kill()
        self.restart_as_usual()  # a server without faults: the world's log was kept, and the destroyed world stays away
        other = self.greet()
        self.assertEqual(self.state(other, "slow-broken"), self.states["slow-broken"])
        self.assertEqual(self.state(other, "slow-broken-too"), made)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
