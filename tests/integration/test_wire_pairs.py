#!/usr/bin/env python3
"""Replicated worlds survive their server. Called with the path of caromd; skipped where etcd is not installed."""

import os
import random
import select
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client, Closed, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD, WireTest  # noqa: E402


@unittest.skipUnless(etcd.there(), "etcd is not installed (docker/install.sh test)")
class Fleet(WireTest):
    @classmethod
    def setUpClass(cls):
        cls.etcd = etcd.Etcd()

    @classmethod
    def tearDownClass(cls):
        cls.etcd.stop()

    def setUp(self):
        """Each test has a fleet of its own."""
        self.prefix = "/" + self.id().rsplit(".", 1)[-1][:60]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.secret = self.folder / "secret"
        self.secret.write_text("0123456789abcdef" * 4)

    def start(self, node, *more):
        server = Caromd(CAROMD, "--http", "off", "--fleet", self.etcd.url, "--fleet-prefix", self.prefix, "--node", node,
                        "--advertise", f"{node}.example:22766", "--fleet-listen", "127.0.0.1:0", "--fleet-secret",
                        str(self.secret), "--data", str(self.folder / node), *more)
        server.node = node
        self.addCleanup(lambda: server.process.poll() is None and server.__exit__())
        return server

    def client(self, server):
        client = Client(server.port)
        self.addCleanup(client.__exit__)
        return client

    def world(self, name):
        return self.etcd.keys(f"{self.prefix}/world/").get(f"{self.prefix}/world/{name}")

    def ready(self, *nodes):
        """Waits until the servers know where they reach each other."""
        def known():
            keys = self.etcd.keys(f"{self.prefix}/node/")
            return all(keys.get(f"{self.prefix}/node/{node}", {}).get("peer") for node in nodes)
        self.eventually(known)

    def create(self, client, **more):
        """Creates the world `arena` as soon as its server knows of another one."""
        def works():
            try:
                client.call("world.create", world="arena", durability="replicated", **more)
                return True
            except RemoteError as error:
                self.assertIn("no other server of the fleet can be the world's standby", str(error))
                return False
        self.eventually(works)

    def paired(self, name="arena"):
        self.eventually(lambda: self.world(name)["standby"] is not None)
        return self.world(name)

    def resumed(self, server, secret):
        """A client that resumes its session at another server, and the answer."""
        def works():
            client = self.client(server)
            try:
                return client, client.call("hello", protocol=1, client="test", resume=secret)
            except RemoteError:
                return None
        return self.eventually(works)


class PairsTest(Fleet):
    def test_world_goes_on_at_its_standby(self):
        a, b = self.start("a"), self.start("b")
        self.ready("a", "b")
        client = self.client(a)
        secret = client.call("hello", protocol=1, client="test")["resume"]
        self.create(client)
        self.assertEqual("replicated", client.call("world.info", world="arena")["durability"])
        self.assertEqual(("a", "b", 1, True),
                         tuple(self.paired()[key] for key in ("primary", "standby", "term", "replicated")))
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

    def test_world_goes_on_when_its_standby_dies_and_gets_another(self):
        servers = {node: self.start(node) for node in "abc"}
        self.ready("a", "b", "c")
        client = self.client(servers["a"])
        self.create(client)
        standby = self.paired()["standby"]
        servers[standby].kill()
        self.eventually(lambda: self.world("arena")["standby"] not in (standby, None))
        self.assertEqual(("a", 2), tuple(self.world("arena")[key] for key in ("primary", "term")))
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


