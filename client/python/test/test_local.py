"""Local worlds: methods, errors, steps, images, events; values of all types."""

import math
import subprocess
import sys
import typing
import unittest

import support

import carom
from carom import _methods, _values


def ball_world(**settings):
    world = carom.LocalWorld(**settings)
    return world, world.body.spawn([carom.circle(0.5)], position=[0, 9])["body"]


class Values(unittest.TestCase):
    def round_trip(self, value):
        with _values.Tree(value) as tree:
            return _values.read(tree)

    def test_values_survive_the_way_through_c(self):
        value = {"a": [1, -2, 2**64 - 1, -2**63], "b": [0.5, 1e300], "c": None, "d": [True, False], "e": "ä\0b", "f": b"\0\xff",
                 "g": {"": {}}, "h": []}
        self.assertEqual(value, self.round_trip(value))
        self.assertIs(True, self.round_trip(True))
        self.assertEqual([1, 2], self.round_trip((1, 2)))

    def test_other_values_are_refused_with_their_place(self):
        for value, text in (({"shapes": [object()]}, "shapes: object: no type"), ({1: 2}, "keys of maps are strings"),
                            (2**64, "integers are"), ({"a": {"b": {3}}}, "a: b: set: no type")):
            with self.assertRaises(carom.InvalidArgument) as caught:
                self.round_trip(value)
            self.assertIn(text, caught.exception.text)

    def test_deep_nesting_is_refused(self):
        value = []
        for _ in range(40):
            value = [value]
        with self.assertRaises(carom.InvalidArgument):
            self.round_trip(value)

    @unittest.skipIf(support.numpy is None, support.WHY_NOT)
    def test_numbers_of_numpy_are_numbers(self):
        array = support.numpy.array([[1.5, 2.0]])
        self.assertEqual([[1.5, 2.0]], self.round_trip(array))
        self.assertEqual([3, 0.5], self.round_trip([array.dtype.type(3).astype("i4"), array.dtype.type(0.5)]))


