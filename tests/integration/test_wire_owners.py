#!/usr/bin/env python3
"""Ownership: the commands that players may use on their own bodies, alone and in world.apply, and that others may not.
Called with the path of caromd."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from keyed_case import CAROMD, SECRET, KeyedTest  # noqa: E402
from tokens import claims, write_keys  # noqa: E402
from wire import Client, RemoteError  # noqa: E402

BALL = {"kind": "circle", "radius": 0.5}


class OwnersTest(KeyedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.admin = cls.connect("root", "admin")

    @classmethod
    def tearDownClass(cls):
        cls.admin.socket.close()
        super().tearDownClass()

    @classmethod
    def connect(cls, subject, role="player"):
        return cls.greet(subject, role)

    def setUp(self):
        self.world = self.id().rsplit(".", 1)[1][:64]
        self.admin.call("world.create", world=self.world, gravity=[0, 0], paused=True)
        self.ada, self.bob = self.connect("ada"), self.connect("bob")
        self.places = 0

    def tearDown(self):
        for client in (self.ada, self.bob):
            client.socket.close()
        self.admin.call("world.destroy", world=self.world)

    def spawn(self, client, **more):
        self.places += 5
        return client.call("body.spawn", world=self.world, position=[self.places, 0], shapes=[BALL], **more)["body"]

    def owner(self, body):
        return self.admin.call("body.get", world=self.world, body=body).get("owner")

    def refused(self, text, client, method, /, **arguments):
        before = self.admin.call("world.info", world=self.world)["hash"]
        with self.assertRaises(RemoteError) as caught:
            client.call(method, world=self.world, **arguments)
        self.assertRegex(str(caught.exception), f"^permission_denied: .*{text}")
        self.assertEqual(self.admin.call("world.info", world=self.world)["hash"], before)

    def changes(self, body, shape, joint=None):
        """Every command by which a player changes this body, shape or joint."""
        yield from [
            ("body.set", {"body": body, "velocity": [1, 0]}), ("body.set", {"body": body, "owner": "bob"}),
            ("body.impulse", {"body": body, "impulse": [1, 0]}),
            ("body.angular_impulse", {"body": body, "impulse": 1}), ("body.force", {"body": body, "force": [1, 0]}),
            ("body.torque", {"body": body, "torque": 1}), ("shape.add", {"body": body, "shape": BALL}),
            ("shape.set", {"shape": shape, "friction": 0.1}), ("shape.remove", {"shape": shape}),
            ("joint.create", {"kind": "weld", "a": body, "b": self.mine, "anchor": [0, 0]}),
            ("joint.create", {"kind": "weld", "a": self.mine, "b": body, "anchor": [0, 0]}),
            ("joint.create", {"kind": "mouse", "b": body, "target": [0, 0]}),
            ("body.remove", {"body": body})]
        if joint is not None:
            yield from [("joint.set", {"joint": joint, "hertz": 2}), ("joint.remove", {"joint": joint})]


class Players(OwnersTest):
    def test_spawned_body_is_its_subjects(self):
        body = self.spawn(self.ada)
        self.assertEqual(self.owner(body), "ada")
        state = self.ada.call("world.state", world=self.world)["bodies"]
        self.assertEqual([b["owner"] for b in state], ["ada"])
        self.assertEqual(self.owner(self.spawn(self.admin)), "root")

    def test_described_body_bears_its_owner_and_a_new_one(self):
        body = self.spawn(self.ada)
        self.bob.call("world.subscribe", world=self.world, describe=True)
        told = self.bob.read_until(lambda: [b for s in self.bob.snapshots() for b in s.get("spawned", [])])
        self.assertEqual([(b["body"], b["owner"]) for b in told], [(body, "ada")])
        self.ada.call("body.set", world=self.world, body=body, owner="bob")
        self.bob.read_until(lambda: [b for s in self.bob.snapshots() for b in s.get("spawned", [])
                                     if b["owner"] == "bob"])

    def test_own_things_can_be_changed(self):
        self.mine = self.spawn(self.ada)
        made = self.ada.call("body.spawn", world=self.world, shapes=[BALL, BALL], position=[0, 50])
        body, shape = made["body"], made["shapes"][0]
        joint = self.ada.call("joint.create", world=self.world, kind="weld", a=self.mine, b=body, anchor=[0, 0])["joint"]
        for method, arguments in self.changes(body, shape, joint):
            if "owner" not in arguments and method != "body.remove":
                self.ada.call(method, world=self.world, **arguments)
        self.ada.call("body.remove", world=self.world, body=body)

    def test_things_of_another_cannot(self):
        for owner in (self.ada, self.admin):
            made = owner.call("body.spawn", world=self.world, shapes=[BALL], position=[0, 20])
            other = self.spawn(owner)
            joint = owner.call("joint.create", world=self.world, kind="weld", a=made["body"], b=other,
                               anchor=[0, 0])["joint"]
            self.mine = self.spawn(self.bob)
            for method, arguments in self.changes(made["body"], made["shapes"][0], joint):
                with self.subTest(method=method, arguments=arguments):
                    self.refused("is another's", self.bob, method, **arguments)

    def test_things_of_another_cannot_through_a_batch(self):
        made = self.ada.call("body.spawn", world=self.world, shapes=[BALL], position=[0, 20])
        other = self.spawn(self.ada)
        joint = self.ada.call("joint.create", world=self.world, kind="weld", a=made["body"], b=other,
                              anchor=[0, 0])["joint"]
        self.mine = self.spawn(self.bob)
        for method, arguments in self.changes(made["body"], made["shapes"][0], joint):
            with self.subTest(method=method, arguments=arguments):
                self.refused(rf"commands\[1\] \({method}\): body [0-9]+ is another's", self.bob, "world.apply",
                             commands=[["body.set", {"body": self.mine, "tag": "x"}], [method, arguments]])

    def test_batch_for_a_later_tick_is_held_to_it_then(self):
        body = self.spawn(self.ada)
        request = self.ada.request("world.apply", world=self.world, at=3,
                                   commands=[["body.set", {"body": body, "velocity": [9, 9]}]])
        self.ada.call("ping")
        self.admin.call("body.set", world=self.world, body=body, owner="bob")
        self.admin.call("world.step", world=self.world, ticks=5)
        with self.assertRaisesRegex(RemoteError, "^permission_denied: .*is another's"):
            self.ada.answer(request)
        self.assertEqual(self.admin.call("body.get", world=self.world, body=body)["velocity"], [0, 0])

    def test_notification_changes_nothing_either(self):
        body = self.spawn(self.ada)
        self.bob.notify("body.remove", world=self.world, body=body)
        self.bob.call("world.info", world=self.world)
        self.assertEqual(self.owner(body), "ada")

    def test_things_of_nobody_are_for_admins(self):
        body = self.spawn(self.admin, owner="")
        self.assertIsNone(self.owner(body))
        self.refused("is nobody's", self.ada, "body.remove", body=body)
        self.admin.call("body.remove", world=self.world, body=body)

    def test_what_is_not_there_is_not_found(self):
        for method, arguments in (("body.remove", {"body": 99}), ("shape.remove", {"shape": 99}),
                                  ("joint.remove", {"joint": 99}), ("body.set", {"body": 99, "owner": "ada"}),
                                  ("joint.create", {"kind": "weld", "a": 98, "b": 99, "anchor": [0, 0]})):
            with self.assertRaisesRegex(RemoteError, "^not_found"):
                self.ada.call(method, world=self.world, **arguments)


class Joints(OwnersTest):
    def weld(self, client, a, b):
        return client.call("joint.create", world=self.world, kind="weld", a=a, b=b, anchor=[0, 0])["joint"]

    def test_ground_of_nobody_can_be_fastened_to(self):
        ground = self.spawn(self.admin, owner="", type="static")
        body = self.spawn(self.ada)
        joint = self.weld(self.ada, ground, body)
        self.weld(self.ada, body, ground)
        self.ada.call("joint.set", world=self.world, joint=joint, hertz=3)
        self.refused("is another's", self.bob, "joint.remove", joint=joint)
        self.ada.call("joint.remove", world=self.world, joint=joint)

    def test_ground_alone_or_of_somebody_cannot(self):
        one, two = (self.spawn(self.admin, owner="", type="static") for _ in range(2))
        moving = self.spawn(self.admin, owner="")
        owned = self.spawn(self.admin, type="static")
        body = self.spawn(self.ada)
        for a, b in ((one, two), (body, moving), (moving, body), (body, owned)):
            self.refused("is (another|nobody)'s", self.ada, "joint.create", kind="weld", a=a, b=b, anchor=[0, 0])

    def test_gear_over_joints_of_another_cannot(self):
        ground = self.spawn(self.admin, owner="", type="static")

        def hinge(client):
            body = self.spawn(client)
            return client.call("joint.create", world=self.world, kind="revolute", a=ground, b=body,
                               anchor=[0, 0])["joint"]
        mine, also_mine, theirs = hinge(self.ada), hinge(self.ada), hinge(self.bob)
        self.refused("is another's", self.ada, "joint.create", kind="gear", joint_a=mine, joint_b=theirs, ratio=2)
        gear = self.ada.call("joint.create", world=self.world, kind="gear", joint_a=mine, joint_b=also_mine,
                             ratio=2)["joint"]
        self.refused("is (another|nobody)'s", self.bob, "joint.set", joint=gear, break_force=3)
        self.refused("is (another|nobody)'s", self.bob, "joint.remove", joint=gear)
        self.ada.call("joint.set", world=self.world, joint=gear, break_force=3)

    def test_gears_upon_gears_of_a_batch_cost_no_more_than_they_are(self):
        body = self.spawn(self.ada)
        commands = [["joint.create", {"kind": "weld", "a": body, "b": body, "anchor": [0, 0]}]]
        commands += [["joint.create", {"kind": "gear", "joint_a": {"$": i}, "joint_b": {"$": i}}] for i in range(900)]
        with self.assertRaises(RemoteError):
            self.ada.call("world.apply", world=self.world, commands=commands)


class HandingOver(OwnersTest):
    def test_owner_and_admin_hand_over(self):
        body = self.spawn(self.ada)
        self.refused("is another's", self.bob, "body.set", body=body, owner="bob")
        self.ada.call("body.set", world=self.world, body=body, owner="bob")
        self.assertEqual(self.owner(body), "bob")
        self.refused("is another's", self.ada, "body.remove", body=body)
        self.admin.call("body.set", world=self.world, body=body, owner="ada", tag="back")
        self.ada.call("body.remove", world=self.world, body=body)

    def test_player_does_not_make_things_nobodys_or_others(self):
        body = self.spawn(self.ada)
        self.refused("only a referee or an admin", self.ada, "body.set", body=body, owner="")
        self.refused("only a referee or an admin", self.ada, "body.spawn", shapes=[], owner="bob")
        self.refused("only a referee or an admin", self.ada, "body.spawn", shapes=[], owner="")
        self.assertEqual(self.owner(self.spawn(self.ada, owner="ada")), "ada")
        self.assertEqual(self.owner(self.spawn(self.admin, owner="bob")), "bob")

    def test_body_handed_over_within_a_batch_is_gone_for_the_rest_of_it(self):
        body = self.spawn(self.ada)
        self.refused(r"commands\[1\]", self.ada, "world.apply", commands=[
            ["body.set", {"body": body, "owner": "bob"}], ["body.remove", {"body": body}]])
        self.refused(r"commands\[2\].*not this session's any more", self.ada, "world.apply", commands=[
            ["body.spawn", {"shapes": [BALL]}], ["body.set", {"body": {"$": 0}, "owner": "bob"}],
            ["body.impulse", {"body": {"$": 0}, "impulse": [1, 1]}]])

    def test_batch_works_on_what_it_makes(self):
        results = self.ada.call("world.apply", world=self.world, commands=[
            ["body.spawn", {"shapes": [BALL]}], ["body.spawn", {"position": [9, 9], "shapes": [BALL]}],
            ["shape.add", {"body": {"$": 0}, "shape": BALL}], ["shape.set", {"shape": {"$": 2}, "friction": 0}],
            ["joint.create", {"kind": "weld", "a": {"$": 0}, "b": {"$": 1}, "anchor": [0, 0]}],
            ["joint.set", {"joint": {"$": 4}, "hertz": 1}], ["joint.remove", {"joint": {"$": 4}}],
            ["shape.remove", {"shape": {"$": 2}}], ["body.set", {"body": {"$": 1}, "owner": "bob"}]])["results"]
        self.assertEqual((self.owner(results[0]["body"]), self.owner(results[1]["body"])), ("ada", "bob"))

    def test_owner_that_left_still_owns(self):
        body = self.spawn(self.ada)
        self.ada.call("goodbye")
        self.ada.socket.close()
        self.refused("is another's", self.bob, "body.remove", body=body)
        self.ada = self.connect("ada")
        self.ada.call("body.remove", world=self.world, body=body)

    def test_slot_of_a_removed_body_has_no_owner_left(self):
        body = self.spawn(self.ada)
        self.ada.call("body.remove", world=self.world, body=body)
        heir = self.spawn(self.bob)
        self.assertEqual(heir % 2**24, body % 2**24)
        self.refused("is another's", self.ada, "body.remove", body=heir)
        self.assertEqual(self.owner(heir), "bob")


class Durable(unittest.TestCase):
    """Owners in the log and in the image of a world that a restart restores."""

    def serve(self, folder, keys):
        server = Caromd(CAROMD, "--keys", keys, "--data", os.path.join(folder, "data"))
        admin, ada, bob = (Client(server.port) for _ in range(3))
        admin.call("hello", token=SECRET.sign(claims("root", "admin")))
        ada.call("hello", token=SECRET.sign(claims("ada", "player")))
        bob.call("hello", token=SECRET.sign(claims("bob", "player")))
        return server, admin, ada, bob

    def check(self, admin, bob, owners):
        found = {b["body"]: b.get("owner") for b in admin.call("world.state", world="w")["bodies"]}
        self.assertEqual(found, owners)
        for body, owner in owners.items():
            if owner != "bob":
                with self.assertRaisesRegex(RemoteError, "^permission_denied"):
                    bob.call("body.remove", world="w", body=body)

    def test_restart_knows_whose_things_are(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = os.path.join(folder, "keys.json")
            write_keys(keys, SECRET)
            server, admin, ada, bob = self.serve(folder, keys)
            admin.call("world.create", world="w", gravity=[0, 0])
            one = ada.call("body.spawn", world="w", shapes=[BALL])["body"]
            two = ada.call("world.apply", world="w", commands=[
                ["body.spawn", {"position": [5, 0], "shapes": [BALL]}]])["results"][0]["body"]
            ground = admin.call("body.spawn", world="w", shapes=[], type="static", owner="")["body"]
            ada.call("body.set", world="w", body=two, owner="bob")
            owners = {one: "ada", two: "bob", ground: None}
            self.check(admin, bob, owners)
            for end in ("kill", "terminate", "terminate"):
                getattr(server.process, end)()
                server.process.wait()
                for client in (admin, ada, bob):
                    client.socket.close()
                server.reader.join()
                server.process.stderr.close()
                server, admin, ada, bob = self.serve(folder, keys)
                self.check(admin, bob, owners)
            ada.call("body.remove", world="w", body=one)
            for client in (admin, ada, bob):
                client.socket.close()
            server.__exit__()


class Shares(OwnersTest):
    """The share of one player in a world with others."""

    def too_much(self, text, client, method, /, **arguments):
        with self.assertRaises(RemoteError) as caught:
            client.call(method, **arguments)
        self.assertRegex(str(caught.exception), f"^limit_exceeded: {text}")

    def test_one_player_leaves_bodies_for_others_and_admins_take_all(self):
        self.admin.call("world.create", world="shared", max_bodies=40, gravity=[0, 0], paused=True)
        self.addCleanup(self.admin.call, "world.destroy", world="shared")
        ball = {"world": "shared", "shapes": [BALL]}
        for i in range(20):
            body = self.ada.call("body.spawn", position=[2 * i, 0], **ball)["body"]
        self.too_much("owner_share: this subject has 20 bodies, and 1 would be added; at most 20", self.ada, "body.spawn", **ball)
        for i in range(10):
            self.bob.call("body.spawn", position=[2 * i, 5], **ball)
        self.too_much("owner_share: ", self.bob, "body.spawn", **ball)
        self.too_much("owner_share: 1 body would become another's", self.ada, "body.set", world="shared", body=body, owner="eve")
        self.ada.call("body.remove", world="shared", body=body)
        self.too_much("owner_share: ", self.ada, "body.spawn", **ball)  # bob now has a part of the world
        for i in range(11):
            self.admin.call("body.spawn", position=[2 * i, 10], **ball)
        self.too_much("max_bodies|.*40", self.admin, "body.spawn", **ball)

    def test_one_player_does_not_crowd_a_world(self):
        heap = [["body.spawn", {"shapes": [BALL], "position": [0, i / 1000]}] for i in range(150)]  # 11 175 pairs
        self.ada.call("world.apply", world=self.world, commands=heap)
        self.too_much("pairs_per_owner: shapes of this subject make 11175 pairs that overlap, and more than 16384 would be "
                      "added; at most 16384",
                      self.ada, "world.apply", world=self.world, commands=heap)
        self.bob.call("world.apply", world=self.world, commands=heap[:20])
        self.spawn(self.ada)


class WithoutKeys(unittest.TestCase):
    def test_nothing_has_an_owner_unless_it_is_named(self):
        with Caromd(CAROMD) as server, Client(server.port) as client:
            client.call("world.create", world="w")
            for owner in ({}, {"owner": ""}):
                body = client.call("body.spawn", world="w", shapes=[BALL], **owner)["body"]
                self.assertNotIn("owner", client.call("body.get", world="w", body=body))
            client.call("body.set", world="w", body=body, owner="ada")
            self.assertEqual(client.call("body.get", world="w", body=body)["owner"], "ada")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
