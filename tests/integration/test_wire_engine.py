#!/usr/bin/env python3
"""All that the engine can do, asked for over the wire: every kind of shape, option of a body, kind of joint,
event and query, each with what must come of it. Called with the path of caromd.

Worlds are paused and stepped, so that nothing here depends on the clock."""

import math
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interop"))
from caromd import Caromd  # noqa: E402
from wire import Client, RemoteError  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
GRAVITY = 10.0
HZ = 60
FLOOR = {"kind": "box", "size": [200, 1], "center": [0, -0.5]}
BALL = {"kind": "circle", "radius": 0.5}
EVERY_EVENT = ["begin", "stay", "end", "hit", "sensor_begin", "sensor_end", "sleep", "wake", "spawn", "remove",
               "joint_break", "freeze"]
PI = math.pi


class EngineTest(unittest.TestCase):
    """A paused world of its own for each test, seen by a connection of its own."""

    @classmethod
    def setUpClass(cls):
        cls.server = Caromd(CAROMD)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def setUp(self):
        self.client = Client(self.server.port)
        self.addCleanup(self.client.__exit__)
        self.begin()

    def begin(self, **settings):
        """A new world in the place of the last."""
        self.world = f"{self.id().rsplit('.', 1)[1][:50]}.{self.client.last_id}"
        self.client.call("world.create", world=self.world, paused=True, gravity=[0, -GRAVITY], **settings)

    def call(self, method, /, **arguments):
        return self.client.call(method, world=self.world, **arguments)

    def refused(self, code, text, method, /, **arguments):
        with self.assertRaises(RemoteError) as caught:
            self.call(method, **arguments)
        self.assertRegex(str(caught.exception), f"^{code}: .*{text}")

    def spawn(self, *shapes, **options):
        return self.call("body.spawn", shapes=list(shapes), **options)["body"]

    def floor(self, **matter):
        return self.spawn({**FLOOR, **matter}, type="static")

    def get(self, body):
        return self.call("body.get", body=body)

    def step(self, seconds):
        return self.call("world.step", ticks=max(1, round(seconds * HZ)))["tick"]

    def near(self, expected, value, delta=0.01, told=None):
        if isinstance(expected, (list, tuple)):
            for e, v in zip(expected, value, strict=True):
                self.assertAlmostEqual(e, v, delta=delta, msg=told)
        else:
            self.assertAlmostEqual(expected, value, delta=delta, msg=told)


