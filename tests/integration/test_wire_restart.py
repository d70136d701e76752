#!/usr/bin/env python3
"""Sessions continue after a restart of the server, killed or ended cleanly: their identity, their effective commands,
their subscriptions, the things that end with them. Called with the path of caromd."""

import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from checksum import crc32c  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402
from wire import REQUEST, Closed, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD, WireTest  # noqa: E402

RECORD_BYTES_MAX = 1 << 20  # SESSION_STORE_RECORD_BYTES_MAX of server/session/resume/session_store_file.h
SANITIZED = any(word in Path(CAROMD).read_bytes() for word in (b"__asan_init", b"__tsan_init"))


class RestartTest(WireTest):
    OPTIONS = []

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.data = self.folder / "data"
        self.addCleanup(self.stop)

    def start(self, *options):
        self.server = Caromd(CAROMD, "--data", str(self.data), *self.OPTIONS, *options)

    def run_server(self, *options):
        """Runs the server with at most 1 GiB of addresses, whatever a file claims; a sanitizer needs more."""
        def bound():
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        return subprocess.run([CAROMD, *options], timeout=SECONDS_MAX, capture_output=True, text=True, check=False, preexec_fn=bound)

    def not_resumed(self, lost):
        with self.assertRaisesRegex(RemoteError, "^not_found: resume"):
            self.resume(lost)

    def restarts(self):
        for ending in (self.kill, self.stop):
            with self.subTest(ending.__name__):
                self.start()
                yield ending
                self.stop()
                self.data = self.folder / "other"


class Rewriting(RestartTest):
    """The server writes the file of sessions again while it goes on."""

    NAMES = [f"{k:0128}" for k in range(32)]  # names of data, which make a record of 4 kB

    def subscribe(self, *clients, count=30):
        """Makes subscriptions, and keeps their numbers in client.numbers."""
        for client in clients:
            client.asked = [client.request("world.subscribe", world="w", data=self.NAMES) for _ in range(count)]
        for client in clients:
            client.numbers = client.__dict__.get("numbers", set()) | {client.answer(n)["subscription"] for n in client.asked}

    def change_until_rewritten(self, *clients):
        """Ends and begins subscriptions of all clients until the file is another one."""
        file = self.data / "sessions"
        before = file.stat().st_ino

        def rewritten():
            for client in clients:
                ended, client.numbers = client.numbers, set()
                asked = [client.request("world.unsubscribe", subscription=number) for number in ended]
                self.subscribe(client)
                for request in asked:
                    client.answer(request)
            return file.stat().st_ino != before
        self.eventually(rewritten, pause=0)

    def test_changes_meanwhile_are_kept(self):
        self.start()
        first = self.greet()
        first.call("world.create", world="w", paused=True)
        self.subscribe(first)
        for _ in range(2):  # 10 MB and more
            others = [self.greet() for _ in range(80)]
            self.subscribe(*others)
            last = others.pop()
            self.change_until_rewritten(first, last)
            last.call("goodbye")
            last.socket.close()
        self.kill()
        self.start()
        for client in (first, *others[::10]):
            again = self.resume(client)
            self.assertEqual({s["subscription"] for s in again.greeting["subscriptions"]}, client.numbers)
        self.not_resumed(last)

    def test_file_that_was_begun_is_no_harm(self):
        self.start()
        client = self.greet()
        client.call("world.create", world="w", paused=True)
        self.subscribe(client, count=3)
        self.kill()
        (self.data / "sessions.new").write_bytes(b"half a record")
        self.start()
        self.assertEqual({s["subscription"] for s in self.resume(client).greeting["subscriptions"]}, client.numbers)


