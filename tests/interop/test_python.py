"""python3-msgpack as a client that knows nothing of carom, against a real server.

The promises of the wire contract to the author of a client are tried here with a library that was not
written for it: other widths of numbers, bin for str, several messages in a segment and a message in
many, commands as notifications, errors as text.

Usage: test_python.py CAROMD
"""

import math
import struct
import sys
import time
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from wire import NOTIFICATION, REQUEST, Closed, RemoteError  # noqa: E402
from wire_case import BALL, ServerTest  # noqa: E402

GROUND = {"kind": "box", "size": [20, 1]}


class PythonTest(ServerTest):
    def create(self, **arguments):
        return self.client.call("world.create", world=self.world, **arguments)

    def spawn(self, *shapes, **arguments):
        return self.client.call("body.spawn", world=self.world, shapes=list(shapes), **arguments)["body"]

    def assert_error(self, code, method, /, **arguments):
        return self.refused(code, ".", self.client, method, **arguments)


class Drive(PythonTest):
    def test_ball_falls_strikes_and_is_kicked_off(self):
        self.create(gravity=[0, -10])
        self.client.call("world.subscribe", world=self.world)
        ground = self.spawn(GROUND, type="static")
        ball = self.spawn(BALL, position=[0, 1.5])

        begin = self.client.wait_event("begin", ground, ball)
        self.assertAlmostEqual(begin["point"][1], 0.5, delta=0.1)
        self.assertAlmostEqual(begin["point"][0], 0, delta=0.1)
        away = 1 if begin["a"] == ground else -1  # the normal shows from a to b
        self.assertAlmostEqual(begin["normal"][1], away, places=3)
        # It fell from a height of 0.5 m, less what one step and the gap take: v = sqrt(2 g h).
        self.assertAlmostEqual(begin["speed"], math.sqrt(2 * 10 * 0.5), delta=0.4)

        self.client.call("body.impulse", world=self.world, body=ball, impulse=[0, 5])
        end = self.client.wait_event("end", ground, ball)
        self.assertGreater(end["tick"], begin["tick"])

    def test_impulse_changes_velocity_by_impulse_over_mass(self):
        self.create(gravity=[0, 0], paused=True)
        ball = self.spawn(BALL, linear_damping=0)
        before = self.client.call("body.get", world=self.world, body=ball)
        self.assertAlmostEqual(before["mass"], math.pi / 4, places=5)
        self.client.call("body.impulse", world=self.world, body=ball, impulse=[3, -4])
        after = self.client.call("body.get", world=self.world, body=ball)
        self.assertAlmostEqual(after["velocity"][0], 3 / before["mass"], places=4)
        self.assertAlmostEqual(after["velocity"][1], -4 / before["mass"], places=4)

    def test_snapshots_rebuild_what_the_server_has(self):
        self.create(paused=True)
        self.client.call("world.subscribe", world=self.world)
        ids = [self.spawn(BALL, position=[3 * i, i]) for i in range(5)]
        gone = ids.pop(2)
        self.client.call("body.remove", world=self.world, body=gone)
        tick = self.client.call("world.step", world=self.world, ticks=20)["tick"]
        self.client.read_until(lambda: [s for s in self.client.snapshots() if s["tick"] >= tick])

        rows, removed = {}, []
        for snapshot in self.client.snapshots():
            if snapshot["full"]:
                rows.clear()
            for body in snapshot["removed"]:
                rows.pop(body, None)
                removed.append(body)
            rows.update({row[0]: row[1:] for row in snapshot["bodies"]})
        self.assertTrue(self.client.snapshots()[0]["full"])
        self.assertNotIn(gone, rows)
        self.assertEqual(sorted(rows), ids)
        for body in self.client.call("world.state", world=self.world)["bodies"]:
            x, y, angle, vx, vy, w = rows[body["body"]]
            self.assertEqual([x, y], body["position"])
            self.assertEqual([vx, vy], body["velocity"])
            self.assertEqual([angle, w], [body["angle"], body["angular_velocity"]])

    def test_events_never_come_before_their_state(self):
        self.create(gravity=[0, -10])
        self.client.call("world.subscribe", world=self.world, rate=10)
        ground = self.spawn(GROUND, type="static")
        balls = [self.spawn(BALL, position=[2 * i - 6, 1.2 + 0.1 * i]) for i in range(7)]
        for ball in balls:
            self.client.wait_event("begin", ground, ball)
        previous = -1
        for snapshot in self.client.snapshots():
            self.assertGreater(snapshot["tick"], previous)
            for event in snapshot["events"]:
                self.assertGreater(event["tick"], previous, "told later than a snapshot allows")
                self.assertLessEqual(event["tick"], snapshot["tick"])
            previous = snapshot["tick"]

    def test_hash_is_eight_bytes_and_the_same_for_the_same_commands(self):
        hashes = []
        for name in (self.world + "_1", self.world + "_2"):
            self.client.call("world.create", world=name, paused=True)
            for i in range(6):
                self.client.call("body.spawn", world=name, shapes=[{"kind": "box", "size": [1, 1]}],
                                 position=[0.1 * i, 1.1 * i])
            self.client.call("body.spawn", world=name, shapes=[GROUND], type="static", position=[0, -1])
            self.client.call("world.step", world=name, ticks=120)
            hashes.append(self.client.call("world.state", world=name)["hash"])
        self.assertIsInstance(hashes[0], bytes)
        self.assertEqual(8, len(hashes[0]))
        self.assertEqual(*hashes)

    def test_apply_takes_all_in_one_tick_or_nothing(self):
        self.create(paused=True)
        spawn = ["body.spawn", {"world": self.world, "shapes": [BALL]}]
        answer = self.client.call("world.apply", world=self.world, commands=[spawn, spawn])
        self.assertEqual(2, len(answer["results"]))
        self.assertEqual({answer["tick"]}, {r["tick"] for r in answer["results"]})
        wrong = ["body.spawn", {"world": self.world, "shapes": [{"kind": "circle", "radius": -1}]}]
        self.assert_error("invalid_argument", "world.apply", world=self.world, commands=[spawn, wrong])
        self.assertEqual(2, self.client.call("world.info", world=self.world)["bodies"])


