#!/usr/bin/env python3
"""A world's data: set, read, refused, sent to subscribers, and kept wherever a world is kept.
Called with the path of caromd."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from keyed_case import KeyedTest  # noqa: E402
from wire import REQUEST, Client, RemoteError  # noqa: E402
from wire_case import CAROMD, ServerTest, WireTest  # noqa: E402

BALL = {"kind": "circle", "radius": 0.5}
EVERYTHING = {"number": -3, "real": 2.5, "list": [1, [True, None]], "bytes": b"\x00\xff", "text": "é", "map": {"": {}},
              "numbers": {7: "seven", -300: [], 2**64 - 1: 0}}


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


class Data(ServerTest):
    def setUp(self):
        super().setUp()
        self.client.call("world.create", world=self.world, paused=True)

    def data(self, **which):
        return self.client.call("data.get", world=self.world, **which)["data"]

    def set(self, key, value, **more):
        return self.client.call("data.set", world=self.world, key=key, value=value, **more)["version"]

    def hash(self):
        return self.client.call("world.info", world=self.world)["hash"]

    def not_set(self, code, text, key, value, **more):
        before = self.hash()
        self.refused(code, text, self.client, "data.set", world=self.world, key=key, value=value, **more)
        self.assertEqual(self.hash(), before)


class Values(Data):
    def test_any_value_comes_back_and_versions_rise(self):
        before = self.hash()
        first = self.set("a", EVERYTHING)
        self.assertEqual(self.data(), {"a": {"value": EVERYTHING, "version": first}})
        second = self.set("b/1", 1)
        third = self.set("a", [])
        self.assertTrue(0 < first < second < third)
        self.assertEqual(self.data(key="a"), {"a": {"value": [], "version": third}})
        self.assertEqual(self.data(prefix="b/"), {"b/1": {"value": 1, "version": second}})
        self.assertEqual(self.data(key="nothing"), {})
        self.assertNotEqual(self.hash(), before)
        for key in "a", "b/1":
            self.client.call("data.remove", world=self.world, key=key)
        self.assertEqual(self.hash(), before, "a world without data has the hash that it had")
        self.assertGreater(self.set("a", 1, version=0), third)

    def test_world_info_counts_keys_and_bytes(self):
        def counts():
            info = self.client.call("world.info", world=self.world)
            return info["data_keys"], info["data_bytes"]
        self.assertEqual(counts(), (0, 0))
        self.set("k", "x" * 10) # 64 for the key, its byte, and 11 of MessagePack
        self.set("l", 1)
        self.assertEqual(counts(), (2, 64 + 1 + 11 + 64 + 1 + 1))

    def test_version_that_lost_is_told_with_the_one_there_is(self):
        version = self.set("leader", "ada", version=0)
        self.not_set("already_exists", f"'leader' has version {version}, not 0", "leader", "bob", version=0)
        self.not_set("already_exists", f"'leader' has version {version}, not 99", "leader", "bob", version=99)
        self.not_set("already_exists", "'other' does not exist .*version 5", "other", "bob", version=5)
        self.refused("already_exists", f"has version {version}", self.client, "data.remove", world=self.world,
                     key="leader", version=version + 1)
        self.refused("not_found", "'other'", self.client, "data.remove", world=self.world, key="other")
        self.assertGreater(self.set("leader", "bob", version=version), version)

    def test_bad_keys_and_values_are_refused_by_name(self):
        self.not_set("invalid_argument", "key", "", 1)
        self.not_set("limit_exceeded", "key: .*128 bytes", "k" * 129, 1)
        self.not_set("invalid_argument", "key: .*UTF-8", b"\xff", 1)
        self.not_set("invalid_argument", "value: nil", "k", None)
        self.not_set("limit_exceeded", "value: .*16384.*data_value_bytes", "k", b"x" * 16384)
        self.not_set("limit_exceeded", "value: .*65536", "k", b"x" * 65536)
        self.not_set("invalid_argument", "value .*nest too deep", "k", nested(17))
        self.set("k" * 128, b"x" * 16381)
        self.set("k", nested(16))
        self.not_set("invalid_argument", "value: a map's key must not be an array or a map", "k", {(1, 2): 3})
        self.refused("invalid_argument", "either key or prefix", self.client, "data.get", world=self.world, key="k", prefix="k")

    def test_integer_that_is_a_key_in_two_widths_is_refused(self):
        # Its shortest form, which logs and other clients get, would have the key twice.
        for method, name in ("data.set", "value"), ("message.send", "data"):
            before = self.hash()
            arguments = {"world": self.world, "key" if name == "value" else "name": "k", name: 0}
            packed = msgpack.packb([REQUEST, 777, method, [arguments]])
            for twice in b"\x82\x01\x00\xcc\x01\x00", b"\x82\xd3" + b"\xff" * 8 + b"\x00\xff\x00":
                self.client.send(packed[:-1] + twice)
                with self.assertRaisesRegex(RemoteError, f"invalid_argument: {name}: the key -?1 is there twice"):
                    self.client.answer(777)
            self.assertEqual(self.hash(), before)

    def test_batch_sees_its_own_changes_and_is_all_or_nothing(self):
        results = self.client.call("world.apply", world=self.world, commands=[
            ["data.set", {"key": "a", "value": 1}], ["data.set", {"key": "a", "value": 2, "version": 1}],
            ["data.get", {"key": "a"}], ["data.remove", {"key": "a", "version": 2}], ["data.get", {}],
            ["data.set", {"key": "b", "value": 3, "version": 0}]])["results"]
        self.assertEqual(results[2]["data"], {"a": {"value": 2, "version": 2}})
        self.assertEqual(results[4]["data"], {})
        self.refused("already_exists", r"commands\[1\]", self.client, "world.apply", world=self.world, commands=[
            ["data.set", {"key": "c", "value": 1, "version": 0}], ["data.set", {"key": "c", "value": 1, "version": 0}]])
        self.refused("not_found", r"commands\[1\]", self.client, "world.apply", world=self.world, commands=[
            ["data.remove", {"key": "b"}], ["data.remove", {"key": "b"}]])
        self.assertEqual(self.data(), {"b": {"value": 3, "version": 4}})


class Snapshots(Data):
    def snapshot(self, client, condition):
        """The first snapshot for which the condition holds."""
        return client.read_until(lambda: next((s for s in client.snapshots() if condition(s)), None))

    def test_changes_are_told_once_and_all_of_them_when_full(self):
        self.set("score/ada", 1)
        self.set("secret", 1)
        self.client.call("world.subscribe", world=self.world, data=["score/"])
        every, none = self.connect(), self.connect()
        every.call("world.subscribe", world=self.world, data=True)
        none.call("world.subscribe", world=self.world)
        full = self.snapshot(every, lambda s: s["full"])
        self.assertEqual(full["data"], {"score/ada": 1, "secret": 1})
        self.assertEqual(self.snapshot(self.client, lambda s: s["full"])["data"], {"score/ada": 1})
        self.client.call("world.apply", world=self.world, commands=[
            ["data.set", {"key": "score/ada", "value": 2}], ["data.set", {"key": "score/bob", "value": 5}],
            ["data.remove", {"key": "secret"}]])
        self.assertEqual(self.snapshot(every, lambda s: "secret" in s["data"] and not s["full"])["data"],
                         {"score/ada": 2, "score/bob": 5, "secret": None})
        told = self.snapshot(self.client, lambda s: "score/bob" in s["data"])
        self.assertEqual(told["data"], {"score/ada": 2, "score/bob": 5})
        self.assertFalse(told["full"])
        self.assertNotIn("data", self.snapshot(none, lambda s: True))

    def test_packed_snapshots_bear_them_by_another_name(self):
        self.client.call("world.subscribe", world=self.world, encoding="packed", data=True)
        self.set("k", [1])
        self.snapshot(self.client, lambda s: s.get("world_data") == {"k": [1]})
        self.client.call("data.remove", world=self.world, key="k")
        self.snapshot(self.client, lambda s: s.get("world_data") == {"k": None})

    def test_prefixes_are_bounded_and_a_replica_needs_none(self):
        subscribe = {"world": self.world}
        self.refused("limit_exceeded", "data: .*0 to 32", self.client, "world.subscribe", data=["k"] * 33, **subscribe)
        self.refused("limit_exceeded", r"data\[0\]: .*128", self.client, "world.subscribe", data=["k" * 129], **subscribe)
        self.refused("invalid_argument", r"data\[1\]", self.client, "world.subscribe", data=["k", 1], **subscribe)
        self.refused("invalid_argument", "data: expected true", self.client, "world.subscribe", data="k", **subscribe)
        self.refused("invalid_argument", "data: a replica", self.client, "world.subscribe", data=True, encoding="log",
                     **subscribe)
        self.client.call("world.subscribe", data=["k" * 128] * 32, **subscribe)

    def test_full_snapshot_follows_more_changes_than_are_kept(self):
        with Caromd(CAROMD, "--limit", "removals_kept=16") as server:
            client = Client(server.port)
            self.addCleanup(client.__exit__)
            client.call("world.create", world="w", paused=True)
            client.call("world.subscribe", world="w", data=True)
            client.read_until(lambda: client.snapshots())
            client.call("world.apply", world="w", commands=[["data.set", {"key": f"k{i}", "value": i}] for i in range(30)])
            told = client.read_until(lambda: next((s for s in client.snapshots() if "k29" in s["data"]), None))
            self.assertTrue(told["full"])
            self.assertEqual(told["data"], {f"k{i}": i for i in range(30)})


class Limits(WireTest):
    def test_each_limit_is_reached_and_room_comes_back(self):
        with Caromd(CAROMD, "--limit", "data_keys_per_world=3", "--limit", "data_bytes_per_world=400",
                    "--limit", "data_value_bytes=100") as self.server:
            client = self.connect()
            client.call("world.create", world="w", paused=True)
            for key in "abc":
                client.call("data.set", world="w", key=key, value=1)
            self.refused("limit_exceeded", "data_keys_per_world: .*3 keys", client, "data.set", world="w", key="d", value=1)
            client.call("data.set", world="w", key="a", value=2)
            client.call("data.remove", world="w", key="a")
            client.call("data.set", world="w", key="d", value=1)
            self.refused("limit_exceeded", "data_value_bytes", client, "data.set", world="w", key="d", value="x" * 100)
            client.call("data.set", world="w", key="d", value="x" * 90)
            client.call("data.set", world="w", key="c", value="x" * 90)
            self.refused("limit_exceeded", "data_bytes_per_world: .*400", client, "data.set", world="w", key="b",
                         value="x" * 90)
            self.refused("limit_exceeded", r"commands\[1\] \(data.set\): data_keys", client, "world.apply", world="w", commands=[
                ["data.set", {"key": "b", "value": 2}], ["data.set", {"key": "e", "value": 1}]])
            self.assertEqual(len(client.call("data.get", world="w")["data"]), 3)
            image = client.call("world.image", world="w")["image"]
        with Caromd(CAROMD, "--limit", "data_keys_per_world=2") as self.server:
            client = self.connect()
            self.refused("limit_exceeded", "data_keys_per_world", client, "world.create", world="w", image=image)


class Kept(WireTest):
    def test_kill_fork_and_image_keep_the_data(self):
        folder = tempfile.mkdtemp(prefix="carom-data-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.server = Caromd(CAROMD, "--data", folder)
        client = self.connect()
        client.call("world.create", world="w", paused=True)
        hello = client.call("hello")
        client.call("world.subscribe", world="w", data=["k"], encoding="packed")
        client.call("data.set", world="w", key="k", value=EVERYTHING)
        client.call("data.set", world="w", key="gone", value=1)
        client.call("data.remove", world="w", key="gone")
        version = client.call("data.set", world="w", key="l", value=1)["version"]
        before = client.call("data.get", world="w")["data"]
        state = client.call("world.info", world="w")["hash"]
        self.server.kill()
        self.server = Caromd(CAROMD, "--data", folder)
        self.addCleanup(self.server.__exit__)
        again = self.connect()
        again.call("hello", resume=hello["resume"])
        again.read_until(lambda: any("k" in s.get("world_data", {}) for s in again.snapshots()))
        self.assertNotIn("l", again.snapshots()[0]["world_data"], "the subscription has its prefixes still")
        again.call("world.fork", world="w", **{"as": "fork"})
        again.call("world.create", world="image", image=again.call("world.image", world="w")["image"], paused=True)
        for world in "w", "fork", "image":
            self.assertEqual(again.call("data.get", world=world)["data"], before, world)
            self.assertEqual(again.call("world.info", world=world)["hash"], state, world)
            self.assertEqual(again.call("data.set", world=world, key="l", value=2)["version"], version + 1, world)


    def test_session_that_ended_leaves_no_prefixes_to_the_next_process(self):
        with tempfile.TemporaryDirectory(prefix="carom-data-") as folder:
            self.server = Caromd(CAROMD, "--data", folder)
            client = self.connect()
            client.call("world.create", world="w")
            client.call("hello")
            client.call("world.subscribe", world="w", data=["k", "l"])
            client.call("goodbye")
            client.socket.close()
            other = self.connect()
            self.eventually(lambda: other.call("server.sessions")["total"] == 1)
            self.server.kill()
            with Caromd(CAROMD, "--data", folder) as self.server:  # a sanitizer would name what it kept
                self.assertEqual(len(self.connect().call("server.sessions")["sessions"]), 1)


class Rights(KeyedTest):
    LIMITS = ["data_bytes_per_world=1000", "owner_share=50"]

    def test_player_changes_keys_of_its_own_alone_and_reads_all(self):
        admin, ada, bob = self.session("root", "admin"), self.session("ada", "player"), self.session("bob", "player")
        admin.call("world.create", world="own", paused=True)
        self.addCleanup(lambda: admin.call("world.destroy", world="own"))
        ada.call("data.set", world="own", key="player/ada/name", value="Ada")
        admin.call("data.set", world="own", key="score", value=1)
        for key in "score", "player/bob/x", "player/ada", "player/ada/", "player/adam/x", "player/", "x":
            self.refused("permission_denied", "player/ada/ alone", ada, "data.set", world="own", key=key, value=1)
            self.refused("permission_denied", "player/ada/ alone", ada, "data.remove", world="own", key=key)
            self.refused("permission_denied", r"commands\[1\].*player/ada/", ada, "world.apply", world="own", commands=[
                ["data.set", {"key": "player/ada/y", "value": 1}], ["data.set", {"key": key, "value": 1}]])
        self.assertEqual(set(bob.call("data.get", world="own")["data"]), {"player/ada/name", "score"})
        slash = self.session("ada/x", "player")
        self.refused("permission_denied", "slash", slash, "data.set", world="own", key="player/ada/x/y", value=1)
        viewer = self.session("eve", "viewer")
        viewer.call("data.get", world="own")
        self.refused("permission_denied", "role player", viewer, "data.set", world="own", key="player/eve/x", value=1)

    def test_referee_decides_in_the_worlds_of_its_token_and_makes_none(self):
        admin, ada = self.session("root", "admin"), self.session("ada", "player")
        for world in "game-1", "other":
            admin.call("world.create", world=world, gravity=[0, 0])
            self.addCleanup(lambda world=world: admin.call("world.destroy", world=world))
        body = ada.call("body.spawn", world="game-1", shapes=[BALL])["body"]
        referee = self.session("ref", "referee", worlds=["game-*"])
        referee.call("world.pause", world="game-1")
        referee.call("world.set", world="game-1", gravity=[0, -1])
        referee.call("data.set", world="game-1", key="player/ada/score", value=1)
        referee.call("world.apply", world="game-1", commands=[
            ["body.set", {"body": body, "position": [5, 5], "owner": ""}], ["data.set", {"key": "round", "value": "x" * 700}]])
        referee.call("body.spawn", world="game-1", shapes=[BALL], owner="ada")
        referee.call("world.step", world="game-1")
        referee.call("world.resume", world="game-1")
        self.refused("permission_denied", "none of those of the token", referee, "data.set", world="other", key="k", value=1)
        for method, arguments in (("world.create", {"world": "game-2"}), ("world.destroy", {"world": "game-1"}),
                                  ("world.fork", {"world": "game-1", "as": "game-2"}), ("world.image", {"world": "game-1"}),
                                  ("server.sessions", {}), ("server.kick", {"session": 1})):
            self.refused("permission_denied", "role admin", referee, method, **arguments)

    def test_player_fills_its_share_alone(self):
        admin, ada = self.session("root", "admin"), self.session("ada", "player")
        admin.call("world.create", world="share", paused=True)
        self.addCleanup(lambda: admin.call("world.destroy", world="share"))
        ada.call("data.set", world="share", key="player/ada/a", value="x" * 300)
        self.refused("limit_exceeded", "owner_share", ada, "data.set", world="share", key="player/ada/b", value="x" * 100)
        ada.call("data.set", world="share", key="player/ada/a", value="x" * 200)
        admin.call("data.set", world="share", key="b", value="x" * 500)

    def test_two_players_leave_space_for_others(self):
        admin, ada, bob, eve = (self.session(name, role) for name, role in
                                (("root", "admin"), ("ada", "player"), ("bob", "player"), ("eve", "player")))
        admin.call("world.create", world="crowd", paused=True)
        self.addCleanup(lambda: admin.call("world.destroy", world="crowd"))
        ada.call("data.set", world="crowd", key="player/ada/a", value="x" * 400)  # 479 of 1 000 bytes
        self.refused("limit_exceeded", "owner_share: .* at most .* may", bob, "data.set", world="crowd",
                     key="player/bob/a", value="x" * 300)
        bob.call("data.set", world="crowd", key="player/bob/a", value="x" * 150)
        eve.call("data.set", world="crowd", key="player/eve/a", value="x" * 50)
        admin.call("data.set", world="crowd", key="round", value=1)
        ada.call("data.set", world="crowd", key="player/ada/a", value="x" * 300)  # less, though more than its share now

    def test_token_with_areas_sees_no_data(self):
        admin = self.session("root", "admin")
        admin.call("world.create", world="dark", paused=True)
        self.addCleanup(lambda: admin.call("world.destroy", world="dark"))
        spy = self.session("spy", "player", areas=[[0, 0, 10, 10]])
        self.refused("permission_denied", "areas", spy, "data.get", world="dark")
        self.refused("permission_denied", "data: .*areas", spy, "world.subscribe", world="dark", data=True)
        self.refused("permission_denied", "areas", spy, "world.apply", world="dark", commands=[["data.get", {}]])
        spy.call("data.set", world="dark", key="player/spy/name", value="s")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