class EndedWorlds(RestartTest):
    def test_no_session_forgets_worlds_that_a_kill_ends_together(self):
        """A world that had not ended when the process was killed comes back: sessions know of each world in any case."""
        self.start()
        owner, *players = [self.greet() for _ in range(1500)]  # their records take longer than the end of a world
        worlds = ["v", "w"]
        for world in worlds:
            owner.call("world.create", world=world, paused=True)
        for player in players:
            player.ids = {world: player.request("body.spawn", world=world, enabled=False, shapes=[BALL]) for world in worlds}
            for request in player.ids.values():
                player.answer(request)
        owner.send(b"".join(msgpack.packb([REQUEST, k, "world.destroy", [{"world": world}]])
                            for k, world in enumerate(worlds, 1000)))
        owner.answer(1000)
        self.kill()
        self.start()
        for player in players:
            applied = self.resume(player).greeting["applied"]
            self.assertEqual({world: applied[world]["last"] for world in applied}, player.ids)


class GoesOn(RestartTest):
    def test_session_keeps_its_number_name_and_secret(self):
        for ending in self.restarts():
            first = self.greet(client="one")
            other = self.greet()
            ending()
            self.start()
            again = self.resume(first, client="one")
            for key in ("session", "role", "resume"):
                self.assertEqual(again.greeting[key], first.greeting[key])
            sessions = {s["session"]: s for s in again.call("server.sessions")["sessions"]}
            self.assertFalse(sessions[other.greeting["session"]]["connected"])
            self.assertGreater(self.greet().greeting["session"], other.greeting["session"])
            again.socket.close()
            self.assertEqual(self.resume(again).greeting["session"], first.greeting["session"])

    def test_subscription_goes_on_with_a_full_snapshot(self):
        for ending in self.restarts():
            player = self.greet()
            player.call("world.create", world="w", gravity=[0, 0])
            player.call("world.create", world="gone", durability="none")
            body = player.call("body.spawn", world="w", position=[3, 4], shapes=[BALL])["body"]
            number = player.call("world.subscribe", world="w", area=[0, 0, 1, 1])["subscription"]
            player.call("world.view", subscription=number, area=[0, 0, 10, 10])
            player.call("world.subscribe", world="gone")
            ended = player.call("world.subscribe", world="w")["subscription"]
            player.call("world.unsubscribe", subscription=ended)
            ending()
            self.start()
            player = self.resume(player)
            self.assertEqual([s["subscription"] for s in player.greeting["subscriptions"]], [number])
            player.read_until(lambda: player.notifications)
            method, [snapshot] = player.notifications[0]
            self.assertEqual((method, snapshot["subscription"], snapshot["full"]), ("snapshot", number, True))
            self.assertEqual([row[0] for row in snapshot["bodies"]], [body])
            self.assertGreater(player.call("world.subscribe", world="w")["subscription"], number)

    def test_packed_and_following_subscriptions_go_on(self):
        for ending in self.restarts():
            player = self.greet()
            player.call("world.create", world="w", gravity=[0, 0])
            bodies = [player.call("body.spawn", world="w", position=[x, 4], shapes=[BALL])["body"] for x in (3, 33)]
            packed = player.call("world.subscribe", world="w", encoding="packed",
                                 precision={"position": 0.5, "velocity": 0.5})["subscription"]
            follows = player.call("world.subscribe", world="w", area=[-5, -5, 5, 5], follow=bodies[0],
                                  margin=0, budget=5000)["subscription"]
            player.call("world.view", subscription=follows, area=[-1, -1, 1, 1], follow=bodies[1])
            with self.assertRaisesRegex(RemoteError, "^not_found: follow"):
                player.call("world.view", subscription=follows, area=[-1, -1, 1, 1], follow=99)
            ending()
            self.start()
            player = self.resume(player)
            self.assertEqual({s["subscription"] for s in player.greeting["subscriptions"]}, {packed, follows})

            def full_ones():
                found = {s["subscription"]: s for s in player.snapshots() if s.get("full")}
                return found if len(found) == 2 else None
            found = player.read_until(full_ones)
            self.assertEqual([row[0] for row in found[follows]["bodies"]], bodies[1:])
            self.assertIn("data", found[packed])

    def test_many_subscriptions_of_many_sessions_go_on(self):
        self.start()
        clients = [self.greet() for _ in range(6)]
        clients[0].call("world.create", world="v")
        clients[0].call("world.create", world="w")
        numbers = {}
        for i in range(8):
            for client in clients[i % 3::2]:
                number = client.call("world.subscribe", world="vw"[i % 2])["subscription"]
                numbers.setdefault(client, set()).add(number)
        clients[1].call("world.unsubscribe", subscription=min(numbers[clients[1]]))
        numbers[clients[1]].discard(min(numbers[clients[1]]))
        for ending in (self.kill, self.stop, self.kill):
            ending()
            self.start()
            again = {}
            for client in reversed(clients):
                resumed = self.resume(client)
                self.assertEqual({s["subscription"] for s in resumed.greeting["subscriptions"]}, numbers[client])
                again[client] = resumed
            for client, resumed in again.items():
                client.socket.close()
                client.greeting = resumed.greeting
                resumed.socket.close()

    def test_things_of_the_session_end_with_it_and_not_before(self):
        for ending in self.restarts():
            player = self.greet()
            player.call("world.create", world="w", gravity=[0, 0])
            body = player.call("body.spawn", world="w", shapes=[BALL], lifetime="session")["body"]
            left = self.greet()
            left.call("body.spawn", world="w", shapes=[BALL], lifetime="session")
            left.call("goodbye")
            left.socket.close()
            self.eventually(lambda: player.call("world.info", world="w")["bodies"] == 1)
            ending()
            self.start()
            self.not_resumed(left)
            player = self.resume(player)
            player.call("body.get", world="w", body=body)
            player.call("goodbye")
            player.socket.close()
            other = self.greet()
            self.eventually(lambda: other.call("world.info", world="w")["bodies"] == 0)

    def test_session_that_nobody_resumes_expires(self):
        self.start()
        player = self.greet()
        player.call("world.create", world="w", gravity=[0, 0])
        player.call("body.spawn", world="w", shapes=[BALL], lifetime="session")
        self.kill()
        self.start("--limit", "resume_ms=500")
        other = self.greet()
        self.eventually(lambda: other.call("world.info", world="w")["bodies"] == 0)
        self.not_resumed(player)

    def test_second_restart_knows_what_the_first_knew(self):
        self.start()
        player = self.greet()
        player.call("world.create", world="w")
        player.call("body.spawn", world="w", shapes=[BALL])
        for _ in range(3):
            self.kill()
            self.start()
        again = self.resume(player)
        self.assertEqual(list(again.greeting["applied"]), ["w"])


