#!/usr/bin/env python3
"""Every kind of shape over the wire; the effects of density, friction, restitution, filters and
sensors. Called with the path of caromd."""

import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from engine_case import EngineTest, GRAVITY, HZ, PI  # noqa: E402
from wire_case import BALL  # noqa: E402


class Shapes(EngineTest):
    # name: shapes of one body, its area [m2], the height of its origin at rest on the floor
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
    # Ground without area: its shape, and the place where a ball of radius 0.5 that falls at x = 0
    # comes to rest.
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
                    self.assertLess(y, -1)  # the ball rolled off the tip
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
                if shape["kind"] != "chain":
                    matter["one_way"] = [0.5, -2.0]
                told = self.get(self.spawn({**shape, **matter}))["shapes"][0]
                self.assertEqual({**shape, **matter}, {key: told[key] for key in {**shape, **matter}})
                self.assertFalse(told["sensor"])

    def test_shapes_come_and_go(self):
        body = self.spawn(BALL)
        added = self.call("shape.add", body=body, shape={"kind": "box", "size": [4, 1]})["shape"]
        self.near(4 + PI / 4, self.get(body)["mass"], 1e-3)
        self.call("shape.remove", shape=added)
        self.near(PI / 4, self.get(body)["mass"], 1e-3)
        self.refused("not_found", f"shape {added}", self.client, "shape.remove", world=self.world, shape=added)

    def test_wrong_shapes_are_refused_with_the_field(self):
        for shape, text in (({"kind": "circle", "radius": 0}, r"shapes\[0\].radius"),
                            ({"kind": "blob"}, r"shapes\[0\].kind"),
                            ({"kind": "polygon", "vertices": [[0, 0], [1, 0], [2, 0]]}, r"shapes\[0\].*vert"),
                            ({"kind": "box", "size": [1, -1]}, r"shapes\[0\].size"),
                            ({"kind": "chain", "vertices": [[0, 0], [1, 0]], "sensor": True}, "sensor"),
                            ({"kind": "chain", "vertices": [[0, 0], [1, 0]], "one_way": [0, 1]}, "one_way: a chain"),
                            ({"kind": "circle", "radius": 1, "one_way": [0, 1e-4]}, "one_way: must be"),
                            ({"kind": "circle", "radius": 1, "friction": math.nan}, r"shapes\[0\].friction: not a finite"),
                            ({"kind": "circle", "radius": 1, "colour": 1}, "colour")):
            with self.subTest(text):
                self.refused("invalid_argument", text, self.client, "body.spawn", world=self.world, shapes=[shape])


class Matter(EngineTest):
    """Density, friction, restitution and the like."""

    def slide(self, shape, seconds=1.0, speed=4.0, **floor):
        """The remaining speed of a body that slides or rolls over the floor."""
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

    def test_one_way_carries_from_above_until_it_is_set_otherwise(self):
        self.begin()
        platform = self.spawn({"kind": "box", "size": [10, 0.2], "one_way": [0, 1]}, type="static", position=[0, 3])
        self.floor()
        jumper = self.spawn(BALL, position=[0, 0.5], velocity=[0, 9])
        self.step(2)
        self.near(3.6, self.get(jumper)["position"][1], 0.02)
        shape = self.get(platform)["shapes"][0]
        self.assertEqual([0.0, 1.0], shape["one_way"])
        self.call("shape.set", shape=shape["shape"], one_way=[0, 0])
        self.assertNotIn("one_way", self.get(platform)["shapes"][0])
        self.call("shape.set", shape=shape["shape"], one_way=[0, -1])
        self.step(2)
        self.near(0.5, self.get(jumper)["position"][1], 0.02)

    def test_restitution_is_the_larger_and_has_a_threshold(self):
        for mine, floor, settings, height in ((0.5, 0.8, {}, 0.64), (0.8, 0, {}, 0.64), (0, 0, {}, 0),
                                              (0.8, 0, {"restitution_threshold": 9}, 0)):
            with self.subTest((mine, floor, settings)):
                self.begin(**settings)
                self.floor(restitution=floor)
                ball = self.spawn({**BALL, "restitution": mine}, position=[0, 2.5])
                self.step(0.7)  # it takes 0.632 s to fall 2 m
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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
