#!/usr/bin/env python3
"""Clients that request too much, too fast or from too many addresses get errors, are limited and closed; others
continue. Called with the path of caromd. With --reduced the floods are small, their rates low and no time is checked:
for a server that a sanitizer slows down, on a busy machine."""

import itertools
import os
import resource
import select
import signal
import socket
import sys
import time
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from keyed_case import SECRET, KeyedTest  # noqa: E402
from patience import SECONDS_MAX, attempts  # noqa: E402
from tokens import claims  # noqa: E402
from wire import NOTIFICATION, REQUEST, Client, Closed, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD  # noqa: E402

OTHER_ADDRESS = "127.0.0.2"  # an address that counts for limits, which loopback's 127.0.0.1 does not
REDUCED = "--reduced" in sys.argv[2:]
RATE = 20 if REDUCED else 200  # requests a second


class FloodTest(KeyedTest):
    OPTIONS = ["--threads", "1"]

    def connect(self, subject="root", role="admin", **more):
        """A client with a token, whose connection ends with the test."""
        return self.session(subject, role, **more)

    def counter(self, name):
        return self.connect("counter").call("server.stats")["counters"][name]

    def took(self, begin, least, most):
        """Checks the seconds since `begin`."""
        if not REDUCED:
            elapsed = time.monotonic() - begin
            self.assertGreaterEqual(elapsed, least)
            self.assertLess(elapsed, most)


class Prices(FloodTest):
    """Requests that the network thread answers cost bytes, values and rows."""

    LIMITS = ["requests_per_second=100", "request_burst=400"]

    def sent(self, client, method, count, **arguments):
        """Sends `count` requests in one write; returns the results, and the texts of errors."""
        ids = range(9000, 9000 + count)
        client.send(b"".join(msgpack.packb([REQUEST, i, method, [arguments]]) for i in ids))
        results, errors = [], []
        for i in ids:
            try:
                results.append(client.answer(i))
            except RemoteError as error:
                errors.append(str(error))
        return results, errors

    def test_lists_are_paid_by_rows(self):
        admin = self.connect("lister")
        for i in range(20):
            admin.call("world.create", world=f"w{i}", paused=True)
        admin = self.connect("lister2")
        results, errors = self.sent(admin, "world.list", 30)  # 20 rows: each request costs 20 of the remaining 380
        self.assertLess(len(results), 30)
        self.assertEqual({len(worlds) for worlds in results}, {20})
        dear = [text for text in errors if "requests_per_second" in text]
        self.assertRegex(dear[0], "this one counts for 20, again in [0-9.]+ s")

    def test_values_are_paid_before_they_are_decoded(self):
        client = self.connect("valuer")
        results, errors = self.sent(client, "ping", 8, any=[1] * 3200)  # 100 each by values, 4 by bytes
        self.assertEqual(len(results), 3)
        self.assertRegex(errors[0], "^limit_exceeded: requests_per_second: .* this one counts for 10[0-9], again in")


