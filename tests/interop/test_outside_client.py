"""A client that was written from proto/PROTOCOL.md alone plays in the worlds of a template, and tries what a player may
not do: each refusal has the code and the words of the page, and another player sees nothing of it.

Usage: test_outside_client.py CAROMD
"""

import contextlib
import json
import math
import os
import re
import struct
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from outside_client import NOTIFICATION, REQUEST, RESPONSE, Client, Closed, Refused, Tcp, WebSocket  # noqa: E402
from outside_packed import Packed  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
PROTOCOL = Path(__file__).resolve().parents[2] / "proto" / "PROTOCOL.md"
BALL = {"kind": "circle", "radius": 0.5}
EVENTS = ["begin", "end", "sleep", "wake", "spawn", "remove", "joint_break", "freeze", "message", "join", "leave"]
# A world whose players may do nothing but push their own bodies, and one whose players build within bounds.
TEMPLATES = {
    "arena": {"gravity": [0, 0], "seats": 2},
    "yard": {"gravity": [0, 0], "seats": 2, "players": {
        "types": ["dynamic"], "bodies": 2, "mass": 10, "size": 4, "speed": 20, "force": 50, "impulse": 5, "torque": 50,
        "area": [-50, -50, 50, 50]}},
}
LIMITS = {"requests_per_second": 500, "request_burst": 500, "message_bytes_per_tick": 8192,
          "websocket_ping_ms": 0}  # Bob does not read while others try things
DEEPEST = 16  # DATA_VALUE_DEPTH_MAX
WHOLE = 32  # WIRE_DEPTH_MAX


def nested(depth, value=0):
    for _ in range(depth):
        value = [value]
    return value


class OutsideTest(unittest.TestCase):
    """A server with keys, guests and templates; Ada over TCP and Bob over WebSocket play in one world as guests."""

    TEMPLATE = "arena"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        secret, keys = Secret(), os.path.join(cls.folder.name, "keys.json")
        write_keys(keys, secret)
        options = ["--http", "127.0.0.1:0", "--keys", keys, "--guests", "player", "--world", "lobby"]
        for name, template in TEMPLATES.items():
            path = os.path.join(cls.folder.name, f"{name}.json")
            Path(path).write_text(json.dumps(template), encoding="utf-8")
            options += ["--template", f"{name}={path}"]
        for name, value in LIMITS.items():
            options += ["--limit", f"{name}={value}"]
        cls.server = Caromd(CAROMD, *options)
        cls.addClassCleanup(cls.server.__exit__)
        cls.token = staticmethod(lambda subject, role, **more: secret.sign(claims(subject, role, **more)))

    def connect(self, transport=Tcp, **hello):
        """A session that has said hello; `greeting` is the answer."""
        port = self.server.port if transport is Tcp else self.server.http_port
        client = Client(transport("127.0.0.1", port, SECONDS_MAX))
        self.addCleanup(client.close)
        client.greeting = client.call("hello", client="outside 1.0", **hello)
        return client

    def setUp(self):
        self.admin = self.connect(token=self.token("root", "admin"))
        self.ada, self.bob = self.connect(), self.connect(WebSocket)
        self.seats = [player.call("world.join", template=self.TEMPLATE) for player in (self.ada, self.bob)]
        self.world = self.seats[0]["world"]
        self.addCleanup(lambda: self.admin.call("world.destroy", world=self.world))
        self.balls = [self.spawn(owner=player.greeting["subject"], position=[0, 5 * i])
                      for i, player in enumerate((self.ada, self.bob))]
        self.wall = self.spawn({"kind": "box", "size": [1, 4]}, type="static", position=[4, 0])

    def spawn(self, shape=BALL, **arguments):
        """A sleeping body that a referee makes: snapshots have no rows of it until it is moved."""
        return self.admin.call("body.spawn", world=self.world, awake=False, shapes=[shape], **arguments)["body"]

    def own_key(self, player, name):
        return f"player/{player.greeting['subject']}/{name}"

    def refused(self, code, words, client, method, /, **arguments):
        with self.assertRaises(Refused) as caught:
            client.call(method, **arguments)
        self.assertEqual(code, caught.exception.code, f"{method} {arguments}: {caught.exception}")
        self.assertIn(words, caught.exception.text)

    @contextlib.contextmanager
    def nothing_shows(self):
        """Bob's snapshots go on meanwhile, and nothing is in them."""
        picture = self.bob.subscribe(self.world, events=EVENTS, data=True)
        self.bob.until(lambda: picture.snapshots)
        yield
        tick = self.admin.call("world.info", world=self.world)["tick"]
        self.bob.until(lambda: picture.tick > tick)
        self.assertIsNone(picture.closed)
        self.assertEqual(1, sum(snapshot["full"] for snapshot in picture.snapshots))
        for snapshot in picture.snapshots[1:]:
            shown = {key: snapshot[key] for key in ("bodies", "removed", "events", "data") if snapshot[key]}
            self.assertEqual({}, shown, f"tick {snapshot['tick']}")
        self.bob.call("world.unsubscribe", subscription=picture.number)


