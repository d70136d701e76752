#!/usr/bin/env python3
"""Random worlds stay equal: a world, its fork, and one whose server is killed and restarted get the same random
commands, and have the same answers, hashes, images, events, snapshots and queries after each step. Called with the path
of caromd; `--seed N` draws other worlds, `--worlds N` more of them."""

import argparse
import random
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from wire import Client, RemoteError  # noqa: E402
from wire_case import CAROMD, WireTest  # noqa: E402

EVENTS = ["begin", "stay", "end", "hit", "sensor_begin", "sensor_end", "sleep", "wake", "spawn", "remove",
          "joint_break", "freeze"]
FLOOR = {"kind": "box", "size": [60, 1], "center": [0, -0.5]}
BODIES_MAX = 40
ROUNDS = 30
ARGUMENTS = argparse.ArgumentParser()
ARGUMENTS.add_argument("--seed", type=int, default=1000)
ARGUMENTS.add_argument("--worlds", type=int, default=2)


class Draws:
    """Commands drawn at random, on the objects that earlier answers made."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.bodies, self.shapes, self.joints = [], [], []

    def learn(self, method, result):
        if method == "body.spawn":
            self.bodies.append(result["body"])
            self.shapes += result["shapes"]
        elif method == "shape.add":
            self.shapes.append(result["shape"])
        elif method == "joint.create":
            self.joints.append(result["joint"])

    def number(self, most):
        """A number that is mostly small, and sometimes at its limits."""
        return self.chance.choice([self.chance.uniform(-3, 3), self.chance.uniform(-most, most), most, 0])

    def size(self, most=4.0):
        return self.chance.choice([self.chance.uniform(0.05, most), 0.0005 if most < 4 else 0.001, 1])

    def place(self, reach=12):
        return [self.chance.uniform(-reach, reach), self.chance.uniform(-1, reach)]

    def any_of(self, ids):
        return self.chance.choice(ids) if ids else 1

    def some(self, **choices):
        """A random selection of these arguments."""
        return {name: draw() for name, draw in choices.items() if self.chance.random() < 0.25}

    def flag(self):
        return self.chance.random() < 0.5

    def filter(self):
        return {"category": self.chance.choice([1, 2, -1]), "mask": self.chance.choice([-1, 1, 3, 0]),
                "group": self.chance.choice([0, 0, 1, -1])}

    def material(self):
        return self.some(
            density=lambda: self.chance.choice([0, 1, 30, 1e6]), friction=lambda: self.chance.uniform(0, 2),
            restitution=self.chance.random, rolling_resistance=self.chance.random,
            tangent_speed=lambda: self.number(4000), sensor=self.flag, filter=self.filter,
            events=lambda: self.chance.sample(["contact", "hit", "sensor"], self.chance.randint(0, 3)),
            one_way=lambda: self.chance.choice([[0, 1], [1, 0.5], [0, 0]]))

    def points(self, least, most):
        return [self.place(3) for _ in range(self.chance.randint(least, most))]

    def shape(self):
        form = self.chance.choice([
            {"kind": "circle", "radius": self.size(2)}, {"kind": "box", "size": [self.size(), self.size()]},
            {"kind": "box", "size": [1, 1], "angle": self.number(9), "radius": 0.1, "center": self.place(2)},
            {"kind": "polygon", "vertices": self.points(3, 8)},
            {"kind": "capsule", "a": self.place(2), "b": self.place(2), "radius": self.size(1)},
            {"kind": "segment", "a": self.place(4), "b": self.place(4)},
            {"kind": "chain", "vertices": self.points(3, 12), "loop": self.flag()}])
        matter = self.material()
        if form["kind"] == "chain":
            matter.pop("sensor", None)
            matter.pop("one_way", None)
        return {**form, **matter}

    def body(self):
        return self.some(
            position=self.place, angle=lambda: self.number(30), velocity=lambda: [self.number(40), self.number(40)],
            angular_velocity=lambda: self.number(4000), linear_damping=self.chance.random,
            angular_damping=self.chance.random, gravity_scale=lambda: self.number(9), fixed_rotation=self.flag,
            bullet=self.flag, allow_sleep=self.flag, awake=self.flag, enabled=lambda: self.chance.random() < 0.8,
            mass=lambda: self.chance.choice([0, 1, 1e-6, 1e12]), tag=lambda: self.chance.choice(["", "t", "é" * 20]),
            owner=lambda: self.chance.choice(["", "alice", "bob"]),
            type=lambda: self.chance.choice(["dynamic", "kinematic", "static"]))

    def tuning(self, kind):
        forces = {"max_force": lambda: abs(self.number(1e12)), "max_torque": lambda: abs(self.number(1e12)),
                  "hertz": lambda: self.chance.choice([0, 2, 60, 1000]),
                  "damping_ratio": lambda: self.chance.uniform(0, 3),
                  "lower": lambda: -self.size(), "upper": self.size, "motor_speed": lambda: self.number(4000),
                  "break_force": lambda: self.chance.choice([0, 50, 1e9]), "target": self.place, "length": self.size,
                  "break_torque": lambda: self.chance.choice([0, 50, 1e9]), "target_angle": lambda: self.number(1e6),
                  "target_translation": lambda: self.number(50), "angular_hertz": lambda: self.size(60)}
        known = {"revolute": "lower upper motor_speed max_torque hertz damping_ratio target_angle break_force "
                             "break_torque",
                 "prismatic": "lower upper motor_speed max_force hertz target_translation break_force",
                 "distance": "length motor_speed max_force hertz damping_ratio break_force",
                 "weld": "hertz damping_ratio angular_hertz break_force break_torque",
                 "wheel": "motor_speed max_torque hertz damping_ratio target_translation break_force",
                 "motor": "max_force max_torque hertz angular_hertz target target_angle break_force",
                 "mouse": "max_force hertz damping_ratio", "pulley": "length break_force"}.get(kind, "")
        return self.some(**{name: forces[name] for name in known.split()})

    def joint(self):
        kind = self.chance.choice(["revolute", "revolute", "prismatic", "distance", "weld", "wheel", "motor", "mouse",
                                   "filter", "gear", "gear", "pulley"])
        ends = {"a": self.any_of(self.bodies), "b": self.any_of(self.bodies[-6:])}
        more = {"revolute": {"anchor": self.place()}, "mouse": {"target": self.place(), "b": ends["b"]},
                "gear": {"ratio": self.chance.choice([1, -1, 0.001, 1000])},
                "pulley": {"ground_a": self.place(), "ground_b": self.place(), "anchor_a": [0, 0], "anchor_b": [0, 0],
                           "ratio": self.chance.choice([0.001, 1, 1000])}}.get(kind, {})
        if kind in ("prismatic", "wheel"):
            more = {"axis": [self.chance.uniform(-1, 1), 1]}
        if kind == "gear" and self.flag():
            ends = {"joint_a": self.any_of(self.joints[-4:]), "joint_b": self.any_of(self.joints[-4:])}
        elif kind == "mouse":
            ends = {}
        return {"kind": kind, **ends, **more, **self.tuning(kind),
                **self.some(collide_connected=self.flag)}

    def spawn(self):
        return "body.spawn", {**self.body(), "position": self.place(6),
                              "shapes": [self.shape() for _ in range(self.chance.choice([1, 1, 1, 2, 0]))]}

    def command(self):
        method = self.chance.choice(["body.spawn"] * 5 + ["joint.create"] * 4 + [
            "body.set", "body.set", "body.remove", "body.impulse", "body.angular_impulse", "body.force", "body.torque",
            "shape.add", "shape.set", "shape.remove", "joint.set", "joint.remove", "world.set", "world.apply"])
        if method == "body.spawn" and len(self.bodies) > BODIES_MAX:
            method = "body.remove"
        body, push = {"body": self.any_of(self.bodies)}, [self.number(self.chance.choice([50, 1e12])), self.number(100)]
        return method, {
            "body.spawn": lambda: self.spawn()[1],
            "joint.create": self.joint,
            "body.set": lambda: {**body, "angle": 0.5, **self.body()},
            "body.remove": lambda: {"body": self.bodies.pop(0)} if self.bodies else body,
            "body.impulse": lambda: {**body, "impulse": push, **self.some(point=self.place)},
            "body.angular_impulse": lambda: {**body, "impulse": push[1]},
            "body.force": lambda: {**body, "force": push, **self.some(point=self.place)},
            "body.torque": lambda: {**body, "torque": push[0]},
            "shape.add": lambda: {**body, "shape": self.shape()},
            "shape.set": lambda: {"shape": self.any_of(self.shapes), "friction": 0.3, **self.material()},
            "shape.remove": lambda: {"shape": self.any_of(self.shapes)},
            "joint.set": lambda: {"joint": self.any_of(self.joints), **(self.tuning(self.chance.choice(
                ["revolute", "distance", "weld", "wheel"])) or {"hertz": 3})},
            "joint.remove": lambda: {"joint": self.any_of(self.joints)},
            "world.set": lambda: {"gravity": [self.number(10), self.number(100)], **self.some(
                sleep=self.flag, restitution_threshold=self.size, sleep_speed=self.size)},
            "world.apply": lambda: {"commands": [["body.spawn", {"shapes": [self.shape()], **self.body()}],
                                                 ["body.impulse", {"body": {"$": 0}, "impulse": [1, 2]}]]},
        }[method]()

    def queries(self):
        start, end = self.place(15), self.place(15)
        seen = self.some(filter=self.filter, sensors=self.flag)
        return [("query.ray", {"from": start, "to": end, "all": True, **seen}),
                ("query.cast", {"shape": {"kind": "circle", "radius": 0.4}, "from": end, "to": start, **seen}),
                ("query.overlap", {"area": [-9, -9, 9, 9], **seen}), ("query.overlap", {"point": start}),
                ("query.nearest", {"point": end, **seen})]


# Loads of joints and contacts in the last tick are not in an image: a copy lacks them for sleeping bodies.
def lasting(contacts):
    return [{**contact, "points": [{key: value for key, value in point.items() if key != "impulse"}
                                   for point in contact["points"]]} for contact in contacts]


def lasting_joints(joints):
    return [{**joint, "state": {key: value for key, value in joint["state"].items() if key not in ("force", "torque")}}
            for joint in joints]


class Place:
    """One of the worlds, and the content of a subscription to it."""

    def __init__(self, client, world):
        self.client, self.world = client, world
        self.rows, self.events, self.last = {}, [], None
        self.subscription = self.call("world.subscribe", events=EVENTS, contacts=True)["subscription"]

    def call(self, method, **arguments):
        return self.client.call(method, world=self.world, **arguments)

    def answer(self, method, arguments):
        """The world's answer, or its error, without the world's name."""
        try:
            result = self.call(method, **arguments)
        except RemoteError as error:
            return str(error).replace(f"'{self.world}'", "")
        return {k: v for k, v in result.items() if k != "world"} if isinstance(result, dict) else result

    def take_snapshots(self):
        for snapshot in self.client.snapshots():
            if snapshot["subscription"] == self.subscription:
                self.rows = {} if snapshot["full"] else self.rows
                self.rows.update((row[0], row) for row in snapshot["bodies"])
                for body in snapshot["removed"]:
                    self.rows.pop(body, None)
                self.events += snapshot["events"]
                self.last = snapshot
        self.client.notifications = [n for n in self.client.notifications
                                     if n[1][0].get("subscription") != self.subscription]

    def step(self, ticks):
        """Steps, and returns the content of the snapshots sent meanwhile."""
        tick = self.call("world.step", ticks=ticks)["tick"]

        def arrived():
            self.take_snapshots()
            return self.last is not None and self.last["tick"] == tick
        self.client.read_until(arrived)
        events, self.events = self.events, []
        return {"tick": tick, "hash": self.last["hash"], "rows": self.rows, "events": events,
                "contacts": lasting(self.last["contacts"])}

    def whole(self):
        """The answers to all queries."""
        state, contacts = self.answer("world.state", {}), self.answer("world.contacts", {})
        return {**state, "joints": lasting_joints(state["joints"]), "contacts": lasting(contacts["contacts"]),
                "image": self.answer("world.image", {})}


class SameWorld(WireTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = folder.name
        self.server = Caromd(CAROMD, "--http", "off")
        self.addCleanup(lambda: self.server.__exit__())
        self.client = self.connect()
        self.mortal = None
        self.addCleanup(lambda: self.mortal.__exit__())

    def start(self):
        """Starts the other server, whose worlds survive in its directory."""
        self.mortal = Caromd(CAROMD, "--http", "off", "--data", self.data)
        client = Client(self.mortal.port)
        self.addCleanup(client.__exit__)
        return client

    def kill(self):
        self.mortal.kill()

    def same(self, told, answers):
        """Compares part by part, so that a failure shows the first difference."""
        first = answers.pop("first")
        for name, answer in answers.items():
            if isinstance(first, dict) and isinstance(answer, dict):
                for part, value in first.items():
                    self.assertEqual(value, answer.get(part), f"{told}: {part} of {name}")
            self.assertEqual(first, answer, f"{told}: {name}")

    def live(self, draws, told):
        """A world's life: in each round some commands, some steps, then perhaps a fork or a restart."""
        settings = {"gravity": [0, draws.chance.choice([-10, 0, -100])], "substeps": draws.chance.choice([1, 4, 8]),
                    "hz": draws.chance.choice([30, 60, 240])}
        other = self.start()
        for client in (self.client, other):
            client.call("world.create", world="w", paused=True, **settings)
        self.client.call("world.fork", world="w", **{"as": "fork"})
        places = {"first": Place(self.client, "w"), "fork": Place(self.client, "fork"),
                  "restarted": Place(other, "w")}
        commands = [("body.spawn", {"type": "static", "shapes": [FLOOR]}), *(draws.spawn() for _ in range(12))]
        for number in range(ROUNDS):
            for method, arguments in commands:
                answers = {name: place.answer(method, arguments) for name, place in places.items()}
                if isinstance(answers["first"], dict):
                    draws.learn(method, answers["first"])
                self.same(f"{told}, round {number}, {method} {arguments}", answers)
            ticks = draws.chance.choice([1, 1, 2, 5, 20])
            self.same(f"{told}, round {number}, {ticks} ticks", {n: p.step(ticks) for n, p in places.items()})
            for method, arguments in draws.queries():
                self.same(f"{told}, round {number}, {method} {arguments}",
                          {n: p.answer(method, arguments) for n, p in places.items()})
            if draws.chance.random() < 0.3:
                self.same(f"{told}, round {number}", {n: p.whole() for n, p in places.items()})
            if draws.chance.random() < 0.15:
                self.client.call("world.destroy", world="fork")
                self.client.call("world.fork", world="w", **{"as": "fork"})
                places["fork"] = Place(self.client, "fork")
            if draws.chance.random() < 0.07:
                self.kill()
                places["restarted"] = Place(self.start(), "w")
            commands = [draws.command() for _ in range(draws.chance.randrange(10))]
        for place in places.values():
            place.call("world.destroy")
        self.mortal.__exit__()

    def test_random_worlds_and_their_copies_are_one(self):
        for number in range(OPTIONS.worlds):
            seed = OPTIONS.seed + number
            self.live(Draws(seed), f"--seed {seed}")


if __name__ == "__main__":
    OPTIONS, rest = ARGUMENTS.parse_known_args(sys.argv[2:])
    unittest.main(argv=sys.argv[:1] + rest)
