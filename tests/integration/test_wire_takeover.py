"""A new process takes over from a running one: no world, no answered command and no session is lost.

Usage: test_wire_takeover.py CAROMD
"""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402
from wire import Client, Closed, RemoteError  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
BALL = {"kind": "circle", "radius": 0.5}
BOX = {"kind": "box", "size": [1, 1]}


class TakeoverTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.data = self.folder / "data"
        self.path = self.data / "takeover"
        self.server = None
        self.addCleanup(self.stop)

    def start(self, *options):
        self.server = Caromd(CAROMD, "--data", str(self.data), *options)
        self.port = self.server.port

    def stop(self):
        if self.server is not None:
            self.server.__exit__()
            self.server = None

    def take_over(self, *options, program=CAROMD):
        """Starts the next server, and checks that it serves and that the last one has ended cleanly."""
        old = self.server
        self.server = Caromd(program, "--data", str(self.data), "--takeover", str(self.path), *options)
        self.assertEqual(self.server.port, self.port)
        self.assertEqual(old.await_end(), 0, "".join(old.log))
        self.assertRegex("".join(old.log), f"process {self.taken_over()} has taken over")

    def taken_over(self):
        """The process that the last server takes for the next."""
        return self.server.process.pid

    def refused(self, *options):
        """Starts a process that cannot take over; returns its log."""
        made = subprocess.run([CAROMD, *options], stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX,
                              stdin=subprocess.DEVNULL)
        self.assertNotEqual(made.returncode, 0, made.stderr)
        return made.stderr

    def greet(self, **arguments):
        client = Client(self.port)
        self.addCleanup(client.__exit__)
        client.greeting = client.call("hello", **arguments)
        return client

    def resume(self, lost, **arguments):
        return self.greet(resume=lost.greeting["resume"], **arguments)