class Play(OutsideTest):
    def test_push_collision_data_and_messages_reach_plain_and_packed_pictures(self):
        for pusher, watcher, ball in (self.ada, self.bob, self.balls[0]), (self.bob, self.ada, self.balls[1]):
            with self.subTest(pusher=type(pusher.connection).__name__):
                self.play(pusher, watcher, ball)

    def play(self, pusher, watcher, ball):
        asked = {"events": EVENTS, "data": True}
        plain = watcher.subscribe(self.world, **asked)
        packed = watcher.subscribe(self.world, encoding="packed", **asked)
        target = self.spawn(position=[-2, pusher.call("body.get", world=self.world, body=ball)["position"][1]])
        pushed = pusher.call("body.impulse", world=self.world, body=ball, impulse=[-3, 0])["tick"]
        key = self.own_key(pusher, "score")
        version = pusher.call("data.set", world=self.world, key=key, value={"won": 1, 7: [None]}, version=0)["version"]
        pusher.call("message.send", world=self.world, name="hi", data=["there"], to=watcher.greeting["session"])
        pusher.call("message.send", world=self.world, name="not you", to=pusher.greeting["session"])
        pusher.call("message.send", world=self.world, name="done")
        for picture in plain, packed:
            watcher.until(lambda p=picture: any({e["a"], e["b"]} == {ball, target} for e in p.events_of("begin")))
            watcher.until(lambda p=picture: len(p.events_of("message")) >= 2)
            hi, done = picture.events_of("message")
            self.assertEqual(["there"], hi.pop("data"))
            self.assertEqual("done", done["name"])
            sender = pusher.greeting
            hi.pop("tick")
            self.assertEqual({"kind": "message", "name": "hi", "session": sender["session"],
                              "subject": sender["subject"]}, hi)
            begin = picture.events_of("begin")[0]
            self.assertGreater(begin["tick"], pushed)
            self.assertAlmostEqual(3 / (math.pi / 4), begin["speed"], places=3)
            self.assertAlmostEqual(1, abs(begin["normal"][0]), places=5)
            self.assertEqual({"won": 1, 7: [None]}, picture.data[key])
        self.assertEqual({key: {"value": {"won": 1, 7: [None]}, "version": version}},
                         watcher.call("data.get", world=self.world, key=key)["data"])
        for picture in plain, packed:
            watcher.call("world.unsubscribe", subscription=picture.number)

    def test_seats_are_shown_as_events_and_in_the_info_of_the_world(self):
        self.assertEqual([1, 2], [seat["seat"] for seat in self.seats])
        self.assertEqual([True, False], [seat["created"] for seat in self.seats])
        picture = self.bob.subscribe(self.world, events=["join", "leave"])
        self.ada.call("world.leave", world=self.world)
        self.ada.call("world.join", template="arena", world=self.world, data={"name": "Ada"})
        self.bob.until(lambda: picture.events_of("join"))
        expected = {"seat": 1, "session": self.ada.greeting["session"], "subject": self.ada.greeting["subject"]}
        leave, join = picture.events
        self.assertEqual({"kind": "leave", **expected}, {key: leave[key] for key in leave if key != "tick"})
        self.assertEqual({"kind": "join", "data": {"name": "Ada"}, **expected},
                         {key: join[key] for key in join if key != "tick"})
        self.assertEqual(expected, self.ada.call("world.info", world=self.world)["seated"][0])

    def test_limits_of_hello_are_those_of_the_page(self):
        table = re.search(r"<!-- reference limits -->(.*?)<!-- end -->", PROTOCOL.read_text(encoding="utf-8"), re.S)[1]
        self.assertEqual(set(re.findall(r"^\| `(\w+)` \|", table, re.M)), set(self.ada.greeting["limits"]))

    def test_connection_that_is_half_closed_gets_its_answers(self):
        for transport in Tcp, WebSocket:
            client = self.connect(transport)
            ids = [client.request("ping", any=i) for i in range(3)]
            if transport is Tcp:
                client.connection.socket.shutdown(1)
            else:
                client.connection.send(struct.pack(">H", 4000), WebSocket.CLOSE)
            closed = client.until_closed()
            self.assertEqual((None, None if transport is Tcp else 4000), (closed.closing, closed.status))
            self.assertEqual([0, 1, 2], [client.answer(id)["any"] for id in ids])