class Aside(FloodTest):
    """Large messages are decoded by another thread."""

    LIMITS = ["token_ms=240000", "first_message_ms=240000"]  # crowds send no token, on a busy machine too

    def batch(self, world, count, shape=BALL):
        return {"world": world, "commands": [["body.spawn", {"position": [3 * k, 0], "shapes": [shape]}] for k in range(count)]}

    def test_large_message_is_decoded_aside_and_calls_stay_in_order(self):
        client = self.connect("large")
        client.call("world.create", world="large", gravity=[0, 0], paused=True)
        before = self.counter("messages_aside")
        calls = [("world.apply", self.batch("large", 900)), ("world.info", {"world": "large"}),
                 ("ping", {"any": [1] * 5000}), ("world.apply", self.batch("large", 10)),
                 ("world.apply", self.batch("nowhere", 900)), ("world.apply", self.batch("large", 900, {"kind": "circle"})),
                 ("nothing", {"any": [1] * 5000}), ("world.info", {"world": "large"})]
        client.send(b"".join(msgpack.packb([REQUEST, 7000 + i, method, [arguments]])
                             for i, (method, arguments) in enumerate(calls)))
        self.assertEqual(len(client.answer(7000)["results"]), 900)
        self.assertEqual(client.answer(7001)["bodies"], 900)
        self.assertEqual(client.answer(7002)["any"], [1] * 5000)
        self.assertEqual(len(client.answer(7003)["results"]), 10)
        for i, text in ((7004, "not_found: world 'nowhere'"), (7005, r"invalid_argument: commands\[0\].*radius"),
                        (7006, "unknown_method: there is no method 'nothing'")):
            with self.assertRaisesRegex(RemoteError, text):
                client.answer(i)
        self.assertEqual(client.answer(7007)["bodies"], 910)
        self.assertEqual(self.counter("messages_aside") - before, 5)

    def test_all_of_many_that_send_at_once_are_answered(self):
        peers, hard = [], resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        for _ in range(1500):  # more than a turn reads, and more than it refuses to read
            peers.append(socket.create_connection(("127.0.0.1", self.server.port)))
            self.addCleanup(peers[-1].close)
        for _ in range(3):
            os.kill(self.server.process.pid, signal.SIGSTOP)  # so that all have input in the same turn
            for peer in peers:
                peer.sendall(msgpack.packb([REQUEST, 1, "server.info", [{}]]) * 4)
            os.kill(self.server.process.pid, signal.SIGCONT)
            for peer in peers:
                peer.settimeout(SECONDS_MAX)
                unpacker, seen = msgpack.Unpacker(), 0
                while seen < 4:
                    data = peer.recv(1 << 16)
                    self.assertTrue(data, "the server has closed the connection")
                    unpacker.feed(data)
                    seen += sum(1 for message in unpacker if message[0] == 1)

    def test_one_message_is_decoded_before_many_of_somebody_else(self):
        one = self.connect("one")
        message = msgpack.packb([REQUEST, 1, "ping", [{"any": [1] * 60_000}]])
        for attempt in range(10):  # all may be decoded before the other message is sent
            many = [self.connect(f"many{attempt}") for _ in range(12)]
            before = self.counter("messages_aside")
            for client in many:
                client.send(message)
            self.eventually(lambda: self.counter("messages_aside") >= before + len(many))
            one.send(message)
            one.answer(1)
            waiting = len(many) - len(select.select([client.socket for client in many], [], [], 0)[0])
            for client in many:
                client.answer(1)
            if waiting > 2:
                break
        self.assertGreater(waiting, 2)

    def test_who_leaves_while_a_message_is_decoded_harms_nobody(self):
        admin = self.connect()
        admin.call("world.create", world="left", gravity=[0, 0], paused=True)
        for i in range(20):
            leaver = self.connect(f"leaver{i}")
            leaver.send(msgpack.packb([REQUEST, 1, "world.apply", [self.batch("left", 900)]]))
            leaver.socket.close()
        self.connect("other").call("ping", any=[1] * 5000)
        admin.call("world.destroy", world="left")

    def test_who_ends_its_side_behind_a_large_message_is_answered(self):
        for i in range(30):  # in some of them the turn ends behind the message
            client = self.connect(f"half{i}")
            asked = client.request("world.apply", **self.batch("nowhere", 400 + 20 * i))
            client.socket.shutdown(socket.SHUT_WR)
            with self.assertRaisesRegex(RemoteError, "not_found: world 'nowhere'"):
                client.answer(asked)

    def test_rights_are_asked_before_a_large_message_is_looked_at(self):
        viewer = self.connect("looker", "viewer")
        with self.assertRaisesRegex(RemoteError, "permission_denied: world.apply needs the role player"):
            viewer.call("world.apply", **self.batch("large", 900, {"kind": "circle"}))


