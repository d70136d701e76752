#!/usr/bin/env python3
"""Sessions that survive their connection: what continues, what the client learns, and who may not take them over.
Called with the path of caromd."""

import random
import signal
import socket
import struct
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client, Closed  # noqa: E402
from wire_case import BALL, CAROMD, ServerTest  # noqa: E402


class ResumeTest(ServerTest):
    OPTIONS = ["--log", "debug", "--limit", "half_closed_ms=200", "--limit", f"first_message_ms={1000 * SECONDS_MAX}"]

    def stats(self, name):
        return self.client.call("server.stats")["counters"][name]

    def epoch(self):
        return self.client.call("world.info", world=self.world)["epoch"]

    def wait_detached(self, client):
        number = client.greeting["session"]
        self.eventually(lambda: [s for s in self.client.call("server.sessions")["sessions"]
                                 if s["session"] == number and not s["connected"]])

    @staticmethod
    def reset(client):
        """Loses the connection without a clean FIN: the kernel sends RST."""
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.socket.close()


class GoesOn(ResumeTest):
    def test_hello_gives_a_secret_of_256_bits(self):
        secrets = {self.greet().greeting["resume"].rsplit(".", 1)[1] for _ in range(20)}
        self.assertEqual(len(secrets), 20)
        self.assertTrue(all(len(bytes.fromhex(s)) == 32 for s in secrets))
        self.assertEqual(self.client.call("hello")["limits"]["resume_ms"], 30000)

    def test_session_keeps_its_number_role_and_secret(self):
        first = self.greet(client="one")
        first.socket.close()
        again = self.resume(first, client="two")
        for key in ("session", "role", "resume"):
            self.assertEqual(again.greeting[key], first.greeting[key])
        self.assertEqual(again.greeting["applied"], {})
        self.assertNotIn("applied", first.greeting)

    def test_lifetime_things_outlive_the_connection_and_end_with_the_session(self):
        player = self.greet()
        player.call("world.create", world=self.world, lifetime="session")
        self.client.call("world.create", world=self.world + "2")
        body = player.call("body.spawn", world=self.world + "2", shapes=[BALL], lifetime="session")["body"]
        for lose in (lambda c: c.socket.close(), self.reset):
            lose(player)
            self.wait_detached(player)
            time.sleep(0.1)
            self.client.call("body.get", world=self.world + "2", body=body)
            self.assertEqual(self.client.call("world.info", world=self.world)["world"], self.world)
            player = self.resume(player)
        player.call("goodbye")
        player.socket.close()

        def gone():
            worlds = {w["world"]: w for w in self.client.call("world.list")}
            return self.world not in worlds and worlds[self.world + "2"]["bodies"] == 0
        self.eventually(gone)

    def test_subscription_goes_on_with_a_full_snapshot_and_no_event_is_lost(self):
        self.client.call("world.create", world=self.world, paused=True, gravity=[0, 0])
        reader = self.greet()
        number = reader.call("world.subscribe", world=self.world, events=["spawn"], describe=True)["subscription"]
        spawned = []

        def spawn():
            made = self.client.call("body.spawn", world=self.world, shapes=[BALL], position=[3 * len(spawned), 0])
            spawned.append(made["body"])
            self.client.call("world.step", world=self.world)

        told = []
        for _ in range(5):
            spawn()
            reader.read_until(lambda: [e for e in reader.events("spawn") if e["a"] == spawned[-1]])
            told += [e["a"] for e in reader.events("spawn")]
            self.reset(reader)
            self.wait_detached(reader)
            spawn()
            spawn()
            reader = self.resume(reader)
            self.assertEqual(reader.greeting["subscriptions"], [{"subscription": number, "world": self.world}])
            reader.read_until(reader.snapshots)
            first = reader.snapshots()[0]
            self.assertEqual((first["subscription"], first["full"]), (number, True))
            self.assertEqual([row[0] for row in first["bodies"]], spawned)
            self.assertEqual([b["body"] for b in first["spawned"]], spawned)
            told += [e["a"] for e in reader.events("spawn")]
            reader.notifications = []
        self.assertEqual(told, spawned)
        reader.call("world.unsubscribe", subscription=number)
        reader.call("goodbye")

    def test_events_taken_while_the_connection_ended_in_good_order_are_not_told_again(self):
        self.client.call("world.create", world=self.world, hz=2, gravity=[0, 0])
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        narrow.connect(("127.0.0.1", self.server.port))
        reader = Client(self.server.port, narrow)
        self.addCleanup(reader.__exit__)
        reader.greeting = reader.call("hello")
        reader.call("world.subscribe", world=self.world, events=["spawn"])
        reader.read_until(reader.snapshots)
        reader.notifications = []
        spawned = 0
        waiting = []
        for row in range(20):  # in a few ticks, whose snapshots do not fit the kernel's buffers
            waiting.append(self.client.request("world.apply", world=self.world, commands=[
                ["body.spawn", {"position": [3 * column, 3 * row], "shapes": [BALL]}] for column in range(1000)]))
            spawned += 1000
        for request in waiting:
            self.client.answer(request)
        self.eventually(lambda: len(narrow.recv(1 << 16, socket.MSG_PEEK)) > 20_000)  # the server has begun to write it
        narrow.shutdown(socket.SHUT_WR)
        with self.assertRaises((Closed, ConnectionError)):
            reader.read_until(lambda: False)
        told = {e["a"] for e in reader.events("spawn")}
        self.assertGreaterEqual(len(told), 1000)
        self.wait_detached(reader)
        again = self.resume(reader)
        again.read_until(again.snapshots)
        twice = told & {e["a"] for e in again.events("spawn")}
        self.assertEqual(len(twice), 0)
        self.assertEqual(len(told | {e["a"] for e in again.events("spawn")}), spawned)

    def test_applied_tells_what_took_effect(self):
        chance = random.Random(5)
        for world in ("a", "b"):
            self.client.call("world.create", world=self.world + world, gravity=[0, 0])
        client = self.greet()
        sent = {"a": [], "b": []}
        for turn in range(25):
            for _ in range(chance.randrange(12)):
                world = chance.choice("ab")
                sent[world].append(client.request("body.spawn", world=self.world + world, shapes=[BALL],
                                                  tag=str(client.last_id + 1)))
            last = client.last_id
            (self.reset if turn % 2 else (lambda c: c.socket.close()))(client)
            client = self.resume(client)
            client.last_id = last + 10
            self.assertEqual(client.greeting["pending"], [])
            for world in "ab":
                there = {int(b["tag"]) for b in client.call("world.state", world=self.world + world)["bodies"]}
                applied = client.greeting["applied"].get(self.world + world, {"last": 0})["last"]
                # All commands up to the reported one took effect, and none after it.
                self.assertEqual(there, {i for i in sent[world] if i <= applied})
                sent[world] = sorted(there)
        self.assertTrue(sent["a"] and sent["b"])
        client.call("goodbye")

    def test_request_that_takes_long_is_pending_and_answered_later(self):
        self.client.call("world.create", world=self.world, paused=True)
        client = self.greet()
        batch = client.request("world.apply", world=self.world, at=5, commands=[["body.spawn", {"shapes": [BALL]}]])
        later = client.request("world.set", world=self.world, gravity=[0, 0])
        client.answer(later)
        client.socket.close()
        self.wait_detached(client)
        client = self.resume(client)
        self.assertEqual(client.greeting["pending"], [batch])
        self.assertEqual(client.greeting["applied"], {self.world: {"epoch": self.epoch(), "last": later}})
        self.client.call("world.step", world=self.world, ticks=5)
        self.assertEqual(client.answer(batch)["tick"], 5)
        client.call("goodbye")

    def test_first_requests_may_follow_the_hello_at_once(self):
        client = self.greet()
        client.socket.close()
        again = self.connect()
        ids = [again.request("hello", resume=client.greeting["resume"]), again.request("ping"),
               again.request("world.create", world=self.world)]
        self.assertEqual(again.answer(ids[0])["session"], client.greeting["session"])
        again.answer(ids[1])
        again.answer(ids[2])
        again.call("goodbye")

    def test_world_that_ended_meanwhile_is_told_with_its_epoch(self):
        epoch = self.client.call("world.create", world=self.world)["epoch"]
        client = self.greet()
        client.call("world.subscribe", world=self.world)
        client.call("world.set", world=self.world, sleep=False)
        done = {self.world: {"epoch": epoch, "last": client.last_id}}
        client.socket.close()
        self.wait_detached(client)
        self.client.call("world.destroy", world=self.world)
        client = self.resume(client)
        self.assertEqual((client.greeting["subscriptions"], client.greeting["applied"]), ([], done))
        # Destroyed and made again, the world is another one until the session changes it.
        self.client.call("world.create", world=self.world)
        self.reset(client)
        client = self.resume(client)
        self.assertEqual(client.greeting["applied"], done)
        client.last_id = 100
        client.call("world.set", world=self.world, sleep=False)
        self.reset(client)
        client = self.resume(client)
        self.assertEqual(client.greeting["applied"], {self.world: {"epoch": self.epoch(), "last": 101}})
        self.assertNotEqual(self.epoch(), epoch)
        client.call("goodbye")

    def test_what_a_world_did_behind_its_end_is_told(self):
        epoch = self.client.call("world.create", world=self.world)["epoch"]
        client = self.greet()
        ids = [client.request("body.spawn", world=self.world, shapes=[BALL]), client.request("world.destroy", world=self.world)]
        self.eventually(lambda: self.world not in [w["world"] for w in self.client.call("world.list")])
        self.reset(client)
        client = self.resume(client)
        self.assertEqual(client.greeting["applied"], {self.world: {"epoch": epoch, "last": ids[0]}})
        client.call("goodbye")


