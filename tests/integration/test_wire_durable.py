#!/usr/bin/env python3
"""Worlds that outlive the server: answered or shown changes survive a kill.

Usage: test_wire_durable.py CAROMD     CAROM_KILLS=200 kills 200 times instead of 12"""

import http.client
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from checksum import crc32c  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client, Closed, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD, WireTest  # noqa: E402

KILLS = int(os.environ.get("CAROM_KILLS", "12"))
VALUES_MAX = 262_144  # WIRE_VALUES_MAX
FLOOR = {"kind": "box", "size": [60, 1]}


class DurableTest(WireTest):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="carom-durable-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.data = os.path.join(self.folder, "data")
        self.addCleanup(lambda: self.server and self.server.kill())

    def start(self, *options):
        self.server = Caromd(CAROMD, "--data", self.data, *options)
        return self.connect()

    def restart(self, *options):
        self.kill()
        return self.start(*options)

    def log(self):
        return "".join(self.server.log)


def values_of(value):
    """How many values of MessagePack a value is: keys, elements and containers each count."""
    if isinstance(value, dict):
        return 1 + sum(values_of(key) + values_of(one) for key, one in value.items())
    return 1 + sum(map(values_of, value)) if isinstance(value, list) else 1


class Restart(DurableTest):
    def test_largest_batch_of_a_player_is_read_again(self):
        # The log has the sender of each message beside what the client sent: more values than a message may have.
        template = os.path.join(self.folder, "arena.json")
        with open(template, "w", encoding="utf-8") as file:
            file.write('{"gravity": [0, 0], "seats": 1}')
        options = ("--guests", "player", "--template", f"arena={template}")
        client = self.start(*options)
        key = f"player/{client.call('hello')['subject']}/x"
        world = client.call("world.join", template="arena")["world"]
        commands = [["message.send", {"name": "n"}]] * 20 + [["data.set", {"key": key, "value": [0] * 16000}]] * 16
        commands.append(["data.set", {"key": key, "value": []}])
        request = [0, client.last_id + 1, "world.apply", [{"world": world, "commands": commands}]]
        commands[-1][1]["value"] = [7] * (VALUES_MAX - values_of(request))
        self.assertEqual(VALUES_MAX, values_of(request))
        client.call("world.apply", world=world, commands=commands)
        client = self.restart(*options)
        client.call("hello")
        self.assertEqual(commands[-1][1]["value"],
                         client.call("data.get", world=world, key=key)["data"][key]["value"])

    def test_paused_world_is_the_same_to_the_bit(self):
        client = self.start()
        client.call("world.create", world="w", scene="heap", paused=True)
        client.call("world.step", world="w", ticks=100)
        client.call("body.spawn", world="w", position=[0, 30], shapes=[BALL])
        client.call("world.step", world="w", ticks=33)
        before = client.call("world.info", world="w")
        client = self.restart()
        after = client.call("world.info", world="w")
        for key in ("epoch", "tick", "hash", "paused", "bodies", "durability"):
            self.assertEqual(after[key], before[key], key)
        client.call("world.step", world="w", ticks=50)
        once = client.call("world.info", world="w")["hash"]
        client = self.restart()
        self.assertEqual(client.call("world.info", world="w")["hash"], once)

    def test_clean_end_brings_back_the_same(self):
        client = self.start()
        client.call("world.create", world="w", scene="demo", paused=True, durability="full")
        client.call("world.step", world="w", ticks=20)
        before = client.call("world.state", world="w")
        self.stop()
        client = self.start()
        self.assertEqual(client.call("world.state", world="w"), before)

    def test_running_world_goes_on_beyond_what_was_shown(self):
        client = self.start()
        client.call("world.create", world="w", scene="demo")
        client.call("world.subscribe", world="w")
        client.read_until(lambda: len(client.snapshots()) > 20)
        shown = client.snapshots()[-1]
        client = self.restart()
        info = client.call("world.info", world="w")
        self.assertGreaterEqual(info["tick"], shown["tick"])
        self.assertLess(info["tick"], shown["tick"] + 2 * info["hz"])
        self.assertEqual(info["epoch"], shown["epoch"])

    def test_destroyed_world_stays_away_and_its_name_is_free(self):
        client = self.start()
        first = client.call("world.create", world="w")
        epoch = client.call("world.info", world="w")["epoch"]
        self.assertEqual(first["tick"], 0)
        client.call("world.destroy", world="w")
        client = self.restart()
        self.refused("not_found", "w", client, "world.info", world="w")
        for _ in range(5):
            client.call("world.create", world="w", gravity=[1, 2])
            client.call("world.destroy", world="w")
        client.call("world.create", world="w", gravity=[3, 4])
        client = self.restart()
        info = client.call("world.info", world="w")
        self.assertEqual(info["gravity"], [3, 4])
        self.assertNotEqual(info["epoch"], epoch)

    def test_durability_none_ends_with_the_server(self):
        client = self.start()
        client.call("world.create", world="kept")
        client.call("world.create", world="lost", durability="none")
        client.call("world.create", world="bound", lifetime="session")
        self.assertEqual([w["durability"] for w in client.call("world.list")],
                         ["none", "normal", "none"])
        client = self.restart()
        self.assertEqual([w["world"] for w in client.call("world.list")], ["kept"])

    def test_bodies_of_past_sessions_end(self):
        client = self.start()
        client.call("world.create", world="w", paused=True)
        client.call("body.spawn", world="w", shapes=[BALL])
        client.call("body.spawn", world="w", shapes=[BALL], lifetime="session")
        client.call("world.apply", world="w", commands=[
            ["body.spawn", {"shapes": [BALL], "lifetime": "session", "position": [3, 0]}],
            ["body.spawn", {"shapes": [BALL], "position": [6, 0]}]])
        client = self.restart()
        self.eventually(lambda: client.call("world.info", world="w")["bodies"] == 2)
        client = self.restart()
        self.assertEqual(client.call("world.info", world="w")["bodies"], 2)

    def test_worlds_of_the_options_are_made_once(self):
        client = self.start("--world", "demo:demo")
        client.call("world.pause", world="demo")
        before = client.call("world.info", world="demo")
        client = self.restart("--world", "demo:demo")
        after = client.call("world.info", world="demo")
        self.assertEqual((after["epoch"], after["hash"]), (before["epoch"], before["hash"]))

    def test_numbers_of_sessions_and_worlds_do_not_come_back(self):
        client = self.start()
        session = client.call("hello")["session"]
        client.call("world.create", world="a", durability="none")
        epoch = client.call("world.info", world="a")["epoch"]
        client = self.restart()
        self.assertGreater(client.call("hello")["session"], session)
        client.call("world.create", world="a", durability="none")
        self.assertGreater(client.call("world.info", world="a")["epoch"], epoch)