class PackedSnapshots(OutsideTest):
    def test_bytes_of_the_page_give_its_numbers(self):
        page = PROTOCOL.read_text(encoding="utf-8")
        block = re.search(r"<!-- bytes packed -->\n```\n(.*?)```", page, re.S)[1]
        reader, cases = Packed(), re.findall(r"^(\S.*)\n((?:        .*\n)+)", block, re.M)
        for words, data in cases:
            got = reader.read(bytes.fromhex(data))
            self.assertEqual((words.startswith("full"), int(re.search(r"tick (\d+)", words)[1])),
                             (got["full"], got["tick"]))
            rows = {int(body): tuple(map(int, numbers.split(", ")))
                    for body, numbers in re.findall(r"body (\d+): q = (-?\d+, -?\d+, -?\d+)", words)}
            tracks = {track.id: tuple(axis.q for axis in track.axes) for track in reader.tracks.values()}
            left_out = data.split()[0] == "12"
            self.assertEqual(rows, {body: tracks[body] for body in rows} if left_out else tracks)
            self.assertEqual([int(n) for n in re.findall(r"entered (\d+)", words)], got["enter"])
            self.assertEqual([int(n) for n in re.findall(r"removed (\d+)", words)], got["removed"])
        self.assertEqual(6, len(cases))

    def test_values_are_those_of_plain_within_half_a_step(self):
        moderate = [{"area": [-9, -9, 3, 3], "margin": 0}, {"budget": 2000}]  # send less than a snapshot a tick
        asked = [{}, {"precision": {"position": 0.1, "angle": 0.05, "velocity": 0.01}}, *moderate]
        watcher = self.admin
        watcher.call("world.pause", world=self.world)
        plain = watcher.subscribe(self.world)
        packed = [watcher.subscribe(self.world, encoding="packed", **arguments) for arguments in asked]
        balls = [["body.spawn", {"position": [1.5 * i - 15, -8], "velocity": [3 - i % 7, 2 + i % 5],
                                 "angular_velocity": i % 3 - 1, "shapes": [BALL]}] for i in range(20)]
        watcher.call("world.apply", world=self.world, commands=balls)
        compared = [0] * len(asked)
        for step in range(60):
            if step == 30:
                watcher.call("body.remove", world=self.world, body=max(plain.bodies))
            tick = watcher.call("world.step", world=self.world)["tick"]
            watcher.until(lambda t=tick: plain.tick >= t)
            for i, picture in enumerate(packed):
                if asked[i] not in moderate:
                    watcher.until(lambda p=picture, t=tick: p.tick >= t)
                if picture.tick == tick and "left_out" not in picture.snapshots[-1]:
                    compared[i] += self.compare(plain, picture, whole="area" not in asked[i])
        for count in compared:
            self.assertGreater(count, 100)

    def compare(self, plain, picture, whole):
        reader = picture.packed
        if whole:
            self.assertEqual(set(plain.bodies), set(picture.bodies))
        for body, (x, y, angle) in picture.bodies.items():
            row = plain.bodies[body]
            for packed, exact in (x, row[0]), (y, row[1]):
                self.assertLessEqual(abs(packed - exact) * reader.position_steps, 0.501)
            turned = (angle - row[2] + math.pi) % (2 * math.pi) - math.pi
            self.assertLessEqual(abs(turned) * reader.angle_steps / (2 * math.pi), 0.501)
            if reader.velocity_steps:
                axes = reader.tracks[body & 0xFFFFFF].axes
                for axis, exact in zip(axes[3:], row[3:]):
                    self.assertLessEqual(abs(axis.q - exact * reader.velocity_steps), 0.501)
        return len(picture.bodies)