class Epochs(ResumeTest):
    """A request with the epoch of a destroyed world reaches no other world of that name."""

    BODY, SHAPE, JOINT = {"body": 1}, {"shape": 1}, {"joint": 1}
    CALLS = [
        ("world.create", {}), ("world.create", {"if_absent": True}), ("world.destroy", {}), ("world.info", {}), ("world.pause", {}),
        ("world.resume", {}), ("world.step", {}), ("world.set", {"sleep": False}), ("world.image", {}), ("world.fork", {"as": "made"}),
        ("world.state", {}), ("world.contacts", {}), ("world.subscribe", {}), ("world.subscribe", {"encoding": "log"}),
        ("world.apply", {"commands": [["body.remove", BODY]]}), ("world.apply", {"commands": [["body.remove", BODY]], "at": 9}),
        ("body.spawn", {"shapes": [BALL]}), ("body.remove", BODY), ("body.get", BODY), ("body.set", {**BODY, "velocity": [1, 0]}),
        ("body.impulse", {**BODY, "impulse": [1, 0]}), ("body.angular_impulse", {**BODY, "impulse": 1}),
        ("body.force", {**BODY, "force": [1, 0]}), ("body.torque", {**BODY, "torque": 1}), ("shape.add", {**BODY, "shape": BALL}),
        ("shape.set", {**SHAPE, "friction": 0}), ("shape.remove", SHAPE), ("joint.create", {"kind": "weld", "a": 1, "b": 2}),
        ("joint.set", {**JOINT, "hertz": 1}), ("joint.get", JOINT), ("joint.list", {}), ("joint.remove", JOINT),
        ("query.ray", {"from": [0, 0], "to": [1, 0]}), ("query.overlap", {"area": [0, 0, 1, 1]}),
        ("query.cast", {"shape": BALL, "from": [0, 0], "to": [1, 0]}), ("query.nearest", {"point": [0, 0]}),
    ]

    def make(self):
        made = self.client.call("world.create", world=self.world, paused=True)
        a, b = (self.client.call("body.spawn", world=self.world, position=[3 * i, 0], shapes=[BALL])["body"] for i in range(2))
        self.client.call("joint.create", world=self.world, kind="weld", a=a, b=b)
        return made["epoch"]

    def test_every_method_keeps_to_the_epoch_that_it_names(self):
        old = self.make()
        self.client.call("world.destroy", world=self.world)
        self.refused("not_found", f"there is no world '{self.world}' of epoch {old}", self.client, "world.info",
                     world=self.world, epoch=old)
        new = self.make()
        self.assertEqual(self.client.call("body.get", world=self.world, body=1)["body"], 1)  # ids begin at 1 again
        before = self.client.call("world.info", world=self.world)
        for method, arguments in self.CALLS:
            with self.subTest(method=method):
                self.refused("not_found", f"epoch {old}: it has epoch {new}", self.client, method,
                             **arguments, world=self.world, epoch=old)
        after = self.client.call("world.info", world=self.world, epoch=new)
        for key in ("epoch", "tick", "hash", "bodies", "paused", "subscribers"):
            self.assertEqual(before[key], after[key], key)
        self.assertNotIn("made", [w["world"] for w in self.client.call("world.list")])
        self.client.notify("body.remove", world=self.world, epoch=old, body=1)
        for method, arguments in (("body.get", self.BODY), ("world.create", {"if_absent": True}), ("query.ray", {"from": [0, 0], "to": [1, 0]}),
                                  ("world.apply", {"commands": [["body.get", {**self.BODY, "epoch": new}]]})):
            self.client.call(method, world=self.world, epoch=new, **arguments)
        self.refused("already_exists", "", self.client, "world.create", world=self.world, epoch=new)

    def test_command_of_a_batch_has_the_epoch_of_its_batch(self):
        epoch = self.make()
        for outer, said in (({}, "no epoch"), ({"epoch": epoch}, "another epoch")):
            self.refused("invalid_argument", rf"commands\[0\].epoch: .*{said}; leave epoch out", self.client, "world.apply",
                         world=self.world, commands=[["body.remove", {"body": 1, "epoch": 1}]], **outer)


