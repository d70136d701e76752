#!/usr/bin/env python3
"""Sessions over the wire: objects that end with them, the list of sessions, notices of ends. Called with the path of
caromd."""

import socket
import struct
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from wire import Closed  # noqa: E402
from wire_case import BALL, ServerTest  # noqa: E402


class SessionTest(ServerTest):
    def worlds(self):
        return [w["world"] for w in self.client.call("world.list")]


class IfAbsent(SessionTest):
    def test_world_that_is_there_is_the_answer(self):
        first = self.call("world.create", if_absent=True, paused=True)
        self.assertEqual((first["world"], first["tick"], first["created"]), (self.world, 0, True))
        self.call("world.step", ticks=3)
        second = self.call("world.create", if_absent=True, gravity=[5, 5])
        self.assertEqual((second["tick"], second["created"]), (3, False))
        self.assertEqual(self.call("world.info")["gravity"], [0, -9.81])

    def test_world_that_is_being_made_is_waited_for(self):
        ids = [self.client.request("world.create", world=self.world, scene="drum", if_absent=True)
               for _ in range(3)]
        self.assertEqual([self.client.answer(i)["created"] for i in ids], [True, False, False])

    def test_without_it_the_name_is_taken(self):
        self.call("world.create")
        self.refused("already_exists", self.world, self.client, "world.create", world=self.world)
        self.refused("already_exists", self.world, self.client, "world.create", world=self.world,
                     if_absent=False)


class Lifetime(SessionTest):
    OPTIONS = ["--limit", "worlds=4", "--limit", "half_closed_ms=200"]

    def test_world_ends_with_its_session(self):
        maker = self.connect()
        maker.call("world.create", world=self.world, lifetime="session")
        self.client.call("world.subscribe", world=self.world)
        self.assertIn(self.world, self.worlds())
        maker.socket.close()
        self.eventually(lambda: self.world not in self.worlds())
        self.client.read_until(lambda: [n for n in self.client.notifications if n[0] == "world_closed"])

    def test_world_of_the_server_stays(self):
        maker = self.connect()
        maker.call("world.create", world=self.world)
        maker.socket.close()
        self.eventually(lambda: self.client.call("server.info")["sessions"] == 1)
        self.assertIn(self.world, self.worlds())
        self.call("world.destroy")

    def test_worlds_that_end_while_they_are_made_give_back_their_place(self):
        for i in range(30):
            maker = self.connect()
            maker.request("world.create", world=f"{self.world}{i}"[:64], scene="drum", lifetime="session")
            maker.call("ping")
            maker.socket.close()
            self.eventually(lambda: not [w for w in self.worlds() if w.startswith(self.world)])
        self.eventually(lambda: self.client.call("server.info")["worlds"] == 0)

    def test_bodies_end_with_their_session_and_others_stay(self):
        self.call("world.create", gravity=[0, 0])
        player = self.connect()
        mine = player.call("body.spawn", world=self.world, shapes=[BALL], lifetime="session")["body"]
        left = player.call("body.spawn", world=self.world, shapes=[BALL], position=[5, 0])["body"]
        batch = player.call("world.apply", world=self.world, commands=[
            ["body.spawn", {"position": [10, 0], "shapes": [BALL], "lifetime": "session"}],
            ["body.spawn", {"position": [15, 0], "shapes": [BALL], "lifetime": "world"}]])["results"]
        other = self.call("body.spawn", shapes=[BALL], position=[20, 0], lifetime="session")["body"]
        self.client.call("world.subscribe", world=self.world, events=["remove"])
        self.client.read_until(self.client.snapshots)
        # A body that was already removed is no error, and its slot's new body is not removed.
        gone = player.call("body.spawn", world=self.world, shapes=[BALL], lifetime="session")["body"]
        self.call("body.remove", body=gone)
        heir = self.call("body.spawn", shapes=[BALL], position=[25, 0])["body"]
        player.socket.close()

        expected = {left, batch[1]["body"], other, heir}
        self.eventually(lambda: {b["body"] for b in self.call("world.state")["bodies"]} == expected)

        def told():
            removed = {i for s in self.client.snapshots() for i in s["removed"]}
            events = {e["a"] for e in self.client.events("remove")}
            return {mine, batch[0]["body"]} <= removed & events
        self.client.read_until(told)
        self.call("world.destroy")

    def test_bodies_of_a_paused_world_go_at_once(self):
        self.call("world.create", paused=True)
        player = self.connect()
        player.call("body.spawn", world=self.world, shapes=[BALL], lifetime="session")
        player.socket.close()
        self.eventually(lambda: self.call("world.info")["bodies"] == 0)
        self.assertEqual(self.call("world.info")["tick"], 0)
        self.call("world.destroy")

    def test_batch_for_a_later_tick_dies_with_its_session(self):
        self.call("world.create", paused=True)
        player = self.connect()
        player.request("world.apply", world=self.world, at=5,
                       commands=[["body.spawn", {"shapes": [BALL], "lifetime": "session"}]])
        player.request("world.apply", world=self.world, at=5, commands=[["body.spawn", {"shapes": [BALL]}]])
        player.call("body.spawn", world=self.world, shapes=[BALL], lifetime="session")
        player.socket.close()
        self.eventually(lambda: self.call("world.info")["bodies"] == 0)
        self.call("world.step", ticks=10)
        self.assertEqual(self.call("world.info")["bodies"], 1)
        self.call("world.destroy")

    def test_commands_sent_right_before_the_end_leave_nothing(self):
        self.call("world.create")
        for _ in range(20):
            player = self.connect()
            for _ in range(5):
                player.notify("body.spawn", world=self.world, shapes=[BALL], lifetime="session")
            player.socket.close()
        self.eventually(lambda: self.client.call("server.info")["sessions"] == 1)
        time.sleep(0.1)
        self.eventually(lambda: self.call("world.info")["bodies"] == 0)
        self.call("world.destroy")

    def test_subscriptions_asked_for_right_before_the_end_leave_nothing(self):
        self.call("world.create")
        for how in ("fin", "reset", "kicked"):
            for encoding in ("plain", "packed", "log"):
                with self.subTest(how, encoding=encoding):
                    for _ in range(5):
                        watcher = self.connect()
                        number = watcher.call("hello")["session"] if how == "kicked" else 0
                        watcher.request("world.subscribe", world=self.world, encoding=encoding)
                        if how == "reset":
                            time.sleep(0.001)
                            watcher.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        elif how == "kicked":
                            watcher.request("server.kick", session=number)
                        watcher.socket.close()
                    self.eventually(lambda: self.client.call("server.info")["sessions"] == 1)
                    time.sleep(0.1)
                    self.eventually(lambda: self.call("world.info")["subscribers"] == 0)
        self.call("world.destroy")

    def test_other_words_are_refused(self):
        self.refused("invalid_argument", "lifetime.*server.*session", self.client, "world.create",
                     world=self.world, lifetime="world")
        self.call("world.create")
        self.refused("invalid_argument", "lifetime.*world.*session", self.client, "body.spawn",
                     world=self.world, shapes=[BALL], lifetime="server")
        self.call("world.destroy")