class Shapes(EngineTest):
    # name: shapes of one body, its area [m2], how high its origin comes to rest over the floor
    SOLID = {
        "circle": ([{"kind": "circle", "radius": 0.5}], PI / 4, 0.5),
        "circle off its centre": ([{"kind": "circle", "radius": 0.5, "center": [0, 0.25]}], PI / 4, 0.25),
        "capsule": ([{"kind": "capsule", "a": [-0.5, 0], "b": [0.5, 0], "radius": 0.25}], 0.5 + PI / 16, 0.25),
        "box": ([{"kind": "box", "size": [1, 0.5]}], 0.5, 0.25),
        "box, turned and moved": ([{"kind": "box", "size": [0.5, 1], "angle": PI / 2, "center": [0, -0.1]}], 0.5, 0.35),
        "box, rounded": ([{"kind": "box", "size": [1, 0.5], "radius": 0.1}], 0.5 + 0.3 + PI / 100, 0.35),
        "polygon": ([{"kind": "polygon", "vertices": [[-0.5, -0.3], [0.5, -0.3], [0, 0.6]]}], 0.45, 0.3),
        "polygon, rounded": ([{"kind": "polygon", "radius": 0.1, "vertices": [[0.4, 0.4], [-0.4, 0.4], [-0.4, -0.4],
                                                                              [0.4, -0.4]]}],
                             0.64 + 0.32 + PI / 100, 0.5),
        "polygon of 8": ([{"kind": "polygon", "vertices": [[math.cos((i + 0.5) * PI / 4), math.sin((i + 0.5) * PI / 4)]
                                                           for i in range(8)]}],
                         2 * math.sqrt(2), math.cos(PI / 8)),
        "several on a body": ([{"kind": "circle", "radius": 0.3, "center": [-0.5, 0]},
                               {"kind": "circle", "radius": 0.3, "center": [0.5, 0]},
                               {"kind": "box", "size": [1, 0.1]}], 2 * 0.09 * PI + 0.1, 0.3),
        "segment with a weight": ([{"kind": "segment", "a": [-1, -0.2], "b": [1, -0.2]},
                                   {"kind": "box", "size": [1, 0.4]}], 0.4, 0.2),
    }
    # Ground without area: its shape, and where a ball of radius 0.5 that falls at x = 0 comes to rest.
    GROUND = {
        "segment": ({"kind": "segment", "a": [-5, 1], "b": [5, 1]}, 1.5),
        "chain": ({"kind": "chain", "vertices": [[5, 3], [4, 1], [1, 1], [-1, 1], [-4, 1], [-5, 3]]}, 1.5),
        "loop": ({"kind": "chain", "loop": True, "vertices": [[5, -1], [5, 1], [-5, 1], [-5, -1]]}, 1.5),
        "sides of a loop": ({"kind": "chain", "loop": True, "vertices": [[0.3, 0], [0, 2], [-0.3, 0]]}, None),
    }

    def test_solid_kinds_weigh_and_rest_as_they_should(self):
        for name, (shapes, area, height) in self.SOLID.items():
            with self.subTest(name):
                self.begin()
                self.floor()
                body = self.spawn(*[{**shape, "density": 2} for shape in shapes], position=[0, height + 0.05])
                told = self.get(body)
                self.near(2 * area, told["mass"], 1e-3)
                self.assertEqual(len(shapes), len(told["shapes"]))
                self.step(3)
                self.near(height, self.get(body)["position"][1])
                self.assertFalse(self.get(body)["awake"])

    def test_ground_kinds_bear_a_ball(self):
        for name, (shape, height) in self.GROUND.items():
            with self.subTest(name):
                self.begin()
                ground = self.spawn(shape, type="static")
                self.assertEqual(shape["kind"], self.get(ground)["shapes"][0]["kind"])
                ball = self.spawn(BALL, position=[0.001, 4])
                self.step(3)
                y = self.get(ball)["position"][1]
                if height is None:
                    self.assertLess(y, -1)  # it rolled off the tip
                else:
                    self.near(height, y)

    def test_chain_is_open_from_behind(self):
        ground = self.spawn({"kind": "chain", "vertices": [[-5, 1], [-1, 1], [1, 1], [5, 1]]}, type="static")
        ball = self.spawn(BALL, position=[0, 3])
        self.step(2)
        self.assertLess(self.get(ball)["position"][1], 0)
        self.assertTrue(self.get(ground)["enabled"])

    def test_forms_come_back_as_they_were_given(self):
        for shape in ({"kind": "circle", "radius": 0.5, "center": [1, 2]},
                      {"kind": "capsule", "a": [-1, 0], "b": [1, 0.5], "radius": 0.25},
                      {"kind": "segment", "a": [-1, 0], "b": [1, 0.5]},
                      {"kind": "chain", "vertices": [[2, 0], [1, 0.5], [-1, 0]], "loop": False},
                      {"kind": "chain", "vertices": [[2, 0], [1, 3], [-1, 0]], "loop": True}):
            with self.subTest(shape["kind"]):
                matter = {"density": 2.0, "friction": 0.25, "restitution": 0.5, "rolling_resistance": 0.125,
                          "tangent_speed": 3.0, "filter": {"category": 4, "mask": -2, "group": -7},
                          "events": ["contact", "hit"]}
                told = self.get(self.spawn({**shape, **matter}))["shapes"][0]
                self.assertEqual({**shape, **matter}, {key: told[key] for key in {**shape, **matter}})
                self.assertFalse(told["sensor"])

    def test_shapes_come_and_go(self):
        body = self.spawn(BALL)
        added = self.call("shape.add", body=body, shape={"kind": "box", "size": [4, 1]})["shape"]
        self.near(4 + PI / 4, self.get(body)["mass"], 1e-3)
        self.call("shape.remove", shape=added)
        self.near(PI / 4, self.get(body)["mass"], 1e-3)
        self.refused("not_found", f"shape {added}", "shape.remove", shape=added)

    def test_wrong_shapes_are_refused_with_the_field(self):
        for shape, text in (({"kind": "circle", "radius": 0}, r"shapes\[0\].radius"),
                            ({"kind": "blob"}, r"shapes\[0\].kind"),
                            ({"kind": "polygon", "vertices": [[0, 0], [1, 0], [2, 0]]}, r"shapes\[0\].*vert"),
                            ({"kind": "box", "size": [1, -1]}, r"shapes\[0\].size"),
                            ({"kind": "chain", "vertices": [[0, 0], [1, 0]], "sensor": True}, "sensor"),
                            ({"kind": "circle", "radius": 1, "friction": math.nan}, r"shapes\[0\].friction: not a finite"),
                            ({"kind": "circle", "radius": 1, "colour": 1}, "colour")):
            with self.subTest(text):
                self.refused("invalid_argument", text, "body.spawn", shapes=[shape])


class Matter(EngineTest):
    """Density, friction, restitution and the like."""

    def slide(self, shape, seconds=1.0, speed=4.0, **floor):
        """How fast a body that slides or rolls over the floor still is."""
        self.begin()
        self.floor(**floor)
        body = self.spawn(shape, position=[0, 0.5], velocity=[speed, 0])
        self.step(seconds)
        return self.get(body)

    def test_friction_is_the_root_of_the_product(self):
        box = {"kind": "box", "size": [1, 1], "friction": 0.1}
        self.near(4 - 0.2 * GRAVITY, self.slide(box, friction=0.4)["velocity"][0], 0.05)
        self.near(4, self.slide({**box, "friction": 0}, friction=0.9)["velocity"][0], 0.01)

    def test_rolling_resistance_stops_a_ball(self):
        ball = {**BALL, "friction": 0}
        free = self.slide({**ball, "friction": 1}, 4)["velocity"][0]
        self.assertGreater(free, 2.5)
        self.assertLess(self.slide({**ball, "friction": 1, "rolling_resistance": 0.2}, 4)["velocity"][0], 0.1)

    def test_tangent_speed_carries(self):
        self.near(3, self.slide({"kind": "box", "size": [1, 1]}, 2, 0, tangent_speed=3)["velocity"][0], 0.05)

    def test_restitution_is_the_larger_and_has_a_threshold(self):
        for mine, floor, settings, height in ((0.5, 0.8, {}, 0.64), (0.8, 0, {}, 0.64), (0, 0, {}, 0),
                                              (0.8, 0, {"restitution_threshold": 9}, 0)):
            with self.subTest((mine, floor, settings)):
                self.begin(**settings)
                self.floor(restitution=floor)
                ball = self.spawn({**BALL, "restitution": mine}, position=[0, 2.5])
                self.step(0.7)  # it has fallen 2 m, in 0.632 s
                heights = []
                for _ in range(60):
                    self.step(1 / HZ)
                    heights.append(self.get(ball)["position"][1] - 0.5)
                self.near(2 * height, max(heights), 0.06)

    def test_filters_decide_who_meets(self):
        for name, ball, floor, meets in (
                ("as they are", {}, {}, True),
                ("mask without the floor's category", {"mask": -3}, {"category": 2}, False),
                ("floor's mask without the ball's", {"category": 1 << 63}, {"mask": 1}, False),
                ("high bits", {"category": 1 << 63}, {"mask": 1 << 63}, True),
                ("one negative group", {"group": -4}, {"group": -4}, False),
                ("two negative groups", {"group": -4}, {"group": -5}, True),
                ("a positive group", {"group": 4, "mask": 0}, {"group": 4, "mask": 0}, True)):
            with self.subTest(name):
                self.begin()
                self.floor(filter=floor)
                body = self.spawn({**BALL, "filter": ball}, position=[0, 1])
                self.step(1)
                self.assertEqual(meets, self.get(body)["position"][1] > 0)

    def test_sensor_collides_with_nothing(self):
        self.floor(sensor=True)
        ball = self.spawn(BALL, position=[0, 1])
        self.step(1)
        self.assertLess(self.get(ball)["position"][1], -3)