class TakesOver(ResumeTest):
    def test_session_that_is_still_connected_is_taken_over(self):
        first = self.greet()
        first.call("world.create", world=self.world, lifetime="session")
        number = first.call("world.subscribe", world=self.world)["subscription"]
        second = self.resume(first)
        self.assertEqual(second.greeting["subscriptions"][0]["subscription"], number)
        with self.assertRaises(Closed):
            first.read_until(lambda: False)
        method, (told,) = first.notifications[-1]
        self.assertEqual((method, told["code"]), ("closing", "unavailable"))
        self.assertIn("resumed", told["reason"])
        second.read_until(lambda: [s for s in second.snapshots() if s["subscription"] == number])
        self.assertTrue(second.snapshots()[0]["full"])
        self.assertEqual(self.client.call("world.info", world=self.world)["subscribers"], 1)
        second.call("goodbye")
        second.socket.close()

    def test_resume_twice_in_turn(self):
        client = self.greet()
        for _ in range(10):
            client.socket.close()
            again = self.resume(client)
            self.assertEqual(again.greeting["session"], client.greeting["session"])
            client = again
        client.call("goodbye")

    def test_resume_by_a_thousand(self):
        first = self.greet()
        first.call("world.create", world=self.world, lifetime="session")
        first.call("world.subscribe", world=self.world, rate=10)
        before = self.stats("sessions_resumed")
        racers = [self.connect() for _ in range(1000)]
        ids = [r.request("hello", resume=first.greeting["resume"]) for r in racers]
        answered, last = 0, None
        for racer, request in zip(racers, ids, strict=True):
            try:
                self.assertEqual(racer.answer(request)["session"], first.greeting["session"])
                answered += 1
            except Closed:
                pass
        self.assertEqual(self.stats("sessions_resumed") - before, 1000)
        self.eventually(lambda: self.client.call("server.info")["sessions"] == 2)
        sessions = self.client.call("server.sessions")["sessions"]
        self.assertEqual([s["session"] for s in sessions if s["session"] == first.greeting["session"]],
                         [first.greeting["session"]])
        self.assertEqual(self.client.call("world.info", world=self.world)["subscribers"], 1)
        # One of them gets the session, and continues.
        for racer, request in zip(racers, ids, strict=True):
            try:
                racer.call("goodbye")
                last = racer
            except (Closed, OSError):
                pass
        self.assertIsNotNone(last)
        last.socket.close()
        self.eventually(lambda: self.world not in [w["world"] for w in self.client.call("world.list")])