class Applied(RestartTest):
    """The losses of a killed server are reported exactly: every command up to `applied` is in the world."""

    def test_worlds_that_are_gone_keep_their_epochs(self):
        for ending in self.restarts():
            player, other = self.greet(), self.greet()
            done = {}
            for name, durability in (("gone", "normal"), ("kept", "normal"), ("bare", "none")):
                epoch = player.call("world.create", world=name, durability=durability)["epoch"]
                player.call("body.spawn", world=name, shapes=[BALL])
                done[name] = {"epoch": epoch, "last": player.last_id}
            player.socket.close()
            other.call("world.destroy", world="gone")
            again = other.call("world.create", world="gone")["epoch"]
            for _ in range(2):  # the second server knows it only from the first
                ending()
                self.start()
                player = self.resume(player)
                told = player.greeting["applied"]
                if ending == self.kill:  # a world without a log is only written at a clean end
                    told.setdefault("bare", done["bare"])
                self.assertEqual(told, done)
                player.last_id = 100
                for name, epoch in (("gone", done["gone"]["epoch"]), ("bare", done["bare"]["epoch"])):
                    with self.assertRaisesRegex(RemoteError, "not_found: epoch: "):
                        player.call("body.remove", world=name, body=1, epoch=epoch)
                self.assertEqual(player.call("world.info", world="gone", epoch=again)["bodies"], 0)
            for name in ("gone", "kept"):
                player.call("world.destroy", world=name)
            player.call("goodbye")
            player.socket.close()

    def test_killed_at_any_moment(self):
        source = random.Random(7)
        self.start()
        player = self.greet()
        player.call("world.create", world="w", gravity=[0, 0], hz=200)
        number = 1000
        for _ in range(6):
            first = number
            burst = []
            for _ in range(source.randrange(50, 400)):
                number += 1
                burst.append(msgpack.packb([REQUEST, number, "body.spawn", [{
                    "world": "w", "tag": str(number), "position": [2 * number, 0], "shapes": [BALL]}]]))
            player.send(b"".join(burst))
            time.sleep(source.uniform(0, 0.05))
            self.kill()
            self.start()
            player = self.resume(player)
            # No `applied` before the first command was applied
            applied = player.greeting["applied"].get("w", {"last": 0})["last"]
            tags = {int(body["tag"]) for body in player.call("world.state", world="w")["bodies"]}
            self.assertEqual(tags, set(range(1001, max(applied, 1000) + 1)) if applied >= 1000 else set())
            self.assertGreaterEqual(applied, first if first > 1000 else 0)
            number = max(applied, 1000)
        self.assertGreater(number, 1000)


    def test_tells_of_worlds_that_were_made_paused_and_stepped(self):
        for ending in self.restarts():
            player = self.greet()
            for method, arguments, world in (("world.create", {"world": "w"}, "w"), ("world.pause", {"world": "w"}, "w"),
                                             ("world.fork", {"world": "w", "as": "v"}, "v"),
                                             ("world.step", {"world": "w", "ticks": 3}, "w"), ("world.resume", {"world": "v"}, "v"),
                                             ("world.step", {"world": "w"}, "w")):
                number = player.last_id + 1
                player.call(method, **arguments)
                ending()
                self.start()
                player = self.resume(player)
                self.assertEqual(number, player.greeting["applied"][world]["last"], method)
                player.last_id = number

    def test_steps_killed_at_any_moment_are_told_exactly(self):
        source = random.Random(8)
        self.start()
        player = self.greet()
        player.call("world.create", world="w", paused=True)
        done, number = 0, 1000
        for _ in range(6):
            first = number
            player.send(b"".join(msgpack.packb([REQUEST, number + 1 + i, "world.step", [{"world": "w", "ticks": 1}]])
                                 for i in range(200)))
            time.sleep(source.uniform(0, 0.05))
            self.kill()
            self.start()
            player = self.resume(player)
            applied = max(player.greeting["applied"]["w"]["last"], first)
            done += applied - first
            self.assertEqual(done, player.call("world.info", world="w")["tick"])
            number = applied


