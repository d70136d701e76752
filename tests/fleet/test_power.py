#!/usr/bin/env python3
"""Both servers of a pair die at once (kill -9), and come back with their disks: what was answered is there. And disks and standbys that are late. Called
with the path of caromd-planted-fleet (faults.c); skipped where etcd is not installed."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from fleet import Fleet, creates  # noqa: E402
from patience import SECONDS_MAX, eventually  # noqa: E402
from player import Player  # noqa: E402

CAROMD = sys.argv[1]


@unittest.skipUnless(etcd.there(), "etcd is not installed (docker/install.sh test)")
class PowerTest(unittest.TestCase):
    def setUp(self):
        self.fleet = Fleet(CAROMD, pairs=True)
        self.addCleanup(self.fleet.stop)

    def player(self, node):
        """A player in a world of that server."""
        player = Player(self.fleet.servers[node])
        self.addCleanup(lambda: player.client.__exit__())  # pylint: disable=unnecessary-lambda
        eventually(lambda: creates(player.client))
        player.subscribe()
        self.await_pair(node)
        player.play(0.5)
        return player

    def await_pair(self, node):
        eventually(lambda: (record := self.fleet.record("arena"))["primary"] == node and record["standby"])

    def test_world_and_its_sessions_are_there_when_both_come_back(self):
        """In either order, also when the standby's process alone is there for a while."""
        for node in "ab":
            self.fleet.start(node)
        player = self.player("a")
        for first, second in ("ba", "ab"):
            for server in self.fleet.servers.values():
                server.process.kill()
            player.drain()
            for server in self.fleet.servers.values():
                server.kill()
            self.fleet.start(first)
            self.fleet.start(second)
            player.resume([self.fleet.servers[node] for node in "ab"])
            self.await_pair("a")
            player.play(0.5)
        player.finish()
        self.assertGreater(len(player.answered), 40)

    def test_server_that_dies_as_it_has_won_a_world_has_it(self):
        """It had served the world before: the copy of then is on its disk, too, and must not come back."""
        self.fleet.start("a")
        self.fleet.start("b", env={"CAROM_PLANT": "die-when-won"})
        player = self.player("b")
        old = player.client
        with self.fleet.client("b") as admin:
            admin.call("world.move", world="arena", to="a")
        player.resume([self.fleet.servers["a"]])
        old.__exit__()
        self.await_pair("a")
        player.play(0.5)
        self.fleet.servers["a"].process.kill()
        player.drain()
        self.fleet.servers["a"].kill()
        self.fleet.servers["b"].process.wait(SECONDS_MAX)
        self.fleet.servers["b"].kill()
        self.assertEqual("b", self.fleet.record("arena")["primary"])
        answered = len(player.answered)
        self.assertGreater(answered, 40)
        self.fleet.start("a")
        self.fleet.start("b")
        player.begin_again(self.fleet.servers["b"])
        player.play(0.3)
        player.finish()
        self.assertGreater(len(player.answered), answered)

    def test_older_copy_that_is_dropped_late_does_not_stop_a_takeover(self):
        self.fleet.start("a")
        self.fleet.start("b", env={"CAROM_PLANT": "late-disk"})
        player = self.player("a")
        self.fleet.servers["a"].process.kill()
        player.drain()
        self.fleet.servers["a"].kill()
        player.resume([self.fleet.servers["b"]])
        player.play(0.3)
        player.finish()

    def test_standby_that_is_heard_and_acknowledges_nothing_is_given_up(self):
        """Clients do not wait for it longer than some seconds."""
        cut = Path(self.fleet.folder.name) / "cut"
        self.fleet.start("a")
        self.fleet.start("b", env={"CAROM_CUT": str(cut)})
        player = self.player("a")
        with self.fleet.client("a") as client:
            cut.touch()
            client.call("body.spawn", world="arena", shapes=[{"kind": "circle", "radius": 0.5}])
        self.assertIsNone(self.fleet.record("arena")["standby"])
        cut.unlink()
        self.await_pair("a")
        player.play(0.3)
        player.finish()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
