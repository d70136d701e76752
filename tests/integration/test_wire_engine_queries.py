#!/usr/bin/env python3
"""Every query over the wire: rays, casts, overlaps and the nearest body. Called with the path of caromd."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from engine_case import EngineTest  # noqa: E402
from wire_case import BALL  # noqa: E402


class Queries(EngineTest):
    def setUp(self):
        """Three balls in a row, each of a category of its own, and a sensor behind them."""
        super().setUp()
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
        """Moves a form: in a query without a path, coordinates are the world's."""
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
