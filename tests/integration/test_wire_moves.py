#!/usr/bin/env python3
"""Worlds move to other servers of a fleet. Called with the path of caromd; skipped where etcd is not installed."""

import os
import signal
import sys
import time
import unittest

import test_wire_pairs
from caromd import Caromd
from patience import SECONDS_MAX
from wire import Closed
from wire_case import BALL, CAROMD


class MovesTest(test_wire_pairs.Fleet):
    def follow(self, player, servers):
        """The player goes on where its world went. Returns the time between the last snapshot there and the first
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
        player = test_wire_pairs.Player(self, servers["a"])
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
        self.assertEqual(list(range(player.number)), player.finish())
        ticks = sorted(player.shown)
        player.client.__exit__()
        print(f"{moves} moves, longest time without a snapshot: {max(gaps) * 1e3:.0f} ms, least {min(gaps) * 1e3:.0f}; "
              f"{len(player.answered)} commands, {len(ticks)} ticks", file=sys.stderr)

    def test_world_with_a_log_of_its_own_moves(self):
        servers = {node: self.start(node) for node in "ab"}
        self.ready("a", "b")
        player = test_wire_pairs.Player(self, servers["a"])
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
        self.assertEqual(list(range(player.number)), player.finish())
        self.assertIsNone(self.world("arena")["standby"])
        player.client.__exit__()

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
        player = test_wire_pairs.Player(self, servers["a"])
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
        self.assertEqual((standby, term + 1), (self.world("arena")["primary"], self.world("arena")["term"]))
        self.assertIn(self.world("plain")["primary"], ("b", "c"))
        self.assertIsNone(self.world("loose"))
        self.assertEqual(list(range(player.number)), player.finish())
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
        self.assertEqual(("a", 1), tuple(self.world("arena")[key] for key in ("primary", "term")))
        self.refused("moved", "a.example:22766 world 'arena' is served there", self.client(b), "world.move", world="arena",
                     to="b")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