class Refused(ResumeTest):
    def test_wrong_unknown_and_malformed_secrets_are_told_the_same(self):
        client = self.greet()
        good = client.greeting["resume"]
        slot, number, secret = good.split(".")
        flipped = secret[:-1] + ("0" if secret[-1] != "0" else "1")
        bad = ["x", "..", good + "0", good[:-1], good.upper() + "!", f"{slot}.{number}.{flipped}",
               f"{slot}.{number}.{'0' * 64}", f"{slot}.ffff.{secret}"]
        texts = {self.refused("not_found", "resume", self.connect(), "hello", resume=text) for text in bad}
        self.assertEqual(len(texts), 1)
        # The place may be that at another server of a fleet, also while the session has its connection.
        elsewhere = self.connect().call("hello", protocol=1, client="test", resume=f"ffff.{number}.{secret}")
        self.assertEqual(elsewhere["session"], client.greeting["session"])
        self.assertEqual(self.resume(client).greeting["session"], client.greeting["session"])

    def test_another_s_session_is_not_found_by_its_number(self):
        mine, other = self.greet(), self.greet()
        their_slot, their_number, _ = other.greeting["resume"].split(".")
        forged = ".".join([their_slot, their_number, mine.greeting["resume"].split(".")[2]])
        self.refused("not_found", "resume", self.connect(), "hello", resume=forged)
        self.assertEqual(other.call("ping").keys(), {"time"})

    def test_connection_that_was_refused_goes_on_as_a_new_session(self):
        client = self.connect()
        self.refused("not_found", "resume", client, "hello", resume="0.0.00")
        self.assertTrue(client.call("hello")["resume"])

    def test_resume_after_other_requests_is_refused(self):
        lost = self.greet()
        lost.socket.close()
        client = self.connect()
        client.call("world.create", world=self.world)
        self.refused("invalid_argument", "first hello", client, "hello", resume=lost.greeting["resume"])
        greeted = self.greet()
        self.refused("invalid_argument", "first hello", greeted, "hello", resume=lost.greeting["resume"])
        self.refused("invalid_argument", "first hello", greeted, "hello", resume=greeted.greeting["resume"])
        self.resume(lost)

    def test_session_that_said_goodbye_is_over(self):
        client = self.greet()
        lost = self.greet()
        self.reset(lost)
        self.wait_detached(lost)
        self.assertEqual(client.call("goodbye"), {})
        self.refused("invalid_argument", "goodbye", client, "hello")
        stranger = self.connect()
        stranger.call("goodbye")
        self.refused("invalid_argument", "goodbye", stranger, "hello", resume=lost.greeting["resume"])
        self.resume(lost)
        client.socket.close()
        self.eventually(lambda: client.greeting["session"] not in self.numbers())
        self.refused("not_found", "resume", self.connect(), "hello", resume=client.greeting["resume"])

    def numbers(self):
        return [s["session"] for s in self.client.call("server.sessions")["sessions"]]

    def test_session_that_was_kicked_is_over(self):
        for detached in (False, True):
            client = self.greet()
            if detached:
                client.socket.close()
                self.wait_detached(client)
            self.client.call("server.kick", session=client.greeting["session"], reason="out")
            if not detached:
                with self.assertRaises(Closed):
                    client.read_until(lambda: False)
                self.assertEqual(client.notifications[-1], ("closing", [{"code": "permission_denied", "reason": "out"}]))
            self.refused("not_found", "resume", self.connect(), "hello", resume=client.greeting["resume"])
        self.refused("not_found", "session", self.client, "server.kick", session=client.greeting["session"])

    def test_session_without_hello_is_not_kept(self):
        client = self.connect()
        client.call("world.create", world=self.world, lifetime="session")
        own = max(self.numbers())  # numbers rise, and sessions of earlier tests may just be ending
        client.socket.close()
        self.eventually(lambda: self.world not in [w["world"] for w in self.client.call("world.list")])
        self.assertNotIn(own, self.numbers())

    def test_secrets_are_in_no_log(self):
        client = self.greet()
        client.socket.close()
        client = self.resume(client)
        self.refused("not_found", "resume", self.connect(), "hello", resume=client.greeting["resume"][:-1])
        secret = client.greeting["resume"].rsplit(".", 1)[1]
        self.assertNotIn(secret[:16], "".join(self.server.log))


