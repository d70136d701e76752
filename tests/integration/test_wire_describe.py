#!/usr/bin/env python3
"""Descriptions over the wire: a client that knows only its snapshots draws the server's world. Called
with the path of caromd."""

import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from wire_case import BALL, ServerTest  # noqa: E402

BOX = {"kind": "box", "size": [1, 1]}
# Values that rows report, or that differ at each tick; everything else of a map must equal the
# server's.
MOTION = {"position", "angle", "velocity", "angular_velocity", "center", "awake"}
JOINT_MOTION = {"points", "state"}


class Picture:
    """The state that a client keeps, by the rules of PROTOCOL.md."""

    def __init__(self):
        self.rows, self.bodies, self.joints = {}, {}, {}
        self.complete, self.view, self.snapshots = False, None, 0

    def take(self, s):
        self.snapshots += 1
        if s["full"]:
            self.rows, self.bodies, self.joints = {}, {}, {}
        for row in s["bodies"]:
            self.rows[row[0]] = row[1:]
        self.bodies.update((b["body"], b) for b in s["spawned"])
        self.joints.update((j["joint"], j) for j in s["joints"])
        for gone in s["removed"] + s.get("leave", []):
            self.rows.pop(gone, None)
            self.bodies.pop(gone, None)
        for gone in s["joints_removed"]:
            self.joints.pop(gone, None)
        self.complete = "describing" not in s
        self.view = s.get("view", self.view)


class Describe(ServerTest):
    OPTIONS = ["--limit", "describe_bytes=65536"]

    def watch(self, **arguments):
        reader = self.connect()
        reader.call("world.subscribe", world=self.world, describe=True, **arguments)
        return reader, Picture()

    def catch_up(self, reader, picture):
        """Takes snapshots until the picture is of the world's present tick and complete."""
        now = self.call("world.info")

        def arrived():
            snapshots, reader.notifications = reader.snapshots(), []
            for s in snapshots:
                picture.take(s)
            return picture.complete and snapshots and snapshots[-1]["hash"] == now["hash"]
        reader.read_until(arrived)

    def still(self, maps, motion):
        return {i: {k: v for k, v in m.items() if k not in motion} for i, m in maps.items()}

    def assert_pictured(self, picture):
        state = self.call("world.state")
        bodies = {b["body"]: b for b in state["bodies"]}
        joints = {j["joint"]: j for j in state["joints"]}
        self.assertEqual(self.still(picture.bodies, MOTION), self.still(bodies, MOTION))
        self.assertEqual(self.still(picture.joints, JOINT_MOTION), self.still(joints, JOINT_MOTION))
        self.assertEqual(set(picture.rows), set(bodies))

    def test_random_changes_are_all_described(self):
        chance = random.Random(7)
        self.call("world.create", paused=True, gravity=[0, 0])
        reader, picture = self.watch()
        bodies, shapes, joints = [], [], []
        for _ in range(300):
            kind = chance.randrange(8)
            if kind < 2 or len(bodies) < 3:
                made = self.call("body.spawn", shapes=[BALL, BOX][:chance.randint(1, 2)],
                                 position=[chance.uniform(-50, 50), chance.uniform(-50, 50)])
                bodies.append(made["body"])
                shapes += [(made["body"], s) for s in made["shapes"]]
            elif kind == 2:
                self.call("body.set", body=chance.choice(bodies), tag=f"t{chance.randrange(100)}")
            elif kind == 3:
                self.call("body.set", body=chance.choice(bodies),
                          type=chance.choice(["static", "kinematic", "dynamic"]))
            elif kind == 4:
                body = chance.choice(bodies)
                shapes.append((body, self.call("shape.add", body=body, shape=BALL)["shape"]))
            elif kind == 5 and shapes:
                self.call("shape.remove", shape=shapes.pop(chance.randrange(len(shapes)))[1])
            elif kind == 6:
                a, b = chance.sample(bodies, 2)
                joints.append((a, b, self.call("joint.create", kind="weld", a=a, b=b)["joint"]))
            elif kind == 7:
                gone = bodies.pop(chance.randrange(len(bodies)))
                self.call("body.remove", body=gone)
                shapes = [(b, s) for b, s in shapes if b != gone]
                joints = [j for j in joints if gone not in j[:2]]
            if chance.random() < 0.3:
                self.call("world.step", ticks=chance.randint(1, 3))
        for a, b, joint in joints[::2]:
            self.call("joint.remove", joint=joint)
        self.catch_up(reader, picture)
        self.assert_pictured(picture)
        self.assertGreater(picture.snapshots, 5)

    def test_late_reader_has_the_same_picture(self):
        self.call("world.create", paused=True, scene="gallery")
        self.call("world.step", ticks=30)
        reader, picture = self.watch()
        self.catch_up(reader, picture)
        self.assert_pictured(picture)

    def test_broken_joint_is_told_as_removed(self):
        self.call("world.create", paused=True, gravity=[0, -10])
        post = self.call("body.spawn", type="static", shapes=[BOX])["body"]
        ball = self.call("body.spawn", position=[0, -2], shapes=[BALL])["body"]
        joint = self.call("joint.create", kind="distance", a=post, b=ball, break_force=1.0)["joint"]
        reader, picture = self.watch()
        self.catch_up(reader, picture)
        self.assertEqual(set(picture.joints), {joint})
        self.call("world.step", ticks=10)
        self.catch_up(reader, picture)
        self.assert_pictured(picture)
        self.assertEqual(picture.joints, {})

    def test_large_world_is_described_over_several_snapshots(self):
        self.call("world.create", paused=True, gravity=[0, 0])
        for part in range(2):
            self.call("world.apply", commands=[
                ["body.spawn", {"position": [2 * i, 4 * part], "shapes": [BALL]}] for i in range(500)])
        reader, picture = self.watch()
        self.catch_up(reader, picture)
        self.assert_pictured(picture)
        self.assertGreater(picture.snapshots, 3)

    def test_area_describes_what_comes_into_view(self):
        self.call("world.create", paused=True, gravity=[0, 0])
        near = self.call("body.spawn", shapes=[BALL])["body"]
        far = self.call("body.spawn", shapes=[BOX], position=[100, 0])["body"]
        reader, picture = self.watch(area=[-10, -10, 10, 10])
        self.catch_up(reader, picture)
        self.assertEqual(set(picture.bodies), {near})
        self.call("body.set", body=far, position=[5, 0])
        self.catch_up(reader, picture)
        self.assertEqual(set(picture.bodies), {near, far})
        self.assertEqual(picture.bodies[far]["shapes"][0]["kind"], "polygon")

    def test_view_of_the_scene_comes_first(self):
        self.call("world.create", paused=True, scene="demo")
        reader, picture = self.watch()
        self.catch_up(reader, picture)
        self.assertEqual(len(picture.view), 4)
        self.assertLess(picture.view[0], picture.view[2])

    def test_plain_subscription_is_as_before(self):
        self.call("world.create", paused=True, scene="demo")
        self.client.call("world.subscribe", world=self.world)
        self.client.read_until(self.client.snapshots)
        self.assertFalse({"spawned", "joints", "joints_removed", "view", "describing"}
                         & set(self.client.snapshots()[0]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
