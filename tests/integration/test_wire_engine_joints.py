#!/usr/bin/env python3
"""Every kind of joint over the wire: its limits, motors and springs, and when it breaks.
Called with the path of caromd."""

import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from engine_case import EngineTest, HZ  # noqa: E402
from wire_case import BALL  # noqa: E402


class Joints(EngineTest):
    """Each kind: what it holds, its limits, motor, spring, breaking; then joint.set, joint.get, joint.list and
    joint.remove. `a` hangs fixed at (0, 0), `b` is a ball of 1 kg at (2, 0), without gravity unless stated."""

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

    # kind, settings, velocity of b, seconds, condition (of the test, the joint's state, body b)
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
                self.refused("not_found", f"joint {joint}", self.client, "joint.get", world=self.world, joint=joint)
        self.assertEqual(["distance", "filter", "gear", "motor", "mouse", "prismatic", "pulley", "revolute", "weld",
                          "wheel"], sorted(kinds))

    LIMITS = [  # kind, settings, velocity of b, the part of the state and its limit
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

    MOTORS = [  # kind, settings, settings changed afterwards, resulting speed, of which part of b
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

    SPRINGS = [  # kind, settings: 1 Hz, undamped; the ball's place after half a second, as a share of the pull
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
                self.assertLess(speed(self.get(self.b)), -0.6)  # half a period: the ball returns
                self.step(0.5)
                self.assertGreater(speed(self.get(self.b)), 0.4)

    BREAKS = [  # kind, settings, an impulse
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
                self.refused("not_found", f"joint {joint}", self.client, "joint.get", world=self.world, joint=joint)

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
        self.call("joint.remove", joint=one)  # the gear is removed with it
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
        self.refused("invalid_argument", "length", self.client, "joint.set", world=self.world, joint=self.joint, length=3)

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
                self.refused(code, text, self.client, "joint.create", world=self.world, **arguments)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
