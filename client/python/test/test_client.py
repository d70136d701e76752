"""The client against caromd: calls, errors, batches, subscriptions, views, replicas, a lost connection."""

import contextlib
import gc
import io
import re
import unittest
import weakref

import support
from patience import SECONDS_MAX

import carom


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(cls.server())

    @classmethod
    def server(cls):
        cls.running = support.caromd()
        return cls.running

    def setUp(self):
        self.client = self.connect()
        self.name = self.id().split(".")[-1][-60:]
        self.world = self.client.world(self.name)

    def connect(self, **options):
        client = carom.connect(f"127.0.0.1:{self.running.port}", timeout=SECONDS_MAX, **options)
        self.addCleanup(client.close)
        return client


class Calls(Served):
    def test_methods_are_functions(self):
        made = self.world.create(paused=True, gravity=[0, -10])
        self.assertEqual((self.name, True), (made["world"], made["created"]))
        ball = self.world.body.spawn([carom.circle(0.5)], position=[0, 9])["body"]
        self.world.step(ticks=60)
        self.assertEqual(60, self.world.info()["tick"])
        self.assertAlmostEqual(-10, self.client.body.get(self.name, ball)["velocity"][1], places=4)
        self.assertIn(self.name, [info["world"] for info in self.client.world.list()])
        self.assertEqual("admin", self.client.hello_answer["role"])
        self.assertEqual({"time", "any"}, set(self.client.ping(any=[1])))

    def test_errors_have_code_and_text(self):
        with self.assertRaises(carom.NotFound) as caught:
            self.world.info()
        self.assertIn(self.name, caught.exception.text)
        self.assertTrue(caught.exception.from_server)
        with self.assertRaises(carom.InvalidArgument):
            self.client.call("world.create", world="a b")
        with self.assertRaises(carom.UnknownMethod):
            self.client.call("body.fly", world=self.name)
        self.world.create()
        with self.assertRaises(carom.AlreadyExists):
            self.world.create()

    def test_refused_connection_is_unavailable(self):
        with self.assertRaises(carom.Unavailable):
            carom.connect("127.0.0.1:1", timeout=5)
        with self.assertRaises(carom.InvalidArgument):
            carom.connect("127.0.0.1:port")

    def test_batches_and_images(self):
        self.world.create(paused=True)
        with self.world.batch() as batch:
            first = batch.body.spawn([carom.box([1, 1])], position=[0, 5])
            batch.body.impulse(first, [1, 0])
        self.world.step(ticks=30)
        answer = self.world.image()
        local = carom.LocalWorld.from_image(answer["image"])
        self.world.step(ticks=30)
        local.step(30)
        self.assertEqual(self.world.info()["hash"], local.state.hash.to_bytes(8, "big"))
        self.assertEqual(batch.id(first), local.ids[0])

    def test_closed_client_is_unavailable(self):
        self.client.close()
        with self.assertRaises(carom.Unavailable):
            self.client.poll()