class Forbidden(OutsideTest):
    def test_player_of_a_template_without_bounds_pushes_its_own_bodies_alone(self):
        own, other = self.balls
        shape = self.admin.call("body.get", world=self.world, body=own)["shapes"][0]["shape"]
        asleep = self.bob.subscribe(self.world, events=["sleep"])
        joint = self.admin.call("joint.create", world=self.world, kind="mouse", b=own, target=[0, 0])["joint"]
        self.bob.until(lambda: asleep.events)  # the joint has woken it
        self.bob.call("world.unsubscribe", subscription=asleep.number)
        methods = "players.methods"
        attempts = [
            ("body.set", {"body": own, "position": [9, 9]}, methods),
            ("body.set", {"body": own, "velocity": [9, 9]}, methods),
            ("body.set", {"body": own, "mass": 1000}, methods),
            ("body.set", {"body": own, "type": "static"}, methods),
            ("body.set", {"body": own, "owner": self.bob.greeting["subject"]}, methods),
            ("body.remove", {"body": own}, methods),
            ("body.spawn", {"shapes": [{"kind": "circle", "radius": 5000}]}, methods),
            ("shape.add", {"body": own, "shape": BALL}, methods),
            ("shape.set", {"shape": shape, "density": 9}, methods),
            ("shape.remove", {"shape": shape}, methods),
            ("joint.create", {"kind": "weld", "a": own, "b": self.wall}, "another's"),
            ("joint.set", {"joint": joint, "target": [9, 9]}, methods),
            ("joint.remove", {"joint": joint}, methods),
            ("body.impulse", {"body": other, "impulse": [1, 0]}, "another's"),
            ("body.impulse", {"body": self.wall, "impulse": [1, 0]}, "another's"),
            ("body.force", {"body": other, "force": [1, 0]}, "another's"),
            ("body.set", {"body": other, "position": [9, 9]}, "another's"),
            ("data.set", {"key": "score", "value": 9}, "key: "),
            ("data.set", {"key": self.own_key(self.bob, "score"), "value": 9}, "key: "),
            ("data.remove", {"key": "score"}, "key: "),
            ("message.send", {"name": "hi", "subject": "root"}, "subject: "),
        ]
        with self.nothing_shows():
            for method, arguments, words in attempts:
                self.refused("permission_denied", words, self.ada, method, world=self.world, **arguments)
            for method, arguments, words in attempts:
                # In a batch, behind a push that is allowed: neither has an effect.
                push = ["body.impulse", {"body": own, "impulse": [1, 0]}]
                self.refused("permission_denied", f"commands[1] ({method}): ", self.ada, "world.apply",
                             world=self.world, commands=[push, [method, arguments]])
            before = self.failed_notifications()
            for method, arguments, _ in attempts:
                self.ada.notify(method, world=self.world, **arguments)
            self.ada.call("body.get", world=self.world, body=own)  # stands behind them
            self.assertEqual(before + len(attempts), self.failed_notifications())

    def failed_notifications(self):
        return self.admin.call("server.stats")["counters"]["notifications_failed"]

    def test_methods_of_referees_and_admins_name_the_role_that_they_need(self):
        with self.nothing_shows():
            for role, method, arguments in [
                    ("referee", "world.pause", {}), ("referee", "world.resume", {}), ("referee", "world.step", {}),
                    ("referee", "world.set", {"gravity": [0, -10]}), ("referee", "world.set", {"players": {}}),
                    ("admin", "world.destroy", {}), ("admin", "world.image", {}), ("admin", "world.fork", {"as": "x"}),
                    ("admin", "world.create", {}), ("admin", "world.move", {})]:
                self.refused("permission_denied", f"role {role}", self.ada, method, world=self.world, **arguments)
            for method, arguments in [("server.sessions", {}), ("server.fleet", {}),
                                      ("server.kick", {"session": self.bob.greeting["session"]})]:
                self.refused("permission_denied", "role admin", self.ada, method, **arguments)
            self.refused("permission_denied", "session: ", self.ada, "world.leave", world=self.world,
                         session=self.bob.greeting["session"])

    def test_seats_worlds_and_epochs_that_are_not_there(self):
        carol = self.connect()
        with self.nothing_shows():
            again = self.ada.call("world.join", template="arena")
            self.assertEqual((self.world, 1, False), (again["world"], again["seat"], again["created"]))
            for code, words, arguments in [
                    ("limit_exceeded", "all 2 of world", {"template": "arena", "world": self.world}),
                    ("not_found", "has arena, yard", {"template": "castle"}),
                    ("not_found", "does not exist", {"template": "arena", "world": "arena-999"}),
                    ("invalid_argument", "world: ", {"template": "arena", "world": "lobby"}),
                    ("invalid_argument", "world: ", {"template": "arena", "world": "a/b"}),
                    ("invalid_argument", "seat: ", {"template": "arena", "seat": 1}),
                    ("limit_exceeded", "data: ", {"template": "arena", "data": "x" * 4096}),
                    ("invalid_argument", "data ", {"template": "arena", "data": nested(DEEPEST + 1)})]:
                self.refused(code, words, carol, "world.join", **arguments)
            self.refused("not_found", "no seat", carol, "world.leave", world=self.world)
            for method, arguments in [("body.impulse", {"body": 1, "impulse": [1, 0]}), ("world.subscribe", {}),
                                      ("data.get", {}), ("message.send", {"name": "hi"}), ("world.info", {})]:
                self.refused("not_found", "'nowhere'", self.ada, method, world="nowhere", **arguments)
                self.refused("not_found", "epoch: ", self.ada, method, world=self.world, epoch=7, **arguments)
            self.refused("not_found", "body 999", self.ada, "body.impulse", world=self.world, body=999, impulse=[1, 0])
            self.refused("not_found", "subscription 999", self.ada, "world.unsubscribe", subscription=999)
            self.refused("unknown_method", "body.teleport", self.ada, "body.teleport", world=self.world)

    def test_sessions_are_not_for_those_who_guess(self):
        with self.nothing_shows():
            secret = self.bob.greeting["resume"]
            stranger = Client(Tcp("127.0.0.1", self.server.port, SECONDS_MAX))
            self.addCleanup(stranger.close)
            self.refused("unauthenticated", "role viewer", stranger, "world.list")
            self.refused("not_found", "resume: ", stranger, "hello", resume=secret[:-1] + "01"[secret[-1] == "0"])
            self.refused("unauthenticated", "token: ", stranger, "hello", token="x.y.z")
            expired = self.token("ada", "admin", seconds=-60)
            self.refused("unauthenticated", "token: ", stranger, "hello", token=expired)
            forged = Secret().sign(claims("ada", "admin"), kid="secret")
            self.refused("unauthenticated", "token: ", stranger, "hello", token=forged)
            self.assertEqual("unauthenticated", stranger.until_closed().closing["code"])
            self.refused("invalid_argument", "resume: ", self.ada, "hello", resume=secret)
            self.refused("permission_denied", "token: ", self.ada, "hello", token=self.token("ada", "admin"))
            self.refused("invalid_argument", "protocol: ", self.ada, "hello", protocol=0)
            self.assertEqual(1, self.ada.call("hello", protocol=2)["protocol"])


