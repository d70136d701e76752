#!/usr/bin/env python3
"""Relays of several upstreams, of a fleet, and over TLS. Called with the path of caromd."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import certificates  # noqa: E402
from fleet_case import PairCase  # noqa: E402
from relay_case import Forwarder, RelayTest  # noqa: E402
from wire_case import BALL  # noqa: E402


class Several(RelayTest):
    """A relay of several servers: it goes where a world goes."""

    def relay_of(self, ports, *options):
        self.server = self.start(*(word for port in ports for word in ("--relay", f"127.0.0.1:{port}")), *options)
        return self.server

    def closed(self, client):
        return [p[0] for m, p in client.notifications if m == "world_closed"]

    def test_worlds_of_all_upstreams_are_listed_and_watched(self):
        first, second = self.start("--world", "a", "--world", "both"), self.start("--world", "b", "--world", "both")
        origins = ("--relay-origin", "first.example:1", "--relay-origin", "second.example:2")
        self.relay_of([first.port, second.port], *origins)
        near = self.connect()
        self.listed(near, "a")
        self.listed(near, "b")
        self.assertEqual([w["world"] for w in near.call("world.list")], ["a", "b", "both"])
        with self.client_of(first) as far:
            self.assertEqual(self.listed(near, "both")["epoch"], self.listed(far, "both")["epoch"])
        for world, port, origin in (("a", first.port, "first.example:1"), ("b", second.port, "second.example:2"),
                                    ("both", first.port, "first.example:1")):
            near.call("world.subscribe", world=world)
            self.assertEqual(near.call("world.info", world=world)["relay_of"], f"127.0.0.1:{port}")
            self.refused("moved", f"{origin} world '{world}' is served there", near, "world.pause", world=world)
        self.assertEqual((self.stats(near, "relay_upstreams"), self.stats(near, "relay_connected")), (2, 2))

    def test_one_upstream_that_is_away_takes_only_its_own_worlds_along(self):
        first, second = self.start("--world", "a"), self.start("--world", "b")
        forwarder = Forwarder(second.port)
        self.addCleanup(forwarder.end)
        forwarder.cut()
        self.relay_of([first.port, forwarder.port])
        near = self.connect()
        self.listed(near, "a")
        near.call("world.subscribe", world="a")
        self.refused("unavailable", "world 'b' is not known, and a server that this relay follows does not answer", near,
                     "world.subscribe", world="b")
        forwarder.mend()
        self.listed(near, "b")
        near.call("world.subscribe", world="b")
        forwarder.cut()
        self.eventually(lambda: self.stats(near, "relay_connected") == 1)
        seen = len(near.snapshots())
        near.read_until(lambda: len(near.snapshots()) > seen)
        self.refused("not_found", "world 'c' does not exist", near, "world.subscribe", world="c")
        self.assertFalse(self.closed(near))

    def test_namesake_at_another_upstream_does_not_take_the_place_of_a_world(self):
        first, second = self.start("--world", "both"), self.start("--world", "both")
        forwarder = Forwarder(first.port)
        self.addCleanup(forwarder.end)
        self.relay_of([forwarder.port, second.port])
        near, far = self.connect(), self.client_of(second)
        own = self.client_of(first).call("world.info", world="both")["epoch"]
        # Awaited until both upstreams have answered: the first one's world counts.
        self.eventually(lambda: self.listed(near, "both")["epoch"] == own)
        near.call("world.subscribe", world="both")
        near.read_until(lambda: near.snapshots())
        forwarder.cut()
        self.eventually(lambda: self.stats(near, "relay_connected") == 1)
        for marker in ("one", "two"):  # the second one's list has arrived again
            far.call("world.create", world=marker)
            self.listed(near, marker)
        info = near.call("world.info", world="both")
        self.assertEqual((info["epoch"], info["relay_of"]), (own, f"127.0.0.1:{forwarder.port}"))
        forwarder.mend()
        seen = len(near.snapshots())
        near.read_until(lambda: len(near.snapshots()) > seen)
        self.assertFalse(self.closed(near))

    def test_world_that_ended_ends_though_there_are_other_upstreams(self):
        first, second = self.start("--world", "a"), self.start("--world", "b")
        self.relay_of([first.port, second.port])
        near, far = self.connect(), self.client_of(second)
        self.listed(near, "b")
        near.call("world.subscribe", world="b")
        near.read_until(lambda: near.snapshots())
        far.call("world.destroy", world="b")
        closed = near.read_until(lambda: self.closed(near))[0]
        self.assertEqual((closed["code"], closed["reason"]), ("not_found", "the world ends as it has ended at its server"))


class InFleet(PairCase, RelayTest):
    """Worlds that move, and whose servers are killed, under the eyes of a relay's watchers."""

    def relay_of(self, servers):
        self.server = RelayTest.start(self, *(word for s in servers for word in ("--relay", f"127.0.0.1:{s.port}")))
        return self.server

    def client(self, server):
        return self.client_of(server)

    def test_watchers_go_on_when_a_world_moves_and_when_its_server_is_killed(self):
        servers = {node: PairCase.start(self, node) for node in "abc"}
        self.ready("a", "b", "c")
        client = self.client_of(servers["a"])
        self.create(client)
        epoch = client.call("world.info", world="arena")["epoch"]
        self.relay_of(servers.values())
        near = self.connect()
        self.listed(near, "arena")
        self.follow_hashes(near, "arena")
        at = None
        for round_ in range(3):
            record = self.eventually(lambda before=at: (now := self.paired())["primary"] != before and now)
            at = record["primary"]
            self.eventually(lambda at=at: near.call("world.info", world="arena")["relay_of"]
                            == f"127.0.0.1:{servers[at].port}")
            far = self.client_of(servers[at])
            far.call("body.spawn", world="arena", position=[5.0 * round_, 9.0], shapes=[BALL])
            self.follow_hashes(far, "arena")
            self.compare(near, far, 5)
            if round_ == 0:
                third = next(node for node in "abc" if node not in (at, record["standby"]))
                far.call("world.move", world="arena", to=third)
            elif round_ == 1:
                servers[at].kill()
        self.assertEqual(near.call("world.info", world="arena")["epoch"], epoch)
        self.assertFalse([p for m, p in near.notifications if m == "world_closed"])
        self.assertEqual(self.stats(near, "relay_faults"), 0)

    def test_world_that_moves_beyond_the_relay_ends_there(self):
        a, b, c = (PairCase.start(self, node) for node in "abc")
        self.ready("a", "b", "c")
        far = self.client_of(a)
        far.call("world.create", world="arena", durability="full")
        self.relay_of([a, b])
        near = self.connect()
        self.listed(near, "arena")
        near.call("world.subscribe", world="arena")
        near.read_until(lambda: near.snapshots())
        far.call("world.move", world="arena", to="c")
        closed = near.read_until(lambda: [p[0] for m, p in near.notifications if m == "world_closed"])[0]
        self.assertEqual((closed["code"], closed["reason"]),
                         ("unavailable", "the world ends as it has moved to a server that this relay does not follow: "
                          "c.example:22766 world 'arena' is served there"))
        self.assertIsNone(c.process.poll())


