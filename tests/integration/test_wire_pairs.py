#!/usr/bin/env python3
"""Replicated worlds survive their server. Called with the path of caromd; skipped where etcd is not installed."""

import random
import re
import signal
import sys
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from fleet_case import PairCase  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD  # noqa: E402


class PairsTest(PairCase):
    def test_world_goes_on_at_its_standby(self):
        a, b = self.start("a"), self.start("b")
        self.ready("a", "b")
        client = self.client(a)
        secret = client.call("hello", protocol=1, client="test")["resume"]
        self.create(client)
        self.assertEqual("replicated", client.call("world.info", world="arena")["durability"])
        self.assertEqual(("a", "b", True), tuple(self.paired()[key] for key in ("primary", "standby", "replicated")))
        subscription = client.call("world.subscribe", world="arena")["subscription"]
        bodies = [client.call("body.spawn", world="arena", position=[3.0 * i, 5.0], shapes=[BALL])["body"]
                  for i in range(20)]
        last = client.last_id
        info = client.call("world.info", world="arena")
        a.kill()
        client, again = self.resumed(b, secret)
        self.assertEqual({"arena": {"epoch": info["epoch"], "last": last}}, again["applied"])
        self.assertEqual([subscription], [one["subscription"] for one in again["subscriptions"]])
        snapshot = client.read_until(lambda: next((n[1][0] for n in client.notifications if n[0] == "snapshot"), None))
        self.assertGreaterEqual(snapshot["tick"], info["tick"])
        self.assertEqual(sorted(bodies), sorted(row[0] for row in snapshot["bodies"]))
        self.assertEqual(info["epoch"], client.call("world.info", world="arena")["epoch"])
        client.call("body.spawn", world="arena", shapes=[BALL])
        self.assertEqual(("b", None, 2), tuple(self.world("arena")[key] for key in ("primary", "standby", "term")))

    def test_hello_names_the_standby(self):
        a, b = self.start("a"), self.start("b")
        client = self.client(a)
        self.assertNotIn("standby", client.call("hello", protocol=1, client="test"))
        self.create(client)
        self.paired()
        self.assertEqual("b.example:22766", self.client(a).call("hello", protocol=1, client="test")["standby"])
        self.assertNotIn("standby", self.client(b).call("hello", protocol=1, client="test"))

    def test_lag_of_the_standby_is_told(self):
        a, _ = self.start("a", "--http", "127.0.0.1:0"), self.start("b")
        client = self.client(a)
        self.create(client)
        self.paired()
        client.call("body.spawn", world="arena", shapes=[BALL])
        tick = self.eventually(lambda: client.call("world.info", world="arena").get("standby_tick"))
        self.assertLessEqual(client.call("world.info", world="arena")["tick"], tick + 60)
        world = client.call("server.fleet")["worlds"][0]
        self.assertGreaterEqual(world["standby_tick"], tick)
        self.assertGreaterEqual(world["lag_s"], 0)
        self.assertEqual(world["lag_s"] > 0, world["lag_bytes"] > 0)
        metrics = self.metrics(a)
        self.assertEqual((1, 0), (metrics["carom_fleet_standbys"], metrics["carom_fleet_followed"]))
        self.assertIn("carom_fleet_standby_lag_seconds", metrics)
        self.assertIn("carom_fleet_standby_lag_bytes", metrics)

    def metrics(self, server):
        with urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}/metrics", timeout=SECONDS_MAX) as answer:
            lines = [line.split() for line in answer.read().decode().splitlines() if line[:1] not in ("#", "")]
        return {line[0]: float(line[1]) for line in lines if len(line) == 2}

    def test_standby_compares_a_hash_every_eighth_tick(self):
        a, b = self.start("a"), self.start("b")
        client = self.client(a)
        self.create(client)
        self.paired()
        for i in range(40):  # an entry for each of these ticks
            client.call("body.spawn", world="arena", position=[3.0 * i, 5.0], shapes=[BALL])
        first = re.search(r"followed here from tick (\d+)", b.await_log("is followed here from tick"))
        a.kill()
        found = re.search(r"continues at tick (\d+) \(40 commands played, (\d+) hash(es)? agreed\)",
                          b.await_log("world 'arena' continues at tick"))
        ticks = int(found[1]) - int(first[1])
        self.assertGreaterEqual(ticks, 40)
        self.assertGreaterEqual(int(found[2]), ticks // 12)  # an entry may be some ticks later than a hash is due

    def test_log_standby_plays_from_its_last_image_when_it_takes_over(self):
        a, b = (self.start(node, "--fleet-standby", "log") for node in "ab")
        client = self.client(a)
        secret = client.call("hello", protocol=1, client="test")["resume"]
        self.create(client, paused=True)
        self.paired()
        bodies = [client.call("body.spawn", world="arena", position=[3.0 * i, 5.0], lifetime="session", shapes=[BALL])["body"]
                  for i in range(5)]
        client.call("world.step", world="arena", ticks=700)  # more than 10 s: another image
        for _ in range(3):
            client.call("body.impulse", world="arena", body=bodies[0], impulse=[1.0, 0.0])
        client.call("world.step", world="arena", ticks=30)
        last, before = client.last_id, client.call("world.info", world="arena")
        a.kill()
        client, again = self.resumed(b, secret)
        self.assertEqual({"arena": {"epoch": before["epoch"], "last": last}}, again["applied"])
        after = self.eventually(lambda: client.call("world.info", world="arena"))
        self.assertEqual((before["tick"], before["hash"], True), tuple(after[key] for key in ("tick", "hash", "paused")))
        played = re.search(r"\((\d+) commands? played", b.await_log("world 'arena' continues at tick"))
        self.assertLessEqual(int(played[1]), 3)

    def test_session_that_is_resumed_early_at_the_standby_keeps_its_subscription(self):
        """A server that had the world keeps the session for some time, so that a client may reach it there too early."""
        servers = {node: self.start(node) for node in "ab"}
        self.client(servers["b"]).call("world.list")  # this session has the same slot at b as the tested one at a
        client = self.client(servers["a"])
        secret = client.call("hello", protocol=1, client="test")["resume"]
        self.create(client)
        self.paired()
        subscription = client.call("world.subscribe", world="arena")["subscription"]
        for node, to in ("ab", "ba"):
            with Client(servers[node].port) as admin:
                admin.call("world.move", world="arena", to=to)
            client, again = self.resumed(servers[to], secret)
            self.assertEqual([subscription], [one["subscription"] for one in again["subscriptions"]])
        early = self.eventually(lambda: self.early(servers, secret))
        servers["a"].kill()
        early.read_until(lambda: early.snapshots())  # it goes on there, too
        _, again = self.resumed(servers["b"], secret)
        self.assertEqual([subscription], [one["subscription"] for one in again["subscriptions"]])

    def test_session_that_returns_to_a_former_server_waits_for_the_takeover(self):
        """That server's list of applied requests is older than the world, until it has taken the world over."""
        servers = {node: self.start(node) for node in "ab"}
        client = self.client(servers["a"])
        secret = client.call("hello", protocol=1, client="test")["resume"]
        self.create(client)
        client.call("body.spawn", world="arena", shapes=[BALL])
        self.paired()
        client.call("world.move", world="arena", to="b")
        client, _ = self.resumed(servers["b"], secret)
        client.last_id = 100
        client.call("body.spawn", world="arena", shapes=[BALL])
        self.paired()
        self.addCleanup(self.etcd.process.send_signal, signal.SIGCONT)
        self.etcd.process.send_signal(signal.SIGSTOP)  # the takeover cannot end
        servers["b"].kill()
        servers["a"].await_log("the connection from server 'b' has ended")
        self.refused("unavailable", "a world of the session is about to come from server 'b': try again", self.client(servers["a"]),
                     "hello", protocol=1, client="test", resume=secret)
        _, again = self.resumed(servers["a"], secret)  # its other worlds wait no longer than 5 s
        self.assertLess(again["applied"]["arena"]["last"], 101)
        self.etcd.process.send_signal(signal.SIGCONT)
        self.eventually(lambda: self.world("arena")["primary"] == "a")
        self.eventually(lambda: self.resumed(servers["a"], secret)[1]["applied"]["arena"]["last"] == 101)

    def early(self, servers, secret):
        """A client that has resumed the session at server b while a has the world; None: the world moved to b on its own, as on a
        machine where a gets no processor for a moment."""
        if self.paired()["primary"] == "b":
            with Client(servers["b"].port) as admin:
                try:
                    admin.call("world.move", world="arena", to="a")
                except RemoteError as error:
                    self.assertRegex(str(error), "^(moved|unavailable): ")
            return None
        client, again = self.resumed(servers["b"], secret)
        return client if again["subscriptions"] == [] else None

    def test_standby_gets_sessions_as_they_are_however_they_change_meanwhile(self):
        """They go in pieces: an older copy of a session must not follow its newer records."""
        a, b = self.start("a"), self.start("b")
        self.create(self.client(a))
        self.paired()
        b.kill()
        self.eventually(lambda: self.world("arena")["standby"] is None)
        changing = []
        for crowd in (0, 1200, 1200):  # those that change are before, among and behind the others
            self.lost(a, crowd)
            for _ in range(6):
                client = self.client(a)
                changing.append((client, client.call("hello", protocol=1, client="test")["resume"], []))
        c = self.start("c")

        def paired():
            for client, _, own in changing:
                own.append(client.request("world.subscribe", world="arena"))
            for client, _, own in changing:
                own[-1] = client.answer(own[-1])["subscription"]
            for client, _, own in changing:
                if len(own) > 1:
                    client.answer(client.request("world.unsubscribe", subscription=own.pop(0)))
            return self.world("arena")["standby"] == "c"
        self.eventually(paired)
        a.kill()
        for _, secret, own in changing:
            _, again = self.resumed(c, secret)
            self.assertEqual(own, [one["subscription"] for one in again["subscriptions"]])

    def test_hundreds_of_sessions_of_a_world_go_on_at_its_standby(self):
        """They are made in pieces, over many turns of the network thread."""
        a, b = self.start("a"), self.start("b")
        self.create(self.client(a))
        self.paired()
        clients = [self.client(a) for _ in range(400)]
        secrets = [client.request("hello", protocol=1, client="test") for client in clients]
        secrets = [client.answer(asked)["resume"] for client, asked in zip(clients, secrets)]
        subscriptions = [client.request("world.subscribe", world="arena", rate=1) for client in clients]
        subscriptions = [client.answer(asked)["subscription"] for client, asked in zip(clients, subscriptions)]
        last = clients[0].request("body.spawn", world="arena", shapes=[BALL])
        clients[0].answer(last)
        a.kill()
        b.await_log("is taken over, with 400 of its sessions")
        for client, secret, subscription in list(zip(clients, secrets, subscriptions))[::40]:
            again, told = self.resumed(b, secret)
            self.assertEqual([subscription], [one["subscription"] for one in told["subscriptions"]])
            self.assertEqual(last if client is clients[0] else None, told["applied"].get("arena", {}).get("last"))
            again.read_until(lambda: again.snapshots())

    def lost(self, server, count):
        """Makes sessions that lose their connections."""
        for first in range(0, count, 100):
            clients = [Client(server.port) for _ in range(first, min(first + 100, count))]
            for client in clients:
                client.request("hello", protocol=1, client="test")
            for client in clients:
                client.answer(1)
                client.socket.close()

    def test_servers_first_record_says_where_others_reach_it(self):
        self.start("a")
        self.start("b")
        self.assertTrue(all(record["peer"] for record in self.etcd.keys(f"{self.prefix}/node/").values()))

    def test_paused_world_is_followed_and_taken_over_as_it_was(self):
        a, b = self.start("a"), self.start("b")
        self.ready("a", "b")
        client = self.client(a)
        self.create(client, paused=True)
        self.paired()
        body = client.call("body.spawn", world="arena", position=[0.0, 9.0], shapes=[BALL])["body"]
        client.call("world.step", world="arena", ticks=7)
        before = client.call("world.info", world="arena")
        a.kill()
        client = self.client(b)

        def info():
            try:
                return client.call("world.info", world="arena")
            except RemoteError:
                return None
        after = self.eventually(info)
        self.assertEqual((before["tick"], before["hash"], before["epoch"], True),
                         tuple(after[key] for key in ("tick", "hash", "epoch", "paused")))
        client.call("body.remove", world="arena", body=body)

    def test_destroyed_world_stays_destroyed(self):
        a, b = self.start("a"), self.start("b")
        self.ready("a", "b")
        client = self.client(a)
        self.create(client)
        self.paired()
        client.call("world.destroy", world="arena")
        a.kill()
        self.eventually(lambda: self.world("arena") is None)
        client = self.client(b)
        self.refused("not_found", "world 'arena' does not exist", client, "world.info", world="arena")

    def test_world_is_made_anew_while_the_standby_of_its_namesake_is_named(self):
        """At random moments: the naming takes a few milliseconds."""
        a = self.start("a")
        self.start("b")
        self.ready("a", "b")
        client = self.client(a)
        self.create(client)
        client.call("world.destroy", world="arena")
        draw = random.Random(7)
        for k in range(40):
            world = f"arena-{k}"
            client.call("world.create", world=world, durability="replicated", paused=True)
            time.sleep(draw.uniform(0, 0.06))
            requests = [client.request("world.destroy", world=world),
                        client.request("world.create", world=world, durability="replicated", paused=True)]
            for request in requests:
                client.answer(request)
            client.call("world.destroy", world=world)
        self.eventually(lambda: not self.etcd.keys(f"{self.prefix}/world/"))

    def test_world_goes_on_when_its_standby_dies_and_gets_another(self):
        servers = {node: self.start(node) for node in "abc"}
        self.ready("a", "b", "c")
        client = self.client(servers["a"])
        self.create(client)
        standby = self.paired()["standby"]
        servers[standby].kill()
        self.eventually(lambda: self.world("arena")["standby"] not in (standby, None))
        self.assertEqual("a", self.world("arena")["primary"])
        self.assertGreaterEqual(self.world("arena")["term"], 2)  # more if a busy machine made it miss the other one too
        client.call("body.spawn", world="arena", shapes=[BALL])

    def test_what_is_missing_is_named(self):
        alone = Caromd(CAROMD, "--http", "off", "--data", str(self.folder / "alone"))
        self.addCleanup(alone.__exit__)
        self.refused("unavailable", "(caromd --fleet, --fleet-listen and --fleet-secret)", self.client(alone), "world.create",
                     world="arena", durability="replicated")
        self.refused("unavailable", "no other server of the fleet can be the world's standby", self.client(self.start("a")),
                     "world.create", world="arena", durability="replicated")

    def test_server_with_another_secret_is_no_standby(self):
        a = self.start("a")
        self.secret.write_text("another" * 8)
        b = self.start("b")
        self.ready("a", "b")
        client = self.client(a)
        request = self.eventually(lambda: self.asked(client))
        b.await_log("is refused: its --fleet-secret is another one, or it does not speak this protocol")
        client.answer(request)  # it begins alone
        self.assertIsNone(self.world("arena")["standby"])

    def asked(self, client):
        """The id of a request to create the world, unless it was refused at once; its answer waits for the standby."""
        request = client.request("world.create", world="arena", durability="replicated")
        client.call("ping")
        return None if client.responses.pop(request, (None, None))[0] is not None else request


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