class Distance(PythonTest):
    """The advice of PROTOCOL.md, "world.apply", for a client that plays over a distance."""

    def follow(self):
        """Reads the received messages, and returns the tick that a snapshot could show now."""
        self.client.call("ping")
        for snapshot in self.client.snapshots()[self.seen:]:
            self.seen += 1
            self.base = min(self.base, time.monotonic() - snapshot["tick"] / self.hz)
            self.margins += [snapshot["margin"]] if "margin" in snapshot else []
            self.places.update({snapshot["tick"]: row[1] for row in snapshot["bodies"] if row[0] == self.target})
        return int((time.monotonic() - self.base) * self.hz)

    def shoot(self):
        """Whether a ray at a moment between two snapshots hits the target where it was drawn; None: that is too long ago."""
        older, newer = sorted(self.places)[-2:]  # a busy machine leaves out ticks between two snapshots
        moment, x = (older + newer) / 2, (self.places[older] + self.places[newer]) / 2
        way = {"from": [x, 4], "to": [x, 9]}
        try:
            answer = self.client.call("query.ray", world=self.world, at=moment, **way)
        except RemoteError as error:
            self.assertRegex(str(error), r"^unavailable: tick .* is outside of the history \[\d+, \d+\]")
            return None
        self.assertEqual(answer["at"], moment)
        self.assertEqual(answer["hits"][0]["body"], self.target)
        self.assertAlmostEqual(answer["hits"][0]["point"][1], 4.5, places=5)
        return True

    def test_batches_act_in_their_tick_and_shots_hit_what_was_seen(self):
        self.create(gravity=[0, 0])
        self.seen, self.base, self.margins, self.places = 0, math.inf, [], {}
        self.hz = self.client.call("world.info", world=self.world)["hz"]
        mine = self.spawn(BALL)
        self.target = self.spawn(BALL, position=[-20, 5], velocity=[4, 0])
        self.client.call("world.subscribe", world=self.world)
        self.client.read_until(lambda: len(self.client.snapshots()) > 3)
        push = [["body.force", {"body": mine, "force": [1, 0]}]]
        lead, in_time, hits = 2, 0, 0
        while in_time < 8 or hits < 8:
            at = self.follow() + lead
            answer = self.client.call("world.apply", world=self.world, commands=push, at=at, late="next")
            self.assertEqual((answer["tick"] - at, answer["margin"] < 0), (answer["late"], answer["late"] > 0))
            in_time += answer["late"] == 0
            lead += math.ceil(-answer["margin"] * self.hz) if answer["late"] else 0
            self.assertLess(lead, 100 * self.hz, "no lead suffices")
            hits += self.shoot() is True
        self.assertGreater(max(self.margins), 0)

    def test_moments_outside_of_the_history_are_told_apart_from_nothing(self):
        self.create()
        tick = self.client.call("world.info", world=self.world)["tick"]
        ray = {"world": self.world, "from": [900, 0], "to": [901, 0]}
        self.refused("invalid_argument", "is not over", self.client, "query.ray", at=tick + 10**6, **ray)
        self.refused("invalid_argument", "not a finite number", self.client, "query.ray", at=math.nan, **ray)
        self.client.call("world.pause", world=self.world)
        tick = self.client.call("world.step", world=self.world, ticks=200)["tick"]
        self.assertEqual(self.client.call("query.ray", at=tick - 0.5, **ray), {"at": tick - 0.5, "hits": []})
        self.refused("unavailable", r"is outside of the history \[\d+, \d+\]", self.client, "query.ray", at=1, **ray)