class ManyWorlds(RestartTest):
    """More worlds than the queues of the next start hold, all restored at once."""

    WORLDS, OWNERS = 400, 5
    SMALL = ("worlds", "connections", "detached_sessions", "commands_per_world", "subscriptions_per_connection")

    def each_world(self, client, method, **arguments):
        asked = [client.request(method, world=f"w{i}", **arguments) for i in range(self.WORLDS)]
        for one in asked:
            client.answer(one)

    def test_queues_have_room_for_all_that_a_restart_brings_back(self):
        self.start("--limit", f"worlds={self.WORLDS}")
        self.each_world(self.greet(), "world.create", hz=240)
        for owner in range(self.OWNERS):
            self.each_world(self.greet(), "body.spawn", lifetime="session", shapes=[BALL])
        self.kill()
        (self.data / "sessions").unlink(missing_ok=True)  # nobody resumes the sessions: their bodies end at the start
        self.start(*(word for limit in self.SMALL for word in ("--limit", f"{limit}=1")))
        self.server.await_log("restored from")  # before that, only the making of a world may wait
        client = self.connect()
        self.assertEqual(len(client.call("world.list")), self.WORLDS)
        self.eventually(lambda: not any(world["bodies"] for world in client.call("world.list")))


class File(RestartTest):
    def test_secret_is_not_in_it_and_others_cannot_read_it(self):
        self.start()
        secret = self.greet().greeting["resume"].rsplit(".", 1)[1]
        content = (self.data / "sessions").read_bytes()
        self.assertNotIn(bytes.fromhex(secret), content)
        self.assertNotIn(secret.encode(), content)
        self.assertEqual((self.data / "sessions").stat().st_mode & 0o077, 0)

    def files(self):
        return {p.name: p.read_bytes() for p in self.data.iterdir() if p.is_file() and p.name != "lock"}

    def test_cut_or_altered_file_loses_no_more_than_its_end_and_is_kept(self):
        self.start()
        clients = [self.greet() for _ in range(8)]
        self.kill()
        path = self.data / "sessions"
        whole = path.read_bytes()
        sound = self.run_server("--check-data", str(self.data))
        self.assertEqual((0, f"8 records of sessions in {len(whole)} bytes, sound"),
                         (sound.returncode, sound.stdout.splitlines()[-1]))
        source = random.Random(3)
        for i in range(6):
            size = source.randrange(9, len(whole) - 1)
            bad = whole[:size] if i % 2 == 0 else whole[:size] + bytes([whole[size] ^ 16]) + whole[size + 1:]
            path.write_bytes(bad)
            what = rf"'{path}': the content after the first \d+ of {len(bad)} bytes was altered, or not written whole"
            check = self.run_server("--check-data", str(self.data))
            self.assertEqual(check.returncode, 1)
            self.assertRegex(check.stderr, f"^caromd: {what}\n$")
            self.start()
            self.assertLess(len(self.greet().call("server.sessions")["sessions"]), 9)
            self.assertRegex("".join(self.server.log),
                             f"warn  {what}: sessions from there on cannot be resumed; it is kept as {path}.damaged\n")
            self.assertEqual(bad, (self.data / "sessions.damaged").read_bytes())
            self.kill()
        path.write_bytes(whole[:-3])
        self.start()
        self.resume(clients[0])
        self.not_resumed(clients[7])

    def records(self):
        whole = (self.data / "sessions").read_bytes()
        at = 8
        while at < len(whole):
            size, = struct.unpack_from("<I", whole, at)
            yield msgpack.unpackb(whole[at + 8:at + 8 + size])
            at += 8 + size

    def write_records(self, records):
        """Writes the records with correct checksums."""
        whole = (self.data / "sessions").read_bytes()[:8]
        for payload in map(msgpack.packb, records):
            whole += struct.pack("<II", len(payload), crc32c(payload)) + payload
        (self.data / "sessions").write_bytes(whole)

    def test_values_that_no_message_may_bear_are_refused(self):
        self.start()
        client, other = self.greet(), self.greet()
        client.call("world.create", world="lab", durability="normal")
        client.call("body.spawn", world="lab", shapes=[BALL])
        for one in (client, other):
            one.call("world.subscribe", world="lab", encoding="packed", area=[0, 0, 9, 9])
        self.kill()
        sound = list(self.records())
        subscription = next(i for i, record in enumerate(sound) if record[0] == 1)
        rate, area, events, position, margin, budget = (5, 0), (5, 2), (5, 4), (5, 7), (5, 12), (5, 13)
        nan = float("nan")
        for place, value in (((1,), 2**64 - 1), ((2,), 0), (rate, nan), (rate, -1.0), (area, [0.0, nan, 1.0, 1.0]),
                             (area, [5.0, 0.0, 1.0, 1.0]), (events, 1 << 20), (position, 0.0), (margin, nan), (budget, 1.0)):
            with self.subTest(place=place, value=value):
                altered = msgpack.unpackb(msgpack.packb(sound))
                inner = altered[subscription]
                for step in place[:-1]:
                    inner = inner[step]
                inner[place[-1]] = value
                self.write_records(altered)
                self.start()
                self.assertIn("was altered, or not written whole: sessions from there on", "".join(self.server.log))
                self.assertEqual(self.resume(client).greeting["subscriptions"], [])
                self.kill()
        twice = msgpack.unpackb(msgpack.packb(sound))
        for record in twice:
            if record[0] == 1:
                record[2] = 7
        self.write_records(twice)
        self.start()
        self.assertEqual(sum(len(self.resume(one).greeting["subscriptions"]) for one in (client, other)), 1)

    def test_role_comes_back_and_its_number_on_the_disk_stays(self):
        secret = Secret()
        keys = self.folder / "keys.json"
        write_keys(str(keys), secret)
        self.start("--keys", str(keys))
        numbers = {"viewer": 1, "player": 2, "admin": 3, "referee": 4}
        clients = {role: self.greet(token=secret.sign(claims(role, role))) for role in numbers}
        self.kill()
        stored = {record[6][0]: record[6][1] for record in self.records() if record[0] == 0}
        self.assertEqual(stored, numbers)
        self.start("--keys", str(keys))
        for role, client in clients.items():
            self.assertEqual(self.resume(client).greeting["role"], role)

    def test_subject_that_no_token_may_have_is_refused(self):
        secret = Secret()
        keys = self.folder / "keys.json"
        write_keys(str(keys), secret)
        self.start("--keys", str(keys))
        player = self.greet(token=secret.sign(claims("ada", "player")))
        self.kill()
        sound = list(self.records())
        nobody, another = (msgpack.unpackb(msgpack.packb(sound[-1])) for _ in range(2))
        nobody[6][0], another[6][0] = "", "bob"
        self.assertEqual("ada", sound[-1][6][0])
        for records in ([*sound[:-1], nobody], [*sound, another]):
            with self.subTest(records=records):
                self.write_records(records)
                self.start("--keys", str(keys))
                self.assertIn("was altered, or not written whole: sessions from there on", "".join(self.server.log))
                self.kill()
        self.write_records(sound)
        self.start("--keys", str(keys))
        self.assertEqual(self.resume(player).greeting["role"], "player")

    def test_file_of_a_newer_version_is_refused_and_kept(self):
        self.start()
        self.greet()
        self.kill()
        path = self.data / "sessions"
        newer = path.read_bytes()
        newer = newer[:7] + b"\x02" + newer[8:]
        path.write_bytes(newer)
        before = self.files()
        what = (f"'{path}' is of format version 2, this program reads version 1: use the newer program that wrote it, or move the "
                f"file away to go on without its sessions; nothing was changed\n")
        for options in (["--listen", "127.0.0.1:0", "--http", "off", "--data"], ["--check-data"]):
            refused = self.run_server(*options, str(self.data))
            self.assertEqual(refused.returncode, 1)
            self.assertIn(what, refused.stderr)
        self.assertEqual(before, self.files())

    def test_record_that_is_too_large_is_refused(self):
        self.start()
        self.greet()
        self.kill()
        path = self.data / "sessions"
        whole = path.read_bytes()
        for size, sound in ((RECORD_BYTES_MAX, True), (RECORD_BYTES_MAX + 1, False)):
            payload = b"\xc6" + struct.pack(">I", size - 5) + bytes(size - 5)  # one value of MessagePack
            path.write_bytes(whole + struct.pack("<II", size, crc32c(payload)) + payload)
            check = self.run_server("--check-data", str(self.data))
            self.assertEqual((sound, f"after the first {len(whole)} of" in check.stderr),
                             (check.returncode == 0, not sound), check.stderr)

    def test_file_of_100_gb_takes_no_memory(self):
        for head in (b"", b"\xf0\xff\xff\xff"):  # a record that claims no byte, or 4 GB
            with self.subTest(head):
                self.refuses_100_gb_behind(head)
                self.stop()
                self.data = self.folder / "other"

    def refuses_100_gb_behind(self, head):
        self.start()
        player = self.greet()
        self.kill()
        with open(self.data / "sessions", "r+b") as file:
            file.seek(0, 2)
            file.write(head)
            file.truncate(100 << 30)
        check = self.run_server("--check-data", str(self.data))
        self.assertRegex(check.stderr, r"^caromd: '.*/sessions': the content after the first \d+ of 107374182400 bytes was altered")
        self.start()
        self.resume(player)
        with open(f"/proc/{self.server.process.pid}/status", encoding="utf-8") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        self.assertLess(peak << 10, (1024 if SANITIZED else 128) << 20)