class Refusals(DurableTest):
    def test_durability_needs_a_data_directory(self):
        with Caromd(CAROMD) as server, Client(server.port) as client:
            self.refused("unavailable", "--data", client, "world.create", world="w",
                         durability="full")
            client.call("world.create", world="w", durability="none")
            client.call("world.create", world="v")

    def test_world_of_a_session_keeps_no_log(self):
        client = self.start()
        self.refused("invalid_argument", "session", client, "world.create", world="w",
                     durability="normal", lifetime="session")

    def run_server(self, *options):
        return subprocess.run([CAROMD, "--listen", "127.0.0.1:0", *options], timeout=SECONDS_MAX,
                              capture_output=True, text=True, check=False)

    def test_second_server_is_told_of_the_first(self):
        self.start()
        second = self.run_server("--data", self.data)
        self.assertEqual(second.returncode, 1)
        self.assertIn(str(self.server.process.pid), second.stderr)

    def test_altered_log_is_refused_and_left_alone(self):
        client = self.start()
        client.call("world.create", world="w", paused=True)
        client.call("body.spawn", world="w", shapes=[BALL])
        self.stop()
        log = next(Path(self.data).glob("log-*"))
        good = log.read_bytes()
        bad = bytearray(good)
        bad[len(bad) // 2] ^= 0x10
        log.write_bytes(bad)
        for options in (["--data", self.data], ["--check-data", self.data]):
            run = self.run_server(*options)
            self.assertEqual(run.returncode, 1)
            self.assertIn(log.name, run.stderr)
        self.assertEqual(log.read_bytes(), bytes(bad))
        log.write_bytes(good)
        self.assertEqual(self.run_server("--check-data", self.data).returncode, 0)
        lock = Path(self.data) / "lock"
        lock.unlink()
        self.assertEqual(self.run_server("--check-data", self.data).returncode, 0)
        self.assertFalse(lock.exists(), "a check makes nothing")
        client = self.start()
        self.assertEqual(client.call("world.info", world="w")["bodies"], 1)


SEGMENT_HEADER, GROUP_HEADER, RECORD_HEADER = 40, 48, 56
APPEND = 3


def records(log):
    """(place, size) of each entry of a world in a segment (server/storage/README.md)."""
    at = SEGMENT_HEADER
    while log[at:at + 4] == b"\xa5\xc0\x67\xb1":
        size, = struct.unpack_from("<I", log, at + 4)
        at += GROUP_HEADER
        end = at + size
        while at < end:
            size, kind = struct.unpack_from("<IB", log, at)
            if kind == APPEND:
                yield at, size
            at += size


class Differs(DurableTest):
    """A command's number is changed in the log, and every checksum made right: only the world's hash reveals it."""

    def altered(self, old, new):
        path = os.path.join(self.data, "log-0000000001")
        log = bytearray(Path(path).read_bytes())
        old, new = (b"\xcb" + struct.pack(">d", number) for number in (old, new))
        changed = 0
        for at, size in records(bytes(log)):
            record = bytes(log[at:at + size])
            if old in record:
                record = record.replace(old, new)
                record = record[:52] + struct.pack("<I", crc32c(record[:52] + record[56:])) + record[56:]
                log[at:at + size] = record
                changed += 1
        Path(path).write_bytes(log)
        return changed

    def balls(self, client, count):
        client.call("world.create", world="w", gravity=[0, 0], paused=True)
        return [client.call("body.spawn", world="w", position=[10 * i, 0], shapes=[BALL])["body"] for i in range(count)]

    def restart_altered(self, old, new):
        self.kill()
        self.assertEqual(self.altered(old, new), 1)
        client = self.start()
        with self.assertRaises(RemoteError) as caught:
            client.call("world.state", world="w")
        self.assertIn(client.call("world.info", world="w")["unavailable"], str(caught.exception))
        return str(caught.exception)

    def test_tick_and_first_body_are_named(self):
        client = self.start()
        balls = self.balls(client, 300)
        client.call("world.step", world="w", ticks=60)
        client.call("body.impulse", world="w", body=balls[200], impulse=[0, 1.25])
        client.call("world.step", world="w", ticks=60)
        client.call("body.impulse", world="w", body=balls[123], impulse=[0, 2.75])
        client.call("world.step", world="w", ticks=60)
        self.assertIsNone(re.search("differs", self.log()))
        told = self.restart_altered(2.75, 2.5)
        self.assertRegex(told, f"tick 1[2-8][0-9]: the state's hash is .*that of tick 1[0-7][0-9] agreed; "
                         f"the first body that differs is {balls[123]}$")  # a busy machine writes more entries

    def test_first_of_several_bodies_is_named(self):
        client = self.start()
        balls = self.balls(client, 6)
        client.call("body.impulse", world="w", body=balls[4], impulse=[-31.25, 0])  # towards the others
        client.call("world.step", world="w", ticks=61)
        moving = [b["body"] for b in client.call("world.state", world="w")["bodies"] if b["velocity"] != [0, 0]]
        self.assertGreater(len(moving), 1)
        told = self.restart_altered(-31.25, -31.5)
        self.assertRegex(told, f"the first body that differs is {min(moving)}$")

    def test_body_that_was_asleep_since_the_image_is_named(self):
        client = self.start()
        balls = self.balls(client, 6)
        client.call("world.step", world="w", ticks=600)
        client.call("body.set", world="w", body=balls[2], position=[20.5, 7])
        client.call("world.step", world="w", ticks=60)
        client.call("world.step", world="w", ticks=60)
        told = self.restart_altered(20.5, 20.625)
        self.assertRegex(told, f"tick 6[0-6][0-9]: .*the first body that differs is {balls[2]}$")

    def test_body_whose_shape_alone_differs_is_named(self):
        client = self.start()
        balls = self.balls(client, 6)
        shape = client.call("body.get", world="w", body=balls[4])["shapes"][0]["shape"]
        client.call("shape.set", world="w", shape=shape, friction=0.3125)
        client.call("world.step", world="w", ticks=60)
        told = self.restart_altered(0.3125, 0.375)
        self.assertRegex(told, f"tick 60: .*the first body that differs is {balls[4]}$")

    def test_setting_that_differs_is_told_from_bodies(self):
        client = self.start()
        self.balls(client, 6)
        client.call("world.set", world="w", restitution_threshold=2.75)
        client.call("world.step", world="w", ticks=60)
        told = self.restart_altered(2.75, 2.5)
        self.assertRegex(told, "tick 60: .*all bodies agree, so the world's settings differ, or which ids come next$")

    def test_body_of_a_world_of_70_000_is_named(self):
        client = self.start()
        client.call("world.create", world="w", gravity=[0, 0], paused=True)
        for row in range(70):
            spawned = client.call("world.apply", world="w", commands=[
                ["body.spawn", {"position": [2 * i, 2 * row], "shapes": [BALL]}] for i in range(1000)])["results"]
        client.call("world.step", world="w", ticks=60)
        client.call("body.force", world="w", body=spawned[998]["body"], force=[0, 3.5])
        client.call("body.impulse", world="w", body=spawned[997]["body"], impulse=[0, 2.75])
        client.call("world.step", world="w", ticks=60)
        told = self.restart_altered(2.75, 2.5)
        self.assertRegex(told, f"tick 120: .*tick 60 agreed; the first body that differs is {spawned[997]['body']}$")


class FullDisk(DurableTest):
    def limit(self, size):
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE,
                         (size, resource.RLIM_INFINITY))

    def readiness(self):
        page = http.client.HTTPConnection("127.0.0.1", self.server.http_port, timeout=SECONDS_MAX)
        self.addCleanup(page.close)
        page.request("GET", "/readyz")
        answer = page.getresponse()
        return answer.status, answer.read().decode()

    def spawn_until_refused(self, client):
        spawned = []
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            try:
                x = len(spawned) % 50
                answer = client.call("body.spawn", world="w", position=[x, 2], shapes=[BALL])
                spawned.append(answer["body"])
            except RemoteError as refusal:
                self.assertRegex(str(refusal), "^unavailable: .*log")
                return spawned
        self.fail("the limit was never met")

    def test_world_stops_taking_commands_and_says_so_until_there_is_room(self):
        client = self.start()
        client.call("world.create", world="w", paused=True)
        client.call("world.create", world="idle", paused=True, durability="none")
        watcher = self.connect()
        watcher.call("world.subscribe", world="w")
        self.limit(30_000)
        spawned = self.spawn_until_refused(client)
        self.assertGreater(len(spawned), 10)
        info = client.call("world.info", world="w")
        self.assertRegex(info["log_error"], "(?i)file too large|write")
        closed = watcher.read_until(
            lambda: [p[0] for m, p in watcher.notifications if m == "world_closed"])
        self.assertEqual(closed[0]["code"], "unavailable")
        self.refused("unavailable", "log", client, "world.subscribe", world="w")
        code, text = self.readiness()  # "idle" has no log: its changes do not survive this server
        self.assertEqual(code, 503)
        self.assertRegex(text, "^no world with a log takes commands: .*(?i:file too large|write)")
        client.call("body.spawn", world="idle", shapes=[BALL])  # another world continues
        self.limit(resource.RLIM_INFINITY)
        self.eventually(lambda: "log_error" not in client.call("world.info", world="w"))
        self.assertEqual(self.readiness(), (200, "ready\n"))
        last = client.call("body.spawn", world="w", shapes=[BALL])["body"]
        before = client.call("world.info", world="w")
        client = self.restart()
        after = client.call("world.info", world="w")
        self.assertEqual((after["hash"], after["tick"]), (before["hash"], before["tick"]))
        for body in [*spawned, last]:
            client.call("body.get", world="w", body=body)


