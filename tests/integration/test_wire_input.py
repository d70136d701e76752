#!/usr/bin/env python3
"""Wrong input of every kind, case by case: each gets the protocol's error, or a close with a reason, and another client
that is connected all the time notices nothing. Called with the path of caromd."""

import math
import random
import sys
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from wire import RemoteError  # noqa: E402
from wire_case import BALL, ServerTest  # noqa: E402

CALL = b"\x94\x00\x01\xaaworld.info\x91\x81\xa5world\xa1w"
GIGABYTE = b"\x40\x00\x00\x00"


class InputTest(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.neighbour = cls.connect(cls)
        cls.neighbour.call("world.create", world="w")
        cls.neighbour.call("body.spawn", world="w", shapes=[BALL])
        cls.neighbour.call("world.subscribe", world="w")

    @classmethod
    def addCleanup(cls, function):  # for the other client's connection, which all tests of the class share
        cls.addClassCleanup(function)

    def tearDown(self):
        """The other client's snapshots continue, and its calls are answered."""
        self.neighbour.notifications.clear()
        self.neighbour.call("ping")
        self.neighbour.read_until(lambda: len(self.neighbour.snapshots()) > 1)
        first, *_, last = self.neighbour.snapshots()
        self.assertGreater(last["tick"], first["tick"])
        self.assertEqual(1, self.neighbour.call("world.info", world="w")["bodies"])


class Refused(InputTest):
    """Calls that are answered with an error, after which the connection remains open."""

    CASES = [
        ("unknown_method", "world.dance", "world.dance", {}),
        ("unknown_method", "", "", {}),
        ("unknown_method", "Ping", "Ping", {}),
        # arguments of a wrong type
        ("invalid_argument", "gravity", "world.create", {"world": "x", "gravity": "down"}),
        ("invalid_argument", "world", "world.info", {"world": 5}),
        ("invalid_argument", "body", "body.get", {"world": "w", "body": "ball"}),
        ("invalid_argument", "shapes", "body.spawn", {"world": "w", "shapes": 3}),
        ("invalid_argument", "ticks", "world.step", {"world": "w", "ticks": 1.5}),
        # unknown, missing
        ("invalid_argument", "wrold", "world.info", {"world": "w", "wrold": 1}),
        ("invalid_argument", "world", "world.info", {}),
        # numbers that are not finite or out of range
        ("invalid_argument", "finite", "body.spawn", {"world": "w", "shapes": [], "position": [math.nan, 0]}),
        ("invalid_argument", "finite", "body.impulse", {"world": "w", "body": 1, "impulse": [0, math.inf]}),
        ("invalid_argument", "", "world.create", {"world": "x", "hz": -math.inf}),
        ("invalid_argument", "hz", "world.create", {"world": "x", "hz": 0}),
        ("invalid_argument", "position", "body.spawn", {"world": "w", "shapes": [], "position": [1e300, 0]}),
        ("invalid_argument", "radius", "body.spawn", {"world": "w", "shapes": [{"kind": "circle", "radius": -1}]}),
        # names of worlds and scenes
        *(("not_found", "nowhere", f"world.{method}", {"world": "nowhere"})
          for method in ("info", "destroy", "pause", "state", "step", "subscribe")),
        *(("invalid_argument", "world", "world.create", {"world": name}) for name in ("a b", "", "a/b")),
        ("already_exists", "'w'", "world.create", {"world": "w"}),
        ("not_found", "scene", "world.create", {"world": "x", "scene": "nosuch"}),
        ("invalid_argument", "scene", "world.create", {"world": "x", "scene": "../../etc/passwd"}),
        ("not_found", "'x'", "world.info", {"world": "x"}),  # the name is free again
        # ids of nothing, or of another connection
        ("not_found", "", "body.get", {"world": "w", "body": 99}),
        ("not_found", "", "body.remove", {"world": "w", "body": 99}),
        ("not_found", "", "world.unsubscribe", {"subscription": 99}),
        ("not_found", "", "world.unsubscribe", {"subscription": 1}),
        ("not_found", "", "world.view", {"subscription": 1}),
        ("invalid_argument", r"shapes\[1\]", "body.spawn",
         {"world": "w", "shapes": [BALL, {"kind": "polygon", "vertices": [[0, 0], [1, 1], [2, 2]]}]}),
    ]

    def test_arguments_that_are_wrong(self):
        for code, part, method, arguments in self.CASES:
            with self.subTest(method=method, **arguments):
                self.refused(code, part, self.client, method, **arguments)
                self.client.call("ping")

    def test_params_that_are_no_map_are_told(self):
        for number, params in ((1, [1]), (2, [{}, {}])):
            self.client.send(msgpack.packb([0, number, "ping", params]))
            with self.assertRaisesRegex(RemoteError, "^invalid_argument: "):
                self.client.answer(number)
        self.client.send(msgpack.packb([0, 3, "ping", []]))
        self.client.answer(3)

    def test_failed_notification_is_counted_and_not_answered(self):
        def failed():
            return self.client.call("server.stats")["counters"]["notifications_failed"]
        before = failed()
        self.client.notify("world.dance")
        self.client.notify("body.remove", world="w", body=99)
        self.client.notify("body.remove", world="w")
        self.client.call("world.info", world="w")
        self.assertEqual(3, failed() - before)
        self.assertEqual(([], {}), (self.client.notifications, self.client.responses))


class Closing(InputTest):
    """Bytes after which nothing can be understood: an error if an id is known, then a close."""

    CASES = [
        *(("limit_exceeded", head + GIGABYTE) for head in (b"\xc6", b"\xdb", b"\xdd", b"\xdf")),  # bin, str, array, map
        ("limit_exceeded", b"\xc9" + GIGABYTE + b"\x01"),  # ext
        ("limit_exceeded", b"\x91" * 10000 + b"\xc0"),  # nested
        ("invalid_argument", b"\xc1"),  # never used
        *(("invalid_argument", data) for data in (
            b"GET / HTTP/1.1\r\n\r\n", b"\x80", b"\x90", b"\x94\x03\x01\xa1x\x90", b"\x92\x02\xa1x", b"\x94\x00\xa1x\xa1y\x90",
            b"\x94\x00\x01\x05\x90", b"\xc0", b"\x95\x00\x01\xa1x\x90\xc0",
            b"\x94\x01\x01\xc0\xc0")),  # a response without a request
    ]

    def test_bytes_that_are_no_message(self):
        for code, data in self.CASES:
            with self.subTest(data[:20]):
                client = self.connect()
                client.send(data)
                self.assertRegex(self.farewell(client), f"^{code}: ")

    def test_id_is_answered_before_the_close(self):
        self.client.send(b"\x94\x00\x07\xa4ping\x91\x81\xa3any\xc6" + GIGABYTE)
        with self.assertRaisesRegex(RemoteError, "^limit_exceeded: "):
            self.client.answer(7)
        self.assertRegex(self.farewell(self.client), "^limit_exceeded: ")

    def test_answers_from_before_the_fault_still_come(self):
        self.client.send(b"\x94\x00\x01\xa4ping\x90\x94\x00\x02\xa4ping\x90\xc1")
        self.client.answer(1)
        self.client.answer(2)
        self.assertRegex(self.farewell(self.client), "^invalid_argument: ")


class Pieces(InputTest):
    def test_random_bytes_harm_nobody(self):
        draws = random.Random(12345)
        for _ in range(200):
            with self.connect() as client:
                client.send(draws.randbytes(600))
        self.assertIsNone(self.server.process.poll())

    def test_message_cut_off_anywhere_harms_nobody(self):
        for size in range(1, len(CALL)):
            with self.connect() as client:
                client.send(CALL[:size])

    def test_call_byte_by_byte_is_understood(self):
        for byte in CALL:
            self.client.send(bytes([byte]))
        self.assertEqual("w", self.client.answer(1)["world"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
