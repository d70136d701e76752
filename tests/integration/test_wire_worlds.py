#!/usr/bin/env python3
"""Worlds over the wire: made, listed, stepped, commanded and destroyed, and the guarantees for subscribers, even slow
ones. Called with the path of caromd."""

import sys
import tempfile
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from wire import NOTIFICATION, RemoteError  # noqa: E402
from wire_case import BALL, ServerTest  # noqa: E402

SCENES = {
    "two": '{"name": "two", "world": {"gravity": [0, -3], "hz": 30}, "commands": ['
           '["body.spawn", {"shapes": [{"kind": "circle", "radius": 0.5}]}],'
           '["body.spawn", {"position": [5, 0], "shapes": [{"kind": "circle", "radius": 0.5}]}]]}',
    "broken": '{"name": "broken", "commands": [["body.spawn", {"shapes": 7}]]}',
}


class WorldsTest(ServerTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        for name, text in SCENES.items():
            Path(folder.name, f"{name}.json").write_text(text)
        cls.OPTIONS = ["--world", "first:two", "--world", "second", "--scenes", folder.name, "--hz", "50", "--threads", "2"]
        super().setUpClass()

    def create(self, **settings):
        made = self.call("world.create", **settings)
        self.addCleanup(lambda: self.client.notify("world.destroy", world=self.world))
        return made

    def spawn(self, **options):
        return self.call("body.spawn", **{"shapes": [BALL], **options})


class Server(WorldsTest):
    def test_hello_tells_who_is_there(self):
        told = self.client.call("hello", client="a test", token="x")
        self.assertEqual((1, "caromd", "admin"), (told["protocol"], told["server"], told["role"]))
        self.assertGreater(len(told["resume"]), 64)  # 32 bytes of secret, in hexadecimal
        self.assertGreaterEqual(told["limits"]["message_bytes"], 1 << 20)
        self.assertEqual(4096, told["limits"]["connections"])
        self.assertGreater(self.connect().call("hello")["session"], told["session"])
        self.assertEqual(1, self.client.call("hello", protocol=9)["protocol"])

    def test_threads_that_make_worlds_have_a_lower_priority(self):
        numbers = [self.client.request("world.create", world=f"made-{k}") for k in range(20)]
        for k, number in enumerate(numbers):
            self.client.answer(number)
            self.addCleanup(self.client.notify, "world.destroy", world=f"made-{k}")
        main = str(self.server.process.pid)
        nice = {}
        for task in Path(f"/proc/{main}/task").iterdir():
            name, fields = (task / "stat").read_text().rsplit(")", 1)
            if name.endswith("(caromd"):
                nice[task.name] = int(fields.split()[16])
        lower = min(nice[main] + 5, 19)
        self.assertIn(lower, [n for task, n in nice.items() if task != main])

    def test_ping_gives_back_what_was_sent(self):
        first = self.client.call("ping", any=[1, "two", None])
        self.assertEqual([1, "two", None], first["any"])
        second = self.client.call("ping")
        self.assertNotIn("any", second)
        self.assertGreaterEqual(second["time"], first["time"])

    def test_info_and_stats_count(self):
        info = self.client.call("server.info")
        self.assertTrue(info["worlds"] >= 2 and info["sessions"] >= 1 and info["uptime"] > 0, info)
        self.client.call("world.info", world="first")
        stats = self.client.call("server.stats")
        self.assertTrue(stats["counters"]["requests"] >= 2 and stats["counters"]["ticks"] >= 1, stats)
        self.assertTrue(stats["latencies"]["step"]["count"] >= 1 and stats["latencies"]["step"]["max"] > 0, stats)

    def test_worlds_of_the_options_are_there(self):
        for name, bodies, hz in (("first", 2, 30), ("second", 0, 50)):  # hz of the scene, hz of the option
            info = self.client.call("world.info", world=name)
            self.assertEqual((bodies, hz), (info["bodies"], info["hz"]))

    def test_requests_of_a_half_closed_connection_are_answered(self):
        other = self.connect()
        requests = [other.request("world.info", world="first"), other.request("world.list")]
        other.socket.shutdown(1)
        for request in requests:
            other.answer(request)
        self.assertEqual("", self.farewell(other))


class Life(WorldsTest):
    def test_world_is_made_listed_and_destroyed(self):
        before = len(self.client.call("world.list"))
        made = self.call("world.create", hz=20, paused=True)
        self.assertEqual((self.world, 0), (made["world"], made["tick"]))
        names = [one["world"] for one in self.client.call("world.list")]
        self.assertEqual((before + 1, sorted(names)), (len(names), names))
        epoch = self.call("world.info")["epoch"]
        self.call("world.destroy")
        self.refused("not_found", "", self.client, "world.info", world=self.world)
        self.assertEqual(before, len(self.client.call("world.list")))
        # The name is free at once, for another world.
        *_, info = [self.client.request(f"world.{method}", world=self.world)
                    for method in ("create", "destroy", "create", "info")]
        self.assertEqual(epoch + 2, self.client.answer(info)["epoch"])
        self.call("world.destroy")

    def test_calls_right_behind_a_create_reach_its_world(self):
        world = self.world
        ids = [self.client.request("world.create", world=world, scene="two"),
               self.client.request("body.spawn", world=world, shapes=[BALL]),
               self.client.request("world.create", world=world), self.client.request("world.info", world=world)]
        self.client.answer(ids[0])
        self.client.answer(ids[1])
        with self.assertRaisesRegex(RemoteError, "^already_exists: "):
            self.client.answer(ids[2])
        self.assertEqual(3, self.client.answer(ids[3])["bodies"])
        self.call("world.destroy")
        # If it cannot be made, the requests behind it get errors.
        ids = [self.client.request("world.create", world=world, scene="broken"), self.client.request("world.info", world=world)]
        for request, told in zip(ids, ("scene", "^not_found: ")):
            with self.assertRaisesRegex(RemoteError, told):
                self.client.answer(request)
        self.create()

    def test_scene_gives_its_settings_and_arguments_come_first(self):
        self.create(scene="two", hz=100)
        info = self.call("world.info")
        self.assertEqual((100, [0, -3]), (info["hz"], info["gravity"]))
        self.call("world.destroy")
        self.create(scene="demo")  # a built-in one
        self.assertGreater(self.call("world.info")["bodies"], 2)

    def test_paused_world_steps_when_told(self):
        self.create(paused=True, hz=60)
        body = self.spawn()["body"]
        self.assertEqual(60, self.call("world.step", ticks=60)["tick"])
        self.assertEqual(61, self.call("world.step")["tick"])
        self.assertTrue(-5.3 < self.call("body.get", body=body)["position"][1] < -4.9)  # g t² / 2 after 61 ticks
        self.call("world.resume")
        self.refused("unavailable", "", self.client, "world.step", world=self.world)
        self.eventually(lambda: self.call("world.info")["tick"] > 62)
        tick = self.call("world.pause")["tick"]
        first = self.client.call("world.info", world="second")["tick"]
        self.eventually(lambda: self.client.call("world.info", world="second")["tick"] > first + 3)  # time has passed
        self.assertEqual(tick, self.call("world.info")["tick"])


class Commands(WorldsTest):
    def setUp(self):
        super().setUp()
        self.create(paused=True, gravity=[0, 0])

    def test_bodies_are_changed_by_every_command(self):
        spawned = self.spawn(tag="hero", shapes=[BALL, {"kind": "box", "size": [1, 2]}])
        body = spawned["body"]
        self.assertEqual(2, len(spawned["shapes"]))
        for method, arguments in (("impulse", {"impulse": [2, 0]}), ("angular_impulse", {"impulse": 1}),
                                  ("force", {"force": [0, 3]}), ("torque", {"torque": -1}), ("set", {"position": [7, 8]})):
            self.call(f"body.{method}", body=body, **arguments)
        self.call("world.set", gravity=[0, 5])
        self.call("world.step")
        got = self.call("body.get", body=body)
        self.assertEqual("hero", got["tag"])
        self.assertGreater(got["position"][0], 7)
        self.assertGreater(got["velocity"][0], 0)
        self.assertGreater(got["velocity"][1], 5 / 60)
        self.assertGreater(got["angular_velocity"], 0)
        state = self.call("world.state")
        self.assertEqual((1, 8), (len(state["bodies"]), len(state["hash"])))
        self.call("body.remove", body=body)
        self.refused("not_found", "", self.client, "body.get", world=self.world, body=body)

    def test_apply_is_all_or_nothing(self):
        spawn = ["body.spawn", {"shapes": [BALL]}]
        done = self.call("world.apply", commands=[spawn, ["body.impulse", {"body": {"$": 0}, "impulse": [1, 0]}]])
        self.assertEqual(2, len(done["results"]))
        self.refused("not_found", r"commands\[1\]", self.client, "world.apply", world=self.world,
                     commands=[spawn, ["body.remove", {"body": 12345}]])
        self.assertEqual(1, self.call("world.info")["bodies"])
        # A command for a later tick is answered after that tick.
        later = self.client.request("world.apply", world=self.world, at=3, commands=[spawn])
        self.call("world.step", ticks=2)
        self.assertEqual(1, self.call("world.info")["bodies"])
        self.call("world.step")
        self.assertEqual(3, self.client.answer(later)["tick"])
        self.assertEqual(2, self.call("world.info")["bodies"])

    def test_batch_whose_tick_is_over_is_refused_dropped_or_next(self):
        self.call("world.step", ticks=10)
        spawn = [["body.spawn", {"shapes": [BALL]}]]
        with self.assertRaisesRegex(RemoteError, "^invalid_argument: at: tick 4 is over, the world is at 10$"):
            self.call("world.apply", commands=spawn, at=4, late="refuse")
        dropped = self.call("world.apply", commands=spawn, at=4, late="drop")
        self.assertEqual((True, 7, {"dropped", "late", "margin"}), (dropped["dropped"], dropped["late"], dropped.keys()))
        self.assertLess(dropped["margin"], 0)
        waiting = self.client.request("world.apply", world=self.world, commands=spawn, at=4, late="next")
        self.assertEqual([], self.call("world.state")["bodies"])
        self.call("world.step", ticks=1)
        applied = self.client.answer(waiting)
        self.assertEqual((11, 7, 1), (applied["tick"], applied["late"], len(applied["results"])))
        in_time = self.client.request("world.apply", world=self.world, commands=[], at=13)
        self.call("world.step", ticks=2)
        applied = self.client.answer(in_time)
        self.assertEqual((13, 0), (applied["tick"], applied["late"]))
        self.assertGreaterEqual(applied["margin"], 0)

    def test_past_is_answered_as_it_was(self):
        ray = {"from": [-9, 0], "to": [9, 0]}
        body = self.spawn(velocity=[1, 0])["body"]
        self.call("world.step", ticks=10)
        then = {"ray": self.call("query.ray", **ray), "get": self.call("body.get", body=body),
                "state": self.call("world.state"), "contacts": self.call("world.contacts")}
        self.call("world.step", ticks=10)
        self.call("body.remove", body=body)
        self.call("world.step", ticks=10)
        self.assertEqual({"at": 10, "hits": then["ray"]}, self.call("query.ray", at=10, **ray))
        self.assertEqual({"at": 10, **then["get"]}, self.call("body.get", body=body, at=10))
        self.assertEqual({"at": 10, **then["state"]}, self.call("world.state", at=10))
        self.assertEqual({"at": 10, **then["contacts"]}, self.call("world.contacts", at=10))
        between = [self.call("query.ray", at=at, **ray)["hits"][0]["point"][0] for at in (10, 10.5, 11)]
        self.assertAlmostEqual(between[1], (between[0] + between[2]) / 2, places=6)
        self.assertEqual({"at": 30, "hits": []}, self.call("query.ray", at=30, **ray))  # the present
        self.call("world.step", ticks=60)
        for at, code in ((float("nan"), "invalid_argument: at: "), (-1, "invalid_argument: at: "), (91, "invalid_argument: at: tick 91 is not over"),
                         (10, r"unavailable: tick 10 is outside of the history \[40, 90\]")):
            with self.assertRaisesRegex(RemoteError, f"^{code}"):
                self.call("query.ray", at=at, **ray)
        self.assertNotIn("at", self.call("body.get", body=self.spawn()["body"]))
        with self.assertRaisesRegex(RemoteError, "^invalid_argument: at: "):
            self.call("world.state", at=50.5)
        with self.assertRaisesRegex(RemoteError, r"^invalid_argument: commands\[0\].at: a command of a batch reads"):
            self.call("world.apply", commands=[["body.get", {"body": body, "at": 50}]])
        fork = self.world + "-fork"
        self.call("world.fork", **{"as": fork})
        self.refused("unavailable", r"tick 89 is outside of the history \[90, 90\]", self.client, "world.state", world=fork, at=89)
        self.client.notify("world.destroy", world=fork)

    def test_joints_and_queries_go_the_same_way(self):
        a, b = self.spawn()["body"], self.spawn(position=[3, 0])["body"]
        joint = self.call("joint.create", kind="distance", a=a, b=b, anchor_a=[0, 0], anchor_b=[0, 0])["joint"]
        self.assertEqual("distance", self.call("joint.get", joint=joint)["kind"])
        hits = self.client.call("query.ray", world=self.world, **{"from": [-5, 0], "to": [9, 0], "all": True})
        self.assertEqual([a, b], [hit["body"] for hit in hits])
        self.call("joint.remove", joint=joint)
        self.refused("not_found", "", self.client, "joint.get", world=self.world, joint=joint)

    def test_thousand_commands_and_a_mebibyte_go_through(self):
        done = self.call("world.apply", commands=[
            ["body.spawn", {"position": [2 * (i % 40), 2 * (i // 40)], "tag": f"{i:040}", "shapes": [BALL]}]
            for i in range(1000)])
        self.assertEqual(1000, len(done["results"]))
        # A mebibyte without the envelope; the echo has a limit of its own.
        large = self.client.request("ping", any=bytes(1 << 20))
        self.client.read_until(lambda: large in self.client.responses)
        self.client.call("ping")

    def test_commands_of_one_connection_apply_in_order(self):
        body = self.spawn(type="static")["body"]
        self.client.send(b"".join(msgpack.packb([NOTIFICATION, "body.set", [{"world": self.world, "body": body, "position": [i, 0]}]])
                                  for i in range(1, 2001)))
        self.assertEqual(2000, self.call("body.get", body=body)["position"][0])


class SubscriptionTest(WorldsTest):
    """`self.other` is another client."""

    def setUp(self):
        super().setUp()
        self.other = self.connect()

    def subscribe(self, client=None, **options):
        return (client or self.client).call("world.subscribe", world=self.world, **options)["subscription"]

    def snapshot(self, tick=0, client=None):
        """The next snapshot, of this tick or a later one."""
        client = client or self.client

        def found():
            while client.notifications:
                method, params = client.notifications.pop(0)
                if method == "snapshot" and params[0]["tick"] >= tick:
                    return params[0]
            return None
        return client.read_until(found)

    def nothing_more(self):
        """Checks that no snapshot arrives before the answers to calls that the world has handled."""
        self.client.notifications.clear()
        for _ in range(3):
            self.call("world.info")
        self.client.call("ping")
        self.assertEqual([], self.client.snapshots())

    def counter(self, name):
        return self.other.call("server.stats")["counters"][name]


class Subscriptions(SubscriptionTest):
    def test_subscriber_sees_what_another_does(self):
        self.create(gravity=[0, 0])
        number = self.subscribe(events=["spawn", "remove"])
        first = self.snapshot()
        self.assertEqual((True, number, 8), (first["full"], first["subscription"], len(first["hash"])))
        spawned = self.other.call("body.spawn", world=self.world, shapes=[BALL])
        seen = self.snapshot(spawned["tick"])
        self.assertEqual((1, [("spawn", spawned["tick"])]),
                         (len(seen["bodies"]), [(e["kind"], e["tick"]) for e in seen["events"]]))
        removed = self.other.call("body.remove", world=self.world, body=spawned["body"])
        seen = self.snapshot(removed["tick"])
        self.assertIn(spawned["body"], seen["removed"])
        self.assertEqual("remove", seen["events"][0]["kind"])

    def test_last_names_the_own_request(self):
        self.create()
        self.subscribe()
        self.assertNotIn("last", self.snapshot())
        self.other.call("body.spawn", world=self.world, shapes=[BALL])
        request = self.client.request("body.spawn", world=self.world, shapes=[BALL])
        tick = self.client.answer(request)["tick"]
        while (seen := self.snapshot())["tick"] < tick:
            self.assertNotIn("last", seen)
        self.assertEqual(request, seen["last"])

    def test_two_clients_share_one_encoding(self):
        self.create(paused=True)
        for client in (self.client, self.other):
            self.subscribe(client)
            self.snapshot(client=client)
        sent, encoded = self.counter("snapshots_sent"), self.counter("snapshots_encoded")
        for tick in range(1, 21):
            self.other.call("world.step", world=self.world)
            self.assertEqual([tick, tick], [self.snapshot(client=client)["tick"] for client in (self.client, self.other)])
        self.assertEqual(20, self.counter("snapshots_encoded") - encoded)
        self.assertEqual(40, self.counter("snapshots_sent") - sent)

    def test_notified_batch_tells_its_margin_in_the_next_snapshots(self):
        self.create(hz=100)
        compact = self.client.call("hello")["compact"]
        for view in ({"bodies": False}, {"encoding": "packed"}, {"encoding": "log"}, {"encoding": "log", "compact": compact}):
            self.subscribe(**view)
        self.subscribe(self.other)
        told = {}

        def all_told():
            """Whether each subscription has reported a margin; until then another late batch is sent with each
            message."""
            for name, params in self.client.notifications:
                if "margin" in params[0]:
                    told[name, params[0].get("subscription")] = params[0]["margin"]
            self.client.notifications.clear()
            self.client.notify("world.apply", world=self.world, commands=[], at=1, late="next")
            return len(told) >= 4 and "log" in {name for name, _ in told}

        self.client.read_until(all_told)
        self.assertTrue(all(margin < 0 for margin in told.values()), told)
        self.other.read_until(lambda: len(self.other.snapshots()) > 20)
        self.assertFalse(any("margin" in snapshot for snapshot in self.other.snapshots()))
        failed = self.counter("notifications_failed")
        self.client.notify("world.apply", world=self.world, commands=[], at=1)  # a notification gets no answer
        self.eventually(lambda: self.counter("notifications_failed") == failed + 1)

    def test_paused_world_shows_each_change(self):
        self.create(paused=True)
        self.subscribe(rate=1)
        self.assertEqual([], self.snapshot()["bodies"])
        self.other.call("body.spawn", world=self.world, shapes=[BALL])
        seen = self.snapshot()
        self.assertEqual((1, 0), (len(seen["bodies"]), seen["tick"]))
        self.nothing_more()
        self.other.call("world.step", world=self.world, ticks=3)
        self.assertEqual(1, len(self.snapshot(3)["bodies"]))  # it fell

    def test_area_is_told_and_moved(self):
        self.create(paused=True, gravity=[0, 0])
        near, far = self.spawn()["body"], self.spawn(position=[50, 0])["body"]
        number = self.subscribe(area=[-2, -2, 2, 2])
        self.assertEqual([near], [row[0] for row in self.snapshot()["bodies"]])
        self.client.call("world.view", subscription=number, area=[48, -2, 52, 2])
        seen = self.snapshot()
        self.assertEqual(([far], [near], 1), (seen["enter"], seen["leave"], len(seen["bodies"])))

    def test_unsubscribed_means_nothing_more(self):
        self.create()
        number = self.subscribe()
        self.snapshot()
        self.client.call("world.unsubscribe", subscription=number)
        self.nothing_more()
        self.refused("not_found", "", self.client, "world.unsubscribe", subscription=number)
        self.assertEqual(0, self.call("world.info")["subscribers"])

    def test_destroyed_world_tells_its_subscribers(self):
        self.create()
        number = self.subscribe()
        self.other.call("world.destroy", world=self.world)
        closed = self.client.read_until(
            lambda: next((params[0] for method, params in self.client.notifications if method == "world_closed"), None))
        self.assertEqual((number, "not_found"), (closed["subscription"], closed["code"]))
        self.client.call("ping")  # the connection remains open


class SlowReaders(SubscriptionTest):
    """A world with so many moving bodies that a reader that does not read fills every buffer."""

    BODIES = 2000  # about 90 KB a snapshot

    def setUp(self):
        super().setUp()
        self.create(gravity=[0, 0], sleep=False)
        for first in range(0, self.BODIES, 500):
            self.call("world.apply", commands=[
                ["body.spawn", {"position": [i % 100, i // 100], "velocity": [0.001, 0], "angular_velocity": 0.01,
                                "shapes": [{"kind": "circle", "radius": 0.2}]}] for i in range(first, first + 500)])
        self.reader = self.connect()

    def stuck(self):
        """Waits until nothing more is sent to the reader: the world continues, and its changes wait for one
        snapshot."""
        sent = [-1, self.counter("snapshots_sent")]
        skipped = self.counter("snapshots_skipped")

        def stands():
            if sent[-1] != self.counter("snapshots_sent"):
                sent[-1] = self.counter("snapshots_sent")
                sent[0] = self.counter("snapshots_skipped")
            return self.counter("snapshots_skipped") > max(sent[0], skipped) + 12
        self.eventually(stands)

    def test_slow_reader_gets_the_latest_state(self):
        self.subscribe(self.reader)
        self.snapshot(client=self.reader)
        self.stuck()
        now = self.call("world.info")["tick"]  # others are served
        previous, skipped = 0, False
        while previous < now:
            seen = self.snapshot(client=self.reader)
            self.assertEqual((False, self.BODIES), (seen["full"], len(seen["bodies"])))  # all bodies move
            self.assertGreater(seen["tick"], previous)
            previous = seen["tick"]
            skipped = skipped or "skipped" in seen
        self.assertTrue(skipped)
        self.call("world.pause")
        state = self.call("world.state")
        self.assertEqual(state["hash"], self.snapshot(state["tick"], self.reader)["hash"])  # its rows equal those of the world

    def test_slow_reader_loses_no_event(self):
        self.subscribe(self.reader, events=["spawn"])
        self.snapshot(client=self.reader)
        self.stuck()
        for i in range(50):
            self.spawn(position=[2 * i, -50])
        now = self.call("world.info")["tick"]
        seen, previous = 0, 0
        while previous < now:
            snapshot = self.snapshot(client=self.reader)
            for event in snapshot["events"]:
                self.assertTrue(previous < event["tick"] <= snapshot["tick"], event)
            seen += len(snapshot["events"])
            previous = snapshot["tick"]
        self.assertEqual(50, seen)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