class LargestTick(DurableTest):
    """One tick cannot take more commands than fit in a record of the log (16 MiB)."""
    OPTIONS = ["--limit", "requests_per_second=1000000000", "--limit", "request_burst=1000000000"]
    WORLD = "w" * 64  # the name is in each command of the log

    def restart_alike(self, client):
        """Kills and restarts the server, and checks that the world has as many bodies as `client` sees."""
        bodies = client.call("world.info", world=self.WORLD)["bodies"]
        self.kill()
        client = self.start()
        self.assertEqual(client.call("world.info", world=self.WORLD)["bodies"], bodies)

    def test_batches_for_one_tick_are_refused_past_it(self):
        client = self.start(*self.OPTIONS)
        client.call("world.create", world=self.WORLD, paused=True)
        body = client.call("body.spawn", world=self.WORLD, shapes=[BALL])["body"]
        commands = [["body.set", {"body": body, "tag": "t" * 64}]] * 1000
        ids = [client.request("world.apply", world=self.WORLD, at=5, commands=commands) for _ in range(200)]
        client.call("world.step", world=self.WORLD, ticks=10)
        refused = 0
        for request in ids:
            try:
                client.answer(request)
            except RemoteError as error:
                self.assertRegex(str(error), "limit_exceeded: at: the world's log has no room for more .* of tick 5$")
                refused += 1
        self.assertIn(refused, range(100, 200))
        client.call("world.apply", world=self.WORLD, commands=commands)  # another tick, another record
        self.restart_alike(client)

    def test_bodies_of_a_session_end_over_several_ticks(self):
        client = self.start(*self.OPTIONS)
        client.call("world.create", world=self.WORLD)
        player = self.connect()
        player.call("hello")
        spawn = [["body.spawn", {"enabled": False, "shapes": [], "lifetime": "session"}]] * 1000
        for _ in range(12):  # a tick has a millisecond for the batch
            player.call("world.apply", world=self.WORLD, commands=spawn)
        client.call("world.subscribe", world=self.WORLD, bodies=False, events=["remove"])
        player.call("goodbye")
        player.socket.close()
        self.eventually(lambda: client.call("world.info", world=self.WORLD)["bodies"] == 0)
        client.read_until(lambda: len({e["tick"] for s in client.snapshots() for e in s["events"]}) > 1)
        self.restart_alike(client)