class Player:
    """A client that follows its session from server to server, and records what it was told: the commands that were
    answered, and which hash was shown at which tick."""

    def __init__(self, test, server):
        self.test = test
        self.client = Client(server.port)
        self.secret = self.client.call("hello", protocol=1, client="player")["resume"]
        self.sent = {}  # id of the request: number of the body, until it is answered
        self.returned = []  # numbers of bodies that the server sent elsewhere, without making them
        self.answered = set()
        self.shown = {}
        self.number = 0

    def subscribe(self):
        self.client.call("world.subscribe", world="arena", rate=60)

    def take(self):
        """Records what has come."""
        client = self.client
        for request in [one for one in self.sent if one in client.responses]:
            error, _ = client.responses.pop(request)
            if error is None:
                self.answered.add(self.sent.pop(request))
            elif error.startswith("moved: "):
                self.returned.append(self.sent.pop(request))
            else:
                self.test.assertTrue(error.startswith("unavailable: "), error)  # it may have been applied
        for kind, arguments in client.notifications:
            if kind == "snapshot":
                tick, shown = arguments[0]["tick"], arguments[0]["hash"]
                self.test.assertEqual(shown, self.shown.setdefault(tick, shown), f"two histories at tick {tick}")
        client.notifications.clear()

    def play(self, seconds):
        """Spawns bodies without waiting for answers, and reads; raises when the connection ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if len(self.sent) < 8:
                self.spawn(self.number)
                self.number += 1
            if select.select([self.client.socket], [], [], 0.005)[0]:
                self.client.read()
            self.take()

    def spawn(self, number):
        request = self.client.request("body.spawn", world="arena", type="static", position=[float(number), 0.0],
                                      shapes=[BALL])
        self.sent[request] = number

    def drain(self):
        """Reads what the killed server had sent."""
        try:
            while True:
                self.client.read()
                self.take()
        except (Closed, OSError):
            self.take()
        self.client.__exit__()

    def resume(self, servers):
        """Goes on at the server that took over, sends again what was lost there, and returns when a tick was shown."""
        end = time.monotonic() + SECONDS_MAX
        while True:
            self.test.assertLess(time.monotonic(), end, "no server has the session")
            for server in servers:
                client = Client(server.port)
                try:
                    again = client.call("hello", protocol=1, client="player", resume=self.secret)
                except RemoteError:
                    client.__exit__()
                    continue
                self.go_on(client, again)
                return
            time.sleep(0.002)

    def go_on(self, client, again):
        last = max(again["applied"].get("arena", {"last": 0})["last"], self.client.last_id if self.returned else 0)
        self.client, self.secret = client, again["resume"]
        client.last_id = max([last, *self.sent])
        lost = self.returned + [number for request, number in sorted(self.sent.items()) if request > last]
        self.returned = []
        self.answered.update(number for request, number in self.sent.items() if request <= last)
        self.sent.clear()
        before = max(self.shown, default=0)
        for number in lost:
            self.spawn(number)
        while not any(kind == "snapshot" and arguments[0]["tick"] > before
                      for kind, arguments in client.notifications):
            client.read()
        self.take()

    def finish(self):
        """Waits for all answers, and compares with the world."""
        while self.sent:
            self.client.read()
            self.take()
        state = self.client.call("world.state", world="arena")
        return sorted(round(body["position"][0]) for body in state["bodies"])


class Kills(Fleet):
    def test_kills_lose_nothing_that_was_answered(self):
        kills = int(os.environ.get("CAROM_PAIR_KILLS", "3"))
        chance = random.Random(int(os.environ.get("CAROM_SEED", "1")))
        servers = {node: self.start(node) for node in "abc"}
        self.ready("a", "b", "c")
        player = Player(self, servers["a"])
        self.create(player.client)
        player.subscribe()
        gaps = []
        for i in range(kills):
            record = self.paired()
            player.play(chance.uniform(0.2, 1.0))
            victim = servers.pop(record["primary"])
            killed = time.monotonic()
            victim.process.kill()
            player.drain()
            player.resume(list(servers.values()))
            gaps.append(time.monotonic() - killed)
            victim.kill()
            player.play(0.3)
            servers[victim.node] = self.start(victim.node)
        self.assertEqual(list(range(player.number)), player.finish())
        self.assertEqual(kills + 1, self.world("arena")["term"])
        player.client.__exit__()
        gaps.sort()
        print(f"{kills} kills, from a kill to the next shown tick: p50 {gaps[len(gaps) // 2] * 1e3:.0f} ms, "
              f"p99 {gaps[len(gaps) * 99 // 100] * 1e3:.0f} ms; {len(player.answered)} commands, "
              f"{len(player.shown)} ticks", file=sys.stderr)

    def test_hung_server_shows_nothing_that_is_not_in_the_one_history(self):
        hangs = int(os.environ.get("CAROM_PAIR_HANGS", "1"))
        servers = {node: self.start(node) for node in "abc"}
        self.ready("a", "b", "c")
        player = Player(self, servers["a"])
        self.create(player.client)
        player.subscribe()
        gaps = []
        for _ in range(hangs):
            record = self.paired()
            player.play(0.5)
            hung, old = servers[record["primary"]], player.client
            stopped = time.monotonic()
            hung.process.send_signal(signal.SIGSTOP)
            self.eventually(lambda term=record["term"]: self.world("arena")["term"] > term)
            player.resume([server for server in servers.values() if server is not hung])
            gaps.append(time.monotonic() - stopped)
            player.play(0.3)
            hung.process.send_signal(signal.SIGCONT)
            player.play(0.3)
            hung.await_log("world 'arena' of this server is server ")
            old.read_until(lambda old=old: any(kind == "moved" for kind, _ in old.notifications))
            for kind, arguments in old.notifications:
                if kind == "snapshot":
                    tick, shown = arguments[0]["tick"], arguments[0]["hash"]
                    self.assertEqual(shown, player.shown.setdefault(tick, shown), f"two histories at tick {tick}")
            old.__exit__()
            hung.log.clear()
        self.assertEqual(list(range(player.number)), player.finish())
        player.client.__exit__()
        print(f"{hangs} hangs, to the next shown tick: {max(gaps) * 1e3:.0f} ms at most", file=sys.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