class Limits(ResumeTest):
    OPTIONS = ["--limit", "resume_ms=300", "--limit", "detached_sessions=3", "--limit", "events_kept=16"]

    def test_session_expires(self):
        client = self.greet()
        client.call("world.create", world=self.world, lifetime="session")
        client.socket.close()
        self.eventually(lambda: self.world not in [w["world"] for w in self.client.call("world.list")])
        self.refused("not_found", "resume", self.connect(), "hello", resume=client.greeting["resume"])
        self.assertGreater(self.stats("sessions_expired"), 0)

    def test_oldest_detached_session_gives_way(self):
        lost = [self.greet() for _ in range(5)]
        for client in lost:
            client.socket.close()
            number = client.greeting["session"]
            self.eventually(lambda number=number: number not in [
                s["session"] for s in self.client.call("server.sessions")["sessions"] if s["connected"]])
        self.assertLessEqual(self.stats("sessions_detached"), 3)
        self.refused("not_found", "resume", self.connect(), "hello", resume=lost[0].greeting["resume"])
        self.resume(lost[4])

    def test_subscription_whose_events_were_forgotten_says_how_many(self):
        self.client.call("world.create", world=self.world, paused=True, gravity=[0, 0])
        client = self.greet()
        client.call("world.subscribe", world=self.world, events=["spawn"])
        client.read_until(client.snapshots)
        client.socket.close()
        self.wait_detached(client)
        for i in range(4):
            self.client.call("world.apply", world=self.world, commands=[
                ["body.spawn", {"position": [3 * j, 3 * i], "shapes": [BALL]}] for j in range(10)])
            self.client.call("world.step", world=self.world)
        client = self.resume(client)
        client.read_until(client.snapshots)
        snapshot = client.snapshots()[0]
        self.assertTrue(snapshot["full"])
        self.assertEqual(len(snapshot["events"]) + snapshot["events_lost"], 40)
        self.assertGreater(snapshot["events_lost"], 0)
        self.assertEqual(client.call("ping").keys(), {"time"})


