#!/usr/bin/env python3
"""The checker finds planted faults of real servers, and none in sound ones. Called with the path of caromd-planted-fleet
(faults.c); skipped where etcd is not installed.

Each test is one scene, played twice: by sound servers, of which the checker says nothing, and by servers with the fault.
"""

import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from fleet import Fleet, creates  # noqa: E402
from patience import eventually  # noqa: E402
from player import Fault, Player  # noqa: E402
from wire import Client, Closed, RemoteError  # noqa: E402

CAROMD = sys.argv[1]


@unittest.skipUnless(etcd.there(), "etcd is not installed (docker/install.sh test)")
class PlantedTest(unittest.TestCase):
    eventually = staticmethod(eventually)

    def scene(self, fault, nodes="ab"):
        """A fleet whose servers have the fault (None: none), and a player in a world of server a with a standby."""
        fleet = Fleet(CAROMD, pairs=True)
        self.addCleanup(self.end, fleet)
        self.cut = Path(fleet.folder.name) / "cut"
        self.env = {"CAROM_CUT": str(self.cut), "CAROM_PLANT": fault or ""}
        for node in nodes:
            fleet.start(node, env=self.env)
        player = Player(fleet.servers["a"])
        self.addCleanup(lambda: player.client.__exit__())  # pylint: disable=unnecessary-lambda
        self.eventually(lambda: creates(player.client))
        player.subscribe()
        self.eventually(lambda: fleet.record("arena")["standby"])
        player.play(0.3)
        return fleet, player

    @staticmethod
    def end(fleet):
        """Servers with faults need not end as they should."""
        for server in fleet.servers.values():
            server.kill()
        for member in fleet.etcd.members:
            if member.process.poll() is None:
                member.process.send_signal(signal.SIGCONT)
        fleet.stop()

    def found(self, fault, play):
        """Plays the scene without the fault, and with it: then the checker finds something."""
        play(None)
        with self.assertRaises(Fault) as caught:
            play(fault)
        print(f"{fault}: {caught.exception}", file=sys.stderr)

    def other_snapshots(self, player, server, wanted):
        """Compares the snapshots of another client of that server, if it serves the world at all, with the player's."""
        client = Client(server.port)
        self.addCleanup(client.__exit__)
        end = time.monotonic() + wanted
        while time.monotonic() < end:
            try:
                client.call("world.subscribe", world="arena", rate=60)
                client.read_until(lambda: len(client.snapshots()) > 5)
                break
            except RemoteError:
                time.sleep(0.02)
        player.check_shown(client)

    def test_early_answer(self):
        def play(fault):
            fleet, player = self.scene(fault)
            self.cut.touch()
            player.play(0.15)  # a sound server shows nothing of that
            fleet.servers["a"].process.kill()
            player.drain()
            self.cut.unlink()
            player.resume([fleet.servers["b"]])
            player.play(0.2)
            player.finish()
        self.found("early-answer", play)

    def test_show_after_losing(self):
        def play(fault):
            fleet, player = self.scene(fault)
            hung, old = fleet.servers["a"], player.client
            self.addCleanup(old.__exit__)
            hung.process.send_signal(signal.SIGSTOP)
            self.eventually(lambda: fleet.record("arena")["primary"] == "b")
            player.resume([fleet.servers["b"]])
            player.play(1.0)
            hung.process.send_signal(signal.SIGCONT)
            player.play(0.5)
            try:
                end = time.monotonic() + 1.0
                old.socket.settimeout(1.0)
                while time.monotonic() < end:
                    old.read()
            except (Closed, OSError):
                pass
            player.check_shown(old)
            player.finish()
        self.found("show-after-losing", play)

    def test_trust_read(self):
        def play(fault):
            fleet, player = self.scene(fault)
            standby = fleet.servers["b"]
            for member in fleet.etcd.members:
                member.kill()  # one that is stopped would answer later what it was asked meanwhile
            standby.process.send_signal(signal.SIGSTOP)
            fleet.servers["a"].await_log("the connection to server 'b' has ended")
            standby.process.send_signal(signal.SIGCONT)
            standby.await_log("the connection from server 'a' has ended")
            self.spawn_at(player, standby)
            standby.process.send_signal(signal.SIGSTOP)
            for member in fleet.etcd.members:
                member.start(wait=False)
            self.assertTrue(all(member.answers() for member in fleet.etcd.members))
            self.eventually(lambda: fleet.record("arena")["standby"] is None)
            self.assertEqual("a", fleet.record("arena")["primary"])
            standby.process.send_signal(signal.SIGCONT)
            player.play(0.3)
            player.finish()
        self.found("trust-read", play)

    def spawn_at(self, player, server):
        """A command at a server that should not serve the world: if it is answered, it counts."""
        client = Client(server.port)
        self.addCleanup(client.__exit__)
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            try:
                player.spawn_by(client)
                return
            except RemoteError:
                time.sleep(0.02)

    def test_forget_term(self):
        def play(fault):
            fleet, player = self.scene(None)
            fleet.servers["a"].kill()
            player.drain()
            player.resume([fleet.servers["b"]])
            player.play(1.0)
            restarted = fleet.start("a", env={"CAROM_PLANT": fault or ""})
            player.play(0.3)
            self.other_snapshots(player, restarted, 0.5)
            player.finish()
        self.found("forget-term", play)

    def test_two_standbys(self):
        def play(fault):
            fleet, player = self.scene(fault, nodes="abc")
            first = fleet.record("arena")["standby"]
            for member in fleet.etcd.members:
                member.kill()  # a stopped member could later carry out requests of the dead primary
            fleet.servers[first].process.send_signal(signal.SIGSTOP)
            player.play(1.5)  # a sound server shows nothing more after a moment
            fleet.servers["a"].process.kill()
            player.drain()
            fleet.servers[first].process.send_signal(signal.SIGCONT)
            for member in fleet.etcd.members:
                member.start(wait=False)
            self.assertTrue(all(member.answers() for member in fleet.etcd.members))
            player.resume([fleet.servers[first]])
            player.play(0.2)
            player.finish()
        self.found("two-standbys", play)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