class Forged(RestartTest):
    """A log with valid checksums but impossible numbers is refused: the next number must exist for each of them."""

    STORE, WORLD = 1, 2  # kinds of records, server/storage/format.h
    NUMBER, SEQUENCE, EPOCH = 8, 16, 56  # places in a record
    LAST = (1 << 64) - 1

    def records(self, log, kind=None):
        at = 40  # the size of a segment's head; groups have a head of 48 bytes
        while at + 48 <= len(log) and struct.unpack_from("<I", log, at)[0] == 0xB167C0A5:
            size, count = struct.unpack_from("<II", log, at + 4)
            place = at + 48
            for _ in range(count):
                if kind in (None, log[place + 4]):
                    yield place
                place += struct.unpack_from("<I", log, place)[0]
            at += 48 + size

    def forge(self, log, place, offset, value):
        struct.pack_into("<Q", log, place + offset, value)
        size = struct.unpack_from("<I", log, place)[0]
        sum_of_head = crc32c(bytes(log[place:place + 52]))
        struct.pack_into("<I", log, place + 52, crc32c(bytes(log[place + 56:place + size]), sum_of_head))

    def test_number_that_nobody_counted_is_refused(self):
        self.start("--http", "off")
        client = self.greet()
        client.call("world.create", world="w", paused=True)
        client.call("body.spawn", world="w", shapes=[BALL])
        self.kill()
        path = self.data / "log-0000000001"
        sound = path.read_bytes()
        for kind, offset in ((self.WORLD, self.NUMBER), (self.WORLD, self.SEQUENCE), (self.WORLD, self.EPOCH),
                             (self.STORE, self.NUMBER)):
            for value in (self.LAST,) if offset == self.SEQUENCE else (0, self.LAST):
                with self.subTest(kind=kind, offset=offset, value=value):
                    log = bytearray(sound)
                    self.forge(log, next(self.records(log, kind)), offset, value)
                    path.write_bytes(log)
                    for options in (["--listen", "127.0.0.1:0", "--http", "off", "--data"], ["--check-data"]):
                        refused = self.run_server(*options, str(self.data))
                        self.assertGreater(refused.returncode, 0, refused.stderr)
                        self.assertIn("makes no sense", refused.stdout + refused.stderr)
                        self.assertNotIn("assertion", refused.stderr)
        path.write_bytes(sound)
        self.start("--http", "off")
        self.assertEqual(self.greet().call("world.info", world="w")["bodies"], 1)