class Bodies(EngineTest):
    """Options of a body, each as body.spawn takes it and as body.set changes it: name, value, and what a second
    of falling, turning and drifting freely makes of it."""

    START = {"velocity": [2, 0], "angular_velocity": 2, "position": [0, 50]}
    OPTIONS = {
        "gravity_scale": (0.5, lambda t, b: t.near(-0.5 * GRAVITY, b["velocity"][1])),
        "linear_damping": (3, lambda t, b: t.assertLess(b["velocity"][0], 0.2)),
        "angular_damping": (3, lambda t, b: t.assertLess(b["angular_velocity"], 0.2)),
        "fixed_rotation": (True, lambda t, b: t.assertEqual((0, 0), (b["angular_velocity"], b["angle"]))),
        "mass": (7, lambda t, b: t.near(7, b["mass"], 1e-5)),
        "bullet": (True, lambda t, b: t.assertTrue(b["bullet"])),
        "allow_sleep": (False, lambda t, b: t.assertFalse(b["allow_sleep"])),
        "enabled": (False, lambda t, b: t.near([0, 50], b["position"], 1e-9)),
        "awake": (False, lambda t, b: t.near([0, 50], b["position"], 1e-9)),
        "tag": ("größer", lambda t, b: t.assertEqual("größer", b["tag"])),
        "type": ("static", lambda t, b: (t.near([0, 50], b["position"], 1e-9), t.assertEqual(0, b["mass"]))),
        "angle": (1, lambda t, b: t.near(3, b["angle"])),
        "position": ([5, 60], lambda t, b: t.near([7, 60 - GRAVITY / 2], b["position"], 0.1)),
        "velocity": ([-1, 3], lambda t, b: t.near([-1, 3 - GRAVITY], b["velocity"])),
        "angular_velocity": (-1, lambda t, b: t.near(-1, b["angle"])),
    }

    def test_options_hold_from_the_start(self):
        for name, (value, check) in self.OPTIONS.items():
            with self.subTest(name):
                self.begin()
                body = self.spawn(BALL, **{**self.START, name: value})
                self.step(1)
                check(self, self.get(body))

    def test_options_hold_once_they_are_set(self):
        for name, (value, check) in self.OPTIONS.items():
            with self.subTest(name):
                self.begin()
                body = self.spawn(BALL, **self.START)
                self.call("body.set", body=body, **{name: value})
                self.step(1)
                check(self, self.get(body))

    def test_plain_body_moves_as_the_others_are_compared_to(self):
        body = self.spawn(BALL, **self.START)
        self.step(1)
        told = self.get(body)
        self.near([2, 50 - GRAVITY / 2], told["position"], 0.1)
        self.near([2, -GRAVITY, 2], [*told["velocity"], told["angular_velocity"]], 1e-3)
        self.near(2, told["angle"], 1e-3)
        self.assertEqual((True, True, False), (told["awake"], told["enabled"], told["frozen"]))

    def test_type_changes_there_and_back(self):
        self.floor()
        body = self.spawn(BALL, position=[0, 2], velocity=[1, 0], type="kinematic")
        self.step(1)
        self.near([1, 2], self.get(body)["position"])
        self.call("body.set", body=body, type="dynamic")
        self.step(2)
        self.near(0.5, self.get(body)["position"][1])
        self.call("body.set", body=body, type="static", position=[9, 9])
        self.step(1)
        self.near([9, 9], self.get(body)["position"])

    def test_disabled_body_bears_nothing_until_it_is_enabled(self):
        floor = self.floor()
        ball = self.spawn(BALL, position=[0, 0.5])
        self.step(2)
        self.assertFalse(self.get(ball)["awake"])
        self.call("body.set", body=floor, enabled=False)
        self.step(1)
        self.assertLess(self.get(ball)["position"][1], -1)
        self.call("body.set", body=floor, enabled=True, position=[0, -100])
        self.step(5)
        self.near(-99.5, self.get(ball)["position"][1])

    def test_bullet_does_not_pass_through_what_moves(self):
        for bullet in (True, False):
            self.begin()
            plate = self.spawn({"kind": "box", "size": [0.02, 4]}, position=[10, 50], velocity=[0.1, 0], gravity_scale=0)
            shot = self.spawn({"kind": "circle", "radius": 0.05}, position=[0, 50], velocity=[400, 0], gravity_scale=0,
                              bullet=bullet)
            self.step(0.1)
            self.assertEqual(bullet, self.get(shot)["position"][0] < self.get(plate)["position"][0])

    def test_pushes_move_and_turn(self):
        mass = PI / 4
        for method, arguments, velocity, spin in (
                ("body.impulse", {"impulse": [mass, 0]}, [1, 0], 0),
                ("body.impulse", {"impulse": [mass, 0], "point": [0, 50.5]}, [1, 0], -4),
                ("body.angular_impulse", {"impulse": mass / 8}, [0, 0], 1),
                ("body.force", {"force": [0, 2 * mass]}, [0, 2], 0),
                ("body.torque", {"torque": mass / 8}, [0, 0], 1)):
            with self.subTest((method, *arguments)):
                body = self.spawn(BALL, position=[0, 50], gravity_scale=0)
                self.call(method, body=body, **arguments)
                self.step(1)
                told = self.get(body)
                self.near([*velocity, spin], [*told["velocity"], told["angular_velocity"]], 0.01)
                self.call("body.remove", body=body)
                self.refused("not_found", f"body {body}", "body.get", body=body)

    def test_world_can_be_changed_while_it_is(self):
        body = self.spawn(BALL, position=[0, 50])
        self.call("world.set", gravity=[3, 0])
        self.step(1)
        self.near([3, 0], self.get(body)["velocity"])


