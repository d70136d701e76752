#!/usr/bin/env python3
"""Relays: the worlds of the upstream as they come and go, and connections that are lost. Called with the path of caromd."""

import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from relay_case import Forwarder, RelayTest, spawn  # noqa: E402
from wire import Client  # noqa: E402
from wire_case import CAROMD  # noqa: E402

RELAY_SILENT_S = 5  # time without a word of its upstream, after which a relay dials again


class Worlds(RelayTest):
    def test_list_has_the_worlds_of_the_upstream_in_the_order_of_their_names(self):
        origin = self.start("--world", "b", "--world", "a", "--world", "c")
        self.relay(origin.port)
        near, far = self.connect(), self.client_of(origin)
        self.listed(near, "c")
        near.call("world.subscribe", world="b")
        self.assertEqual([w["world"] for w in near.call("world.list")], ["a", "b", "c"])
        self.assertEqual([w["epoch"] for w in near.call("world.list")], [w["epoch"] for w in far.call("world.list")])
        self.assertEqual(self.stats(near, "relay_worlds"), 1)
        far.call("world.create", world="late")
        self.listed(near, "late")
        near.call("world.subscribe", world="late")

    def test_end_of_a_world_ends_its_subscriptions(self):
        origin = self.start("--world", "lab")
        self.relay(origin.port)
        near, far = self.connect(), self.client_of(origin)
        epoch = self.listed(near)["epoch"]
        number = near.call("world.subscribe", world="lab")["subscription"]
        near.read_until(lambda: near.snapshots())
        far.call("world.destroy", world="lab")
        closed = near.read_until(lambda: [p[0] for m, p in near.notifications if m == "world_closed"])[0]
        self.assertEqual((closed["subscription"], closed["code"]), (number, "not_found"))
        self.assertEqual(closed["reason"], "the world ends as it has ended at its server")
        self.eventually(lambda: not near.call("world.list"))
        self.refused("not_found", "world 'lab' does not exist", near, "world.subscribe", world="lab")
        far.call("world.create", world="lab")
        self.assertNotEqual(self.listed(near)["epoch"], epoch)
        self.refused("not_found", f"epoch: world 'lab' is another one than that of epoch {epoch}", near,
                     "world.subscribe", world="lab", epoch=epoch)
        near.call("world.subscribe", world="lab")

    def test_world_that_nobody_watches_is_let_go(self):
        origin = self.start("--world", "lab")
        self.relay(origin.port, "--limit", "relay_idle_ms=200")
        near, far = self.connect(), self.client_of(origin)
        self.listed(near)
        number = near.call("world.subscribe", world="lab")["subscription"]
        near.read_until(lambda: near.snapshots())
        self.assertEqual(far.call("world.info", world="lab")["subscribers"], 1)
        near.call("world.unsubscribe", subscription=number)
        self.server.await_log("world 'lab' of 127.0.0.1:%d is not followed any more" % origin.port)
        self.eventually(lambda: far.call("world.info", world="lab")["subscribers"] == 0)
        self.assertEqual(self.stats(near, "relay_worlds"), 0)
        self.assertEqual([w["world"] for w in near.call("world.list")], ["lab"])
        self.subscribe_when_allowed(near, "lab", "unavailable: world 'lab' was just let go by this relay: try again")
        seen = len(near.snapshots())
        near.read_until(lambda: len(near.snapshots()) > seen)

    def test_watched_world_is_not_let_go(self):
        origin = self.start("--world", "lab", "--world", "other")
        self.relay(origin.port, "--limit", "relay_idle_ms=200")
        near = self.connect()
        self.listed(near, "other")
        near.call("world.subscribe", world="lab")
        near.call("world.info", world="other")
        self.server.await_log("world 'other' of 127.0.0.1:%d is not followed any more" % origin.port)
        self.assertEqual(self.stats(near, "relay_worlds"), 1)

    def test_relay_follows_at_most_relay_worlds(self):
        origin = self.start("--world", "a", "--world", "b")
        self.relay(origin.port, "--limit", "relay_worlds=1")
        near = self.connect()
        self.listed(near, "b")
        number = near.call("world.subscribe", world="a")["subscription"]
        near.read_until(lambda: near.snapshots())
        self.refused("limit_exceeded", "relay_worlds: 1 worlds are followed already", near, "world.subscribe", world="b")
        near.call("world.unsubscribe", subscription=number)  # its place becomes free, soon
        self.subscribe_when_allowed(near, "b", "limit_exceeded: relay_worlds: ")
        self.assertEqual(self.stats(near, "relay_worlds"), 1)

    def test_subscription_that_the_upstream_refuses_for_now_is_asked_for_again(self):
        origin = self.start("--world", "a", "--world", "b", "--limit", "subscriptions_per_connection=1")
        self.relay(origin.port, "--limit", "relay_idle_ms=300")
        near = self.connect()
        self.listed(near, "b")
        number = near.call("world.subscribe", world="a")["subscription"]
        near.read_until(lambda: near.snapshots())
        late = near.request("world.subscribe", world="b")
        near.call("world.unsubscribe", subscription=number)
        near.answer(late)  # when the place at the upstream is free

    def test_image_beyond_the_limits_of_the_relay_is_refused(self):
        origin = self.start("--world", "lab:pyramid", "--world", "small")
        self.relay(origin.port, "--limit", "bodies_per_world=100")
        near = self.connect()
        self.listed(near)
        self.refused("unavailable", "bodies_per_world", near, "world.subscribe", world="lab")
        near.call("world.subscribe", world="small")