class Crowd(ResumeTest):
    """Limits so low that a queue would overflow if each resume left an entry in it until the next tick."""
    OPTIONS = ["--limit", "commands_per_world=1", "--limit", "worlds=1", "--limit", "connections=64", "--limit",
               "detached_sessions=1", "--limit", "subscriptions_per_connection=1", "--limit", "half_closed_ms=200"]

    def test_resumes_faster_than_ticks_do_not_pile_up(self):
        self.client.call("world.create", world=self.world, hz=1)
        client = self.greet()
        number = client.call("world.subscribe", world=self.world)["subscription"]
        begin = time.monotonic()
        for _ in range(2500):
            hasty = Client(self.server.port)
            hasty.request("hello", resume=client.greeting["resume"])
            hasty.socket.close()
        self.assertGreater(2500, 1292)  # capacity of the queue with these limits
        client = self.eventually(lambda: self.try_resume(client))
        self.assertEqual(client.greeting["subscriptions"][0]["subscription"], number)
        client.read_until(client.snapshots)
        self.assertTrue(client.snapshots()[0]["full"])
        self.assertLess(time.monotonic() - begin, SECONDS_MAX)
        client.call("goodbye")

    def try_resume(self, client):
        try:
            return self.resume(client)
        except (Closed, OSError):
            return None  # too many connections are still closing


