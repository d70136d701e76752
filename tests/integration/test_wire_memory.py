#!/usr/bin/env python3
"""Memory that clients cause is counted, refused when it is too much, and freed. Called with the path of caromd."""

import os
import select
import sys
import tempfile
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402
from wire import Closed, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD, WireTest  # noqa: E402

MB = 1 << 20
SANITIZED = any(part in CAROMD.split(os.sep) for part in ("asan", "tsan"))  # sanitizers use additional memory


def rows(count):
    """Places for `count` bodies, apart from each other."""
    return [[2.0 * (i % 100), 2.0 * (i // 100)] for i in range(count)]


class MemoryTest(WireTest):
    OPTIONS = []

    @classmethod
    def setUpClass(cls):
        cls.secret = Secret()
        cls.folder = tempfile.TemporaryDirectory()
        keys = os.path.join(cls.folder.name, "keys.json")
        write_keys(keys, cls.secret)
        cls.server = Caromd(CAROMD, "--keys", keys, "--threads", "1", *cls.OPTIONS)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()

    def hello(self, subject="root", role="admin", client=None):
        client = client or self.connect()
        client.call("hello", token=self.secret.sign(claims(subject, role)))
        return client

    def spawn(self, client, world, places, **more):
        for first in range(0, len(places), 500):
            client.call("world.apply", world=world, commands=[
                ["body.spawn", {"position": place, "shapes": [BALL], **more}] for place in places[first:first + 500]])

    def counters(self, client):
        return client.call("server.stats")["counters"]

    def given_back(self, client, *uses):
        self.eventually(lambda: all(self.counters(client)[f"memory_{use}"] == 0 for use in uses))


class Subscriptions(MemoryTest):
    OPTIONS = ["--limit", "holder_bytes=4000000"]

    def test_names_of_data_count_in_the_world_and_in_the_session(self):
        client = self.hello()
        client.call("world.create", world="named", paused=True)
        before = self.counters(client)["memory_views"]
        client.call("world.subscribe", world="named", data=[f"{k:0128}" for k in range(32)])
        self.assertGreater(self.counters(client)["memory_views"] - before, 2 * 32 * 128)
        client.call("world.destroy", world="named")
        self.given_back(client, "views")

    def subscribe_until_refused(self, client, **more):
        """Subscribes with separate areas; returns the first error and the number of subscriptions."""
        for count in range(65):
            try:
                client.call("world.subscribe", world="wide", encoding="packed", area=[-1 - count, -1, 3000, 3000], **more)
            except RemoteError as e:
                return str(e), count
        self.fail("nothing was refused")

    def test_packed_views_of_a_subject_have_a_bound_and_others_have_theirs(self):
        root = self.hello()
        root.call("world.create", world="wide", gravity=[0, 0])
        self.spawn(root, "wide", rows(2000))
        root.call("world.subscribe", world="wide")  # so that there are rows to count
        first, second, other = self.hello("eve", "viewer"), self.hello("eve", "viewer"), self.hello("ann", "viewer")
        text, count = self.subscribe_until_refused(first)
        self.assertRegex(text, "^limit_exceeded: holder_bytes: subscriptions of this subject")
        self.assertGreater(count, 2)
        second_text, more = self.subscribe_until_refused(second)
        self.assertRegex(second_text, "^limit_exceeded: holder_bytes: ")
        self.assertLess(more, count)
        second.call("world.subscribe", world="wide")  # cheap requests are still accepted
        self.assertGreater(self.subscribe_until_refused(other)[1], 2)
        told = root.call("server.sessions")["sessions"]
        self.assertTrue(all(0 < s["work"] < 60 for s in told), told)
        told = {s["subject"]: s["memory_bytes"] for s in told}
        self.assertLessEqual(told["eve"], 4000000)
        self.assertGreater(told["eve"], 1000000)
        self.assertGreater(self.counters(root)["memory_views"], 1000000)
        for client in (first, second, other):
            client.call("goodbye")
        root.call("world.destroy", world="wide")
        self.given_back(root, "views")

    def test_view_that_grows_beyond_the_bound_ends_and_the_session_goes_on(self):
        root, eve = self.hello(), self.hello("mallory", "viewer")
        root.call("world.create", world="grows", gravity=[0, 0])
        number = eve.call("world.subscribe", world="grows", encoding="packed")["subscription"]
        self.spawn(root, "grows", rows(16000))
        ended = eve.read_until(lambda: [p[0] for m, p in eve.notifications if m == "world_closed"])[0]
        self.assertEqual(ended["subscription"], number)
        self.assertEqual(ended["code"], "limit_exceeded")
        self.assertRegex(ended["reason"], "^holder_bytes: ")
        eve.call("ping")
        root.call("world.destroy", world="grows")


class Worlds(MemoryTest):
    OPTIONS = ["--memory", "128M"]

    def resident(self):
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_messages_that_have_not_come_whole_are_counted_and_bounded(self):
        root = self.hello()
        part = msgpack.packb([0, 1, "ping", [{"any": b"x" * 1_000_000}]])[:-1]
        mallory, closed = [], ""
        while len(mallory) < 200 and not closed:
            client = self.connect()
            mallory.append(client)
            try:
                self.hello("mallory", "player", client)
                client.socket.sendall(part)
                self.eventually(lambda: self.counters(root)["memory_input"] >= len(mallory) * len(part)
                                or select.select([client.socket], [], [], 0)[0])
                if select.select([client.socket], [], [], 0)[0]:
                    client.call("ping")
            except (Closed, ConnectionError):  # a reset may discard messages sent before
                closed = " ".join(str(params) for _, params in client.notifications)
        self.assertRegex(closed, "limit_exceeded.*memory: the server uses [0-9]+ MB")
        self.assertGreater(len(mallory), 10)  # memory of earlier tests is freed after a while
        self.assertLess(self.resident(), 128 * MB)
        root.call("ping")
        for client in mallory:
            client.socket.close()
        self.eventually(lambda: self.counters(root)["memory_input"] < 50_000)  # connections keep 4 KiB each

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_forks_and_bodies_are_refused_when_memory_is_out_and_come_back(self):
        root = self.hello()
        root.call("world.create", world="large", gravity=[0, 0])
        self.spawn(root, "large", rows(10000))
        one = self.eventually(lambda: self.counters(root)["memory_worlds"])
        self.assertGreater(one, 1 * MB)
        forks = []
        with self.assertRaises(RemoteError) as refused:
            for number in range(100):
                root.call("world.fork", world="large", **{"as": f"fork-{number}"})
                forks.append(f"fork-{number}")
        self.assertRegex(str(refused.exception), "^limit_exceeded: memory: the server uses [0-9]+ MB, and .* of --memory")
        self.assertGreater(len(forks), 1)
        with self.assertRaises(RemoteError) as refused:  # a fork needs a larger share than a batch
            self.spawn(root, "large", [[x + 1000, y] for x, y in rows(100000)])
        self.assertRegex(str(refused.exception), "^limit_exceeded: memory: ")
        root.call("world.info", world="large")
        self.assertLess(self.resident(), 128 * MB)
        self.assertEqual(self.counters(root)["memory_bound"], 128 * MB)
        for fork in forks:
            root.call("world.destroy", world=fork)
        self.given_back(root, "making")
        self.eventually(lambda: self.counters(root)["memory_used"] < 100 * MB)
        root.call("world.fork", world="large", **{"as": "again"})
        for world in ("again", "large"):
            root.call("world.destroy", world=world)
        self.given_back(root, "worlds", "making")



class Together(MemoryTest):
    """All requests that take memory, from clients of several subjects, until each kind is refused."""

    OPTIONS = ["--memory", "160M", "--limit", "resume_ms=500", "--limit", "holder_bytes=8000000", "--limit",
               "command_bytes=8000000"]
    BOUND = 160 * MB
    REASON = r"^limit_exceeded: (memory|holder_bytes|command_bytes|commands_per_world|history_bytes|unsent_bytes): .*\d"

    def until_refused(self, client, most, method, arguments):
        """Calls until an error, at most `most` times; returns the error."""
        for count in range(most):
            try:
                client.call(method, **arguments(count))
            except RemoteError as e:
                self.assertRegex(str(e), self.REASON)
                return str(e)
            if not SANITIZED:  # sanitizers use memory of their own
                self.assertLessEqual(self.counters(self.root)["memory_bytes"], self.BOUND)
        return None

    def test_together_they_stay_under_the_bound_and_all_of_it_comes_back(self):
        self.root = root = self.hello()
        root.call("world.create", world="large", gravity=[0, 0])
        self.spawn(root, "large", rows(6000))
        root.call("world.create", world="later", gravity=[0, 0])
        batch = [["body.spawn", {"shapes": [BALL]}]] * 500
        eve, mal, pat, lost = (self.hello(name, role) for name, role in
                               (("eve", "viewer"), ("mal", "player"), ("pat", "admin"), ("lost", "viewer")))
        told = [
            self.until_refused(eve, 64, "world.subscribe",
                               lambda k: {"world": "large", "encoding": "packed", "area": [-1 - k, -1, 3000, 3000]}),
            self.until_refused(lost, 64, "world.subscribe",
                               lambda k: {"world": "large", "encoding": "packed", "area": [-1 - k, -2, 3000, 3000]})]
        self.assertGreater(self.counters(root)["memory_views"], 8 * MB)
        lost.socket.close()  # its views remain for resume_ms
        for k in range(40):  # batches that are not answered before their tick
            mal.request("world.apply", world="later", commands=batch, at=100_000 + k)
        told.append(mal.read_until(lambda: next((e for e, _ in mal.responses.values() if e), None)))
        self.assertRegex(str(RemoteError(told[-1])), self.REASON)
        # A sanitized server measures only its own counts, not resident memory: there forks take longer to reach the
        # limit.
        forks = self.until_refused(pat, 6 if SANITIZED else 60, "world.fork", lambda k: {"world": "large", "as": f"fork-{k}"})
        told += [] if SANITIZED else [forks]
        for back in range(1, 20, 5):  # a world that waited for its turn may be younger
            tick = root.call("world.info", world="large")["tick"]
            try:
                pat.call("query.nearest", world="large", point=[0, 0], at=tick - back + 0.5)
            except RemoteError as e:
                self.assertRegex(str(e), f"{self.REASON}|^(unavailable: tick|invalid_argument: at)")
        self.until_refused(pat, 8, "world.image", lambda k: {"world": "large"})
        self.assertNotIn(None, told)
        self.assertGreater(self.counters(root)["memory_commands"], 3 * MB)
        if not SANITIZED:
            status = Path(f"/proc/{self.server.process.pid}/status").read_text()
            self.assertLess(int(status.split("VmHWM:")[1].split()[0]) * 1024, self.BOUND)
        for client in (eve, mal):
            client.socket.close()
        for world in [w["world"] for w in root.call("world.list")]:
            root.call("world.destroy", world=world)
        self.given_back(root, "views", "commands", "making", "worlds")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