class Values(OutsideTest):
    def test_versions_that_lose_and_values_that_are_too_much(self):
        key = self.own_key(self.ada, "x")
        version = self.ada.call("data.set", world=self.world, key=key, value=nested(DEEPEST))["version"]
        with self.nothing_shows():
            for code, words, arguments in [
                    ("already_exists", f"version {version}", {"value": 1, "version": 0}),
                    ("already_exists", f"version {version}", {"value": 1, "version": version + 1}),
                    ("invalid_argument", "value: nil", {"value": None}),
                    ("invalid_argument", "deep", {"value": nested(DEEPEST + 1)}),
                    ("limit_exceeded", "data_value_bytes", {"value": "x" * 16384}),
                    ("limit_exceeded", "key: ", {"key": key + "y" * 128, "value": 1}),
                    ("invalid_argument", "extension", {"value": msgpack.ExtType(5, b"x")}),
                    ("invalid_argument", "value: ", {"value": math.nan}),
                    ("invalid_argument", "value: ", {"value": {(1, 2): 3}}),  # a key that is an array
                    ("invalid_argument", "vresion", {"value": 1, "vresion": 1})]:
                self.refused(code, words, self.ada, "data.set", **{"world": self.world, "key": key, **arguments})
            self.refused("already_exists", f"version {version}", self.ada, "data.remove", world=self.world, key=key,
                         version=version + 1)
            self.assertEqual({key: {"value": nested(DEEPEST), "version": version}},
                             self.ada.call("data.get", world=self.world)["data"])

    def test_messages_to_nobody_and_to_no_receiver(self):
        with self.nothing_shows():
            for to in "nobody", 999_999:
                self.ada.call("message.send", world=self.world, name="hi", to=to)
            for code, words, arguments in [
                    ("invalid_argument", "to: ", {"to": ""}), ("invalid_argument", "to: ", {"to": "x" * 65}),
                    ("invalid_argument", "to: ", {"to": 0}), ("invalid_argument", "to: ", {"to": -1}),
                    ("invalid_argument", "to: ", {"to": 1.5}), ("invalid_argument", "to: ", {"to": [1]}),
                    ("invalid_argument", "name: ", {"name": ""}), ("limit_exceeded", "name: ", {"name": "n" * 65}),
                    ("limit_exceeded", "message_data_bytes", {"data": "x" * 4096}),
                    ("invalid_argument", "deep", {"data": nested(DEEPEST + 1)}),
                    ("invalid_argument", "impulse", {"impulse": [0, 0]})]:
                self.refused(code, words, self.ada, "message.send", **{"world": self.world, "name": "hi", **arguments})
            self.refused("invalid_argument", "impulse[0]: ", self.ada, "body.impulse", world=self.world,
                         body=self.balls[0], impulse=[math.inf, 0])
            self.refused("limit_exceeded", "1000", self.ada, "world.apply", world=self.world,
                         commands=[["message.send", {"name": "hi"}]] * 1001)