class Wire(PythonTest):
    def test_numbers_of_every_width_are_numbers(self):
        self.create(paused=True)
        widths = [b"\x05", b"\xcc\x05", b"\xcd\x00\x05", b"\xce\x00\x00\x00\x05", b"\xcf" + bytes(7) + b"\x05",
                  b"\xd0\x05", b"\xd1\x00\x05", b"\xd2\x00\x00\x00\x05", b"\xd3" + bytes(7) + b"\x05",
                  b"\xca" + struct.pack(">f", 5), b"\xcb" + struct.pack(">d", 5)]
        head = (b"\x94\x00%c" + msgpack.packb("body.spawn") + b"\x91\x83" + msgpack.packb("world")
                + msgpack.packb(self.world) + msgpack.packb("shapes") + msgpack.packb([BALL])
                + msgpack.packb("position") + b"\x92")
        for number, width in enumerate(widths):
            self.client.send(head % (100 + number) + width + width)
            body = self.client.answer(100 + number)["body"]
            state = self.client.call("body.get", world=self.world, body=body)
            self.assertEqual([5, 5], state["position"], width.hex())

    def test_names_may_come_as_bin(self):
        message = [REQUEST, 7, b"world.create", [{b"world": self.world, b"hz": 30}]]
        self.client.send(msgpack.packb(message, use_bin_type=True))
        self.assertEqual(self.world, self.client.answer(7)["world"])

    def test_empty_params_stand_for_no_arguments(self):
        self.client.send(msgpack.packb([REQUEST, 8, "ping", []]))
        self.assertIn("time", self.client.answer(8))

    def test_ping_gives_back_what_was_sent(self):
        for value in [None, True, -1, 2 ** 63, 1.5, "text", b"\x00\xff", [1, [2]], {"a": {"b": []}}]:
            self.assertEqual(value, self.client.call("ping", any=value)["any"])

    def test_message_byte_by_byte_is_understood(self):
        self.create()
        for byte in msgpack.packb([REQUEST, 9, "world.info", [{"world": self.world}]]):
            self.client.send(bytes([byte]))
        self.assertEqual(self.world, self.client.answer(9)["world"])

    def test_many_messages_in_one_write_are_all_answered(self):
        self.create(paused=True)
        spawn = {"world": self.world, "shapes": [BALL]}
        self.client.send(b"".join(msgpack.packb([REQUEST, 1000 + i, "body.spawn", [spawn]])
                                  for i in range(500)))
        bodies = [self.client.answer(1000 + i)["body"] for i in range(500)]
        self.assertEqual(bodies, sorted(set(bodies)), "commands of one connection apply in order")

    def test_largest_message_id_comes_back(self):
        self.client.send(msgpack.packb([REQUEST, 2 ** 32 - 1, "ping", []]))
        self.assertIn("time", self.client.answer(2 ** 32 - 1))

    def test_notification_is_obeyed_and_not_answered(self):
        self.create(paused=True)
        self.client.notify("body.spawn", world=self.world, shapes=[BALL])
        self.client.notify("body.spawn", world="nowhere", shapes=[BALL])
        self.client.notify("world.dance")
        self.client.send(msgpack.packb([NOTIFICATION, "nvim_error_event", [0, "what?"]]))
        self.assertEqual(1, self.client.call("world.info", world=self.world)["bodies"])
        self.assertEqual({}, self.client.responses)


