#!/usr/bin/env python3
"""Relays of an upstream that is broken or malicious. Called with the path of caromd."""

import sys
import tempfile
import threading
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import certificates  # noqa: E402
from caromd import Caromd  # noqa: E402
from listener import Listener  # noqa: E402
from relay_case import RelayTest  # noqa: E402
from wire import NOTIFICATION, RESPONSE, Client  # noqa: E402
from wire_case import CAROMD  # noqa: E402


class FakeUpstream(Listener):
    """A fake server: `answer(connection, id, method, arguments)` decides its answers."""

    def __init__(self, answer):
        self.answer = answer
        self.connections = []
        self.hellos = 0
        super().__init__()

    def serve(self, connection):
        """Answers on a thread of the connection's own: a relay dials again while an older connection is open."""
        self.connections.append(connection)
        threading.Thread(target=self.converse, args=(connection,), daemon=True).start()

    def converse(self, near):
        unpacker = msgpack.Unpacker(raw=False)
        try:
            while data := near.recv(65536):
                unpacker.feed(data)
                for _, number, method, params in unpacker:
                    self.hellos += method == "hello"
                    self.answer(near, number, method, params[0])
        except OSError:
            pass
        finally:
            near.close()

    def __exit__(self, *_):
        super().__exit__()
        for each in self.connections:
            each.close()


def respond(near, number, result, error=None):
    near.sendall(msgpack.packb([RESPONSE, number, error, result]))


def tell(near, method, argument):
    near.sendall(msgpack.packb([NOTIFICATION, method, [argument]]))