class Lists(FloodTest):
    LIMITS = ["requests_per_second=1000000", "request_burst=1000000"]

    def test_few_lists_of_a_session_wait_and_all_who_wait_are_answered(self):
        admin = self.connect()
        for i in range(30):
            admin.call("world.create", world=f"w{i}", paused=True)
        clients = [self.connect(f"c{i}", "player", worlds=["w1*"]) for i in range(4)]
        clients += [self.connect(f"d{i}") for i in range(4)]
        for client in clients:
            client.send(b"".join(msgpack.packb([REQUEST, 9000 + i, "world.list", [{}]]) for i in range(40)))
        for at, client in enumerate(clients):
            results, errors = [], []
            for i in range(40):
                try:
                    results.append([world["world"] for world in client.answer(9000 + i)])
                except RemoteError as error:
                    errors.append(str(error))
            self.assertGreaterEqual(len(results), 16)
            names = sorted(f"w{i}" for i in range(30))
            for seen in results:
                self.assertEqual(seen, [n for n in names if n.startswith("w1")] if at < 4 else names)
            for text in errors:
                self.assertRegex(text, "^limit_exceeded: world.list: 16 of this session are being answered")
        self.assertGreater(len(errors), 0)

    def test_list_is_never_older_than_its_question(self):
        admin = self.connect()
        calls = [("world.list", {}), ("world.create", {"world": "new", "paused": True}), ("world.list", {})]
        admin.send(b"".join(msgpack.packb([REQUEST, 8000 + i, method, [arguments]])
                            for i, (method, arguments) in enumerate(calls)))
        self.assertIn("new", [world["world"] for world in admin.answer(8002)])
        admin.send(b"".join(msgpack.packb([REQUEST, 8100 + i, method, [arguments]])
                            for i, (method, arguments) in enumerate(
                                [("world.list", {}), ("world.destroy", {"world": "new"}), ("world.list", {})])))
        self.assertNotIn("new", [world["world"] for world in admin.answer(8102)])