class LeavingTest(ResumeTest):
    """Each test has a server of its own, since each ends it."""
    MS = 2 * 1000 * SECONDS_MAX  # longer than any test waits, so that another event must end the server

    def setUp(self):
        self.server = Caromd(CAROMD, "--limit", f"lame_duck_ms={self.MS}", "--limit", "half_closed_ms=200")
        self.addCleanup(self.server.__exit__)
        super().setUp()

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def leave(self, client):
        self.server.process.send_signal(signal.SIGUSR1)
        client.read_until(lambda: client.notifications)
        method, (told,) = client.notifications[0]
        self.assertEqual((method, told["seconds"]), ("leaving", self.MS / 1000))
        self.assertTrue(told["reason"])

    def closed(self, client):
        with self.assertRaises(Closed):
            client.read_until(lambda: False)
        return client.notifications[-1][1][0]["code"]


class LameDuck(LeavingTest):
    def test_server_ends_with_its_last_session(self):
        self.leave(self.client)
        self.client.socket.close()
        self.assertEqual(self.server.process.wait(SECONDS_MAX), 0)

    def test_signal_without_clients_ends_the_server(self):
        self.client.socket.close()
        self.server.process.send_signal(signal.SIGUSR1)
        self.assertEqual(self.server.process.wait(SECONDS_MAX), 0)

    def test_second_signal_changes_nothing_and_sigterm_ends_at_once(self):
        self.leave(self.client)
        self.server.process.send_signal(signal.SIGUSR1)
        self.client.call("ping")
        self.assertEqual(len(self.client.notifications), 1)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.closed(self.client), "unavailable")
        self.assertEqual(self.server.process.wait(SECONDS_MAX), 0)

    def test_new_sessions_are_refused_and_old_ones_resumed(self):
        mine = self.greet()
        self.leave(self.client)
        for method in ("hello", "ping", "world.list"):
            late = self.connect()
            self.refused("unavailable", "no new sessions", late, method)
            self.assertEqual(self.closed(late), "unavailable")
        late = self.connect()
        self.refused("not_found", "resume", late, "hello", resume="0.0.00")
        self.assertEqual(self.closed(late), "unavailable")
        mine.socket.close()
        mine = self.resume(mine)
        mine.call("world.create", world=self.world)


class LameDuckTime(LeavingTest):
    MS = 3000

    def test_clients_are_told_served_and_closed_when_the_time_is_over(self):
        begin = time.monotonic()
        self.client.call("world.create", world=self.world)
        self.leave(self.client)
        self.assertEqual(self.client.call("server.stats")["counters"]["leaving"], 1)
        self.client.call("world.step", world=self.client.call("world.pause", world=self.world)["world"], ticks=2)
        self.assertEqual(self.closed(self.client), "unavailable")
        self.assertGreaterEqual(time.monotonic() - begin, self.MS / 1000)
        self.assertEqual(self.server.process.wait(SECONDS_MAX), 0)


class Off(ResumeTest):
    OPTIONS = ["--limit", "resume_ms=0"]

    def test_without_time_nothing_is_offered(self):
        client = self.greet()
        self.assertEqual(client.greeting["resume"], "")
        client.socket.close()
        self.eventually(lambda: self.client.call("server.info")["sessions"] == 1)
        self.assertEqual(self.stats("sessions_detached"), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
