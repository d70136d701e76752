#!/usr/bin/env python3
"""A fleet of three servers, and failures of its etcd. Called with the path of caromd; skipped where etcd is not
installed."""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from fleet import Fleet  # noqa: E402
from patience import eventually  # noqa: E402
from wire import RemoteError  # noqa: E402

CAROMD = sys.argv[1]


@unittest.skipUnless(etcd.there(), "etcd is not installed (docker/install.sh test)")
class FleetTest(unittest.TestCase):
    eventually = staticmethod(eventually)

    @classmethod
    def setUpClass(cls):
        cls.fleet = Fleet(CAROMD)
        cls.addClassCleanup(cls.fleet.stop)
        for node in "abc":
            cls.fleet.start(node)

    def setUp(self):
        """Each server has a world of the test's own, and a client."""
        self.clients = {node: self.fleet.client(node) for node in "abc"}
        self.name = self.id().rsplit(".", 1)[-1][5:50]
        for node, client in self.clients.items():
            self.addCleanup(client.__exit__)
            client.call("world.create", world=f"{self.name}-{node}")

    def creates(self, node, world):
        try:
            self.clients[node].call("world.create", world=world)
            return True
        except RemoteError as error:
            self.assertRegex(str(error), "^unavailable: world '.*' cannot be claimed: ")
            return False

    def ticks(self):
        return {node: client.call("world.info", world=f"{self.name}-{node}")["tick"] for node, client in self.clients.items()}

    def runs_on(self, seconds=0.5):
        """Waits until every world has made the ticks of `seconds`."""
        before = self.ticks()
        self.eventually(lambda: all(tick >= before[node] + 60 * seconds for node, tick in self.ticks().items()))

    def unchanged(self):
        """Checks that its server serves every world, at its first term."""
        for node in "abc":
            record = self.fleet.record(f"{self.name}-{node}")
            self.assertEqual((node, 1), (record["primary"], record["term"]))

    def test_every_server_knows_every_world(self):
        for asked in "abc":
            for node in "abc":
                name = f"{self.name}-{node}"
                self.eventually(lambda n=name, a=asked: self.knows(a, n))
                self.assertEqual(f"127.0.0.1:{self.fleet.servers[node].port}",
                                 self.fleet.follow(asked, "world.info", world=name)["primary"])

    def knows(self, asked, name):
        return any(one["world"] == name for one in self.clients[asked].call("server.fleet")["worlds"])

    def test_leader_of_etcd_dies(self):
        leader = self.fleet.etcd.leader()
        leader.kill()
        self.addCleanup(leader.start)
        begin = time.monotonic()
        self.eventually(lambda: self.creates("b", self.name + "-late"))
        print(f"a world was made {time.monotonic() - begin:.2f} s after etcd's leader was killed", file=sys.stderr)
        self.runs_on()
        self.unchanged()

    def test_most_of_etcd_is_down(self):
        members = self.fleet.etcd.members[1:]
        for member in members:
            member.kill()
        try:
            begin = time.monotonic()
            self.assertFalse(self.creates("a", self.name + "-late"))
            print(f"a world was refused after {time.monotonic() - begin:.2f} s without a majority of etcd", file=sys.stderr)
            self.runs_on()
        finally:
            for member in members:
                self.assertTrue(member.start(wait=False))
        self.eventually(lambda: self.creates("a", self.name + "-late"))
        self.unchanged()

    def test_killed_server_comes_back_with_its_worlds(self):
        name = f"{self.name}-c"
        epoch = self.clients["c"].call("world.info", world=name)["epoch"]
        self.fleet.servers["c"].kill()
        self.fleet.start("c")
        with self.fleet.client("c") as client:
            info = client.call("world.info", world=name)
        self.assertEqual((epoch, 2), (info["epoch"], info["term"]))
        self.assertEqual(2, self.fleet.record(name)["term"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