class Ends(SessionTest):
    def test_world_closed_names_the_world(self):
        for _ in range(20):
            self.call("world.create")
            self.client.call("world.subscribe", world=self.world)
            self.call("world.destroy")
            self.client.read_until(lambda: self.client.notifications
                                   and self.client.notifications[-1][0] == "world_closed")
            told = self.client.notifications.pop()[1][0]
            self.assertEqual((told["world"], told["code"]), (self.world, "not_found"))


class Listed(SessionTest):
    def sessions(self, **arguments):
        return self.client.call("server.sessions", **arguments)

    def test_session_is_told_in_full(self):
        self.call("world.create")
        other = self.connect()
        number = other.call("hello", client="test 1.0")["session"]
        subscription = other.call("world.subscribe", world=self.world)["subscription"]
        told = next(s for s in self.sessions()["sessions"] if s["session"] == number)
        host, port = other.socket.getsockname()
        self.assertEqual(told["address"], f"{host}:{port}")
        self.assertEqual((told["client"], told["connected"], told["role"], told["subject"]),
                         ("test 1.0", True, "admin", ""))
        self.assertEqual(told["subscriptions"], [{"subscription": subscription, "world": self.world}])
        self.assertAlmostEqual(told["since"], time.time(), delta=60)
        self.assertLess(told["idle"], 60)
        self.assertGreater(told["received_bytes"], 50)
        self.assertGreater(told["sent_bytes"], 50)
        self.call("world.destroy")

    def test_lag_of_a_reader_that_takes_nothing_is_told(self):
        self.call("world.create", gravity=[0, 0])
        for _ in range(5):
            self.call("world.apply", commands=[["body.spawn", {"velocity": [1, 0], "position": [0, 5 * i],
                                                               "shapes": [BALL]}] for i in range(500)])
        reader = self.connect()
        number = reader.call("hello")["session"]
        reader.request("world.subscribe", world=self.world)

        def lags():
            told = next(s for s in self.sessions()["sessions"] if s["session"] == number)
            return told["queued_bytes"] > 0 and told["lag"] > 0.3
        for _ in range(16):  # about 1.5 MB each
            reader.request("world.state", world=self.world)
        self.eventually(lags)
        reader.socket.close()
        self.call("world.destroy")

    def test_pages_hold_every_session_once(self):
        others = [self.connect() for _ in range(20)]
        for other in others:
            other.call("ping")
        everyone = self.sessions()
        numbers = [s["session"] for s in everyone["sessions"]]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(everyone["total"], len(numbers))
        paged, page = [], self.sessions(count=7)
        while page["sessions"]:
            self.assertLessEqual(len(page["sessions"]), 7)
            paged += [s["session"] for s in page["sessions"]]
            page = self.sessions(count=7, after=paged[-1])
        self.assertEqual(paged, numbers)
        self.refused("invalid_argument", "count", self.client, "server.sessions", count=1001)
        self.refused("invalid_argument", "count", self.client, "server.sessions", count=0)