class Joints(EngineTest):
    """Each kind: what it holds, its limits, motor, spring, breaking; then joint.set, joint.get, joint.list and
    joint.remove. `a` hangs fixed at (0, 0), `b` is a ball of 1 kg at (2, 0), free of gravity unless it is said."""

    def pair(self, gravity=0, at=(2, 0), **b):
        self.begin()
        self.client.call("world.set", world=self.world, gravity=[0, -gravity])
        self.a = self.spawn({"kind": "box", "size": [1, 1]}, type="static")
        self.b = self.spawn(BALL, position=list(at), mass=1, **b)

    def join(self, kind, **settings):
        bodies = {"b": self.b} if kind == "mouse" else {"a": self.a, "b": self.b}
        self.joint = self.call("joint.create", kind=kind, **bodies, **settings)["joint"]
        return self.joint

    def state(self):
        return self.call("joint.get", joint=self.joint)["state"]

    def place(self):
        return self.get(self.b)["position"]

    # kind, settings, velocity of b, seconds, what must be (of the test, the joint's state, body b)
    HOLDS = [
        ("revolute", {"anchor": [0, 0]}, [0, 3], 2, lambda t, s, b: t.near(2, math.hypot(*b["position"]))),
        ("prismatic", {"axis": [1, 0]}, [3, 3], 1, lambda t, s, b: t.near([5, 0], b["position"], 0.05)),
        ("distance", {}, [3, 3], 2, lambda t, s, b: (t.near(2, s["length"]), t.near(2, math.hypot(*b["position"])))),
        ("weld", {}, [0, 3], 1, lambda t, s, b: (t.near([2, 0], b["position"]), t.near(0, b["angle"]))),
        ("wheel", {"axis": [0, 1]}, [3, 0], 1, lambda t, s, b: t.near(2, b["position"][0])),
        ("motor", {"target": [3, 1], "hertz": 4, "damping_ratio": 1, "max_force": 1000}, [0, 0], 2,
         lambda t, s, b: t.near([3, 1], b["position"], 0.05)),
        ("mouse", {"target": [4, 3], "hertz": 2, "damping_ratio": 1, "max_force": 1000, "anchor_b": [0, 0]}, [0, 0], 2,
         lambda t, s, b: t.near([4, 3], b["position"], 0.05)),
        ("filter", {}, [-3, 0], 1, lambda t, s, b: t.assertLess(b["position"][0], 0)),  # through a
        ("gear", {"ratio": 2}, [0, 0], 1, lambda t, s, b: t.near(0, b["angular_velocity"])),
        ("pulley", {"ground_a": [0, 5], "ground_b": [2, 5]}, [0, -3], 1,
         lambda t, s, b: (t.near([0, 0], b["position"][1:] + [0]), t.near([5, 5], [s["side_a"], s["side_b"]]))),
    ]

    def test_each_kind_holds_what_it_is_for(self):
        kinds = []
        for kind, settings, velocity, seconds, check in self.HOLDS:
            kinds.append(kind)
            with self.subTest(kind):
                self.pair(velocity=velocity)
                joint = self.join(kind, **settings)
                self.assertEqual([joint], [j["joint"] for j in self.call("joint.list")["joints"]])
                self.step(seconds)
                check(self, self.state(), self.get(self.b))
                self.call("joint.remove", joint=joint)
                self.assertEqual([], self.call("joint.list")["joints"])
                self.refused("not_found", f"joint {joint}", "joint.get", joint=joint)
        self.assertEqual(["distance", "filter", "gear", "motor", "mouse", "prismatic", "pulley", "revolute", "weld",
                          "wheel"], sorted(kinds))

    LIMITS = [  # kind, settings, velocity of b, which part of the state is at which limit
        ("revolute", {"anchor": [0, 0], "lower": -1, "upper": 0.5}, [0, 3], "angle", 0.5),
        ("revolute", {"anchor": [0, 0], "lower": -1, "upper": 0.5}, [0, -3], "angle", -1),
        ("prismatic", {"axis": [1, 0], "lower": -0.5, "upper": 1}, [4, 0], "translation", 1),
        ("prismatic", {"axis": [1, 0], "lower": -0.5, "upper": 1}, [-4, 0], "translation", -0.5),
        ("distance", {"upper": 2.5, "lower": 1.5, "hertz": 0.5, "length": 2}, [4, 0], "length", 2.5),  # a spring
        ("distance", {"upper": 3}, [4, 0], "length", 3),  # a rope
        ("wheel", {"axis": [0, 1], "lower": -0.5, "upper": 0.25, "hertz": 0}, [0, 3], "translation", 0.25),
    ]

    def test_limits_hold(self):
        for kind, settings, velocity, part, limit in self.LIMITS:
            with self.subTest((kind, part, limit)):
                self.pair(velocity=velocity)
                self.join(kind, **settings)
                furthest = []
                for _ in range(60):
                    self.step(1 / HZ)
                    furthest.append(self.state()[part])
                self.near(limit, max(furthest, key=lambda x: abs(x - (2 if part == "length" else 0))), 0.03)

    MOTORS = [  # kind, settings, the same set afterwards, speed that comes of it, of which part of b
        ("revolute", {"anchor": [2, 0], "motor_speed": 3, "max_torque": 100}, "angular_velocity", None),
        ("prismatic", {"axis": [1, 0], "motor_speed": 3, "max_force": 100}, "velocity", 0),
        ("distance", {"upper": 50, "lower": 0, "motor_speed": 3, "max_force": 100}, "velocity", 0),
        ("wheel", {"axis": [0, 1], "motor_speed": 3, "max_torque": 100}, "angular_velocity", None),
        ("motor", {"motor_speed": 3, "max_torque": 100}, "angular_velocity", None),
        ("motor", {"velocity": [3, 0], "max_force": 100}, "velocity", 0),
    ]

    def test_motors_drive_and_can_be_set(self):
        for kind, settings, part, index in self.MOTORS:
            with self.subTest((kind, part)):
                def speed():
                    self.step(1)
                    value = self.get(self.b)[part]
                    return value if index is None else value[index]
                self.pair()
                self.join(kind, **settings)
                self.near(3, speed(), 0.03)
                key = "velocity" if "velocity" in settings else "motor_speed"
                self.call("joint.set", joint=self.joint, **{key: [1, 0] if key == "velocity" else 1})
                self.near(1, speed(), 0.03)
                told = self.call("joint.get", joint=self.joint)
                self.assertEqual((kind, self.a, self.b), (told["kind"], told["a"], told["b"]))
                self.assertEqual([1, 0] if key == "velocity" else 1, told[key])

    SPRINGS = [  # kind, settings: 1 Hz, undamped; where the ball is after half a second, of what it was pulled to
        ("revolute", {"anchor": [2, 0], "hertz": 1}, {"angular_velocity": 1}, lambda b: b["angular_velocity"]),
        ("prismatic", {"axis": [1, 0], "hertz": 1}, {"velocity": [1, 0]}, lambda b: b["velocity"][0]),
        ("distance", {"hertz": 1}, {"velocity": [1, 0]}, lambda b: b["velocity"][0]),
        ("weld", {"hertz": 1}, {"velocity": [1, 0]}, lambda b: b["velocity"][0]),
        ("weld", {"angular_hertz": 1}, {"angular_velocity": 1}, lambda b: b["angular_velocity"]),
        ("wheel", {"axis": [0, 1], "hertz": 1, "damping_ratio": 0}, {"velocity": [0, 1]}, lambda b: b["velocity"][1]),
        ("mouse", {"target": [2, 0], "hertz": 1, "damping_ratio": 0, "max_force": 1000}, {"velocity": [1, 0]},
         lambda b: b["velocity"][0]),
        ("motor", {"target": [2, 0], "hertz": 1, "damping_ratio": 0, "max_force": 1000}, {"velocity": [1, 0]},
         lambda b: b["velocity"][0]),
    ]

    def test_springs_swing_at_their_frequency(self):
        for kind, settings, pull, speed in self.SPRINGS:
            with self.subTest((kind, *settings)):
                self.pair(**pull)
                self.join(kind, **settings)
                self.step(0.5)
                self.assertLess(speed(self.get(self.b)), -0.6)  # half a period: it comes back
                self.step(0.5)
                self.assertGreater(speed(self.get(self.b)), 0.4)

    BREAKS = [  # kind, settings, a blow
        ("revolute", {"anchor": [0, 0], "break_force": 20}, {"velocity": [0, 30]}),
        ("revolute", {"anchor": [2, 0], "lower": 0, "upper": 0, "break_torque": 1}, {"angular_velocity": 50}),
        ("prismatic", {"axis": [0, 1], "break_force": 20}, {"velocity": [30, 0]}),
        ("distance", {"break_force": 20}, {"velocity": [30, 0]}),
        ("weld", {"break_force": 20}, {"velocity": [30, 0]}),
        ("weld", {"break_torque": 1}, {"angular_velocity": 50}),
        ("wheel", {"axis": [0, 1], "break_force": 20}, {"velocity": [30, 0]}),
        ("motor", {"target": [90, 0], "hertz": 5, "max_force": 1000, "break_force": 20}, {}),
        ("mouse", {"target": [90, 0], "anchor_b": [0, 0], "hertz": 5, "max_force": 1000, "break_force": 20}, {}),
        ("gear", {"break_torque": 1}, {"angular_velocity": 50}),
        ("pulley", {"ground_a": [0, 5], "ground_b": [2, 5], "break_force": 20}, {"velocity": [0, -30]}),
    ]

    def test_joints_break_and_say_so(self):
        for kind, settings, blow in self.BREAKS:
            with self.subTest((kind, *settings)):
                self.pair(**blow)
                if kind == "pulley":
                    self.call("body.set", body=self.a, type="dynamic")
                subscription = self.call("world.subscribe", events=["joint_break"])["subscription"]
                joint = self.join(kind, **settings)
                self.step(0.2)
                event = self.client.read_until(lambda: next(
                    (e for s in self.client.snapshots() if s["subscription"] == subscription for e in s["events"]), None))
                self.assertEqual(("joint_break", joint, self.b), (event["kind"], event["joint"], event["b"]))
                self.refused("not_found", f"joint {joint}", "joint.get", joint=joint)

    def test_gear_couples_two_joints(self):
        self.pair()
        second = self.spawn(BALL, position=[5, 0])
        one = self.call("joint.create", kind="revolute", a=self.a, b=self.b, anchor=[2, 0])["joint"]
        two = self.call("joint.create", kind="prismatic", a=self.a, b=second, axis=[1, 0])["joint"]
        gear = self.call("joint.create", kind="gear", joint_a=one, joint_b=two, ratio=2)["joint"]
        self.call("body.angular_impulse", body=self.b, impulse=1)
        self.step(1)
        told = self.call("joint.get", joint=gear)
        self.near(0, told["state"]["side_a"] + 2 * told["state"]["side_b"], 0.01)
        self.assertGreater(abs(told["state"]["side_a"]), 0.1)
        self.assertEqual((one, two), (told["joint_a"], told["joint_b"]))
        self.call("joint.remove", joint=one)  # and the gear goes with it
        self.assertEqual([two], [j["joint"] for j in self.call("joint.list")["joints"]])

    def test_bodies_that_are_tied_collide_only_if_it_is_said(self):
        for collide in (False, True):
            self.pair(at=(2, 0.01), velocity=[-5, 0])
            self.join("distance", lower=0, upper=10, collide_connected=collide)
            self.step(1)
            self.assertEqual(collide, self.place()[0] > 0)

    def test_every_setting_that_can_be_set_is_told_by_get(self):
        for kind, settings in (
                ("revolute", {"lower": -1, "upper": 1, "motor_speed": 2, "max_torque": 3, "hertz": 4,
                              "damping_ratio": 0.5, "target_angle": 0.25, "break_force": 5, "break_torque": 6}),
                ("prismatic", {"lower": -1, "upper": 1, "motor_speed": 2, "max_force": 3, "hertz": 4,
                               "damping_ratio": 0.5, "target_translation": 0.25, "break_force": 5, "break_torque": 6}),
                ("distance", {"length": 2, "lower": 1, "upper": 3, "motor_speed": 2, "max_force": 3, "hertz": 4,
                              "damping_ratio": 0.5, "break_force": 5}),
                ("weld", {"hertz": 4, "damping_ratio": 0.5, "angular_hertz": 3, "angular_damping_ratio": 0.25,
                          "break_force": 5, "break_torque": 6}),
                ("wheel", {"lower": -1, "upper": 1, "motor_speed": 2, "max_torque": 3, "hertz": 4, "damping_ratio": 0.5,
                           "target_translation": 0.25, "break_force": 5, "break_torque": 6}),
                ("motor", {"motor_speed": 2, "max_force": 3, "max_torque": 4, "hertz": 4, "damping_ratio": 0.5,
                           "angular_hertz": 3, "angular_damping_ratio": 0.25, "target": [1, 2], "target_angle": 0.25,
                           "velocity": [1, 2], "break_force": 5, "break_torque": 6}),
                ("mouse", {"max_force": 3, "hertz": 4, "damping_ratio": 0.5, "target": [1, 2], "break_force": 5}),
                ("gear", {"break_force": 5, "break_torque": 6}),
                ("pulley", {"length": 20, "break_force": 5})):
            with self.subTest(kind):
                self.pair()
                needed = {"revolute": {"anchor": [0, 0]}, "prismatic": {"axis": [1, 0]}, "wheel": {"axis": [0, 1]}, "mouse": {"target": [0, 0]},
                          "pulley": {"ground_a": [0, 5], "ground_b": [2, 5]}}
                self.join(kind, **needed.get(kind, {}))
                self.call("joint.set", joint=self.joint, **settings)
                told = self.call("joint.get", joint=self.joint)
                for key, value in settings.items():
                    self.assertEqual(value, told[key], key)
        self.pair()
        self.join("filter")
        self.refused("invalid_argument", "length", "joint.set", joint=self.joint, length=3)

    def test_wrong_joints_are_refused_with_the_field(self):
        self.pair()
        for arguments, text in (({"kind": "rope", "a": self.a, "b": self.b}, "kind"),
                                ({"kind": "weld", "a": self.a, "b": self.a}, "a"),
                                ({"kind": "weld", "a": self.a}, "b"),
                                ({"kind": "weld", "a": self.a, "b": self.b, "length": 1}, "length"),
                                ({"kind": "revolute", "a": self.a, "b": self.b, "anchor": [0, 0], "lower": 1, "upper": 0},
                                 "lower|upper"),
                                ({"kind": "gear", "joint_a": 77, "joint_b": 78}, "joint_a")):
            with self.subTest(arguments["kind"]):
                code = "not_found" if arguments["kind"] == "gear" else "invalid_argument"
                self.refused(code, text, "joint.create", **arguments)