class Loss(RelayTest):
    def begin(self, *options):
        origin = self.start("--world", "lab:pyramid", *options)
        forwarder = Forwarder(origin.port)
        self.addCleanup(forwarder.end)
        self.relay(forwarder.port)
        near, far = self.connect(), self.client_of(origin)
        self.listed(near)
        return origin, forwarder, near, far

    def standing(self, near):
        """Waits until the world stands still, after the records that had arrived; returns the served state."""
        seen = [near.call("world.info", world="lab")]

        def stands():
            seen.append(near.call("world.info", world="lab"))
            if seen[-1]["hash"] != seen[0]["hash"]:
                del seen[:-1]
            return seen[-1]["lag"] > seen[0]["lag"] + 0.2
        self.eventually(stands)
        return seen[0]

    def test_watchers_go_on_after_the_connection_was_lost(self):
        _, forwarder, near, far = self.begin()
        near.call("world.subscribe", world="lab")
        near.read_until(lambda: near.snapshots())
        for round_ in range(3):
            forwarder.cut()
            self.eventually(lambda: not self.stats(near, "relay_connected"))
            stood = self.standing(near)
            spawn(far, 3.0 * round_)
            late = self.connect()  # a new watcher is shown the state that the relay has
            late.call("world.subscribe", world="lab")
            late.read_until(lambda: late.snapshots())
            forwarder.mend()
            near.read_until(lambda: any(s["tick"] > stood["tick"] + 5 for s in near.snapshots()))
            late.read_until(lambda: any(s["tick"] > stood["tick"] + 5 for s in late.snapshots()))
        self.assertFalse([p for m, p in near.notifications if m == "world_closed"])
        far.call("world.pause", world="lab")
        self.equal_when_paused(near, far)
        self.assertGreaterEqual(self.stats(near, "relay_images"), 4)
        self.assertEqual(self.stats(near, "relay_faults"), 0)

    def test_world_that_ended_meanwhile_ends_at_the_relay(self):
        _, forwarder, near, far = self.begin()
        near.call("world.subscribe", world="lab")
        near.read_until(lambda: near.snapshots())
        forwarder.cut()
        far.call("world.destroy", world="lab")
        far.call("world.create", world="lab")
        forwarder.mend()
        near.read_until(lambda: [p for m, p in near.notifications if m == "world_closed"])
        self.eventually(lambda: self.listed(near)["epoch"] == far.call("world.info", world="lab")["epoch"])
        near.call("world.subscribe", world="lab")

    def test_stall_of_the_relay_is_no_silence_of_its_origin(self):
        _, _, near, far = self.begin()
        near.call("world.subscribe", world="lab")
        near.read_until(lambda: near.snapshots())
        self.server.process.send_signal(signal.SIGSTOP)
        time.sleep(RELAY_SILENT_S + 0.5)
        tick = far.call("world.info", world="lab")["tick"]
        self.server.process.send_signal(signal.SIGCONT)
        near.read_until(lambda: any(s["tick"] > tick for s in near.snapshots()))
        self.assertEqual((self.stats(near, "relay_disconnects"), self.stats(near, "relay_images")), (0, 1))

    def test_restart_of_the_origin_is_survived(self):
        """kill -9 of a server with a data directory: its successor has the same world."""
        with tempfile.TemporaryDirectory() as folder:
            first = Caromd(CAROMD, "--http", "off", "--world", "lab:pyramid", "--data", folder)
            forwarder = Forwarder(first.port)
            self.addCleanup(forwarder.end)
            self.relay(forwarder.port)
            near = self.connect()
            self.listed(near)
            near.call("world.subscribe", world="lab")
            near.read_until(lambda: near.snapshots())
            first.kill()
            self.eventually(lambda: not self.stats(near, "relay_connected"))
            with Caromd(CAROMD, "--http", "off", "--data", folder) as second:
                forwarder.mend(second.port)
                with Client(second.port) as far:
                    self.eventually(lambda: self.stats(near, "relay_connected"))
                    far.call("world.pause", world="lab")
                    self.equal_when_paused(near, far)
                self.assertFalse([p for m, p in near.notifications if m == "world_closed"])

    def test_relay_that_starts_first_waits_for_its_upstream(self):
        forwarder = Forwarder(1)
        self.addCleanup(forwarder.end)
        forwarder.cut()
        self.relay(forwarder.port)
        near = self.connect()
        self.server.await_log(f"relay: no connection to 127.0.0.1:{forwarder.port}")
        self.assertEqual(near.call("world.list"), [])
        self.refused("unavailable", "does not answer: try again", near, "world.subscribe", world="lab")
        origin = self.start("--world", "lab")
        forwarder.mend(origin.port)
        self.listed(near)
        near.call("world.subscribe", world="lab")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