class Yard(OutsideTest):
    TEMPLATE = "yard"

    def push(self, *impulse):
        return self.ada.call("body.impulse", world=self.world, body=self.balls[0], impulse=impulse)

    def over(self, bound, method, **arguments):
        self.refused("permission_denied", f"(players.{bound})", self.ada, method, world=self.world, **arguments)

    def test_bodies_and_forces_over_the_bounds(self):
        own = self.balls[0]
        with self.nothing_shows():
            self.over("size", "body.spawn", mass=1, shapes=[{"kind": "box", "size": [1000, 0.01], "density": 0}])
            for bound, arguments in [("mass", {"mass": 1000}), ("speed", {"velocity": [0, 21]}),
                                     ("speed", {"angular_velocity": 1000}), ("types", {"type": "static"}),
                                     ("area", {"position": [0, 50]})]:
                self.over(bound, "body.spawn", shapes=[BALL], **arguments)
            self.over("mass", "shape.add", body=own, shape={"kind": "circle", "radius": 0.5, "density": 1000})
            self.over("size", "shape.add", body=own, shape={"kind": "circle", "radius": 0.5, "center": [9, 0],
                                                            "density": 0})
            self.over("speed", "body.set", body=own, velocity=[0, 21])
            self.over("area", "body.set", body=own, position=[51, 0])
            self.over("force", "body.force", body=own, force=[0, 51])
            self.over("torque", "body.force", body=own, force=[0, 50], point=[2, 0])
            self.over("torque", "body.torque", body=own, torque=51)
            self.over("force", "joint.create", kind="mouse", b=own, target=[0, 0])
            self.over("force", "joint.create", kind="mouse", b=own, target=[0, 0], max_force=51)
            self.over("impulse", "body.impulse", body=own, impulse=[0, 5.1])
            self.over("impulse", "body.angular_impulse", body=own, impulse=5.1)
        self.ada.call("body.spawn", world=self.world, position=[9, 9], shapes=[BALL])
        self.over("bodies", "body.spawn", position=[-9, -9], shapes=[BALL])

    def test_impulses_of_a_tick_are_summed_and_the_next_tick_begins_again(self):
        own = self.balls[0]
        self.admin.call("world.pause", world=self.world)  # the tick ends with world.step
        self.push(3, 0)
        self.over("impulse", "body.impulse", body=own, impulse=[-2.5, 0])
        self.ada.notify("body.impulse", world=self.world, body=own, impulse=[2.5, 0])
        self.push(-2, 0)
        self.over("impulse", "body.impulse", body=own, impulse=[0, 0.1])
        again = self.connect(resume=self.ada.greeting["resume"])  # the same subject by another connection
        with self.assertRaises(Refused):
            again.call("body.impulse", world=self.world, body=own, impulse=[0, 0.1])
        self.ada = again
        self.assertAlmostEqual(1 / (math.pi / 4), self.speed(), places=5)
        self.admin.call("world.step", world=self.world)
        batch = [["body.impulse", {"body": own, "impulse": [2.6, 0]}]] * 2
        self.refused("permission_denied", "commands[1] (body.impulse): impulse: 5.2 N s", self.ada, "world.apply",
                     world=self.world, commands=batch)
        self.push(5, 0)  # the refused batch has added nothing
        self.assertAlmostEqual(6 / (math.pi / 4), self.speed(), places=5)
        for _ in range(10):
            self.admin.call("world.step", world=self.world)
            if self.speed() + 5 / (math.pi / 4) > 20:
                break
            self.push(5, 0)
        self.over("speed", "body.impulse", body=own, impulse=[5, 0])
        self.push(-5, 0)  # an impulse that brakes is no matter of speed

    def speed(self):
        return math.hypot(*self.admin.call("body.get", world=self.world, body=self.balls[0])["velocity"])