class Events(EngineTest):
    def listen(self, *kinds):
        self.subscription = self.call("world.subscribe", events=list(kinds or EVERY_EVENT))["subscription"]

    def events(self, kind, *bodies, where=lambda e: True):
        """Waits for the first event of the kind with these bodies, as a and b."""
        def found():
            return next((e for s in self.client.snapshots() if s["subscription"] == self.subscription
                         for e in s["events"]
                         if e["kind"] == kind and [e.get("a"), e.get("b")][:len(bodies)] == list(bodies) and where(e)),
                        None)
        return self.client.read_until(found)

    def test_contact_and_hit_tell_point_normal_speed_and_impulse(self):
        self.listen()
        floor = self.floor()
        ball = self.spawn({**BALL, "events": ["contact", "hit"]}, position=[0, 1.5])
        self.step(1)
        begin = self.events("begin", floor, ball)
        self.near([0, 0], begin["point"], 0.05)
        self.near([0, 1], begin["normal"], 1e-3)
        self.near(math.sqrt(2 * GRAVITY), begin["speed"], 0.3)
        self.near(PI / 4 * begin["speed"], begin["impulse"], 0.3)
        hit = self.events("hit", floor, ball)
        self.assertEqual((begin["tick"], begin["speed"]), (hit["tick"], hit["speed"]))
        stay = self.events("stay", floor, ball)
        self.near(PI / 4 * GRAVITY / HZ, self.events("stay", floor, ball, where=lambda e: e["tick"] > 50)["impulse"], 0.02)
        self.assertEqual(begin["tick"] + 1, stay["tick"])
        self.assertEqual((begin["shape_a"], begin["shape_b"]), (stay["shape_a"], stay["shape_b"]))
        self.call("body.set", body=ball, position=[0, 5])
        self.step(0.1)
        self.events("end", floor, ball)

    def test_hits_are_for_those_who_ask_and_above_the_threshold(self):
        for threshold, events, told in ((1, ["contact", "hit"], True), (9, ["contact", "hit"], False),
                                        (1, ["contact"], False), (1, [], False)):
            self.begin(hit_threshold=threshold)
            self.listen("hit", "begin")
            self.floor(events=[])
            ball = self.spawn({**BALL, "events": events}, position=[0, 1.5])
            self.step(1)
            last = self.call("world.info")["tick"]
            self.client.read_until(lambda: self.client.snapshots()[-1]["tick"] == last)
            kinds = [e["kind"] for s in self.client.snapshots() if s["world"] == self.world for e in s["events"]
                     if ball in (e["a"], e["b"])]
            self.assertEqual((told, "contact" in events), ("hit" in kinds, "begin" in kinds))

    def test_sensor_tells_who_comes_and_goes(self):
        self.listen()
        sensor = self.spawn({"kind": "box", "size": [2, 2], "sensor": True}, type="static")
        ball = self.spawn(BALL, position=[0, 4])
        self.step(2)
        begin, end = self.events("sensor_begin", sensor, ball), self.events("sensor_end", sensor, ball)
        self.assertLess(begin["tick"], end["tick"])

    def test_spawn_sleep_wake_and_remove(self):
        self.listen()
        self.floor()
        ball = self.spawn(BALL, position=[0, 0.5])
        self.step(2)
        self.events("spawn", ball)
        asleep = self.events("sleep", ball)
        self.call("body.impulse", body=ball, impulse=[0, 1])
        self.step(0.1)
        self.assertGreater(self.events("wake", ball)["tick"], asleep["tick"])
        self.call("body.remove", body=ball)
        self.step(0.1)
        self.events("remove", ball)

    def test_joint_break(self):
        self.listen()
        beam, ball = self.spawn(BALL, type="static"), self.spawn(BALL, position=[0, -2])
        joint = self.call("joint.create", kind="distance", a=beam, b=ball, break_force=1)["joint"]
        self.step(0.2)
        self.assertEqual(joint, self.events("joint_break", beam, ball)["joint"])

    def test_freeze_of_what_leaves_the_world_and_thaw(self):
        self.listen()
        ball = self.spawn(BALL, position=[999999, 0], velocity=[4000, 0])
        self.step(1)
        self.events("freeze", ball)
        told = self.get(ball)
        self.assertEqual((True, False), (told["frozen"], told["enabled"]))
        self.assertEqual(1, self.call("world.info")["frozen"])
        self.call("body.set", body=ball, enabled=True, position=[0, 0], velocity=[0, 0])
        self.step(1)
        told = self.get(ball)
        self.assertEqual((False, True), (told["frozen"], told["enabled"]))
        self.near(-GRAVITY, told["velocity"][1])

    def test_two_runs_tell_the_same_events_in_the_same_order(self):
        def run():
            self.begin()
            self.listen()
            self.floor()
            for i in range(10):
                self.spawn({"kind": "box", "size": [0.5, 0.5], "events": ["contact", "hit"]}, position=[0.2 * i, 1 + i])
            self.step(2)
            info = self.call("world.info")
            self.client.read_until(lambda: self.client.snapshots()[-1]["tick"] == info["tick"])
            return info["hash"], [e for s in self.client.snapshots() if s["world"] == self.world for e in s["events"]]
        first, second = run(), run()
        self.assertEqual(first, second)
        self.assertGreater(len(first[1]), 100)