class Lossless(TakeoverTest):
    def test_session_world_and_subscription_go_on(self):
        self.start("--http", "127.0.0.1:0")
        http = self.server.http_port
        for _ in range(3):  # also from a process that took over itself
            player = self.greet(client="one")
            name = f"w{player.greeting['session']}"
            player.call("world.create", world=name, gravity=[0, 0], hz=200)
            body = player.call("body.spawn", world=name, position=[3, 4], velocity=[1, 0], shapes=[BALL])["body"]
            number = player.call("world.subscribe", world=name)["subscription"]
            player.notifications.clear()
            player.read_until(lambda: len(player.notifications) > 20)
            last = player.notifications[-1][1][0]
            began = time.monotonic()
            self.take_over("--http", "127.0.0.1:0")
            self.assertEqual(self.server.http_port, http)
            player = self.resume(player)
            self.assertEqual([s["subscription"] for s in player.greeting["subscriptions"]], [number])
            # The snapshot may have arrived together with the greeting
            snapshot = player.read_until(player.snapshots)[0]
            self.assertEqual((snapshot["subscription"], snapshot["full"], snapshot["epoch"]),
                             (number, True, last["epoch"]))
            self.assertGreater(snapshot["tick"], last["tick"])
            moved = (snapshot["tick"] - last["tick"]) / 200
            self.assertLess(moved, time.monotonic() - began + 0.1)  # its time continued, and not faster than real time
            self.assertAlmostEqual(snapshot["bodies"][0][1], last["bodies"][0][1] + moved, 3)
            self.assertEqual(snapshot["bodies"][0][0], body)

    @unittest.skipUnless(socket.has_ipv6, "this machine has no IPv6")
    def test_both_addresses_of_a_name_are_handed_over(self):
        for _ in range(2):
            if self.server is None:
                self.start("--listen", "localhost:0")
            else:
                self.take_over("--listen", "localhost:0")
            also = [found for line in self.server.log if (found := re.search(r"listening also on \[::1\]:(\d+)", line))]
            if not also:
                self.skipTest("localhost has one address here")
            for host, port in (("127.0.0.1", self.server.port), ("::1", int(also[0][1]))):
                with socket.create_connection((host, port), SECONDS_MAX) as connection:
                    connection.sendall(msgpack.packb([0, 1, "hello", [{"protocol": 1}]]))
                    self.assertTrue(connection.recv(1), host)

    def test_clients_are_told_to_come_back(self):
        self.start()
        player = self.greet()
        self.take_over()
        player.read_until(lambda: any(n[0] == "closing" for n in player.notifications))
        [closing] = [n[1][0] for n in player.notifications if n[0] == "closing"]
        self.assertEqual(closing["code"], "unavailable")
        self.assertRegex(closing["reason"], "connect again at once")

    def run_script(self, upgrade):
        """Builds and steps a pile, calling `upgrade` in between; returns the hash at the end for each durability."""
        source = random.Random(11)
        player = self.greet()
        for durability in ("none", "normal", "full"):
            player.call("world.create", world=durability, durability=durability, paused=True)
            player.call("body.spawn", world=durability, type="static",
                        shapes=[{"kind": "segment", "a": [-20, 0], "b": [20, 0]}])
        hashes = []
        for stage in range(3):
            for i in range(12):
                place = [source.uniform(-2, 2), 1 + 1.1 * i]
                for durability in ("none", "normal", "full"):
                    player.call("body.spawn", world=durability, position=place, angle=place[0], shapes=[BOX, BALL])
            for durability in ("none", "normal", "full"):
                player.call("world.step", world=durability, ticks=40)
            upgrade()
            player = self.resume(player)
            for durability in ("none", "normal", "full"):
                info = player.call("world.info", world=durability)
                self.assertEqual(info["tick"], 40 * (stage + 1))
                hashes.append(info["hash"])
        for durability in ("none", "normal", "full"):
            player.call("world.step", world=durability, ticks=100)
            hashes.append(player.call("world.info", world=durability)["hash"])
        return hashes

    def test_hashes_are_those_of_a_server_that_stayed(self):
        self.start()
        upgraded = self.run_script(self.take_over)
        self.stop()
        self.data = self.folder / "other"
        self.start()
        stayed = self.run_script(lambda: None)
        self.assertEqual(upgraded, stayed)
        for i in range(0, len(stayed), 3):
            self.assertEqual(stayed[i], stayed[i + 1])
            self.assertEqual(stayed[i], stayed[i + 2])

    def test_what_ends_with_a_session_goes_on_with_it(self):
        self.start()
        player = self.greet()
        player.call("world.create", world="mine", lifetime="session")
        player.call("world.create", world="ours", durability="none", gravity=[0, 0])
        player.call("body.spawn", world="ours", shapes=[BALL], lifetime="session")
        player.call("body.spawn", world="mine", shapes=[BALL])
        number = player.call("world.subscribe", world="mine")["subscription"]
        epoch = player.call("world.create", world="gone", durability="none")["epoch"]
        gone = {"epoch": epoch, "last": player.last_id}
        player.call("world.destroy", world="gone")
        self.take_over()
        player = self.resume(player)
        self.assertEqual(player.greeting["applied"].pop("gone"), gone)
        self.assertEqual([s["subscription"] for s in player.greeting["subscriptions"]], [number])
        self.assertEqual(set(player.greeting["applied"]), {"mine", "ours"})
        self.assertEqual(player.call("world.info", world="ours")["bodies"], 1)
        self.take_over()
        other = self.greet()
        player = self.resume(player)
        player.call("goodbye")
        player.socket.close()
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end and (len(other.call("world.list")) > 1 or
                                          other.call("world.info", world="ours")["bodies"] > 0):
            time.sleep(0.02)
        self.assertEqual([w["world"] for w in other.call("world.list")], ["ours"])
        self.assertEqual(other.call("world.info", world="ours")["bodies"], 0)

    def test_owner_goes_on_without_a_log(self):
        secret = Secret()
        keys = self.folder / "keys.json"
        write_keys(str(keys), secret)
        self.start("--keys", str(keys))
        admin = self.greet(token=secret.sign(claims("root", "admin")))
        admin.call("world.create", world="w", durability="none")
        ada = self.greet(token=secret.sign(claims("ada", "player")))
        body = ada.call("body.spawn", world="w", shapes=[BALL])["body"]
        bob = self.greet(token=secret.sign(claims("bob", "player")))
        self.take_over("--keys", str(keys))
        ada, bob = self.resume(ada), self.resume(bob)
        with self.assertRaisesRegex(RemoteError, "^permission_denied"):
            bob.call("body.set", world="w", body=body, velocity=[1, 0])
        ada.call("body.set", world="w", body=body, velocity=[1, 0])