class Bytes(OutsideTest):
    """Messages by hand, each over a connection of its own, while Bob's world goes on."""

    def answer_to(self, data, transport=Tcp):
        """The response's error (True if it is a result), and the code of `closing` if the connection ends."""
        client = self.connect(transport)
        client.connection.send(data)
        client.connection.send(msgpack.packb([REQUEST, 8, "ping", [{}]]))
        end = None
        try:
            client.answer(8)
        except (Closed, ConnectionError):
            end = client.closing and client.closing["code"]
            self.assertIsNotNone(end, "the connection ended without a reason")
        error, result = client.responses.get(7, (None, None))
        return (error.partition(":")[0] if error else result is not None), end

    def test_faulty_messages_are_answered_and_end_only_their_own_connection(self):
        call = msgpack.packb([REQUEST, 7, "ping", [{"any": 0}]])[:-1]
        def ping(*params):
            return msgpack.packb([REQUEST, 7, "ping", *params])
        wrong, much = "invalid_argument", "limit_exceeded"
        with self.nothing_shows():
            for what, data, error, end in [
                    ("no arguments", ping([]), True, None),
                    ("an empty array as the map", ping([[]]), True, None),
                    ("the deepest message", call + msgpack.packb(nested(WHOLE - 3)), True, None),
                    ("a string that is not UTF-8", call + b"\xa1\xff", wrong, None),
                    ("not a number", call + msgpack.packb(math.nan), wrong, None),
                    ("a key twice", call + b"\x82\xa1a\x01\xa1a\x02", wrong, None),
                    ("an integer twice", call + b"\x82\x01\x01\xcc\x01\x02", wrong, None),
                    ("two maps", ping([{}, {}]), wrong, None),
                    ("no map", ping([5]), wrong, None),
                    ("a text of 64 KiB", call + msgpack.packb("x" * 65536), much, None),
                    ("params that are no array", ping({}), wrong, wrong),
                    ("five elements", ping([{}], 1), wrong, wrong),
                    ("a byte that MessagePack does not have", call + b"\xc1", wrong, wrong),
                    ("one too deep", call + msgpack.packb(nested(WHOLE - 2)), much, much),
                    ("a text of 4 GiB, by its header", call + b"\xdb\xff\xff\xff\xff", much, much),
                    ("4 Gi of values, by their header", call + b"\xdd\xff\xff\xff\xff", much, much),
                    ("a response", msgpack.packb([RESPONSE, 7, None, None]), False, wrong),
                    ("an id that is too large", msgpack.packb([REQUEST, 2**32, "ping", [{}]]), False, wrong),
                    ("an id with a point", msgpack.packb([REQUEST, 7.0, "ping", [{}]]), False, wrong),
                    ("no message", msgpack.packb({"a": 1}), False, wrong),
                    ("HTTP", b"GET / HTTP/1.1\r\n\r\n", False, wrong)]:
                with self.subTest(what):
                    self.assertEqual((error, end), self.answer_to(data))

    def test_broken_rules_of_websocket_close_with_their_codes(self):
        ping = msgpack.packb([REQUEST, 7, "ping", [{}]])
        def close(code, reason=b""):
            return lambda s: s.send(struct.pack(">H", code) + reason, s.CLOSE)
        with self.nothing_shows():
            for status, code, what, act in [
                    (1000, None, "a close frame", close(1000)),
                    (3001, None, "a close frame with a reason", close(3001, b"bye")),
                    (1005, None, "an empty close frame", lambda s: s.send(b"", s.CLOSE)),
                    (1002, "invalid_argument", "a code that is not allowed", close(1005)),
                    (1007, "invalid_argument", "a reason that is not UTF-8", close(1000, b"\xff")),
                    (1003, "invalid_argument", "a text frame", lambda s: s.send(ping, s.TEXT)),
                    (1002, "invalid_argument", "no mask", lambda s: s.send(ping, masked=False)),
                    (1002, "invalid_argument", "a reserved bit", lambda s: s.send(ping, first=0xC0)),
                    (1002, "invalid_argument", "a reserved kind", lambda s: s.send(ping, 3)),
                    (1002, "invalid_argument", "a long ping", lambda s: s.send(b"x" * 126, s.PING)),
                    (1002, "invalid_argument", "a cut ping", lambda s: s.send(b"x", s.PING, first=0)),
                    (1002, "invalid_argument", "a continuation", lambda s: s.send(ping, s.CONTINUATION)),
                    (1007, "invalid_argument", "half a message", lambda s: s.send(ping[:-1])),
                    (1007, "invalid_argument", "no MessagePack", lambda s: s.send(b"\xc1")),
                    (1008, "limit_exceeded", "a deep message", lambda s: s.send(b"\x94\x00\x07\xa4ping" + b"\x91" * 40)),
                    (1009, "limit_exceeded", "a large message, by its header",
                     lambda s: s.socket.sendall(b"\x82\xff" + struct.pack(">Q", 2**40) + b"mask"))]:
                with self.subTest(what):
                    client = self.connect(WebSocket)
                    act(client.connection)
                    closed = client.until_closed()
                    self.assertEqual((status, code), (closed.status, closed.closing and closed.closing["code"]))

    def test_messages_in_fragments_and_several_in_one_are_read(self):
        client = self.connect(WebSocket)
        first, second = (msgpack.packb([REQUEST, id, "ping", [{"any": "x" * id}]]) for id in (70, 80))
        socket = client.connection
        socket.send(first[:5], first=0)
        socket.send(b"are you there", socket.PING)
        socket.send(first[5:9], socket.CONTINUATION, first=0)
        socket.send(first[9:] + second, socket.CONTINUATION)
        self.assertEqual(["x" * 70, "x" * 80], [client.answer(id)["any"] for id in (70, 80)])
        self.assertEqual("carom.v1", socket.headers["sec-websocket-protocol"])


