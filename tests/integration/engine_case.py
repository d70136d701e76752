"""The common part of the tests of the engine over the wire (test_wire_engine_*.py): each tests one part of the
engine's features and its effect.

Worlds are paused and stepped, so that nothing depends on the clock."""

import math

from wire_case import ServerTest

GRAVITY = 10.0
HZ = 60
PI = math.pi
FLOOR = {"kind": "box", "size": [200, 1], "center": [0, -0.5]}


class EngineTest(ServerTest):
    """A paused world and a connection for each test."""

    def setUp(self):
        super().setUp()
        self.begin()

    def begin(self, **settings):
        """Begins a new world in place of the last one."""
        self.world = f"{self.id().rsplit('.', 1)[1][:50]}.{self.client.last_id}"
        self.client.call("world.create", world=self.world, paused=True, gravity=[0, -GRAVITY], **settings)

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