class Hostile(RelayTest):
    """An upstream that is broken or malicious harms its own worlds, and says so in the log."""

    def setUp(self):
        with Caromd(CAROMD, "--http", "off", "--world", "lab:pyramid") as honest, Client(honest.port) as client:
            client.call("world.pause", world="lab")
            self.hello = client.call("hello")
            self.row = client.call("world.list")[0]
            client.call("world.subscribe", world="lab", encoding="log")
            self.image = client.read_until(lambda: client.snapshots())[0]
        self.hello["compact"] = 0
        self.subscriptions = 0
        self.then = lambda near, number: None
        self.rows = [self.row]

    def answer(self, near, number, method, arguments):
        if method == "hello":
            respond(near, number, self.hello)
        elif method == "world.list":
            respond(near, number, self.rows)
        elif method == "world.subscribe":
            self.subscriptions += 1
            respond(near, number, {"subscription": self.subscriptions, "epoch": self.row["epoch"], "tick": 0})
            self.then(near, self.subscriptions)
        else:
            respond(near, number, {})

    def begin(self, *options, answer=None):
        fake = FakeUpstream(answer or self.answer)
        self.addCleanup(fake.__exit__)
        self.relay(fake.port, *options)
        return fake, self.connect()

    def lives(self, client):
        client.call("ping")
        self.assertIsNone(self.server.process.poll())

    def test_another_engine_is_refused(self):
        self.hello["engine"] += 1
        fake, near = self.begin()
        self.server.await_log(f"its engine has number {self.hello['engine']}, this one has")
        self.eventually(lambda: fake.hellos >= 2)  # it is asked again
        self.lives(near)

    def test_bytes_that_are_no_protocol_end_the_connection(self):
        for junk in (b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xc1", msgpack.packb({"a": 1}), b"\xdd\xff\xff\xff\xff",
                     msgpack.packb([0, 1, "hello", [{}]]), msgpack.packb([1, "x", None, None]), b"\x94\x01\x01\xc0\xa1\xff"):
            fake, near = self.begin(answer=lambda n, i, m, a, junk=junk: n.sendall(junk))
            self.server.await_log(f"relay: no connection to 127.0.0.1:{fake.port}: ")
            self.eventually(lambda fake=fake: fake.hellos >= 2)
            self.lives(near)

    def test_upstream_that_falls_silent_is_dialled_again(self):
        def silent(near, number, method, arguments):
            if method == "hello":
                respond(near, number, self.hello)
        fake, near = self.begin(answer=silent)
        self.server.await_log(f"relay: no connection to 127.0.0.1:{fake.port}: nothing was heard of it for 5 s")
        self.eventually(lambda: fake.hellos >= 2)
        self.lives(near)

    def test_upstream_that_never_begins_tls_is_dialled_again(self):
        connections = []

        class Mute(Listener):
            def serve(self, connection):
                connections.append(connection)
        mute = Mute()
        self.addCleanup(mute.__exit__)
        with tempfile.TemporaryDirectory() as name:
            keys = certificates.Folder(Path(name) / "pki")
            keys.authority("ca")
            self.server = self.start("--relay", f"tls://127.0.0.1:{mute.port}", "--relay-ca", keys.certificate("ca"))
        self.server.await_log(f"relay: no connection to 127.0.0.1:{mute.port}: nothing was heard of it for 5 s")
        self.eventually(lambda: len(connections) >= 2)
        self.lives(self.connect())

    def test_list_of_too_many_worlds_ends_the_connection(self):
        self.rows = [1] * 65535 + [self.row]
        fake, near = self.begin()
        self.listed(near)
        self.rows = [1] * 65536 + [self.row]
        self.server.await_log(f"relay: no connection to 127.0.0.1:{fake.port}: world.list: its answer is no list of at most 65536 "
                              "worlds")
        self.eventually(lambda: fake.hellos >= 2)
        self.lives(near)

    def test_world_whose_image_does_not_come_is_refused(self):
        _, near = self.begin()
        self.listed(near)
        self.refused("unavailable", "the world ends as its server has not sent it: no image came within 10 s", near,
                     "world.subscribe", world="lab")
        self.assertEqual(self.stats(near, "relay_disconnects"), 0)

    def test_rows_that_are_no_worlds_are_left_out(self):
        good = dict(self.row, world="good", epoch=77)
        self.rows = [1, None, [], {}, {"world": "lab"}, {"world": "../x", "epoch": 1}, {"world": "", "epoch": 1},
                     {"world": "lab", "epoch": 0}, {"world": "lab", "epoch": -1}, {"world": "lab", "epoch": 1 << 60},
                     {"world": "big", "epoch": 5, "x": "y" * 100000}, {"world": 5, "epoch": 5}, good, dict(good, epoch=78)]
        _, near = self.begin()
        self.listed(near, "good")
        self.assertEqual([w["world"] for w in near.call("world.list")], ["good"])

    def test_two_worlds_of_one_epoch_do_not_mix(self):
        self.rows = [dict(self.row, world="a"), dict(self.row, world="b")]
        self.then = lambda near, number: tell(near, "snapshot", dict(self.image, subscription=number, world="a"))
        _, near = self.begin()
        self.listed(near, "b")
        near.call("world.subscribe", world="a")
        self.refused("unavailable", "world 'b'", near, "world.subscribe", world="b")

    def test_image_that_is_none_is_refused(self):
        broken = bytearray(self.image["image"])
        broken[len(broken) // 2] ^= 0xFF
        for change in ({"image": b"junk"}, {"image": bytes(broken)}, {"image": b""}, {"epoch": 5}, {"image": 7},
                       {"hash": b"\0" * 8}, {"tick": self.image["tick"] + 1}, {"commands": [[1, 0, "world.resume", {}]]}):
            notification = dict(self.image, **change)
            self.then = lambda near, number, n=notification: tell(near, "snapshot", dict(n, subscription=number))
            _, near = self.begin()
            self.listed(near)
            self.refused("unavailable", "the world ends as its image cannot be read: ", near,
                         "world.subscribe", world="lab")
            self.lives(near)

    def test_record_that_does_not_fit_ends_the_world_in_the_end(self):
        tick = self.image["tick"]
        records = [{"from": tick + 5, "tick": tick + 6, "commands": []},
                   {"from": tick, "tick": tick, "commands": [], "hash": b"\0" * 8},
                   {"from": tick, "tick": tick, "commands": [[tick, 1, "body.remove", {"world": "lab", "body": 1 << 40}]]},
                   {"from": tick, "tick": tick, "commands": [[tick, 1, "world.list", {}]]},
                   {"from": tick, "tick": tick, "commands": "many"},
                   {"from": tick, "tick": 1 << 60, "commands": []}]
        for record in records:
            begun = self.subscriptions

            def then(near, number, record=record):
                tell(near, "snapshot", dict(self.image, subscription=number))
                tell(near, "snapshot", {"subscription": number, **record})
            self.then = then
            _, near = self.begin()
            self.listed(near)
            near.call("world.subscribe", world="lab")
            closed = near.read_until(lambda c=near: [p[0] for m, p in c.notifications if m == "world_closed"])[0]
            self.assertEqual((closed["world"], closed["code"]), ("lab", "unavailable"))
            self.assertRegex(closed["reason"], "^the world ends as its log cannot be played: .")
            self.assertEqual(self.subscriptions - begun, 3)
            self.lives(near)

    def test_world_recovers_from_one_bad_record(self):
        tick = self.image["tick"]
        last = {"from": tick, "tick": tick, "commands": [], "hash": self.image["hash"]}

        def then(near, number):
            tell(near, "snapshot", dict(self.image, subscription=number))
            tell(near, "snapshot", {"subscription": number, **last, "hash": b"\0" * 8} if number == 1 else
                 {"subscription": number, **last})
        self.then = then
        _, near = self.begin()
        self.listed(near)
        near.call("world.subscribe", world="lab")
        self.eventually(lambda: self.stats(near, "relay_images") == 2)
        self.eventually(lambda: near.call("world.info", world="lab")["hash"] == self.image["hash"])
        self.assertEqual(self.stats(near, "relay_faults"), 1)
        self.assertFalse([p for m, p in near.notifications if m == "world_closed"])

    def test_log_of_another_subscription_and_compact_junk_are_passed_over_or_a_fault(self):
        def then(near, number):
            tell(near, "log", {"data": b"\x63\x00"})
            tell(near, "log", {"data": b"\xff" * 12})
            tell(near, "log", {"data": 5})
            tell(near, "snapshot", {"subscription": 99, "from": 1, "tick": 2, "commands": []})
            tell(near, "snapshot", dict(self.image, subscription=number))
            if number < 3:
                tell(near, "log", {"data": bytes([number]) + b"\xff\xff\xff"})
        self.then = then
        _, near = self.begin()
        self.listed(near)
        near.call("world.subscribe", world="lab")
        self.eventually(lambda: self.stats(near, "relay_images") == 3)
        self.eventually(lambda: self.stats(near, "relay_faults") == 2)  # each was reported before it is counted
        self.assertEqual(near.call("world.info", world="lab")["hash"], self.image["hash"])

    def test_far_tick_does_not_hold_up_other_worlds(self):
        """A record of a hundred thousand ticks of five thousand bodies would take many minutes."""
        running = dict(self.image, commands=[])
        tick = self.image["tick"]

        def then(near, number):
            tell(near, "snapshot", dict(running, subscription=number))
            tell(near, "snapshot", {"subscription": number, "from": tick, "tick": tick + 100000, "commands": []})
        self.then = then
        _, near = self.begin("--threads", "1")
        self.listed(near)
        near.call("world.subscribe", world="lab")
        for _ in range(3):
            near.call("world.info", world="lab")
        self.lives(near)

    def test_world_that_is_behind_its_log_begins_again(self):
        """Behind a record that takes minutes, more records come than may wait."""
        tick = self.image["tick"]
        most = 4096
        slow = {"from": tick, "tick": tick + 100000, "commands": []}
        empty = {"from": tick + 100000, "tick": tick + 100000, "commands": []}

        def then(near, number):
            tell(near, "snapshot", dict(self.image, subscription=number, commands=[] if number == 1 else self.image["commands"]))
            if number == 1:
                tell(near, "snapshot", {"subscription": number, **slow})
                near.sendall(b"".join(msgpack.packb([NOTIFICATION, "snapshot", [{"subscription": number, **empty}]])
                                      for _ in range(most)))
        self.then = then
        _, near = self.begin()
        self.listed(near)
        near.call("world.subscribe", world="lab")
        self.server.await_log(f"world 'lab' is behind its log by {most} records: it begins again with an image")
        self.eventually(lambda: self.subscriptions == 2)
        self.eventually(lambda: near.call("world.info", world="lab")["hash"] == self.image["hash"])
        self.assertFalse([p for m, p in near.notifications if m == "world_closed"])
        self.assertEqual(self.stats(near, "relay_faults"), 0)

    def test_upstream_that_closes_the_subscription_is_asked_again(self):
        def then(near, number):
            tell(near, "snapshot", dict(self.image, subscription=number))
            if number == 1:
                tell(near, "world_closed", {"subscription": 1, "world": "lab", "code": "unavailable", "reason": "x"})
        self.then = then
        _, near = self.begin()
        self.listed(near)
        near.call("world.subscribe", world="lab")
        self.eventually(lambda: self.subscriptions == 2)
        self.assertFalse([p for m, p in near.notifications if m == "world_closed"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
