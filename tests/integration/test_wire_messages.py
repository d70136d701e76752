#!/usr/bin/env python3
"""Messages between the clients of a world: whom they reach, in what order, what is refused, and what the log keeps.
Called with the path of caromd."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from keyed_case import SECRET, KeyedTest  # noqa: E402
from tokens import claims  # noqa: E402
from wire import RemoteError  # noqa: E402
from wire_case import CAROMD, ServerTest, WireTest  # noqa: E402

EVERYTHING = {"number": -3, "real": 2.5, "list": [1, [True, None]], "bytes": b"\x00\xff", "text": "é", "map": {"": {}}}


def messages(client):
    return [e for s in client.snapshots() for e in s.get("events", []) if e["kind"] == "message"]


def named(client):
    return [m["name"] for m in messages(client)]


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


class MessageTest(WireTest):
    def listen(self, client, world, **how):
        client.call("world.subscribe", world=world, **{"events": ["message"]} | how)

    def told(self, client, name):
        """The messages up to the one of this name."""
        client.read_until(lambda: name in named(client))
        return messages(client)


class Messages(ServerTest, MessageTest):
    def setUp(self):
        super().setUp()
        self.client.call("world.create", world=self.world)

    def reader(self, **how):
        reader = self.connect()
        number = reader.call("hello")["session"]
        self.listen(reader, self.world, **how)
        return reader, number

    def test_message_reaches_all_who_subscribe_with_its_sender(self):
        sender = self.client.call("hello")["session"]
        readers = [self.reader(encoding=encoding)[0] for encoding in ("plain", "packed")]
        deaf, _ = self.reader(events=["begin"])
        tick = self.client.call("message.send", world=self.world, name="chat", data=EVERYTHING)["tick"]
        self.client.call("message.send", world=self.world, name="bare")
        for reader in readers:
            first, second = self.told(reader, "bare")
            self.assertEqual(first, {"kind": "message", "tick": tick, "name": "chat", "data": EVERYTHING, "session": sender})
            self.assertEqual(second, {"kind": "message", "tick": second["tick"], "name": "bare", "session": sender})
            self.assertGreaterEqual(second["tick"], tick)
        body = self.client.call("body.spawn", world=self.world, shapes=[{"kind": "circle", "radius": 1}])["body"]
        deaf.read_until(lambda: any(row[0] == body for s in deaf.snapshots() for row in s.get("bodies", [])))
        self.assertEqual(messages(deaf), [])

    def test_message_to_a_session_reaches_that_one_alone(self):
        (ada, first), (bob, second), (eve, _) = (self.reader() for _ in range(3))
        for i in range(20):
            self.client.call("message.send", world=self.world, name=f"a{i}", to=first)
            self.client.call("message.send", world=self.world, name=f"b{i}", to=float(second) if i % 2 else second)
        self.client.call("message.send", world=self.world, name="nobody", to="nobody of this name")
        self.client.call("message.send", world=self.world, name="end", to="all")
        self.told(ada, "end"), self.told(bob, "end"), self.told(eve, "end")
        self.assertEqual(named(ada), [f"a{i}" for i in range(20)] + ["end"])
        self.assertEqual(named(bob), [f"b{i}" for i in range(20)] + ["end"])
        self.assertEqual(named(eve), ["end"])

    def test_readers_of_one_packed_view_get_their_own_messages(self):
        readers = [self.reader(encoding="packed", rate=20) for _ in range(4)]
        for i, (_, number) in enumerate(readers):
            self.client.call("message.send", world=self.world, name=f"to {i}", to=number)
        self.client.call("message.send", world=self.world, name="end")
        for i, (reader, _) in enumerate(readers):
            self.told(reader, "end")
            self.assertEqual(named(reader), [f"to {i}", "end"])

    def test_messages_of_a_batch_and_of_a_paused_world_come_in_order(self):
        reader, _ = self.reader()
        self.client.call("world.pause", world=self.world)
        self.client.call("message.send", world=self.world, name="first")
        self.client.call("world.apply", world=self.world, commands=[
            ["message.send", {"name": "second", "data": 2}], ["data.set", {"key": "k", "value": 1}],
            ["message.send", {"name": "third"}]])
        self.told(reader, "third")
        self.assertEqual(named(reader), ["first", "second", "third"])
        self.refused("invalid_argument", r"commands\[1\].*name: ", self.client, "world.apply", world=self.world, commands=[
            ["message.send", {"name": "no"}], ["message.send", {"name": ""}]])
        tick = self.client.call("world.info", world=self.world)["tick"]
        self.client.call("world.resume", world=self.world)
        self.client.call("world.apply", world=self.world, at=tick + 1, late="next", commands=[["message.send", {"name": "timed"}]])
        self.told(reader, "timed")
        self.assertEqual(named(reader), ["first", "second", "third", "timed"])

    def test_bad_messages_are_refused_by_name(self):
        for code, text, args in (
                ("invalid_argument", "name", {"name": ""}),
                ("limit_exceeded", "name: .*64 bytes", {"name": "n" * 65}),
                ("invalid_argument", "name: .*UTF-8", {"name": b"\xff"}),
                ("invalid_argument", "name is missing", {}),
                ("invalid_argument", "data .at most 16 containers deep", {"name": "n", "data": nested(17)}),
                ("limit_exceeded", "message_data_bytes", {"name": "n", "data": "x" * 4096}),
                ("invalid_argument", "to: expected \"all\"", {"name": "n", "to": 0}),
                ("invalid_argument", "to: expected \"all\"", {"name": "n", "to": -1}),
                ("invalid_argument", "to: expected \"all\"", {"name": "n", "to": 1.5}),
                ("invalid_argument", "to: expected \"all\"", {"name": "n", "to": 2**53 + 1}),
                ("invalid_argument", "to: expected \"all\"", {"name": "n", "to": ["all"]}),
                ("invalid_argument", "to: a subject has 1 to 64", {"name": "n", "to": ""}),
                ("invalid_argument", "to: a subject has 1 to 64", {"name": "n", "to": "s" * 65})):
            self.refused(code, text, self.client, "message.send", world=self.world, **args)
        self.refused("not_found", "no-such", self.client, "message.send", world="no-such-world", name="n")

    def test_a_message_changes_nothing_of_the_world(self):
        self.client.call("world.pause", world=self.world)
        before = self.client.call("world.info", world=self.world)["hash"]
        self.client.call("message.send", world=self.world, name="chat", data=[1, 2])
        self.assertEqual(self.client.call("world.info", world=self.world)["hash"], before)

    def test_log_has_messages_and_a_replica_reads_them(self):
        reader = self.connect()
        reader.call("world.subscribe", world=self.world, encoding="log")
        sender = self.client.call("hello")["session"]
        self.client.call("message.send", world=self.world, name="chat", data="x", to=7)
        rows = lambda: [row for s in reader.snapshots() for row in s["commands"] if row[2] == "message.send"]
        reader.read_until(rows)
        _, session, _, arguments = rows()[0]
        self.assertEqual(session, sender)
        self.assertEqual({key: arguments[key] for key in arguments if key != "world"}, {"name": "chat", "data": "x", "to": 7})


class Floods(ServerTest, MessageTest):
    OPTIONS = ["--limit", "message_bytes_per_tick=1024", "--limit", "message_data_bytes=512"]

    def batch(self, count):
        return {"world": self.world, "commands": [["message.send", {"name": "n", "data": "x" * 400}]] * count}

    def test_more_than_a_tick_accepts_is_refused(self):
        self.client.call("world.create", world=self.world)
        self.client.call("world.apply", **self.batch(2))
        self.refused("limit_exceeded", "message_bytes_per_tick: .*1024", self.client, "world.apply", **self.batch(3))
        self.eventually(lambda: self.accepted(self.batch(2)))

    def accepted(self, batch):
        try:
            return self.client.call("world.apply", **batch)
        except RemoteError as error:
            self.assertRegex(str(error), "message_bytes_per_tick")
            return None


class Rights(KeyedTest, MessageTest):
    LIMITS = ["message_bytes_per_tick=2000", "owner_share=50"]

    def world(self, name, **how):
        admin = self.session("root", "admin")
        admin.call("world.create", world=name, **how)
        self.addCleanup(lambda: admin.call("world.destroy", world=name))
        return admin

    def test_subject_and_referee_get_theirs_and_nobody_else(self):
        admin = self.world("game")
        ada, twin, bob = self.session("ada", "player"), self.session("ada", "player"), self.session("bob", "player")
        referee, viewer = self.session("ref", "referee"), self.session("eve", "viewer")
        for client in admin, ada, twin, bob, referee, viewer:
            self.listen(client, "game")
        ada.call("message.send", world="game", name="to bob", to="bob")
        bob.call("message.send", world="game", name="to ada", to="ada")
        bob.call("message.send", world="game", name="to referee", to="referee")
        referee.call("message.send", world="game", name="end")
        for client, wanted in ((admin, ["to referee"]), (ada, ["to ada"]), (twin, ["to ada"]), (bob, ["to bob"]),
                               (referee, ["to referee"]), (viewer, [])):
            told = self.told(client, "end")
            self.assertEqual([m["name"] for m in told], [*wanted, "end"])
            self.assertTrue(all(m["subject"] in ("ada", "bob", "ref") for m in told))

    def test_world_tells_whether_it_has_a_referee(self):
        admin = self.world("game")
        present = lambda: admin.call("world.info", world="game")["referee"]  # noqa: E731
        self.listen(self.session("ada", "player"), "game")
        self.assertEqual({"present": False}, present())
        first, second = self.session("ref", "referee"), self.session("ref", "referee")
        self.listen(first, "game", events=["begin"])  # gets no messages
        self.assertEqual({"present": False}, present())
        self.listen(second, "game")
        self.listen(first, "game")
        self.assertEqual({"present": True, "session": second.call("hello")["session"]}, present())
        self.assertIn("referee", admin.call("world.list")[0])
        second.call("goodbye")
        second.socket.close()
        number = first.call("hello")["session"]
        self.eventually(lambda: present() == {"present": True, "session": number})
        first.call("goodbye")
        first.socket.close()
        self.eventually(lambda: present() == {"present": False})
        confined = self.session("eve", "viewer", areas=[[0, 0, 1, 1]])
        self.assertNotIn("referee", confined.call("world.info", world="game"))

    def test_viewer_sends_nothing_and_nobody_speaks_for_others(self):
        self.world("own")
        ada, viewer, referee = self.session("ada", "player"), self.session("eve", "viewer"), self.session("ref", "referee")
        self.listen(ada, "own")
        self.refused("permission_denied", "role player", viewer, "message.send", world="own", name="n")
        self.refused("permission_denied", "subject: ", ada, "message.send", world="own", name="n", subject="bob")
        self.refused("permission_denied", r"commands\[0\].*subject: ", ada, "world.apply", world="own",
                     commands=[["message.send", {"name": "n", "subject": "bob"}]])
        ada.call("message.send", world="own", name="mine", subject="ada")
        referee.call("message.send", world="own", name="bot", subject="bot-1")
        self.assertEqual([m["subject"] for m in self.told(ada, "bot")], ["ada", "bot-1"])

    def test_one_player_fills_its_share_of_a_tick_alone(self):
        self.world("share")
        ada, referee = self.session("ada", "player"), self.session("ref", "referee")
        large = ["message.send", {"name": "n", "data": "x" * 700}]
        self.refused("limit_exceeded", "owner_share: .*1000 may be one player's", ada, "world.apply", world="share",
                     commands=[large, large])
        ada.call("world.apply", world="share", commands=[large])
        referee.call("world.apply", world="share", commands=[large])
        self.refused("limit_exceeded", "message_bytes_per_tick", referee, "world.apply", world="share", commands=[large] * 3)

    def test_token_with_areas_sends_and_gets_messages(self):
        admin = self.world("dark", paused=True)
        spy = self.session("spy", "player", areas=[[0, 0, 10, 10]])
        self.listen(spy, "dark", area=[0, 0, 10, 10])
        self.listen(admin, "dark")
        spy.call("message.send", world="dark", name="here")
        admin.call("message.send", world="dark", name="to bob", to="bob")
        admin.call("message.send", world="dark", name="there", to="spy")
        self.assertEqual([m["name"] for m in self.told(spy, "there")], ["here", "there"])
        self.told(admin, "here")

    def test_referee_whose_new_token_is_a_player_s_gets_no_more_for_referees(self):
        admin = self.world("fall")
        client = self.session("ref", "referee")
        self.listen(client, "fall")
        client.call("hello", token=SECRET.sign(claims("ref", "player")))
        client.read_until(lambda: any(method == "world_closed" for method, _ in client.notifications))
        self.listen(client, "fall")
        admin.call("message.send", world="fall", name="secret", to="referee")
        admin.call("message.send", world="fall", name="end")
        self.told(client, "end")
        self.assertEqual(named(client), ["end"])


class Restart(MessageTest):
    def test_message_after_a_restart_and_a_resume_still_knows_its_reader(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.server = Caromd(CAROMD, "--data", folder.name)
        client = self.connect()
        client.call("world.create", world="w")
        hello = client.call("hello")
        self.listen(client, "w")
        client.call("message.send", world="w", name="before", data=EVERYTHING, to="somebody")
        self.server.kill()
        self.server = Caromd(CAROMD, "--data", folder.name)
        self.addCleanup(self.server.__exit__)
        again = self.connect()
        again.call("hello", resume=hello["resume"])
        again.call("message.send", world="w", name="to me", to=hello["session"])
        again.call("message.send", world="w", name="to referees", to="referee")
        self.assertEqual([m["name"] for m in self.told(again, "to referees")], ["to me", "to referees"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
