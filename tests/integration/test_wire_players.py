#!/usr/bin/env python3
"""What the role player may do in a world: each method by each bound, over the wire, and kept wherever a world is kept.
Called with the path of caromd."""

import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
import unittest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402
from wire import RemoteError  # noqa: E402
from wire_case import CAROMD, WireTest  # noqa: E402

SECRET = Secret()
BALL = {"kind": "circle", "radius": 0.5}
HUGE = {"kind": "box", "size": [200, 1]}
PLAYERS = {"types": ["dynamic"], "bodies": 3, "mass": 10.0, "size": 4.0, "speed": 20.0, "force": 100.0, "impulse": 10.0,
           "torque": 50.0, "area": [-50.0, -50.0, 50.0, 50.0]}
PUSHES = ["body.impulse", "body.angular_impulse", "body.force", "body.torque", "world.apply"]


class Players(WireTest):
    OPTIONS = []

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="carom-players-")
        cls.keys = os.path.join(cls.folder, "keys.json")
        write_keys(cls.keys, SECRET)
        cls.server = Caromd(CAROMD, "--keys", cls.keys, *cls.OPTIONS)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def session(self, subject, role="player", **more):
        client = self.connect()
        client.hello = client.call("hello", token=SECRET.sign(claims(subject, role, **more)))
        return client

    def setUp(self):
        self.world = self.id().rsplit(".", 1)[1][:60]
        self.admin = self.session("root", "admin")

    def create(self, players=PLAYERS, **more):
        given = {} if players is None else {"players": players}
        self.admin.call("world.create", world=self.world, **{"paused": True, "gravity": [0, 0], **given, **more})

    def hash(self):
        return self.admin.call("world.info", world=self.world)["hash"]

    def denied(self, client, text, method, **arguments):
        """Checks that the call is refused alone, and within a batch together with the commands before it."""
        before = self.hash()
        self.refused("permission_denied", text, client, method, world=self.world, **arguments)
        self.refused("permission_denied", rf"commands\[1\] \({method}\): .*{text}", client, "world.apply", world=self.world,
                     commands=[["data.get", {}], [method, arguments]])
        self.assertEqual(self.hash(), before)