class Worlds(unittest.TestCase):
    def test_ball_falls(self):
        world, ball = ball_world(gravity=[0, -10], hz=60)
        self.assertEqual(60, world.step(60))
        body = world.body.get(ball)
        self.assertAlmostEqual(-10.0, body["velocity"][1], places=4)
        self.assertAlmostEqual(9 - 5, body["position"][1], delta=0.05)
        self.assertEqual((60, 1.0, 60.0, 1), (world.tick, world.state.time, world.state.hz, world.state.bodies))

    def test_errors_are_exceptions_with_code_and_text(self):
        world, ball = ball_world()
        cases = ((carom.NotFound, lambda: world.body.get(99), "body 99 does not exist"),
                 (carom.InvalidArgument, lambda: world.body.spawn([carom.circle(-1)]), "shapes[0].radius"),
                 (carom.InvalidArgument, lambda: world.body.impulse(ball, [math.nan, 0]), "impulse"),
                 (carom.InvalidArgument, lambda: carom.LocalWorld(hz=0), "hz"),
                 (carom.InvalidArgument, lambda: carom.LocalWorld(scene="pyramid"), "scene"),
                 (carom.InvalidArgument, lambda: world.step(10**7), "ticks: must be 0 to 1000000"),
                 (carom.InvalidArgument, lambda: world.want_events(["begins"]), "'begins' is none of begin,"),
                 (carom.UnknownMethod, lambda: world.call("server.info"), "server.info is for servers"),
                 (carom.UnknownMethod, lambda: world.call("body.fly"), "no method 'body.fly'"),
                 (carom.Unavailable, lambda: carom.LocalWorld.from_image(b"none"), "image"))
        for kind, call, text in cases:
            with self.subTest(text), self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))
            self.assertTrue(str(caught.exception).startswith(kind.code + ": "))

    def test_forks_and_images_have_the_same_future(self):
        world, ball = ball_world()
        world.body.spawn([carom.box([20, 1])], type="static")
        world.step(50)
        others = [world.fork(), carom.LocalWorld.from_image(world.image()), carom.LocalWorld()]
        others[2].copy_from(world)
        world.step(100)
        for other in others:
            other.step(100)
            self.assertEqual(world.state, other.state)
        others[0].body.impulse(ball, [1, 0])
        others[0].step()
        world.step()
        self.assertNotEqual(world.state.hash, others[0].state.hash)

    def test_batch_is_applied_as_a_whole(self):
        world = carom.LocalWorld()
        with world.batch() as batch:
            hook = batch.body.spawn([], type="static", position=[0, 5])
            bob = batch.body.spawn([carom.circle(0.2)], position=[2, 5])
            rope = batch.joint.create("distance", a=hook, b=bob)
        self.assertEqual((1, 2, 1), (batch.id(hook), batch.id(bob), batch.id(rope)))
        self.assertEqual(1, batch.tick)
        with self.assertRaises(carom.InvalidArgument), world.batch() as batch:
            batch.body.spawn([])
            batch.body.spawn([carom.circle(0)])
        self.assertEqual(2, world.state.bodies)
        with self.assertRaises(ZeroDivisionError), world.batch() as batch:
            batch.body.spawn([])
            raise ZeroDivisionError
        self.assertEqual(2, world.state.bodies)

    def test_queries_data_and_settings(self):
        world, ball = ball_world(gravity=[0, 0])
        hits = world.query.ray([-5, 9], [5, 9])
        self.assertEqual([ball], [hit["body"] for hit in hits["hits"]] if isinstance(hits, dict) else [hit["body"] for hit in hits])
        world.data.set("score", {"red": 3})
        self.assertEqual({"red": 3}, world.data.get(key="score")["data"]["score"]["value"])
        world.set(gravity=[0, 10])
        world.step(10)
        self.assertGreater(world.body.get(ball)["velocity"][1], 1)

    def test_events_are_those_that_were_wanted(self):
        world, ball = ball_world()
        floor = world.body.spawn([carom.box([20, 1])], type="static")["body"]
        world.step(10)
        self.assertEqual([], world.events())
        world.want_events(["begin"])
        world.step(120)
        events = world.events()
        self.assertEqual([("begin", {ball, floor})], [(e.kind, {e.a, e.b}) for e in events])
        self.assertGreater(events[0].tick, 10)
        self.assertEqual([], world.events())

    def test_closed_world_is_an_error(self):
        with carom.LocalWorld() as world:
            pass
        with self.assertRaises(ValueError):
            world.step()

    @unittest.skipIf(support.numpy is None, support.WHY_NOT)
    def test_arrays_share_the_memory_of_bodies(self):
        world, _ = ball_world(gravity=[0, -10])
        bodies = world.bodies
        self.assertTrue(support.numpy.shares_memory(bodies, world.positions))
        self.assertEqual((1, 2), world.positions.shape)
        before = bodies["y"][0]
        world.step(30)
        self.assertEqual(before, bodies["y"][0])  # until they are read again
        self.assertLess(world.positions[0, 1], before)
        self.assertLess(bodies["y"][0], before)
        self.assertFalse(bodies.flags.writeable)

    def test_annotations_name_types_that_exist(self):
        checked = 0
        for thing in list(vars(_methods).values()):
            if getattr(thing, "__module__", None) != _methods.__name__:
                continue
            for one in [thing, *(vars(thing).values() if isinstance(thing, type) else [])]:
                if isinstance(one, type) or callable(one):
                    checked += bool(typing.get_type_hints(one))
        self.assertGreater(checked, 200)

    def test_package_works_without_numpy(self):
        program = (f"import sys; sys.path.insert(0, {str(support.PACKAGE)!r}); sys.modules['numpy'] = None\n"
                   "import carom\n"
                   "world = carom.LocalWorld(gravity=[0, -10])\n"
                   "assert len(world.bodies) == 0\n"
                   "world.body.spawn([carom.circle(1)], position=[1, 2])\n"
                   "body, = world.bodies\n"
                   "assert (body.x, body.y) == (1, 2) and world.positions == [(1, 2)]\n"
                   "try: carom.Worlds(world, 2)\n"
                   "except ImportError as error: print(error)\n")
        done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True)
        self.assertEqual(("", "many worlds at once need numpy (Debian: python3-numpy)\n"), (done.stderr, done.stdout))


if __name__ == "__main__":
    unittest.main()