class Kick(SessionTest):
    OPTIONS = ["--limit", "resume_ms=0", "--limit", "half_closed_ms=200"]
    def test_kicked_session_is_told_why_and_leaves_nothing(self):
        victim = self.connect()
        number = victim.call("hello")["session"]
        victim.call("world.create", world=self.world, lifetime="session")
        self.assertEqual(self.client.call("server.kick", session=number), {})
        with self.assertRaises(Closed):
            victim.read_until(lambda: False)
        self.assertEqual(victim.notifications, [("closing", [
            {"code": "permission_denied", "reason": "closed by an administrator"}])])
        self.eventually(lambda: self.world not in self.worlds())
        self.refused("not_found", "session", self.client, "server.kick", session=number)

    def test_reason_is_told_and_bounded(self):
        victim = self.connect()
        number = victim.call("hello")["session"]
        self.refused("limit_exceeded", "reason", self.client, "server.kick", session=number, reason="x" * 129)
        self.client.call("server.kick", session=number, reason="x" * 128)
        with self.assertRaises(Closed):
            victim.read_until(lambda: False)
        self.assertEqual(victim.notifications[0][1][0]["reason"], "x" * 128)

    def schedule(self, client):
        """Has the client send a batch for a later tick; returns the session's number."""
        number = client.call("hello")["session"]
        client.request("world.apply", world=self.world, at=5, commands=[["body.spawn", {"shapes": [BALL]}]])
        client.call("world.info", world=self.world)  # the batch has been taken before
        return number

    def test_batches_of_sessions_that_have_ended_end_with_a_kick(self):
        self.call("world.create", paused=True)
        left, lost, stays, nothing = (self.connect() for _ in range(4))
        numbers = [self.schedule(left), self.schedule(lost)]
        self.schedule(stays)
        idle = nothing.call("hello")["session"]
        for client in (left, stays, nothing):
            client.call("goodbye")
        for client in (left, stays, nothing, lost):
            client.socket.close()
        ended = lambda: {s["session"] for s in self.client.call("server.sessions")["sessions"]}
        self.eventually(lambda: not ended() & {*numbers, idle})
        for number in numbers:
            self.assertEqual(self.client.call("server.kick", session=number), {})
            self.refused("not_found", "session", self.client, "server.kick", session=number)
        self.refused("not_found", "session", self.client, "server.kick", session=idle)
        self.call("world.step", ticks=6)
        self.assertEqual(self.call("world.info")["bodies"], 1)  # the body of the session that nobody kicked

    def test_batches_of_a_session_that_is_leaving_end_with_a_kick(self):
        self.call("world.create", paused=True)
        leaving = self.connect()
        number = self.schedule(leaving)
        leaving.call("goodbye")  # the connection stays, as the batch's answer is still to come
        self.client.call("server.kick", session=number, reason="enough")
        self.assertEqual(self.farewell(leaving), "permission_denied: enough")
        self.call("world.step", ticks=6)
        self.assertEqual(self.call("world.info")["bodies"], 0)

    def test_own_session_may_be_kicked(self):
        mine = self.connect()
        mine.request("server.kick", session=mine.call("hello")["session"])
        with self.assertRaises(Closed):
            mine.read_until(lambda: False)


class Rate(SessionTest):
    def test_young_world_tells_no_nonsense(self):
        self.call("world.create", paused=True, scene="drum")
        self.call("world.step", ticks=60)  # in its first second, and slow to step
        self.assertLessEqual(self.call("world.info")["rate"], 60)  # 0, unless these ticks took a second
        self.call("world.resume")
        begun, seen, info = self.call("world.info")["tick"], set(), {"tick": 0}
        while info["tick"] < begun + 90:
            info = self.call("world.info")
            self.assertLessEqual(info["rate"], 1.1 * info["hz"])
            seen.add(info["rate"] > 0)  # a busy machine may report 0 in between
        self.assertIn(True, seen)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
