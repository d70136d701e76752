#!/usr/bin/env python3
"""A fleet with a server that cannot take part: another engine, a full disk. Its faults are named, and worlds go on. Called with
the path of caromd; skipped where etcd is not installed."""

import resource
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from fleet_case import PairCase  # noqa: E402
from player import Player  # noqa: E402


class FaultsTest(PairCase):
    def tick(self, client, world):
        return client.call("world.info", world=world)["tick"]

    def goes_on(self, client, world):
        before = self.tick(client, world)
        self.eventually(lambda: self.tick(client, world) > before + 30)

    def test_server_of_another_engine_gets_no_world(self):
        a = self.start("a")
        self.ready("a")
        client = self.client(a)
        client.call("world.create", world="lab")
        key = f"{self.prefix}/node/"
        mine = self.etcd.keys(key)[key + "a"]
        self.etcd.put(key + "z", {**mine, "engine": mine["engine"] + 1, "run": "f" * 16, "address": "z.example:1"})
        self.eventually(lambda: "z" in [node["node"] for node in client.call("server.fleet")["nodes"]])
        told = {node["node"]: node["engine"] for node in client.call("server.fleet")["nodes"]}
        self.assertEqual(told["a"] + 1, told["z"])
        self.refused("unavailable", "no other server of the fleet can be the world's standby: it must have --fleet-listen, "
                     "this server's engine and another host", client, "world.create", world="arena", durability="replicated")
        self.assertIsNone(self.world("arena"))
        self.refused("unavailable", "engine", client, "world.move", world="lab", to="z")
        self.assertEqual(("a", 1), (self.world("lab")["primary"], self.world("lab")["term"]))
        self.goes_on(client, "lab")

    def test_server_without_memory_is_no_standby(self):
        site = self.folder / "site"
        site.mkdir()
        (site / "large").write_bytes(bytes(64 << 20))  # the server keeps it in memory
        a = self.start("a")
        if "san.so" in Path(f"/proc/{a.process.pid}/maps").read_text(encoding="ascii", errors="replace"):
            self.skipTest("a server with a sanitizer counts what it accounts for, and not its whole memory")
        self.start("b", "--memory", "64M", "--www", str(site), "--http", "127.0.0.1:0")
        self.ready("a", "b")
        client = self.client(a)
        client.call("world.create", world="lab")
        self.create(client)
        a.await_log("server 'b' cannot be its standby: memory: the server uses")
        self.goes_on(client, "lab")
        self.goes_on(client, "arena")
        self.assertEqual(1, sum("cannot be its standby" in line for line in a.log))  # it is asked twice a second

    def test_world_leaves_a_full_disk_with_its_watchers(self):
        a, b = self.start("a"), self.start("b")
        self.ready("a", "b")
        with self.client(a) as first, self.client(b) as other:
            self.create(first)
            other.call("world.create", world="lab")
            self.paired()
            player = Player(a)
            player.subscribe()
            player.play(0.3)
            _, hard = resource.prlimit(a.process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(a.process.pid, resource.RLIMIT_FSIZE, (1, hard))

            def has_left():
                player.play(0.05)
                return player.moved
            self.eventually(has_left)
            self.assertFalse(player.unlogged, "a watcher was sent away")
            self.assertRegex(a.await_log("is to go to its standby"), "cannot be written here: writing .* failed.*: File too large")
            player.resume([b])
            player.play(0.3)
            player.finish()
            self.assertGreater(len(player.answered), 10)
            self.assertEqual(("b", 2), (self.world("arena")["primary"], self.world("arena")["term"]))
            self.goes_on(other, "lab")
            player.client.__exit__()
        a.kill()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