class Sealed(RelayTest):
    """Upstreams over TLS."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = certificates.Folder(Path(folder.name) / "pki")
        self.folder.authority("ca")
        self.folder.authority("stranger")
        self.folder.signed("origin", "ca", "127.0.0.1")
        self.origin = self.start("--world", "lab:pyramid", "--tls-cert", self.folder.certificate("origin"), "--tls-key",
                                 self.folder.key("origin"))

    def relay_over(self, address, *options):
        self.server = self.start("--relay", address, *options)
        return self.connect()

    def test_log_comes_over_tls(self):
        near = self.relay_over(f"tls://127.0.0.1:{self.origin.port}", "--relay-ca", self.folder.certificate("ca"))
        self.listed(near)
        self.follow_hashes(near)
        near.read_until(lambda: len(self.hashes(near)) >= 60)
        self.assertEqual(near.call("world.info", world="lab")["relay_of"], f"127.0.0.1:{self.origin.port}")
        self.assertEqual((self.stats(near, "relay_faults"), self.stats(near, "relay_disconnects")), (0, 0))

    def refused_for(self, address, ca, text):
        near = self.relay_over(address, "--relay-ca", self.folder.certificate(ca))
        self.server.await_log(f"relay: no connection to {address.removeprefix('tls://')}: {text}")
        self.refused("unavailable", "does not answer: try again", near, "world.subscribe", world="lab")

    def test_certificate_of_strangers_is_refused(self):
        self.refused_for(f"tls://127.0.0.1:{self.origin.port}", "stranger",
                         "TLS 1.3 with 127.0.0.1: unable to get local issuer certificate")

    def test_certificate_of_another_host_is_refused(self):
        self.folder.signed("elsewhere", "ca", "127.0.0.9")
        elsewhere = self.start("--world", "lab", "--tls-cert", self.folder.certificate("elsewhere"), "--tls-key",
                               self.folder.key("elsewhere"))
        self.refused_for(f"tls://127.0.0.1:{elsewhere.port}", "ca", "TLS 1.3 with 127.0.0.1: IP address mismatch")

    def test_plain_server_is_no_tls(self):
        plain = self.start("--world", "lab")
        self.refused_for(f"tls://127.0.0.1:{plain.port}", "ca", "")
        plain.await_log("listening")

    def test_tls_server_is_not_followed_without_tls(self):
        near = self.relay_over(f"127.0.0.1:{self.origin.port}")
        self.server.await_log(f"relay: no connection to 127.0.0.1:{self.origin.port}: ")
        self.refused("unavailable", "does not answer: try again", near, "world.subscribe", world="lab")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
