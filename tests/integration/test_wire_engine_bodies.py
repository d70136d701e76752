#!/usr/bin/env python3
"""Every option of a body over the wire, set at the start or later; how bodies are pushed and listed.
Called with the path of caromd."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from engine_case import EngineTest, GRAVITY, PI  # noqa: E402
from wire_case import BALL  # noqa: E402


class Bodies(EngineTest):
    """Options of a body, each as body.spawn takes it and as body.set changes it: name, value, and its effect
    after a second of free falling, turning and drifting."""

    START = {"velocity": [2, 0], "angular_velocity": 2, "position": [0, 50]}
    SETTINGS = {
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
        for name, (value, check) in self.SETTINGS.items():
            with self.subTest(name):
                self.begin()
                body = self.spawn(BALL, **{**self.START, name: value})
                self.step(1)
                check(self, self.get(body))

    def test_options_hold_once_they_are_set(self):
        for name, (value, check) in self.SETTINGS.items():
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
                self.refused("not_found", f"body {body}", self.client, "body.get", world=self.world, body=body)

    def test_world_can_be_changed_while_it_is(self):
        body = self.spawn(BALL, position=[0, 50])
        self.call("world.set", gravity=[3, 0])
        self.step(1)
        self.near([3, 0], self.get(body)["velocity"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