class Rights(RestartTest):
    def test_role_and_subject_go_on_and_end_with_the_token(self):
        secret = Secret()
        keys = self.folder / "keys.json"
        write_keys(str(keys), secret)
        self.start("--keys", str(keys))
        player = self.greet(token=secret.sign(claims("ada", "player", worlds=["w*"])))
        nobody = self.greet()
        short = self.greet(token=secret.sign(claims("bob", "admin", exp=int(time.time()) + 2)))
        self.kill()
        self.start("--keys", str(keys))
        player = self.resume(player)
        self.assertEqual((player.greeting["role"], player.greeting["subject"]), ("player", "ada"))
        with self.assertRaisesRegex(RemoteError, "^permission_denied: world 'x'"):
            player.call("world.info", world="x")
        self.assertEqual(self.resume(nobody).greeting["role"], "none")
        last = self.greet(token=secret.sign(claims("bob", "admin", exp=int(time.time()) + 2)))
        with self.assertRaises(Closed):  # the token has expired, and so has that of `short`
            last.read_until(lambda: False)
        with self.assertRaisesRegex(RemoteError, "^unauthenticated: resume"):
            self.resume(short)

    def test_session_without_a_token_is_nobody_where_there_are_keys_now(self):
        self.start()
        admin = self.greet()
        self.assertEqual(admin.greeting["role"], "admin")
        self.kill()
        keys = self.folder / "keys.json"
        write_keys(str(keys), Secret())
        self.start("--keys", str(keys))
        self.assertEqual(self.resume(admin).greeting["role"], "none")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