class Kill(DurableTest):
    """Kills the server at random instants under load, and compares the worlds with its answers."""

    def play(self, client, rng, alive, removed, shown):
        """Commands and snapshots until the server dies."""
        waiting = {}
        try:
            while True:
                for _ in range(rng.randrange(1, 8)):
                    waiting.update([self.ask(client, rng, alive)])
                client.read()
                for request in [r for r in waiting if r in client.responses]:
                    method, body = waiting.pop(request)
                    error, result = client.responses.pop(request)
                    if error is not None:
                        continue  # not_found: it was removed before
                    if method == "body.spawn":
                        alive.append(result["body"])
                    elif method == "body.remove":
                        alive.remove(body)
                        removed.append(body)
                    shown["tick"] = max(shown["tick"], result["tick"])
                for snapshot in client.snapshots():
                    shown["tick"] = max(shown["tick"], snapshot["tick"])
                client.notifications.clear()
        except (Closed, ConnectionError, BrokenPipeError):
            pass
        # A command without an answer may have been applied or not.
        return {body for method, body in waiting.values() if method == "body.remove"}

    @staticmethod
    def ask(client, rng, alive):
        what = rng.random()
        if what < 0.4 or not alive:
            return client.request("body.spawn", world="w", shapes=[BALL],
                                  position=[rng.uniform(-25, 25), rng.uniform(2, 20)]), \
                ("body.spawn", None)
        body = rng.choice(alive)
        if what < 0.5:
            return client.request("body.remove", world="w", body=body), ("body.remove", body)
        if what < 0.8:
            return client.request("body.impulse", world="w", body=body, impulse=[
                rng.uniform(-5, 5), rng.uniform(-5, 5)]), ("body.impulse", body)
        return client.request("world.apply", world="w", commands=[
            ["body.spawn", {"type": "static", "shapes": [BALL], "position": [100, 100]}],
            ["body.remove", {"body": {"$": 0}}]]), ("world.apply", None)

    def lives(self, durability, kills):
        rng = random.Random(1)
        client = self.start("--threads", "1")
        client.call("world.create", world="w", durability=durability)
        client.call("body.spawn", world="w", type="static", shapes=[FLOOR])
        alive, removed, shown = [], [], {"tick": 0}
        epoch = client.call("world.info", world="w")["epoch"]
        for life in range(kills):
            client.call("world.subscribe", world="w")
            timer = subprocess.Popen(
                ["sh", "-c", f"sleep {rng.uniform(0.0, 0.3):.3f}; "
                 f"kill -9 {self.server.process.pid}"])
            uncertain = self.play(client, rng, alive, removed, shown)
            timer.wait()
            self.kill()
            client = self.start("--threads", "1")
            info = client.call("world.info", world="w")
            self.assertEqual(info["epoch"], epoch)
            self.assertGreaterEqual(info["tick"], shown["tick"], f"life {life}")
            there = {b["body"] for b in client.call("world.state", world="w")["bodies"]}
            for body in alive:
                self.assertTrue(body in there or body in uncertain, f"life {life}: {body} is lost")
            for body in removed:
                self.assertNotIn(body, there, f"life {life}: {body} has come back")
            alive[:] = [body for body in alive if body in there]
            self.assertNotIn("is not served", self.log())
            if len(alive) > 300:
                for body in alive[:250]:
                    client.call("body.remove", world="w", body=body)
                removed += alive[:250]
                del alive[:250]

    def test_normal_loses_nothing_that_was_answered_or_shown(self):
        self.lives("normal", KILLS)

    def test_full_loses_nothing_that_was_answered_or_shown(self):
        self.lives("full", max(3, KILLS // 4))


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
