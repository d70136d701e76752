#!/usr/bin/env python3
"""Worlds move to other servers of a fleet. Called with the path of caromd; skipped where etcd is not installed."""

import os
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from fleet_case import PairCase  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from player import Player  # noqa: E402
from wire import Client, Closed, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD  # noqa: E402


class MovesTest(PairCase):
    def follow(self, player, servers):
        """Lets the player continue at its world's new server. Returns the time between the last snapshot there and the first
        one here."""
        end = time.monotonic() + SECONDS_MAX
        client = player.client
        told = []
        shown = time.monotonic()
        while not told or player.sent:
            self.assertLess(time.monotonic(), end, "the session was not told of the move")
            try:
                client.read()
            except (Closed, OSError):
                break
            told += [arguments[0] for kind, arguments in client.notifications if kind == "moved"]
            shown = time.monotonic() if any(kind == "snapshot" for kind, _ in client.notifications) else shown
            player.take()
        self.assertEqual(["arena"], [one["world"] for one in told])
        player.resume([server for server in servers if f"{server.node}.example:22766" == told[0]["address"]])
        gap = time.monotonic() - shown
        client.__exit__()
        return gap

    def test_moves_lose_nothing_and_repeat_nothing(self):
        moves = int(os.environ.get("CAROM_MOVES", "4"))
        servers = {node: self.start(node) for node in "abc"}
        self.ready("a", "b", "c")
        player = Player(servers["a"])
        self.create(player.client)
        player.subscribe()
        gaps = []
        for i in range(moves):
            record = self.paired()
            third = next(node for node in "abc" if node not in (record["primary"], record["standby"]))
            target = third if i % 2 else record["standby"]
            player.play(0.3)
            admin = self.client(servers[record["primary"]])
            request = admin.request("world.move", world="arena", to=target)
            gaps.append(self.follow(player, servers.values()))
            answer = admin.answer(request)
            self.assertEqual(("arena", target), (answer["world"], answer["node"]))
            self.assertEqual((target, answer["term"]), (self.world("arena")["primary"], answer["term"]))
            player.play(0.2)
        player.finish()
        ticks = sorted(player.shown)
        player.client.__exit__()
        print(f"{moves} moves, longest time without a snapshot: {max(gaps) * 1e3:.0f} ms, least {min(gaps) * 1e3:.0f}; "
              f"{len(player.answered)} commands, {len(ticks)} ticks", file=sys.stderr)

    def test_world_with_a_log_of_its_own_moves(self):
        servers = {node: self.start(node) for node in "ab"}
        self.ready("a", "b")
        player = Player(servers["a"])
        player.client.call("world.create", world="arena", durability="full")
        player.subscribe()
        for target in "ba":
            player.play(0.2)
            admin = self.client(player_server := servers["a" if target == "b" else "b"])
            request = admin.request("world.move", world="arena", to=target)
            self.follow(player, servers.values())
            self.assertEqual(target, admin.answer(request)["node"])
            info = player.client.call("world.info", world="arena")
            self.assertEqual("full", info["durability"], player_server.node)
            self.assertEqual(False, self.world("arena")["replicated"])
        player.play(0.2)
        player.finish()
        self.assertIsNone(self.world("arena")["standby"])
        player.client.__exit__()

    def test_servers_number_worlds_and_sessions_apart(self):
        """Two servers that counted on from the number of a world that moved would give one number twice."""
        b, a = self.start("b"), self.start("a")  # a is the younger one
        self.ready("a", "b")
        client, other = self.client(a), self.client(b)
        client.call("hello", protocol=1, client="test")
        client.call("world.create", world="first")
        client.call("world.subscribe", world="first")
        client.call("world.move", world="first", to="b")
        self.eventually(lambda: self.here(other, "first"))
        sessions = [self.client(server).call("hello", protocol=1, client="test")["session"]
                    for server in (a, b) for _ in range(20)]
        self.assertEqual(len(sessions), len(set(sessions)))
        epochs = [owner.call("world.create", world=f"{name}{i}")["epoch"]
                  for name, owner in (("x", client), ("y", other)) for i in range(5)]
        self.assertEqual(len(epochs), len(set(epochs)))
        for i in range(5):
            client.call("world.move", world=f"x{i}", to="b")
            self.assertEqual(epochs[i], self.eventually(lambda name=f"x{i}": self.here(other, name))["epoch"])

    def here(self, client, world):
        """The world's information; None: the server does not serve it, or has not heard of it yet."""
        try:
            return client.call("world.info", world=world)
        except RemoteError as error:
            self.assertRegex(str(error), "^(moved|not_found): ")
            return None

    def test_session_of_a_world_that_comes_back_has_its_whole_time(self):
        """The session of before has waited at the server since the world left: it must not end in the middle of its return."""
        servers = {node: self.start(node, "--limit", "resume_ms=6000") for node in "ab"}
        self.ready("a", "b")
        client, admin = Client(servers["a"].port), self.client(servers["a"])
        secret = client.call("hello", protocol=1, client="player")["resume"]
        client.call("world.create", world="arena")
        client.call("world.subscribe", world="arena")
        client.call("world.move", world="arena", to="b")
        client.__exit__()
        self.eventually(lambda: self.waiting(admin) == ["player"])
        marker = Client(servers["a"].port)  # its resume time ends right after that of the earlier session
        marker.call("hello", protocol=1, client="marker")
        marker.__exit__()
        self.eventually(lambda: self.waiting(admin) == ["marker", "player"])
        time.sleep(3)  # half of their time: what is left for the last lines, when the marker has ended
        self.client(servers["b"]).call("world.move", world="arena", to="a")
        self.eventually(lambda: "marker" not in self.waiting(admin))
        _, again = self.resumed(servers["a"], secret)
        self.assertEqual(["arena"], [one["world"] for one in again["subscriptions"]])

    def test_session_of_two_servers_keeps_its_subscriptions_apart(self):
        """Both servers have given the same number when the second world comes: each subscription can be ended."""
        servers = {node: self.start(node) for node in "ab"}
        self.ready("a", "b")
        first = self.client(servers["a"])
        secret = first.call("hello", protocol=1, client="player")["resume"]
        for world in ("left", "right"):
            first.call("world.create", world=world)
        first.call("body.spawn", world="right", lifetime="session", shapes=[BALL])
        first.call("world.move", world="right", to="b")
        second, _ = self.resumed(servers["b"], secret)
        numbers = [client.call("world.subscribe", world=world)["subscription"] for client, world in ((first, "left"), (second, "right"))]
        self.assertEqual(1, len(set(numbers)))
        first.call("world.move", world="left", to="b")
        admin = self.client(servers["b"])
        self.eventually(lambda: self.here(admin, "left"))
        second.call("world.unsubscribe", subscription=numbers[0])
        self.eventually(lambda: [self.here(admin, world)["subscribers"] for world in ("left", "right")] == [0, 0])
        self.assertIn("tick", second.call("world.info", world="left"))

    @staticmethod
    def waiting(admin):
        """Names of clients whose sessions wait to be resumed."""
        return sorted(one["client"] for one in admin.call("server.sessions")["sessions"] if not one["connected"])

    def test_paused_world_moves_as_it_is(self):
        a, b = self.start("a"), self.start("b")
        self.ready("a", "b")
        client = self.client(a)
        client.call("world.create", world="arena", paused=True)
        client.call("body.spawn", world="arena", position=[0.0, 9.0], shapes=[BALL])
        client.call("world.step", world="arena", ticks=7)
        before = client.call("world.info", world="arena")
        client.call("world.move", world="arena")
        self.refused("moved", "b.example:22766 world 'arena' is served there", client, "world.info", world="arena")
        after = self.client(b).call("world.info", world="arena")
        for key in ("tick", "hash", "epoch", "paused"):
            self.assertEqual(before[key], after[key], key)

    def test_server_that_shuts_down_hands_its_worlds_over(self):
        servers = {node: self.start(node) for node in "abc"}
        self.ready("a", "b", "c")
        player = Player(servers["a"])
        self.create(player.client)
        player.client.call("world.create", world="plain")
        player.client.call("world.create", world="loose", durability="none")
        player.subscribe()
        standby = self.paired()["standby"]
        player.play(0.3)
        term = self.world("arena")["term"]
        servers["a"].process.terminate()
        gap = self.follow(player, servers.values())
        player.play(0.2)
        servers["a"].process.wait(timeout=SECONDS_MAX)
        self.assertEqual(0, servers["a"].process.returncode)
        record = self.world("arena")
        self.assertGreater(record["term"], term)
        if record["term"] == term + 1:  # else a busy machine made its server miss the standby before
            self.assertEqual(standby, record["primary"])
        for world in ("arena", "plain"):
            self.assertIn(self.world(world)["primary"], ("b", "c"))
        self.assertIsNone(self.world("loose"))
        player.finish()
        player.client.__exit__()
        print(f"shutdown, time without a snapshot: {gap * 1e3:.0f} ms", file=sys.stderr)

    def test_standby_that_dies_leaves_the_world_here(self):
        a, b = self.start("a"), self.start("b")
        self.ready("a", "b")
        client = self.client(a)
        self.create(client)
        self.paired()
        b.process.send_signal(signal.SIGSTOP)
        move = client.request("world.move", world="arena", to="b")
        client.read_until(lambda: move in client.responses)
        self.assertRegex(client.responses.pop(move)[0], "^unavailable: server 'b' was lost before it had world 'arena'")
        b.kill()
        client.call("body.spawn", world="arena", shapes=[BALL])
        self.assertEqual("a", self.world("arena")["primary"])

    def test_what_is_wrong_is_named(self):
        alone = Caromd(CAROMD, "--http", "off")
        self.addCleanup(alone.__exit__)
        client = self.client(alone)
        client.call("world.create", world="arena")
        self.refused("unavailable", "this server is alone: caromd --fleet makes it one of several", client, "world.move",
                     world="arena")
        a, b = self.start("a"), self.start("b")
        self.ready("a", "b")
        client = self.client(a)
        self.create(client)
        client.call("world.create", world="loose", durability="none")
        self.refused("not_found", "world 'nowhere' does not exist", client, "world.move", world="nowhere", to="b")
        self.refused("not_found", "to: no server of the fleet has the name 'x'; others there: b", client, "world.move",
                     world="arena", to="x")
        self.refused("already_exists", "to: server 'a' serves the world already", client, "world.move", world="arena", to="a")
        self.refused("unavailable", r"world 'loose' cannot be moved: it keeps no log \(durability 'none'\)", client,
                     "world.move", world="loose", to="b")
        node = self.etcd.keys(f"{self.prefix}/node/")[f"{self.prefix}/node/b"]
        for name, change, code, text in (
                ("d", {"draining": True}, "unavailable", "to: server 'd' is shutting down, and takes no worlds"),
                ("e", {"engine": node["engine"] + 1}, "unavailable",
                 f"to: server 'e' has engine {node['engine'] + 1}, and this one {node['engine']}"),
                ("f", {"peer": None}, "unavailable", "to: server 'f' cannot be reached by other servers")):
            self.etcd.put(f"{self.prefix}/node/{name}", {**node, **change})
            a.await_log(f"fleet: server '{name}' at ")
            self.refused(code, text, client, "world.move", world="arena", to=name)
        self.assertEqual("a", self.world("arena")["primary"])  # perhaps in a later term: b may have been too slow
        self.refused("moved", "a.example:22766 world 'arena' is served there", self.client(b), "world.move", world="arena",
                     to="b")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