class Subscriptions(Served):
    def falling(self, **settings):
        self.world.create(**settings)
        self.world.body.spawn([carom.box([20, 1])], type="static")
        return self.world.body.spawn([carom.circle(0.5)], position=[0, 2], tag="ball")["body"]

    def test_snapshots_are_iterated(self):
        ball = self.falling(paused=True)
        subscription = self.world.subscribe(encoding="plain")
        first = subscription.next()
        self.assertTrue(first.full)
        self.assertIn(ball, [row[0] if support.numpy is not None else row.id for row in first.bodies])
        self.world.step(ticks=5)
        ticks = []
        for snapshot in subscription:
            ticks.append(snapshot.tick)
            if snapshot.tick >= 5:
                subscription.close()
        self.assertEqual(5, max(ticks))
        self.assertTrue(subscription.ended)

    def test_oldest_snapshots_are_dropped_and_counted(self):
        self.falling(paused=True)
        subscription = self.world.subscribe(encoding="plain")
        subscription.next()
        most = carom._client.SNAPSHOTS_MAX
        for _ in range(most + 2):  # a paused world sends a snapshot for each step
            self.world.step(ticks=1)
        self.client.wait(lambda: subscription.pending and subscription.pending[-1].tick == most + 2)
        self.assertEqual((most, 2, 3), (len(subscription.pending), subscription.dropped, subscription.pending[0].tick))

    def test_readme_runs_as_it_is_printed(self):
        text = (support.PACKAGE / "README.md").read_text(encoding="utf-8")
        block = re.search(r"```python\n(.*?)```", text, re.S)[1].replace("127.0.0.1:22766", f"127.0.0.1:{self.running.port}")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, "README", "exec"), {})
        self.assertIn("kind='begin'", printed.getvalue())

    def test_iteration_ends_with_the_world(self):
        self.falling(paused=True)
        subscription = self.world.subscribe()
        self.world.destroy()
        self.assertGreaterEqual(len(list(subscription)), 0)
        self.assertTrue(subscription.ended)

    def test_events_are_iterated(self):
        ball = self.falling()
        subscription = self.world.subscribe(events=["begin"])
        event = next(iter(subscription.events()))
        self.assertEqual("begin", event.kind)
        self.assertIn(ball, (event.a, event.b))

    def test_messages_and_data_arrive(self):
        self.falling(paused=True)
        subscription = self.world.subscribe(events=["message"], data=True)
        subscription.next()
        self.world.data.set("score", [1, {"a": 2}])
        self.world.message.send("hi", data={"x": 1})
        self.world.step(ticks=2)
        seen = {}
        messages = []
        while not (messages and "score" in seen):
            snapshot = subscription.next()
            seen |= snapshot.data or {}
            messages += snapshot.events
        self.assertEqual([1, {"a": 2}], seen["score"])
        self.assertEqual(("hi", {"x": 1}), (messages[0].name, messages[0].data))

    def test_callbacks_get_snapshots_and_raise(self):
        self.falling(paused=True)
        self.client.on("snapshot", lambda snapshot: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            self.world.subscribe()
            self.client.wait(lambda: False)
        with self.assertRaises(ValueError):
            self.client.on("snapshots", print)

    def test_view_shows_the_newest_state(self):
        ball = self.falling(gravity=[0, -10])
        view = self.world.watch(describe=True, events=["begin"], history=4)
        self.assertTrue(view.wait(lambda v: v.ready and v.info(ball) is not None and v.find(ball).y < 1.2))
        info = view.info(ball)
        self.assertEqual(("dynamic", "ball", "circle"), (info.type, info.tag, info.shapes[0]["kind"]))
        self.assertEqual({1, ball}, set(view.ids))
        self.assertTrue(view.wait(lambda v: v.state.events > 0))
        self.assertEqual(["begin"], [event.kind for event in view.events()])
        self.assertIsNone(view.find(999))

    @unittest.skipIf(support.numpy is None, support.WHY_NOT)
    def test_view_lends_its_memory(self):
        self.falling(paused=True)
        view = self.world.watch()
        view.wait()
        self.assertTrue(support.numpy.shares_memory(view.bodies, view.positions))
        self.assertEqual(view.bodies.__array_interface__["data"], view.bodies.__array_interface__["data"])
        self.assertFalse(view.positions.flags.writeable)
        positions, alive = view.positions, weakref.ref(view)
        view = None
        self.client._views.clear()
        gc.collect()
        self.assertIsNotNone(alive(), "the array must keep the view alive")
        self.assertEqual((2, 2), positions.shape)
        self.assertEqual({0.0, 2.0}, set(positions[:, 1]))

    def test_interpolated_bodies_are_drawn(self):
        ball = self.falling()
        view = self.world.watch(interpolation="delayed")
        self.assertTrue(view.wait(lambda v: v.advance() == v.advance() and any(d.id == ball for d in v.drawn())))

    def test_replica_is_exact(self):
        self.falling()
        replica = carom.Replica.follow(self.client, self.name)
        self.assertTrue(self.client.wait(lambda: replica.state.verified >= 2))
        self.world.pause()
        tick = self.world.info()["tick"]
        self.assertTrue(self.client.wait(lambda: replica.state.tick >= tick))
        self.assertEqual(self.world.info()["hash"], replica.state.hash.to_bytes(8, "big"))
        self.assertEqual(2, len(replica.bodies))
        own = replica.world()
        own.step(10)
        self.assertEqual(tick + 10, own.tick)
        view = carom.View()
        view.feed(replica.snapshot())
        self.assertEqual(2, len(view.bodies))


    def test_closed_replica_ends_its_subscription(self):
        self.falling()
        others = len(self.client._on["snapshot"])
        first, second = carom.Replica.follow(self.client, self.name), carom.Replica.follow(self.client, self.name)
        first.close()
        self.assertEqual(1, self.world.info()["subscribers"])
        self.assertEqual(others + 1, len(self.client._on["snapshot"]))
        tick = second.state.tick
        self.assertTrue(self.client.wait(lambda: second.state.tick > tick))
        self.client.close()
        second.close()


class Ends(unittest.TestCase):
    def test_lost_server_ends_calls_and_iterations(self):
        with support.caromd() as server:
            client = carom.connect(f"127.0.0.1:{server.port}", timeout=SECONDS_MAX)
            ended = []
            client.on("closed", ended.append)
            client.world.create("lab")
            subscription = client.subscribe("lab")
        with self.assertRaises(carom.Unavailable):
            for _ in subscription:
                pass
            client.server.info()
        self.assertEqual(["unavailable"], [error.code for error in ended])
        client.close()


if __name__ == "__main__":
    unittest.main()