class Bounds(Players):
    def test_world_without_bounds_is_as_ever(self):
        self.create(None)
        self.assertNotIn("players", self.admin.call("world.info", world=self.world))
        ada = self.session("ada")
        body = ada.call("body.spawn", world=self.world, shapes=[HUGE], mass=1e5)["body"]
        ada.call("body.set", world=self.world, body=body, position=[1e5, 0], velocity=[3000, 0])

    def test_info_and_list_tell_them(self):
        self.create({**PLAYERS, "methods": PUSHES})
        told = self.session("ada").call("world.info", world=self.world)["players"]
        self.assertEqual({**told, "methods": sorted(told["methods"])}, {**PLAYERS, "methods": sorted(PUSHES)})
        listed = {row["world"]: row for row in self.admin.call("world.list")}
        self.assertEqual(listed[self.world]["players"]["mass"], 10.0)

    def test_each_command_is_bounded(self):
        self.create()
        ada = self.session("ada")
        body = ada.call("body.spawn", world=self.world, shapes=[BALL], mass=2)["body"]
        shape = ada.call("body.get", world=self.world, body=body)["shapes"][0]["shape"]
        for text, method, arguments in (
            (r"type: .*static.*players.types", "body.spawn", {"type": "static", "shapes": [BALL]}),
            (r"shapes: .*players.mass", "body.spawn", {"shapes": [{**BALL, "density": 100}]}),
            (r"mass: 100000 kg .*at most 10", "body.spawn", {"shapes": [BALL], "mass": 1e5}),
            (r"shapes: 200 m .*at most 4", "body.spawn", {"shapes": [HUGE], "mass": 1}),
            (r"velocity: 21 m/s", "body.spawn", {"shapes": [BALL], "velocity": [0, 21]}),
            (r"position: .*players.area", "body.spawn", {"shapes": [BALL], "position": [50, 0]}),
            (r"position: .*players.area", "body.set", {"body": body, "position": [500, 0]}),
            (r"velocity: .*players.speed", "body.set", {"body": body, "velocity": [30, 0]}),
            (r"angular_velocity: .*players.speed", "body.set", {"body": body, "angular_velocity": 60}),
            (r"mass: .*players.mass", "body.set", {"body": body, "mass": 1e5}),
            (r"type: .*players.types", "body.set", {"body": body, "type": "kinematic"}),
            (r"impulse: 11 N s", "body.impulse", {"body": body, "impulse": [11, 0]}),
            (r"impulse: .*players.impulse", "body.impulse", {"body": body, "impulse": [0, 1], "point": [40, 0]}),
            (r"impulse: .*players.impulse", "body.angular_impulse", {"body": body, "impulse": -11}),
            (r"force: 101 N", "body.force", {"body": body, "force": [0, -101]}),
            (r"point: .*players.torque", "body.force", {"body": body, "force": [0, 99], "point": [40, 0]}),
            (r"torque: 51 N m", "body.torque", {"body": body, "torque": 51}),
            (r"shape: .*players.size", "shape.add",
             {"body": body, "shape": {"kind": "box", "size": [5, 0.1], "density": 0}}),
            (r"tangent_speed: .*players.speed", "shape.set", {"shape": shape, "tangent_speed": 21}),
            (r"max_force: must be given", "joint.create", {"kind": "mouse", "b": body, "target": [0, 0]}),
        ):
            with self.subTest(method=method, text=text):
                self.denied(ada, text, method, **arguments)
        for method, arguments in (
            ("body.set", {"body": body, "position": [49.5, -49.5], "velocity": [0, 0], "mass": 10}),
            ("body.impulse", {"body": body, "impulse": [0, 10]}), ("body.force", {"body": body, "force": [100, 0]}),
            ("body.torque", {"body": body, "torque": -50}),
            ("body.spawn", {"shapes": [{"kind": "box", "size": [4, 1]}], "velocity": [0, 20], "position": [-48, 0]}),
        ):
            ada.call(method, world=self.world, **arguments)

    def test_other_roles_are_not_bounded(self):
        self.create({**PLAYERS, "methods": []})
        for subject, role in ("ref", "referee"), ("root", "admin"):
            self.session(subject, role).call("body.spawn", world=self.world, shapes=[HUGE], type="static", mass=1e5)
        self.session("eve", "viewer").call("world.state", world=self.world)
        self.refused("permission_denied", "players.methods", self.session("ada"), "world.state", world=self.world)

    def test_impulses_of_one_tick_add_up_and_the_next_begins_anew(self):
        self.create({"impulse": 10})
        ada, bob = self.session("ada"), self.session("bob")
        own = ada.call("body.spawn", world=self.world, shapes=[BALL])["body"]
        bobs = bob.call("body.spawn", world=self.world, shapes=[BALL], position=[9, 0])["body"]
        push = {"world": self.world, "body": own}
        again = self.session("ada")  # sessions of one subject share the sum
        ada.call("body.impulse", impulse=[6, 0], **push)
        self.refused("permission_denied", "impulse: 11 N s in a tick", again, "body.impulse", impulse=[-5, 0], **push)
        again.call("body.impulse", impulse=[0, 4], **push)
        bob.call("body.impulse", world=self.world, body=bobs, impulse=[10, 0])
        self.admin.call("world.step", world=self.world)
        ada.call("body.impulse", impulse=[10, 0], **push)

    def test_batch_that_is_refused_does_not_count(self):
        self.create({"impulse": 10})
        ada = self.session("ada")
        own = ada.call("body.spawn", world=self.world, shapes=[BALL])["body"]
        self.refused("permission_denied", r"commands\[1\]", ada, "world.apply", world=self.world, commands=[
            ["body.impulse", {"body": own, "impulse": [8, 0]}], ["body.impulse", {"body": own, "impulse": [8, 0]}]])
        self.refused("not_found", r"commands\[1\]", ada, "world.apply", world=self.world, commands=[
            ["body.impulse", {"body": own, "impulse": [8, 0]}], ["body.get", {"body": 999999}]])
        ada.call("body.impulse", world=self.world, body=own, impulse=[8, 0])

    def test_notification_is_checked_as_a_call_is(self):
        self.create({"impulse": 10})
        ada = self.session("ada")
        own = ada.call("body.spawn", world=self.world, shapes=[BALL])["body"]
        for impulse in 6, 6, 4:
            ada.notify("body.impulse", world=self.world, body=own, impulse=[impulse, 0])
        mass = ada.call("body.get", world=self.world, body=own)["mass"]
        speed = ada.call("body.get", world=self.world, body=own)["velocity"][0]
        self.assertAlmostEqual(speed * mass, 10, places=4)

    def test_timed_batch_is_checked_at_its_tick(self):
        self.create({"speed": 50})
        ada = self.session("ada")
        own = ada.call("body.spawn", world=self.world, shapes=[BALL])["body"]
        tick = self.admin.call("world.info", world=self.world)["tick"]
        waiting = ada.request("world.apply", world=self.world, at=tick + 2, commands=[["body.set", {"body": own, "velocity": [40, 0]}]])
        self.admin.call("world.step", world=self.world)
        self.admin.call("world.set", world=self.world, players={"speed": 30})
        self.admin.call("world.step", world=self.world)
        with self.assertRaisesRegex(RemoteError, r"permission_denied: commands\[0\] \(body.set\): velocity: 40 m/s"):
            ada.answer(waiting)

    def test_set_changes_and_ends_them(self):
        self.create()
        ada = self.session("ada")
        self.refused("permission_denied", "players.mass", ada, "body.spawn", world=self.world, shapes=[BALL], mass=11)
        before = self.hash()
        self.session("ref", "referee").call("world.set", world=self.world, players={"mass": 12})
        self.assertNotEqual(self.hash(), before)
        self.assertEqual(self.admin.call("world.info", world=self.world)["players"], {"mass": 12.0})
        ada.call("body.spawn", world=self.world, shapes=[HUGE], mass=11)
        self.refused("permission_denied", "role referee", ada, "world.set", world=self.world, players={})
        self.admin.call("world.set", world=self.world, players={})
        self.assertNotIn("players", self.admin.call("world.info", world=self.world))
        ada.call("body.spawn", world=self.world, shapes=[BALL], mass=1e5)

    def test_bad_bounds_are_refused_by_name(self):
        for players, text in (({"mas": 1}, "players: .*mas.*mass"), ({"mass": -1}, "players.mass"), ({"mass": float("nan")}, "players.mass"),
                              ({"speed": float("inf")}, "players.speed"), ({"bodies": 0.5}, "players.bodies"),
                              ({"methods": ["body.fly"]}, r"players.methods\[0\]"), ({"methods": "body.set"}, "players.methods"),
                              ({"area": [1, 0, 0, 0]}, "players.area"), ([1], "players")):
            with self.subTest(players=players):
                self.refused("invalid_argument", text, self.admin, "world.create", world="bad", players=players)

    def test_numbers_without_end_are_no_way_around(self):
        self.create()
        ada = self.session("ada")
        body = ada.call("body.spawn", world=self.world, shapes=[BALL])["body"]
        for value in float("nan"), float("inf"), -float("inf"):
            for method, name in ("body.impulse", "impulse"), ("body.force", "force"), ("body.set", "velocity"):
                self.refused("invalid_argument", name, ada, method, world=self.world, body=body, **{name: [value, 0]})

    def test_token_lowers_and_never_raises(self):
        self.create({"mass": 10, "bodies": 2})
        low, high = self.session("low", players={"mass": 1, "speed": 3}), self.session("high", players={"mass": 99, "bodies": 9})
        self.refused("permission_denied", "mass: 2 kg .*at most 1 ", low, "body.spawn", world=self.world, shapes=[BALL], mass=2)
        self.refused("permission_denied", "players.speed", low, "body.spawn", world=self.world, shapes=[BALL], velocity=[4, 0])
        self.refused("permission_denied", "mass: 11 kg .*at most 10 ", high, "body.spawn", world=self.world, shapes=[BALL], mass=11)
        for _ in range(2):
            high.call("body.spawn", world=self.world, shapes=[BALL], mass=10)
        self.refused("permission_denied", "bodies: 'high' would have 3", high, "body.spawn", world=self.world, shapes=[BALL])
        free = self.world + "-free"
        self.admin.call("world.create", world=free, paused=True)
        self.refused("permission_denied", "players.mass", low, "body.spawn", world=free, shapes=[BALL], mass=2)
        self.session("ref", "referee", players={"mass": 1}).call("body.spawn", world=free, shapes=[BALL], mass=2)

    def test_token_with_bad_bounds_is_refused(self):
        for players, text in ({"mas": 1}, "token: players"), ([], "token: players|token"), ({"methods": ["x"]}, r"players.methods\[0\]"):
            client = self.connect()
            token = SECRET.sign(claims("ada", "player", players=players))
            if players == []:
                client.call("hello", token=token)  # an empty array is an empty map, as in arguments
            else:
                self.refused("unauthenticated", text, client, "hello", token=token)

    def test_random_commands_bring_no_body_over_the_bounds(self):
        """A player's commands on its own bodies, without a step between them."""
        self.create()
        ada = self.session("ada")
        dice = random.Random(int(os.environ.get("CAROM_SEED", "1")))
        vector = lambda most: [dice.uniform(-most, most), dice.uniform(-most, most)]  # noqa: E731
        refused = 0
        for _ in range(400):
            own = [b["body"] for b in self.admin.call("world.state", world=self.world)["bodies"]]
            body = dice.choice(own) if own else 1
            method, arguments = dice.choice((
                ("body.spawn", {"shapes": [{"kind": "box", "size": [dice.uniform(0.1, 6), dice.uniform(0.1, 6)],
                                            "density": dice.uniform(0, 3)}], "position": vector(60), "velocity": vector(20),
                                "angular_velocity": dice.uniform(-9, 9)}),
                ("body.set", {"body": body, "position": vector(70)}), ("body.set", {"body": body, "velocity": vector(25)}),
                ("body.set", {"body": body, "mass": dice.uniform(0, 15)}), ("body.remove", {"body": body}),
                ("body.impulse", {"body": body, "impulse": vector(9), "point": vector(3)}),
                ("body.angular_impulse", {"body": body, "impulse": dice.uniform(-9, 9)}),
                ("shape.add", {"body": body, "shape": {"kind": "circle", "radius": dice.uniform(0.1, 2), "center": vector(2)}}),
            ))
            more = [[method, arguments]] if dice.random() < 0.5 else [[method, arguments], ["body.set", {"body": body, "velocity": vector(21)}]]
            try:
                ada.call("world.apply", world=self.world, commands=more)
            except RemoteError:
                refused += 1
            bodies = self.admin.call("world.state", world=self.world)["bodies"]
            self.assertLessEqual(len(bodies), PLAYERS["bodies"])
            for b in bodies:
                self.assertEqual(b["type"], "dynamic")
                self.assertLessEqual(b["mass"], 10 * (1 + 1e-5), b)
                self.assertLessEqual(sum(v * v for v in b["velocity"]) ** 0.5, 20 * (1 + 1e-5), b)
        self.assertTrue(20 < refused < 380, refused)