class Floods(OutsideTest):
    def flood(self, message):
        """Sends a message again and again until the server ends the connection; returns `closing`'s code and errors."""
        client = self.connect()
        block = msgpack.packb(message) * 500
        def push():
            with contextlib.suppress(OSError):
                while True:
                    client.connection.send(block)
        thread = threading.Thread(target=push)
        thread.start()
        errors = set()
        take = client.take
        def keep(received):
            if received[0] == RESPONSE and received[2]:
                errors.add(received[2].partition(": ")[0])
            take(received)
        client.take = keep
        with contextlib.suppress(ConnectionError):
            client.until_closed()
        client.connection.close()
        thread.join()
        return client.closing and client.closing["code"], errors

    def test_floods_end_only_the_connection_that_they_come_from(self):
        with self.nothing_shows():
            self.assertEqual(("limit_exceeded", {"limit_exceeded"}), self.flood([REQUEST, 7, "ping", [{}]]))
            self.assertEqual(("limit_exceeded", set()), self.flood([NOTIFICATION, "ping", [{}]]))
            code, errors = self.flood([REQUEST, 7, "body.set",
                                       [{"world": self.world, "body": self.balls[0], "position": [9, 9]}]])
            self.assertEqual("limit_exceeded", code)
            self.assertEqual({"limit_exceeded"}, errors - {"permission_denied"})

    def test_messages_of_a_tick_are_bounded_for_one_player(self):
        self.admin.call("world.pause", world=self.world)
        message = {"world": self.world, "name": "spam", "data": "x" * 2000, "to": "nobody"}
        self.ada.call("message.send", **message)
        self.refused("limit_exceeded", "messages in this tick", self.ada, "world.apply", world=self.world,
                     commands=[["message.send", {key: message[key] for key in ("name", "data", "to")}]] * 3)
        self.bob.call("message.send", **message)  # has its own share

    def test_subscriptions_are_bounded(self):
        most = self.ada.greeting["limits"]["subscriptions_per_connection"]
        with self.nothing_shows():
            for _ in range(most):
                self.ada.call("world.subscribe", world=self.world, rate=0.01)
            self.refused("limit_exceeded", "subscriptions_per_connection", self.ada, "world.subscribe",
                         world=self.world)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
