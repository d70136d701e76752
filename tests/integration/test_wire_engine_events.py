#!/usr/bin/env python3
"""Every kind of event over the wire: when it is reported, and with which values. Called with the path of caromd."""

import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from engine_case import EngineTest, GRAVITY, HZ, PI  # noqa: E402
from wire_case import BALL  # noqa: E402

EVERY_EVENT = ["begin", "stay", "end", "hit", "sensor_begin", "sensor_end", "sleep", "wake", "spawn", "remove",
               "joint_break", "freeze"]


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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
