#!/usr/bin/env python3
"""Each limit of server/base/limits.h is reached, and gives its documented answer. A server of its own for each test,
with the limit set low. Called with the path of caromd."""

import sys
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from wire import NOTIFICATION, Closed, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD, WireTest  # noqa: E402

MANY = 2000  # bodies on the move: about 90 KB a snapshot


class Limits(WireTest):
    """`self.a` and `self.b` are two clients."""

    def start(self, *limits, options=()):
        self.server = Caromd(CAROMD, *(word for limit in limits for word in ("--limit", limit)), *options)
        self.addCleanup(self.server.__exit__)
        self.a, self.b = self.connect(), self.connect()

    def create(self, client=None, **settings):
        return (client or self.a).call("world.create", world="w", **settings)

    def limited(self, name, client, method, /, **arguments):
        self.refused("limit_exceeded", name, client, method, **arguments)

    def limited_answer(self, name, client, request):
        with self.assertRaisesRegex(RemoteError, f"^limit_exceeded: .*{name}"):
            client.answer(request)

    def closed(self, name, client):
        self.assertRegex(self.farewell(client), f"^limit_exceeded: .*{name}")

    def counter(self, name):
        return self.b.call("server.stats")["counters"][name]

    def spawn_many(self):
        """A world of bodies that all move, so that a reader that does not read fills every buffer."""
        self.create(self.b, gravity=[0, 0])
        for first in range(0, MANY, 500):
            self.b.call("world.apply", world="w", commands=[
                ["body.spawn", {"position": [i % 100, i // 100], "angular_velocity": 1,
                                "shapes": [{"kind": "circle", "radius": 0.2}]}] for i in range(first, first + 500)])

    # ---- connections and messages

    def test_connections_over_the_limit_are_turned_away_with_a_reason(self):
        self.start("connections=2")
        self.a.call("ping")
        self.b.call("ping")
        self.closed("connections", self.connect())
        self.a.socket.close()  # frees a place, once the server has noticed

        def taken():
            try:
                return "time" in self.connect().call("ping")
            except (Closed, ConnectionError):
                return False
        self.eventually(taken)

    def test_message_bytes_are_refused_from_the_header_on(self):
        self.start("message_bytes=4096")
        self.a.call("ping", any="0" * 4000)
        self.limited_answer("4096", self.a, self.a.request("ping", any="0" * 4100))
        self.closed("4096", self.a)
        self.b.call("ping")

    def test_first_message_must_come_in_time(self):
        self.start("first_message_ms=1000")
        self.b.call("ping")
        self.a.send(b"\x94")  # an incomplete message
        self.closed("first_message_ms", self.a)
        self.b.call("ping")

    def test_message_must_be_finished_in_time(self):
        self.start("message_ms=100")
        self.a.call("ping")
        self.a.send(b"\x94\x00")
        self.closed("message_ms", self.a)
        self.b.call("ping")

    def test_idle_connection_is_closed_and_subscriber_is_not(self):
        self.start("idle_ms=1000")
        self.create()
        self.b.call("world.subscribe", world="w")
        for _ in range(2):  # the second connection's time begins when the first one's is over
            self.closed("idle_ms", self.a)
            self.a = self.connect()
        self.b.call("ping")

    # ---- waiting requests and output

    def test_commands_per_connection_wait_in_the_socket(self):
        self.start("commands_per_connection=8")
        self.create()
        requests = [self.a.request("world.info", world="w") for _ in range(100)]
        ticks = [self.a.answer(request)["tick"] for request in requests]
        self.assertEqual(sorted(ticks), ticks)
        self.assertGreaterEqual(len(set(ticks)), 12)  # at most 8 commands per tick

    def test_commands_per_world_are_refused(self):
        self.start("commands_per_world=5")
        self.create(hz=1)
        requests = [self.a.request("world.info", world="w") for _ in range(20)]
        # The last ones are refused at once, long before the world's next tick.
        self.limited_answer("commands_per_world", self.a, requests[-1])
        self.limited("commands_per_world", self.b, "world.info", world="w")
        self.b.call("world.list")  # shows the world's latest figures instead
        self.a.answer(requests[0])
        self.b.call("world.info", world="w")  # there is room again

    def test_command_bytes_are_refused(self):
        self.start("command_bytes=131072")
        self.create(paused=True)
        commands = [["body.spawn", {"shapes": [BALL]}]] * 60
        # The world is paused, so this batch and its bytes wait for their tick.
        held = self.a.request("world.apply", world="w", at=9, commands=commands)
        self.a.call("world.info", world="w")
        more = [self.b.request("world.apply", world="w", at=9, commands=commands) for _ in range(3)]
        self.limited_answer("command_bytes", self.b, more[-1])
        self.a.call("world.step", world="w", ticks=9)
        self.a.answer(held)
        self.b.call("world.apply", world="w", commands=commands)

    def test_ahead_ticks_are_refused(self):
        self.start("ahead_ticks=10")
        self.create(paused=True)
        self.limited("ahead_ticks", self.a, "world.apply", world="w", at=11, commands=[])
        kept = self.a.request("world.apply", world="w", at=10, commands=[])
        self.a.call("world.step", world="w", ticks=10)
        self.assertEqual(10, self.a.answer(kept)["tick"])

    # ---- output

    def test_answer_over_output_bytes_is_refused(self):
        self.start("output_bytes=65536")
        self.create(paused=True)
        self.a.call("world.apply", world="w", commands=[["body.spawn", {"shapes": [BALL]}]] * 400)
        self.limited("output_bytes", self.a, "world.state", world="w")
        self.a.call("ping")

    def test_output_that_nobody_takes_closes_the_connection(self):
        self.start("output_bytes=65536", "commands_per_connection=1000")
        self.create(self.b, paused=True)
        self.b.call("world.apply", world="w", commands=[["body.spawn", {"shapes": [BALL]}]] * 100)
        # Each answer has about 40 KB, and `a` reads none of them: the kernel's buffers fill, then the server's.
        for _ in range(600):
            self.a.request("world.state", world="w")
        self.eventually(lambda: self.counter("connections_overrun") == 1)

    def test_stalled_output_closes_the_connection(self):
        for threads in ("1", "2"):  # the network thread writes, or an I/O thread does
            with self.subTest(io_threads=threads):
                self.start("stall_ms=200", options=("--io-threads", threads))
                self.spawn_many()
                number = self.a.call("hello")["session"]
                self.a.call("world.subscribe", world="w")
                self.eventually(lambda: self.counter("connections_overrun") == 1)
                self.eventually(lambda: self.counter("sessions") == 1)
                port = self.a.socket.getsockname()[1]
                self.server.await_log(f"refused: session {number}, subject '', address 127.0.0.1:{port}: limit_exceeded: stall_ms: ")

    def test_events_past_events_kept_are_told_as_lost(self):
        self.start("events_kept=100")
        self.spawn_many()
        self.a.call("world.subscribe", world="w", events=["spawn"])
        made = seen = lost = 0

        def all_told():
            nonlocal seen, lost
            for snapshot in self.a.snapshots():
                seen += len(snapshot["events"])
                lost += snapshot.get("events_lost", 0)
            self.a.notifications.clear()
            return seen + lost >= made

        def some_are_lost():
            """Makes 150 more events while the reader is behind: a buffer of the kernel may still grow and accept
            them."""
            nonlocal made
            skipped = self.counter("snapshots_skipped")  # counts snapshots that a later one replaced
            self.eventually(lambda: self.counter("snapshots_skipped") > skipped + 12)
            self.b.call("world.apply", world="w", commands=[
                ["body.spawn", {"position": [2 * i, -9], "shapes": [BALL]}] for i in range(150)])
            made += 150
            self.a.read_until(all_told)
            self.assertEqual(made, seen + lost)
            return lost > 0
        self.eventually(some_are_lost)
        self.assertEqual(lost, self.counter("events_lost"))
        self.a.call("ping")  # it continues

    # One reader gets a snapshot every tick, so that each removal has a version of its own; the other gets one every two
    # seconds, with more removals in between than are kept.
    def test_removals_kept_bring_the_full_state(self):
        self.start("removals_kept=16")
        self.create(self.b, hz=100)
        bodies = [self.b.call("body.spawn", world="w", position=[2 * i, 0], shapes=[BALL])["body"] for i in range(20)]
        self.b.call("world.subscribe", world="w")
        self.a.call("world.subscribe", world="w", rate=1)
        self.assertTrue(self.a.read_until(self.a.snapshots)[0]["full"])
        self.a.notifications.clear()
        for body in bodies[:18]:
            self.b.call("body.remove", world="w", body=body)

        def full():  # a snapshot may have been sent between the removals
            return [snapshot for snapshot in self.a.snapshots() if snapshot["full"]]
        self.assertEqual([], self.a.read_until(full)[0].get("removed", []))
        self.assertLessEqual(len(self.a.snapshots()), 2)

    # ---- subscriptions, worlds and what is in them

    def test_subscriptions_per_connection_are_refused(self):
        self.start("subscriptions_per_connection=2")
        self.create()
        number = self.a.call("world.subscribe", world="w")["subscription"]
        self.a.call("world.subscribe", world="w")
        self.limited("subscriptions_per_connection", self.a, "world.subscribe", world="w")
        self.b.call("world.subscribe", world="w")
        self.a.call("world.unsubscribe", subscription=number)
        self.a.call("world.subscribe", world="w")

    def test_worlds_are_refused(self):
        self.start("worlds=2")
        self.a.call("world.create", world="one")
        self.a.call("world.create", world="two")
        self.limited("worlds", self.a, "world.create", world="three")
        self.a.call("world.destroy", world="one")
        self.a.call("world.create", world="three")

    # A busy simulation thread cannot handle the ends of worlds; the number of worlds made and destroyed meanwhile is
    # limited, and the server survives.
    def test_worlds_that_have_not_ended_are_counted(self):
        self.start("worlds=2", "commands_per_world=100", "connections=2", "subscriptions_per_connection=1",
                   options=("--threads", "1"))
        self.a.call("world.create", world="slow", scene="heap", paused=True)
        noise = b"".join(msgpack.packb([NOTIFICATION, method, [{"world": "brief"}]])
                         for method in ["world.pause"] * 98 + ["world.destroy"])

        def refused():
            slow = self.a.request("world.step", world="slow", ticks=20)
            requests = []
            for _ in range(40):
                requests.append(self.b.request("world.create", world="brief"))
                self.b.send(noise)
            told = []
            for request in requests:
                try:
                    self.b.answer(request)
                except RemoteError as error:
                    told.append(str(error))
            self.a.answer(slow)
            for text in told:
                self.assertRegex(text, "^limit_exceeded: .*have not ended")
            return told
        self.eventually(refused)

        def made():  # as soon as those worlds have ended
            try:
                return self.b.call("world.create", world="brief")
            except RemoteError:
                return None
        self.eventually(made)

    def test_bodies_per_world_are_refused(self):
        self.start("bodies_per_world=3")
        self.limited("bodies_per_world", self.a, "world.create", world="w", max_bodies=4)
        self.create()
        for _ in range(3):
            self.a.call("body.spawn", world="w", shapes=[BALL])
        self.limited("", self.a, "body.spawn", world="w", shapes=[BALL])

    def test_shapes_and_joints_per_world_are_refused(self):
        self.start("shapes_per_world=3", "joints_per_world=1")
        limits = self.a.call("hello", protocol=1)["limits"]
        self.assertEqual((3, 1), (limits["shapes_per_world"], limits["joints_per_world"]))
        self.create(paused=True)
        one, two = (self.a.call("body.spawn", world="w", shapes=[BALL])["body"] for _ in range(2))
        self.limited("shapes_per_world", self.a, "body.spawn", world="w", shapes=[BALL, BALL])
        self.limited(r"commands\[1\] \(body.spawn\): shapes_per_world", self.a, "world.apply", world="w",
                     commands=[["body.spawn", {"shapes": [BALL]}]] * 2)
        self.a.call("joint.create", world="w", kind="weld", a=one, b=two)
        self.limited("joints_per_world", self.a, "joint.create", world="w", kind="weld", a=one, b=two)
        self.assertEqual(2, self.a.call("world.info", world="w")["bodies"])
        # The error names the scene's entry that exceeds the limit.
        self.limited("shapes_per_world", self.b, "world.create", world="s", scene="demo")
        self.b.call("world.create", world="s")  # the name is free again


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