class UnderLoad(TakeoverTest):
    """Clients that call without a pause: afterwards each answered command has taken effect exactly once."""

    CLIENTS = 12
    UPGRADES = 3

    def await_more(self, answers, faults):
        """Waits until each client has had more answers."""
        before, end = list(answers), time.monotonic() + SECONDS_MAX
        while not faults and not all(now >= then + 10 for now, then in zip(answers, before)):
            self.assertLess(time.monotonic(), end, "a client is not answered")
            time.sleep(0.01)

    def play(self, index, over, spawned, gaps, answers):
        """Spawns bodies tagged with a count; when the connection ends, resumes the session and repeats lost
        commands."""
        world = "none" if index % 2 else "logged"
        client = self.greet(client=f"player {index}")
        count = 0
        while not over.is_set():
            count += 1
            answered = None
            while answered is None:
                try:
                    answered = client.call("body.spawn", world=world, tag=f"{index}.{count}",
                                           position=[2 * count, 2 * index], shapes=[BALL])
                except (OSError, Closed, RemoteError) as why:
                    if isinstance(why, RemoteError) and not str(why).startswith("unavailable"):
                        raise
                    lost = time.monotonic()
                    greeting = client.greeting
                    last = client.last_id
                    client.socket.close()
                    client = self.greet(resume=greeting["resume"])
                    client.last_id = last
                    gaps.append(time.monotonic() - lost)
                    applied = client.greeting["applied"].get(world)
                    if applied is not None and applied["last"] >= last:
                        answered = {"lost answer": True}
            spawned[index] = answers[index] = count

    def test_no_answered_command_is_lost_and_none_is_done_twice(self):
        self.start()
        admin = self.greet()
        admin.call("world.create", world="none", durability="none", gravity=[0, 0])
        admin.call("world.create", world="logged", gravity=[0, 0])
        over, spawned, gaps, faults = threading.Event(), {}, [], []
        answers = [0] * self.CLIENTS

        def run(index):
            try:
                self.play(index, over, spawned, gaps, answers)
            except BaseException as why:  # the test reports it
                faults.append((index, repr(why)))

        threads = [threading.Thread(target=run, args=(i,)) for i in range(self.CLIENTS)]
        for thread in threads:
            thread.start()
        for _ in range(self.UPGRADES):
            self.await_more(answers, faults)
            self.take_over()
        self.await_more(answers, faults)
        over.set()
        for thread in threads:
            thread.join(SECONDS_MAX)
        self.assertEqual(faults, [])
        self.assertGreaterEqual(len(gaps), self.CLIENTS)
        admin = self.greet()
        for parity, world in enumerate(("logged", "none")):
            tags = sorted(body["tag"] for body in admin.call("world.state", world=world)["bodies"])
            wanted = sorted(f"{i}.{n}" for i in range(parity, self.CLIENTS, 2) for n in range(1, spawned[i] + 1))
            self.assertEqual(tags, wanted)

    def test_no_connection_is_refused_meanwhile(self):
        self.start()
        over, faults, greeted = threading.Event(), [], [0]

        def knock():
            while not over.is_set():
                try:
                    with socket.create_connection(("127.0.0.1", self.port), SECONDS_MAX):
                        greeted[0] += 1
                except OSError as why:
                    faults.append(why)
                time.sleep(0.001)

        threads = [threading.Thread(target=knock) for _ in range(2)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            self.take_over()
            before, end = greeted[0], time.monotonic() + SECONDS_MAX
            while not faults and greeted[0] < before + 20:
                self.assertLess(time.monotonic(), end, "nobody is greeted")
                time.sleep(0.01)
        over.set()
        for thread in threads:
            thread.join(SECONDS_MAX)
        self.assertEqual(faults, [])
        self.assertGreater(greeted[0], 50)


class Unharmed(TakeoverTest):
    """A process that cannot take over does not affect the running one."""

    def setUp(self):
        super().setUp()
        self.start()
        self.player = self.greet()
        self.player.call("world.create", world="kept", durability="none", paused=True)
        self.player.call("body.spawn", world="kept", shapes=[BALL])

    def still_there(self, player=None):
        info = (player or self.player).call("world.info", world="kept")
        self.assertEqual((info["bodies"], info["tick"]), (1, 0))
        self.assertIsNone(self.server.process.poll())

    def test_wrong_settings_do_not_touch_it(self):
        data, path = str(self.data), str(self.path)
        other = self.folder / "other"
        other.mkdir()
        for options, words in (
                (["--takeover", path], "--takeover: needs --data, too"),
                (["--takeover", path, "--data", str(other)], "continues: its --data is another directory"),
                (["--takeover", path, "--data", data, "--keys", str(self.folder / "no.json")], "--keys: "),
                (["--takeover", path, "--data", data, "--hz", "0"], "--hz: must be"),
                (["--takeover", path, "--data", data, "--www", str(other)], "--www: "),
                (["--takeover", path, "--data", data, "--docs", str(other)], "--docs: "),
                (["--takeover", str(self.folder / "none"), "--data", data], "no server listens at"),
                (["--takeover", "x" * 200, "--data", data], "has 107 bytes at most"),
                (["--data", data, "--listen", "127.0.0.1:0"], "it is in use by process")):
            with self.subTest(options):
                self.assertIn(words, self.refused(*options))
                self.still_there()
        self.take_over()
        self.still_there(self.resume(self.player))

    def talk(self, *words):
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(peer.close)
        peer.connect(str(self.path))
        peer.settimeout(SECONDS_MAX)
        answers = []
        for word in words:
            peer.send(word.encode())
            text, descriptors, _, _ = socket.recv_fds(peer, 512, 4)
            for descriptor in descriptors:
                os.close(descriptor)
            answers.append(text.decode())
        return peer, answers

    def question(self, engine=None):
        found = os.stat(self.data)
        engine = engine or self.player.greeting["engine"]
        return f"takeover 2 {engine} {found.st_dev} {found.st_ino}"

    def test_other_engine_is_refused(self):
        _, [answer] = self.talk(self.question(engine=9999))
        self.assertRegex(answer, "refused its engine's behaviour is 9999 and the running one's is")
        self.still_there()

    def test_nonsense_is_refused(self):
        for word in ("", "hello", "takeover 1 1 1 1", "x" * 511, "takeover 2 -", "\0" * 64):
            with self.subTest(word):
                peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                peer.connect(str(self.path))
                peer.settimeout(SECONDS_MAX)
                peer.send(word.encode())
                answer = peer.recv(512)
                self.assertTrue(answer == b"" or answer.startswith(b"refused "), answer)
                peer.close()
                self.still_there()
        peer, [answer] = self.talk(self.question())
        self.assertRegex(answer, "^listening 1 ")
        peer.send(b"go")
        self.assertRegex(peer.recv(512), b"^refused it did not say")
        self.still_there()

    def test_one_at_a_time(self):
        first, _ = self.talk(self.question())
        second = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(second.close)
        second.connect(str(self.path))
        self.assertRegex(second.recv(512), b"^refused another process")
        first.close()
        self.still_there()
        self.server.await_log("the new process ended before it was ready")
        self.take_over()

    def test_socket_is_for_the_same_user_alone(self):
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)

    def test_process_that_ends_before_it_serves_gives_all_back(self):
        for _ in range(2):
            peer, answers = self.talk(self.question(), "ready")
            self.assertRegex(answers[0], "^listening 1 ")
            self.assertEqual(answers[1], "released")
            peer.close()  # as if the process had been killed
            self.player = self.resume(self.player)
            self.still_there()
            self.assertEqual(self.player.greeting["applied"].keys(), {"kept"})
        self.assertRegex("".join(self.server.log), "has ended: this one continues")
        self.take_over()
        self.still_there(self.resume(self.player))

    def test_process_that_cannot_restore_gives_all_back(self):
        scenes = self.folder / "scenes"
        scenes.mkdir()
        log = self.refused("--takeover", str(self.path), "--data", str(self.data), "--http", "off",
                           "--scenes", str(scenes), "--world", "bad:no-such-scene")
        self.assertIn("no-such-scene", log)
        self.player = self.resume(self.player)
        self.still_there()

    def test_ending_server_is_not_taken_over(self):
        self.server.process.send_signal(signal.SIGUSR1)
        self.server.await_log("SIGUSR1")
        log = self.refused("--takeover", str(self.path), "--data", str(self.data))
        self.assertIn("begins or ends just now", log)

    def test_socket_can_be_elsewhere_or_nowhere(self):
        self.stop()
        elsewhere = self.folder / "here"
        self.start("--takeover-socket", str(elsewhere))
        self.assertFalse(self.path.exists())
        self.path = elsewhere
        self.take_over("--takeover-socket", "off")
        self.assertFalse(elsewhere.exists())
        self.assertFalse((self.data / "takeover").exists())
        self.stop()
        elsewhere.write_text("no socket")
        self.start("--takeover-socket", str(elsewhere))
        end = time.monotonic() + SECONDS_MAX
        while "exists and is not a socket" not in "".join(self.server.log):
            self.assertLess(time.monotonic(), end, self.server.log)
            time.sleep(0.01)
        self.assertEqual(elsewhere.read_text(), "no socket")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