class Kept(Players):
    OPTIONS = []

    def test_kill_fork_image_and_resume_keep_them(self):
        folder = tempfile.mkdtemp(prefix="carom-players-data-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        usual = self.server
        self.server = Caromd(CAROMD, "--keys", self.keys, "--data", folder)
        self.admin = self.session("root", "admin")
        self.create({"mass": 5})
        low = self.session("low", players={"mass": 1})
        self.admin.call("world.set", world=self.world, players={"mass": 10, "methods": ["body.spawn", "body.get"]})
        low.call("body.spawn", world=self.world, shapes=[BALL], mass=1)
        before, told = self.hash(), self.admin.call("world.info", world=self.world)["players"]
        self.server.kill()
        self.server = Caromd(CAROMD, "--keys", self.keys, "--data", folder)
        self.addCleanup(setattr, self, "server", usual)
        self.addCleanup(self.server.__exit__)
        self.admin = self.session("root", "admin")
        self.admin.call("world.fork", world=self.world, **{"as": "fork"})
        image = self.admin.call("world.image", world=self.world)["image"]
        self.admin.call("world.create", world="image", image=image, paused=True)
        self.admin.call("world.create", world="other", image=image, paused=True, players={"mass": 2})
        ada = self.session("ada")
        for world in self.world, "fork", "image":
            info = self.admin.call("world.info", world=world)
            self.assertEqual((info["players"], info["hash"]), (told, before), world)
            self.refused("permission_denied", "players.mass", ada, "body.spawn", world=world, shapes=[BALL], mass=11)
            self.refused("permission_denied", "players.methods", ada, "world.state", world=world)
        self.refused("permission_denied", "at most 2 ", ada, "body.spawn", world="other", shapes=[BALL], mass=3)
        again = self.connect()  # the session has its token's bounds still
        again.call("hello", resume=low.hello["resume"])
        self.refused("permission_denied", "at most 1 ", again, "body.spawn", world=self.world, shapes=[BALL], mass=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