class Waiting(FloodTest):
    LIMITS = ["commands_per_world=100", "command_bytes=5000000", "commands_share=1"]
    ticks = itertools.count(200000)

    def wait_for(self, client, world, count, size=0):
        """Sends batches for a tick an hour away; returns those that were refused."""
        batch = {"world": world, "commands": [["body.spawn", {"shapes": [BALL], "tag": "t" * 60}]] * max(1, size // 100)}
        # Each batch is for a tick of its own, since a tick has little time for batches here.
        ids = [client.request("world.apply", **batch, at=next(self.ticks)) for _ in range(count)]
        client.call("ping")  # refusals are immediate
        return [client.responses.pop(i)[0] for i in ids if i in client.responses]

    def test_who_waits_leaves_room_for_others_even_when_gone(self):
        root = self.connect()
        root.call("world.create", world="full")
        for number in range(3):  # new connections of the same subject
            eve = self.connect("eve", "player")
            refused = self.wait_for(eve, "full", 60)
            self.assertEqual(len(refused), 10 if number == 0 else 60)
            self.assertRegex(refused[-1], "^limit_exceeded: commands_per_world: 50 of this subject .* of 100 in .*'full'")
            eve.socket.close()
        mallory = self.connect("mallory", "player")
        self.assertEqual(len(self.wait_for(mallory, "full", 60)), 60 - 25)
        self.connect("ada", "player").call("body.spawn", world="full", shapes=[BALL])
        root.call("world.destroy", world="full")

    def test_who_has_much_waiting_leaves_room_in_other_worlds(self):
        root = self.connect()
        for world in ("one", "two"):
            root.call("world.create", world=world)
        eve = self.connect("eve2", "player")
        refused = self.wait_for(eve, "one", 45, size=10000)
        self.assertRegex(refused[-1], "^limit_exceeded: command_bytes: [0-9]+ bytes of this subject")
        self.assertRegex(self.wait_for(eve, "two", 1, size=10000)[0], "^limit_exceeded: command_bytes: ")
        self.assertLessEqual(root.call("server.stats")["counters"]["command_bytes"], 2600000)
        ada = self.connect("ada", "player")
        self.assertEqual(self.wait_for(ada, "two", 1, size=10000), [])
        ada.call("body.spawn", world="one", shapes=[BALL])
        for world in ("one", "two"):
            root.call("world.destroy", world=world)
        self.eventually(lambda: root.call("server.stats")["counters"]["command_bytes"] <= 10000)
        root.call("world.create", world="three")
        self.assertEqual(self.wait_for(eve, "three", 1, size=10000), [])  # its share is free again
        root.call("world.destroy", world="three")

    def test_batches_of_one_subject_for_a_tick_leave_time_to_another(self):
        """By estimate, a tick has time for about 80 commands here, on any machine."""
        root = self.connect()
        root.call("world.create", world="batches", gravity=[0, 0])

        def refused(client):
            client.request("world.apply", world="batches", at=100_000, commands=[
                ["body.spawn", {"position": [2 * k, 0], "shapes": [BALL]}] for k in range(30)])
            client.call("world.info", world="batches")  # answered after the refusals, and before the tick
            return [error.split(":")[0] for error, _ in client.responses.values()]
        first, other = self.connect("first", "player"), self.connect("other", "player")
        self.assertEqual(refused(first), [])
        self.assertEqual(refused(first), ["limit_exceeded"])
        self.assertEqual(refused(other), [])
        root.call("world.destroy", world="batches")

    def test_many_who_subscribe_to_a_busy_world_take_turns(self):
        root = self.connect()
        root.call("world.create", world="busy", hz=240)
        clients = [self.connect(f"watcher{i}", "viewer") for i in range(12)]
        for encoding in ("plain", "log", "packed"):
            asked = [(c, [c.request("world.subscribe", world="busy", encoding=encoding) for _ in range(5)])
                     for c in clients]
            for client, ids in asked:
                for request in ids:
                    self.assertGreater(client.answer(request)["subscription"], 0)
        self.assertEqual(root.call("world.info", world="busy")["subscribers"], 12 * 5 * 3)
        for client in clients:
            client.socket.close()
        root.call("world.destroy", world="busy")


class Unread(FloodTest):
    LIMITS = ["unsent_bytes=6000000", "output_bytes=20000000"]

    def deaf(self, subject):
        """A client whose kernel buffers hold little of the answers until they are read."""
        connected = socket.socket()
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connected.connect(("127.0.0.1", self.server.port))
        client = Client(None, connected)
        self.addCleanup(client.__exit__)
        client.call("hello", token=SECRET.sign(claims(subject, "viewer")))
        return client

    def test_who_reads_nothing_over_many_connections_is_closed_and_nobody_else(self):
        root = self.connect()
        root.call("world.create", world="w", paused=True)
        for row in range(3):
            root.call("world.apply", world="w", commands=[
                ["body.spawn", {"position": [2 * i, 2 * row], "shapes": [BALL]}] for i in range(1000)])
        ada = self.deaf("ada")
        state = ada.request("world.state", world="w")  # a megabyte
        for _ in range(10):
            eve = self.deaf("eve")
            for _ in range(3):
                eve.request("world.state", world="w")
        self.eventually(lambda: self.counter("connections_overrun"))
        self.logged(r"subject 'eve', address 127.0.0.1:[0-9]+: limit_exceeded: closed: unsent_bytes: [0-9]+ bytes")
        self.assertEqual(len(ada.answer(state)["bodies"]), 3000)
        ada.call("ping")
        self.assertEqual([line for line in self.server.log if "'ada'" in line], [])
        root.call("world.destroy", world="w")


class Requests(FloodTest):
    LIMITS = [f"requests_per_second={RATE}", "request_burst=100"]

    def flood(self, client, count, method="ping"):
        client.send(b"".join(msgpack.packb([REQUEST, 1000 + i, method, [{}]]) for i in range(count)))
        answers = []
        for i in range(count):
            try:
                client.answer(1000 + i)
                answers.append("ok")
            except RemoteError as error:
                answers.append(str(error).split(":")[0])
        return answers

    def test_more_than_the_burst_is_refused_and_counted(self):
        client = self.connect("ada", "player")
        answers = self.flood(client, 150)
        self.assertLessEqual(70, answers.count("ok"))
        self.assertGreaterEqual(answers.count("limit_exceeded"), 30)
        self.assertEqual(answers[0], "ok")
        self.assertGreaterEqual(self.counter("requests_limited"), 30)
        self.await_answer(client)

    def test_who_goes_on_is_closed(self):
        client = self.connect("eve", "player")
        with self.assertRaises((Closed, ConnectionError)):
            for _ in range(40):
                self.flood(client, 100)
        self.assertRegex(self.farewell(client), "^limit_exceeded: ")

    def test_unknown_methods_and_refused_ones_cost_as_much(self):
        for subject, method in (("u", "no.such"), ("v", "world.create")):
            client = self.connect(subject, "viewer")
            self.assertIn("limit_exceeded", self.flood(client, 150, method))

    def test_connections_of_one_subject_share(self):
        clients = [self.connect("many", "player") for _ in range(4)]
        answers = [a for client in clients for a in self.flood(client, 60)]
        self.assertLess(answers.count("ok"), 150)
        self.assertEqual(self.flood(self.connect("single", "player"), 60).count("ok"), 60)

    def test_new_connection_is_no_new_burst(self):
        answers = []
        for _ in range(4):
            client = self.connect("again", "player")
            answers += self.flood(client, 60)
            client.socket.close()
        self.assertLess(answers.count("ok"), 150)

    def is_answered(self, client):
        try:
            return client.call("ping") is not None
        except RemoteError:  # not again yet
            return False

    def await_answer(self, client):
        end = time.monotonic() + SECONDS_MAX
        while not self.is_answered(client):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.5)

    def test_notifications_over_it_do_nothing(self):
        admin = self.connect("root2")
        admin.call("world.create", world="w", paused=True)
        client = self.connect("noter", "player")
        client.send(b"".join(msgpack.packb([NOTIFICATION, "body.spawn", [{"world": "w", "shapes": []}]])
                             for _ in range(180)))
        self.await_answer(client)
        self.assertLess(admin.call("world.info", world="w")["bodies"], 130)
        admin.call("world.destroy", world="w")

    def test_token_lowers_it(self):
        client = self.connect("slow", "player", limits={"requests_per_second": 1, "request_burst": 25})
        self.assertEqual(client.hello["limits"]["requests_per_second"], 1)
        self.assertLess(self.flood(client, 50).count("ok"), 30)

    def test_long_message_costs_more(self):
        client = self.connect("long", "player")
        client.call("ping", any=b"x" * 60000)
        with self.assertRaisesRegex(RemoteError, "^limit_exceeded: requests_per_second"):
            client.call("ping", any=b"x" * 60000)

    def test_refusals_are_written_down_so_many_a_second(self):
        time.sleep(1.5)  # time for another line of the log, whatever was logged before
        client = self.connect("audited", "viewer")
        with self.assertRaises(RemoteError):
            client.call("world.create", world="w")
        line = self.logged("'audited'")
        self.assertRegex(line, r"refused: session [0-9]+, subject 'audited', address 127.0.0.1:[0-9]+: "
                               "permission_denied: world.create needs the role admin")
        for i in range(6):
            self.flood(self.connect(f"crowd{i}", "viewer"), 150, "world.create")
        written = len([line for line in self.server.log if "refused: session" in line])
        self.assertLess(written, 400)
        time.sleep(1.1)
        with self.assertRaises(RemoteError):
            self.connect("later", "viewer").call("world.create", world="w")
        self.logged("refused: [0-9]+ more")


class Worlds(FloodTest):
    """Requests to one world cost the others little; unit tests check the limits of a tick."""
    PILE = 250 if REDUCED else 700  # circles; each two make a pair
    LIMITS = [f"pairs_per_world={PILE * (PILE - 1) // 2 - 10 * PILE}", "request_burst=1000000",
              "requests_per_second=1000000"]

    def pile(self, client, world, count):
        """Spawns `count` circles in one place; returns the number of refusals."""
        client.send(b"".join(msgpack.packb([REQUEST, 5000 + i, "body.spawn", [{
            "world": world, "shapes": [{"kind": "circle", "radius": 5}]}]]) for i in range(count)))
        refused = []
        for i in range(count):
            try:
                client.answer(5000 + i)
            except RemoteError as error:
                refused.append(str(error))
        return refused

    def test_pile_is_refused_and_its_world_set_apart_and_another_goes_on(self):
        admin = self.connect()
        for world in ("calm", "pile"):
            admin.call("world.create", world=world, gravity=[0, 0], paused=world == "pile")
        piler = self.connect("piler")
        piler.socket.settimeout(SECONDS_MAX)
        refused = self.pile(piler, "pile", self.PILE)
        self.assertGreaterEqual(len(refused), 10)
        self.assertRegex(refused[0], "limit_exceeded: pairs_per_world: [0-9]+ pairs of shapes overlap")
        admin.call("world.resume", world="pile")
        if not REDUCED:  # a fast machine keeps the rate of a small pile
            for _ in attempts():
                if self.counter("worlds_set_apart") > 0:
                    break
            self.assertGreaterEqual(self.counter("worlds_set_apart"), 1)
        begin = time.monotonic()
        for _ in range(30):
            admin.call("body.spawn", world="calm", shapes=[])
        self.took(begin, 0, 30)  # two ticks each on a busy machine; a step of the pile for each would take longer
        self.assertGreater(admin.call("world.info", world="pile")["tick"], 0)
        admin.call("world.destroy", world="pile")
        admin.call("world.destroy", world="calm")

    def test_server_ends_while_worlds_are_set_apart(self):
        with Caromd(CAROMD, "--threads", "1") as server:
            client = Client(server.port)
            for i in range(6):
                client.call("world.create", world=f"w{i}", gravity=[0, 0])
                client.send(b"".join(msgpack.packb([NOTIFICATION, "body.spawn", [{
                    "world": f"w{i}", "shapes": [{"kind": "circle", "radius": 5}]}]]) for _ in range(200)))
            time.sleep(0.05)


class Bytes(FloodTest):
    LIMITS = ["input_bytes_per_second=200000"]

    def test_fast_sender_is_slowed_and_not_closed(self):
        client, other = self.connect("ada"), self.connect("bob")
        before, begin = self.counter("bytes_received"), time.monotonic()
        ids = [client.request("ping", any=b"x" * 50000) for _ in range(12)]
        other.call("ping")
        arrived = self.counter("bytes_received") - before
        for request in ids:
            client.answer(request)
        self.assertLess(arrived, 600_000)  # other clients do not wait until everything is read
        self.took(begin, 1.2, SECONDS_MAX)  # 600 kB, of which a second's worth is allowed at once
        self.assertGreater(self.counter("input_limited"), 0)


CROWD = 400 if REDUCED else 1000


class Turns(FloodTest):
    LIMITS = ["request_burst=100000000", "requests_per_second=100000000"]
    PINGS_MAX = 5_000  # pings of the flood before another client's request: a few turns of 16 KiB, at 10 bytes each

    ACCEPTS_MAX = 200  # two turns of 64, and a few more

    def test_connections_that_wait_do_not_keep_another_waiting(self):
        other = self.connect("bob")
        before = other.call("server.stats")["counters"]["connections_accepted"]
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            crowd = [socket.create_connection(("127.0.0.1", self.server.port), SECONDS_MAX) for _ in range(CROWD)]
            request = other.request("server.stats")
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        accepted = other.answer(request)["counters"]["connections_accepted"] - before
        self.assertLess(accepted, self.ACCEPTS_MAX)
        end = time.monotonic() + SECONDS_MAX
        while other.call("server.stats")["counters"]["connections_accepted"] - before < len(crowd):
            self.assertLess(time.monotonic(), end)
        for raw in crowd:
            raw.close()

    def test_what_waits_in_one_socket_does_not_keep_another_waiting(self):
        flood, other = self.connect("ada"), self.connect("bob")
        ping = msgpack.packb([REQUEST, 1, "ping", [{}]])
        flood.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
        before = other.call("server.stats")["counters"]["messages_received"]
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            flood.socket.settimeout(0.2)
            with self.assertRaises(TimeoutError):
                flood.socket.sendall(ping * 1_000_000)
            request = other.request("server.stats")
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        handled = other.answer(request)["counters"]["messages_received"] - before
        self.assertLess(handled, self.PINGS_MAX)


class AddressTest(FloodTest):
    LIMITS = ["connections_per_address=5"]

    def open_from(self, address):
        raw = socket.create_connection(("127.0.0.1", self.server.port), SECONDS_MAX, (address, 0))
        self.addCleanup(raw.close)
        return raw

    def refused(self, raw):
        unpacker = msgpack.Unpacker(raw=False)
        try:
            raw.sendall(msgpack.packb([REQUEST, 1, "ping", [{}]]))
            while data := raw.recv(4096):
                unpacker.feed(data)
                for message in unpacker:
                    return None if message[0] != NOTIFICATION else message[2][0]["reason"]
        except ConnectionError:
            pass
        raise AssertionError("neither an answer nor a reason")


class Addresses(AddressTest):
    def test_one_address_has_so_many_connections(self):
        crowd = [self.open_from(OTHER_ADDRESS) for _ in range(8)]
        reasons = [self.refused(raw) for raw in crowd]
        self.assertEqual(reasons[:5], [None] * 5)
        self.assertEqual(reasons[5:], ["connections_per_address: there are 5 already"] * 3)
        self.assertIsNone(self.refused(self.open_from("127.0.0.3")))
        crowd[0].close()
        end = time.monotonic() + SECONDS_MAX
        while self.refused(self.open_from(OTHER_ADDRESS)) is not None:
            self.assertLess(time.monotonic(), end)

    def test_this_machine_does_not_count(self):
        self.assertEqual([self.refused(self.open_from("127.0.0.1")) for _ in range(8)], [None] * 8)


class ConnectionFlood(AddressTest):
    """Has a server of its own: in a flood, some refused connections get no reason."""

    def test_connection_flood_from_one_address_harms_nobody(self):
        good = self.connect("bob")
        flood = []
        for i in range(600 if REDUCED else 3000):
            flood.append(self.open_from("127.0.0.4"))
            if i % 500 == 0:
                good.call("ping")
            if len(flood) > 300:
                flood.pop(0).close()
        self.assertGreater(self.counter("connections_refused"), 400 if REDUCED else 2000)
        self.assertIsNone(self.refused(self.open_from("127.0.0.5")))
        good.call("ping")
        lines = [line for line in self.server.log if "address 127.0.0.4:" in line]
        self.assertRegex(lines[0], "refused: no session, address 127.0.0.4:[0-9]+: limit_exceeded: "
                                   "connections_per_address: there are 5 already")
        self.assertLess(len(lines), 1000)


class Strangers(FloodTest):
    """Clients without a token, on a server with keys."""
    LIMITS = [f"requests_per_second={RATE}", "request_burst=100"]

    def test_strangers_of_one_address_share(self):
        ok = 0
        for _ in range(5):
            raw = socket.create_connection(("127.0.0.1", self.server.port), SECONDS_MAX, (OTHER_ADDRESS, 0))
            client = Client(None, connected=raw)
            self.addCleanup(client.__exit__)
            client.send(b"".join(msgpack.packb([REQUEST, i, "ping", [{}]]) for i in range(60)))
            for i in range(60):
                try:
                    client.answer(i)
                    ok += 1
                except RemoteError as error:
                    self.assertRegex(str(error), "^limit_exceeded: requests_per_second")
        self.assertLess(ok, 200)
        with Client(self.server.port) as other:
            other.call("ping")


class Slow(FloodTest):
    LIMITS = ["first_message_ms=1500", "message_ms=1500"]
    PING = msgpack.packb([REQUEST, 1, "ping", [{"any": "x" * 200}]])

    def dribble(self, raw, data):
        """Sends byte after byte, until the server closes the connection."""
        raw.settimeout(0.05)
        for byte in data:
            try:
                raw.sendall(bytes([byte]))
                if not raw.recv(4096):
                    return
            except TimeoutError:
                pass
            except ConnectionError:
                return
        self.fail("the server took all of it")

    def test_one_byte_a_second_is_no_message(self):
        good = self.connect("bob")
        with socket.create_connection(("127.0.0.1", self.server.port), SECONDS_MAX) as raw:
            port = raw.getsockname()[1]
            self.dribble(raw, self.PING)
        self.logged(rf"refused: session [0-9]+, subject '', address 127.0.0.1:{port}: [a-z_]+: closed: "
                    "no message within first_message_ms")
        with socket.create_connection(("127.0.0.1", self.server.port), SECONDS_MAX) as raw:
            raw.sendall(msgpack.packb([REQUEST, 1, "ping", [{}]]))
            raw.recv(4096)
            self.dribble(raw, self.PING)
        good.call("ping")
        self.assertGreaterEqual(self.counter("connections_expired"), 2)


class Idle(FloodTest):
    LIMITS = ["connections=11000", "first_message_ms=60000", "token_ms=60000"]
    BYTES_MAX = 20_000  # per connection; 2 kB without a sanitizer

    def resident(self):
        text = Path(f"/proc/{self.server.process.pid}/statm").read_text(encoding="ascii")
        return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def test_ten_thousand_idle_connections_cost_little_and_harm_nobody(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        count = 1000 if REDUCED else 10_000 if hard == resource.RLIM_INFINITY or hard > 10_500 else hard - 500
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 500) if hard > 0 else count + 500, hard))
        good = self.connect("bob")
        before = self.resident()
        crowd = [socket.create_connection(("127.0.0.1", self.server.port), SECONDS_MAX) for _ in range(count)]
        end = time.monotonic() + SECONDS_MAX
        while good.call("server.stats")["counters"]["sessions"] < count:
            self.assertLess(time.monotonic(), end)
        self.assertLess((self.resident() - before) / count, self.BYTES_MAX)
        for raw in crowd[::1000]:
            raw.sendall(msgpack.packb([REQUEST, 1, "ping", [{}]]))
            self.assertTrue(raw.recv(4096))
        for raw in crowd:
            raw.close()
        while good.call("server.stats")["counters"]["sessions"] > 10:
            self.assertLess(time.monotonic(), end)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