class Queries(EngineTest):
    def setUp(self):
        super().setUp()
        """Three balls in a row, each of a category of its own, and a sensor behind them."""
        self.balls = [self.spawn({**BALL, "filter": {"category": 1 << i}}, type="static", position=[3 * i, 0])
                      for i in range(3)]
        self.sensor = self.spawn({"kind": "box", "size": [1, 1], "sensor": True}, type="static", position=[9, 0])

    def bodies(self, answer):
        return [hit["body"] if isinstance(hit, dict) else hit for hit in answer]

    def test_rays_and_casts(self):
        one, two, three = self.balls
        ray = {"from": [-10, 0], "to": [10, 0]}
        for options, wanted in (({}, [one]), ({"all": True}, [one, two, three]),
                                ({"all": True, "sensors": True}, [one, two, three, self.sensor]),
                                ({"ignore": one}, [two]), ({"filter": {"mask": 4}}, [three]),
                                ({"filter": {"mask": 6}, "all": True}, [two, three]),
                                ({"filter": {"mask": 8}}, [])):
            with self.subTest(options):
                self.assertEqual(wanted, self.bodies(self.call("query.ray", **ray, **options)))
                cast = self.call("query.cast", shape={"kind": "circle", "radius": 0.25}, **ray, **options)
                self.assertEqual(wanted, self.bodies(cast))
        hit = self.call("query.ray", **ray)[0]
        self.near([-0.5, 0, -1, 0, 0.475], [*hit["point"], *hit["normal"], hit["fraction"]], 1e-4)
        hit = self.call("query.cast", shape={"kind": "circle", "radius": 0.25}, **ray)[0]
        self.near([-0.5, 0, -1, 0, 9.25 / 20], [*hit["point"], *hit["normal"], hit["fraction"]], 1e-3)

    def test_casts_of_every_form(self):
        for shape, reach in (({"kind": "circle", "radius": 0.5}, 0.5), ({"kind": "box", "size": [1, 1]}, 0.5),
                             ({"kind": "box", "size": [1, 1], "radius": 0.1}, 0.6),
                             ({"kind": "polygon", "vertices": [[0.5, 0], [-0.5, 0.5], [-0.5, -0.5]]}, 0.5),
                             ({"kind": "capsule", "a": [-0.5, 0], "b": [0.5, 0], "radius": 0.2}, 0.7),
                             ({"kind": "segment", "a": [-0.5, 0], "b": [0.5, 0]}, 0.5)):
            with self.subTest(shape["kind"]):
                hit = self.call("query.cast", shape=shape, **{"from": [-10, 0], "to": [10, 0]})[0]
                self.near((9.5 - reach) / 20, hit["fraction"], 1e-3)
                self.assertEqual([self.balls[0]],
                                 self.call("query.overlap", shape={**shape, **self.moved(shape, -0.9)}))

    def moved(self, shape, x):
        """Forms with a place of their own: in a query without a path coordinates are the world's."""
        if "center" in shape or shape["kind"] in ("circle", "box"):
            return {"center": [x, 0]}
        return {key: [[v[0] + x, v[1]] for v in shape[key]] if key == "vertices" else [shape[key][0] + x, shape[key][1]]
                for key in ("vertices", "a", "b") if key in shape}

    def test_overlaps(self):
        one, two, three = self.balls
        for arguments, wanted in (({"area": [-1, -1, 4, 1]}, [one, two]), ({"point": [3.2, 0.2]}, [two]),
                                  ({"point": [1.5, 0]}, []), ({"point": [9, 0]}, []),
                                  ({"point": [9, 0], "sensors": True}, [self.sensor]),
                                  ({"shape": {"kind": "circle", "radius": 3, "center": [3, 0]}}, [one, two, three]),
                                  ({"area": [-1, -1, 9, 1], "filter": {"mask": 5}}, [one, three]),
                                  ({"area": [-1, -1, 9, 1], "ignore": two}, [one, three])):
            with self.subTest(arguments):
                self.assertEqual(wanted, sorted(self.call("query.overlap", **arguments)))

    def test_nearest(self):
        one, two, _ = self.balls
        near = self.call("query.nearest", point=[1, 0])
        self.assertEqual(one, near["body"])
        self.near([0.5, 0, 0.5], [*near["point"], near["distance"]], 1e-4)
        self.assertEqual(two, self.call("query.nearest", point=[1, 0], ignore=one)["body"])
        self.assertEqual(two, self.call("query.nearest", point=[1, 0], filter={"mask": 2})["body"])
        self.assertIsNone(self.call("query.nearest", point=[1, 0], radius=0.4))
        self.assertEqual(self.sensor, self.call("query.nearest", point=[9, 0], sensors=True)["body"])
        self.assertEqual(0, self.call("query.nearest", point=[0, 0.1])["distance"])  # inside

    def test_chain_answers_as_one_shape(self):
        chain = self.call("body.spawn", type="static", shapes=[
            {"kind": "chain", "vertices": [[5, 9], [2, 9], [-2, 9], [-5, 9]]}])
        for x in (-4, 0, 4):
            hit = self.call("query.ray", **{"from": [x, 12], "to": [x, 5]})[0]
            self.assertEqual((chain["body"], chain["shapes"][0]), (hit["body"], hit["shape"]))
            self.near([x, 9], hit["point"], 1e-5)

    def test_disabled_bodies_are_not_seen(self):
        self.call("body.set", body=self.balls[0], enabled=False)
        self.assertEqual([self.balls[1]], self.bodies(self.call("query.ray", **{"from": [-10, 0], "to": [10, 0]})))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