class Errors(PythonTest):
    def test_wrong_calls_are_told_in_words(self):
        self.create()
        self.assert_error("already_exists", "world.create", world=self.world)
        self.assert_error("not_found", "world.info", world="nowhere")
        self.assert_error("not_found", "body.get", world=self.world, body=12345)
        self.assert_error("unknown_method", "world.dance")
        self.assert_error("invalid_argument", "world.create", world="no spaces")
        self.assert_error("invalid_argument", "world.create")
        text = self.assert_error("invalid_argument", "world.info", world=self.world, wrold=1)
        self.assertIn("wrold", text)
        for position in ([math.nan, 0], [0, math.inf], [1e300, 0], [1], [1, 2, 3], "here"):
            self.assert_error("invalid_argument", "body.spawn", world=self.world, shapes=[BALL],
                              position=position)
        flat = {"kind": "polygon", "vertices": [[0, 0], [1, 1], [2, 2]]}
        text = self.assert_error("invalid_argument", "body.spawn", world=self.world, shapes=[BALL, flat])
        self.assertIn("shapes[1]", text)
        self.assertEqual(0, self.client.call("world.info", world=self.world)["bodies"])

    def assert_closed(self, data):
        """Checks that these bytes end their own connection, and no other."""
        with self.connect() as culprit:
            try:
                culprit.send(data)
                with self.assertRaises((Closed, ConnectionError)):
                    culprit.read_until(lambda: False)
            except ConnectionError:
                pass  # closed before all was sent
        self.assertIn("time", self.client.call("ping"))

    def test_message_of_a_gigabyte_by_its_header_is_closed(self):
        self.assert_closed(b"\x94\x00\x01\xa4ping\x91\x81\xa3any\xc6\x40\x00\x00\x00")
        self.assert_closed(b"\xdd\xff\xff\xff\xff")

    def test_nesting_of_ten_thousand_is_closed(self):
        self.assert_closed(b"\x94\x00\x01\xa4ping\x91\x81\xa3any" + b"\x91" * 10000 + b"\xc0")

    def test_what_is_not_messagepack_rpc_is_closed(self):
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"\xc1", msgpack.packb({}), msgpack.packb([3, 1, "ping", []]),
                     msgpack.packb([0, "one", "ping", []]), msgpack.packb([0, 1, 2, []])):
            with self.subTest(data):
                self.assert_closed(data)

    def test_connection_lost_in_the_middle_harms_nobody(self):
        self.create()
        with self.connect() as other:
            other.call("world.subscribe", world=self.world)
            other.send(msgpack.packb([REQUEST, 1, "world.info", [{"world": self.world}]])[:-3])
        self.assertEqual(self.world, self.client.call("world.info", world=self.world)["world"])
        self.client.read_until(
            lambda: self.client.call("world.info", world=self.world)["subscribers"] == 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
