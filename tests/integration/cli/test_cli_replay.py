"""carom record, replay, diff, save, load, fork, backup, restore: worlds in files, exactly."""

import json
import os
import pty
import shutil
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import msgpack

from cli import CAROM, CAROMD, Caromd, OK, REFUSED, SECONDS_MAX, ServerTest, USAGE, carom, environment, main
from checksum import crc32c  # cli.py has put tests/support on the path
from wire import Client

MAGIC = b"\x89clog\r\n\x1a"


def frames(log):
    """The payloads of a recording's frames, header and end among them."""
    assert log.startswith(MAGIC)
    at = len(MAGIC)
    while at < len(log):
        size, = struct.unpack_from("<I", log, at)
        yield log[at + 8:at + 8 + size]
        at += 8 + size


def recording(payloads):
    out = [MAGIC]
    for payload in payloads:
        size = struct.pack("<I", len(payload))
        out += [size, struct.pack("<I", crc32c(size + payload)), payload]
    return b"".join(out)


class FileTest(ServerTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.json("create", self.world, "--paused")
        self.json("spawn", self.world, "--box", "20x1", "--at", "0,-0.5", "--type", "static")
        for i in range(4):
            self.json("spawn", self.world, "--box", "1x1", "--at", f"{0.3 * i},{0.6 + 1.1 * i}")

    def path(self, name):
        return str(self.folder / name)

    def lower(self, record):
        """Spawns the record's ball a metre lower; the record's hash stays."""
        spawn, = [arguments for _, _, method, arguments in record["commands"] if method == "body.spawn"]
        spawn["position"][1] -= 1

    def record(self, name, ticks=60, *words, middle=lambda: None):
        """Records `ticks` ticks, with a spawn and what `middle` does in the middle, and returns the report."""
        process = subprocess.Popen(
            [CAROM, "record", self.world, self.path(name), "--ticks", str(ticks), "--json", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        while self.json("info", self.world)["subscribers"] == 0:
            time.sleep(0.01)
        self.json("step", self.world, ticks // 2)
        self.json("spawn", self.world, "--circle", 0.5, "--at", "0.2,9")
        middle()
        self.json("step", self.world, ticks - ticks // 2)
        out, err = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual((0, ""), (process.returncode, err))
        return json.loads(out)


class Replays(FileTest):
    def test_recording_replays_to_the_same_hash(self):
        told = self.record("a.caromlog")
        self.assertEqual((0, 60, 1, 0), (told["first"], told["last"], told["commands"], told["gaps"]))
        played = self.json("replay", self.path("a.caromlog"), "--verify")
        info = self.json("info", self.world)
        self.assertEqual(info["hash"]["$bin"], played["hash"])
        self.assertEqual((60, 6, 1, True), (played["tick"], played["bodies"], played["commands"], played["whole"]))
        self.assertGreater(played["verified"], 0)

    def test_every_tick_can_be_reached(self):
        self.record("a.caromlog", 60, "--keyframe", "300ms")
        hashes = {}
        for tick in (0, 1, 29, 30, 31, 45, 59, 60):
            hashes[tick] = self.json("replay", self.path("a.caromlog"), "--to", tick)["hash"]
            slow = self.json("replay", self.path("a.caromlog"), "--to", tick, "--verify")
            self.assertEqual(hashes[tick], slow["hash"], tick)
        self.assertEqual(len(hashes), len(set(hashes.values())))

    def test_tick_with_a_plus_is_counted_from_the_first(self):
        self.record("a.caromlog")
        told = self.record("later.caromlog")
        self.assertEqual((60, 120), (told["first"], told["last"]))
        for plus, tick in (("+0", 60), ("+20", 80), ("+60", 120)):
            there = self.json("replay", self.path("later.caromlog"), "--to", plus)
            self.assertEqual(tick, there["tick"])
            self.assertEqual(self.json("replay", self.path("later.caromlog"), "--to", tick)["hash"], there["hash"])
        for wrong in (59, 121, "+61", f"+{2 ** 53}"):
            told = self.fails(USAGE, "replay", self.path("later.caromlog"), "--to", wrong).err
            self.assertIn("the ticks 60 to 120, which are +0 to +60", told)
        for wrong in ("+", "20x", "++1", "-1"):
            self.assertIn("a tick such as 900", self.fails(USAGE, "replay", self.path("later.caromlog"), "--to", wrong).err)

    def test_image_at_a_tick(self):
        self.record("a.caromlog")
        self.ok("replay", self.path("a.caromlog"), "--to", 20, "--image", self.path("20.caromimage"))
        self.ok("load", self.path("20.caromimage"), self.world + "-20")
        self.ok("pause", self.world + "-20")
        self.assertGreaterEqual(self.json("info", self.world + "-20")["tick"], 20)
        self.fails(USAGE, "replay", self.path("a.caromlog"), "--image", self.path("20.caromimage"))
        self.ok("diff", self.path("a.caromlog"), self.path("20.caromimage"))

    def test_bad_files_are_named(self):
        self.record("a.caromlog")
        log = (self.folder / "a.caromlog").read_bytes()
        (self.folder / "cut").write_bytes(log[:-40])
        (self.folder / "flipped").write_bytes(log[:500] + bytes([log[500] ^ 4]) + log[501:])
        (self.folder / "empty").write_bytes(b"")
        payloads = list(frames(log))
        header = msgpack.unpackb(payloads[0])
        newer = msgpack.packb({**header, "format": header["format"] + 1})
        (self.folder / "newer").write_bytes(recording([newer] + payloads[1:]))
        other = msgpack.packb({**header, "engine": header["engine"] + 1})
        (self.folder / "other").write_bytes(recording([other] + payloads[1:]))
        huge = MAGIC + struct.pack("<II", 0xFFFFFFF0, 0)
        (self.folder / "huge").write_bytes(huge)
        for name, word in [("flipped", "checksum"), ("empty", "cut off"), ("newer", "format"),
                           ("other", "engine of behaviour"), ("huge", "at most"), ("nothing", "No such file")]:
            self.assertIn(word, self.fails(USAGE, "replay", self.path(name)).err, name)
        cut = self.run_carom("replay", self.path("cut"))
        self.assertEqual((OK, True), (cut.code, "cut off" in cut.err))
        self.assertIn("cut off", self.fails(USAGE, "replay", self.path("cut"), "--verify").err)
        self.assertIn("the ticks 0 to 60", self.fails(USAGE, "replay", self.path("a.caromlog"), "--to", 61).err)

    def test_missing_file_is_not_taken_for_a_world(self):
        self.record("a.caromlog")
        for name in ("monday.caromlog", "monday.caromimage", "no/such"):
            result = self.fails(2, "diff", name, self.path("a.caromlog"))
            self.assertEqual(f"carom: cannot read {name}: No such file or directory\n", result.err)
        result = self.fails(1, "diff", "monday.log", self.world)
        self.assertIn("world 'monday.log' does not exist", result.err)

    def test_tells_the_first_tick_and_body_that_differ(self):
        self.record("a.caromlog", 60, "--keyframe", "17ms")
        payloads = [p for p in frames((self.folder / "a.caromlog").read_bytes())]
        spawned = None
        for i, payload in enumerate(payloads):
            if b"body.spawn" in payload:
                self.assertIsNone(spawned)
                record = msgpack.unpackb(payload)
                self.lower(record)
                payloads[i] = msgpack.packb(record)
                self.assertEqual(len(payload), len(payloads[i]))
                spawned = record["tick"]
        (self.folder / "b.caromlog").write_bytes(recording(payloads))
        told = self.fails(REFUSED, "replay", self.path("b.caromlog"), "--verify").err
        self.assertIn(f"tick {spawned}: the state's hash is", told)
        self.assertRegex(told, r"the first body that differs .*tick 3[01] .*: body 6: position y is [78].*and [89]")
        differ = self.run_carom("diff", self.path("a.caromlog"), self.path("a.caromlog"))
        self.assertEqual(OK, differ.code)

    def test_watch_shows_a_recording(self):
        self.record("a.caromlog")
        out = self.ok("replay", self.path("a.caromlog"), "--watch", "--frames", 2, "--size", "60x12",
                      "--interval", "200ms").lines()
        self.assertIn("tick 0 ", out[0])
        self.assertRegex(out[13], r"tick [1-9]\d ")
        self.assertIn("5 bodies", out[0])

    def test_keys_of_the_replay(self):
        self.record("a.caromlog")
        main_fd, other = pty.openpty()
        process = subprocess.Popen([CAROM, "replay", self.path("a.caromlog"), "--watch"], stdin=other,
                                   stdout=other, stderr=other, env=environment(), close_fds=True)
        os.close(other)
        seen = b""
        try:
            for keys, wanted in [(b"G", b"tick 60"), (b"g ", b"tick 0"), (b".", b"tick 1 "), (b"]", b"tick 60"),
                                 (b",", b"tick 59"), (b"q", None)]:
                os.write(main_fd, keys)
                until = time.monotonic() + SECONDS_MAX
                while wanted is not None and wanted not in seen and time.monotonic() < until:
                    seen += os.read(main_fd, 65536)
                if wanted is not None:
                    self.assertIn(wanted, seen)
                    seen = b""
            while True:
                if not os.read(main_fd, 65536):
                    break
        except OSError:
            pass  # the terminal is closed
        finally:
            process.wait(SECONDS_MAX)
            os.close(main_fd)
        self.assertEqual(0, process.returncode)


class Served(FileTest):
    """caromd --replay: the recording is a world that clients watch, step and seek in."""

    def serve(self, name, *options):
        return Caromd(CAROMD, "--replay", self.path(name), *options)

    def apply(self, *commands):
        with Client(self.server.port) as client:
            client.call("world.apply", world=self.world, commands=commands)

    def apart(self, name, *steps, first=0):
        """How many worlds got a thread of their own while the recording made these steps beside another world, its hash behind
        them, and how many had got one by then: a slow build may set it apart before."""
        with self.serve(name, "--threads", "1") as server, Client(server.port) as client:
            client.call("world.create", world="quiet")
            client.call("world.pause", world=self.world)
            client.call("world.step", world=self.world, to=first)
            before = client.call("server.stats")["counters"]["worlds_set_apart"]
            for step in steps:
                client.call("world.step", world=self.world, **step)
            after = client.call("server.stats")["counters"]["worlds_set_apart"]
            return after - before, client.call("world.info", world=self.world)["hash"], after

    def record_balls(self, ahead):
        """Records a running world in which a batch makes balls in one place so many ticks after the beginning."""
        balls = [["body.spawn", {"position": [0.001 * i, 40.0], "shapes": [{"kind": "circle", "radius": 2.0}]}] for i in range(75)]
        self.json("resume", self.world)
        process = subprocess.Popen([CAROM, "record", self.world, self.path("a.caromlog"), "--ticks", "90", "--json"],
                                   stdout=subprocess.PIPE, env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        with Client(self.server.port) as client:
            while (info := client.call("world.info", world=self.world))["subscribers"] == 0:
                time.sleep(0.01)
            client.call("world.apply", world=self.world, commands=balls, **({"at": info["tick"] + ahead} if ahead else {}))
            process.communicate(timeout=SECONDS_MAX)
        return self.ticks("a.caromlog")

    def test_ticks_that_take_long_leave_the_thread_to_other_worlds(self):
        first, met = self.record_balls(30)
        self.assertEqual(0, self.apart("a.caromlog", {"ticks": met - 1 - first}, first=first)[0])
        self.assertEqual(1, self.apart("a.caromlog", {"ticks": met - first}, first=first)[2])
        self.assertEqual(self.json("replay", self.path("a.caromlog"))["hash"],
                         self.apart("a.caromlog", {"ticks": 1000}, first=first)[1].hex())

    def test_pause_in_a_tick_that_takes_long_is_answered(self):
        first, _ = self.record_balls(0)  # the server begins with that tick
        self.assertEqual(self.json("replay", self.path("a.caromlog"))["hash"],
                         self.apart("a.caromlog", {"ticks": 1000}, first=first)[1].hex())

    def ticks(self, name):
        """The recording's first tick, and that of its first commands."""
        records = [msgpack.unpackb(payload) for payload in frames(Path(self.path(name)).read_bytes())]
        records = [one for one in records if "commands" in one]
        return records[0]["from"], next(one["commands"][0][0] for one in records if one["commands"])

    def test_seeks_that_take_long_leave_the_thread_to_other_worlds(self):
        for y in (40.0, 50.0, 60.0, 70.0):
            self.apply(*(["body.spawn", {"position": [3.0 * i, y], "shapes": [{"kind": "circle", "radius": 0.5}]}]
                         for i in range(900)))
        self.record("a.caromlog")
        self.assertEqual(0, self.apart("a.caromlog", {"to": 1})[0])
        _, found, apart = self.apart("a.caromlog", {"to": 60})
        self.assertEqual((1, self.json("replay", self.path("a.caromlog"))["hash"]), (apart, found.hex()))

    def test_seek_and_step(self):
        self.record("a.caromlog", 60, "--keyframe", "400ms")
        hashes = {tick: self.json("replay", self.path("a.caromlog"), "--to", tick)["hash"]
                  for tick in (0, 7, 29, 31, 33, 60)}
        with self.serve("a.caromlog") as server:
            def run(*words):
                result = carom(*words, "--json", port=server.port)
                self.assertEqual((OK, ""), (result.code, result.err), words)
                return result.json()

            run("pause", self.world)
            for tick in (31, 0, 60, 7, 33, 29):
                self.assertEqual(tick, run("step", self.world, "--to", tick)["tick"])
                self.assertEqual(hashes[tick], run("info", self.world)["hash"]["$bin"], tick)
            run("step", self.world, "--to", 0)
            run("step", self.world, 33)
            self.assertEqual(hashes[33], run("info", self.world)["hash"]["$bin"])
            self.assertEqual(60, run("step", self.world, 1000)["tick"])
            self.assertEqual(hashes[60], run("info", self.world)["hash"]["$bin"])
            refused = carom("step", self.world, "--to", "61", port=server.port)
            self.assertEqual(REFUSED, refused.code)
            self.assertIn("the ticks 0 to 60", refused.err)

    def test_past_ticks_of_a_recording_answer_as_they_did(self):
        self.record("a.caromlog")
        with self.serve("a.caromlog") as server:
            def call(method, **args):
                result = carom("call", method, json.dumps({"world": self.world, **args}), "--json", port=server.port)
                return (result.json() if result.code == OK else result.err)

            carom("pause", self.world, port=server.port)
            carom("step", self.world, "--to", "25", port=server.port)
            live = {}
            for _ in range(10): # the ball appears in the middle of them
                carom("step", self.world, "1", port=server.port)
                state = call("world.state")
                live[state["tick"]] = state["bodies"]
            self.assertEqual(list(range(26, 36)), list(live))
            self.assertEqual({5, 6}, {len(bodies) for bodies in live.values()})
            for tick, bodies in live.items():
                self.assertEqual((tick, bodies), (call("world.state", at=tick)["at"], call("world.state", at=tick)["bodies"]))
            self.assertIn("at: tick 36 is not over", call("world.state", at=36))
            # A jump leaves the history behind: events of earlier ticks must not mix with later ones.
            carom("step", self.world, "--to", "50", port=server.port)
            self.assertIn("unavailable", told := call("world.state", at=30))
            self.assertIn("tick 30 is outside of the history [50, 50]", told)
            carom("step", self.world, "--to", "20", port=server.port)
            self.assertIn("at: tick 30 is not over", call("world.state", at=30))

    def test_commands_are_refused_and_forks_take_them(self):
        self.record("a.caromlog")
        with self.serve("a.caromlog") as server:
            refused = carom("spawn", self.world, "--circle", 1, port=server.port)
            self.assertEqual(REFUSED, refused.code)
            self.assertIn("replays a recording", refused.err)
            self.assertEqual(OK, carom("fork", self.world, "mine", port=server.port).code)
            self.assertEqual(OK, carom("spawn", "mine", "--circle", 1, port=server.port).code)

    def test_watchers_follow_to_the_end_and_back(self):
        self.record("a.caromlog")
        with self.serve("a.caromlog") as server:
            carom("pause", self.world, port=server.port)
            carom("step", self.world, "--to", "0", port=server.port)
            watch = subprocess.Popen([CAROM, "record", self.world, self.path("b.caromlog"), "--ticks", "60", "--json"],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env=environment(CAROM_SERVER=f"127.0.0.1:{server.port}"))
            while carom("info", self.world, "--json", port=server.port).json()["subscribers"] == 0:
                time.sleep(0.01)
            carom("resume", self.world, port=server.port)
            out, err = watch.communicate(timeout=SECONDS_MAX)
            self.assertEqual("", err)
            self.assertEqual(1, json.loads(out)["commands"])
            same = self.json("diff", self.path("a.caromlog"), self.path("b.caromlog"))
            self.assertTrue(same["same"])
            info = carom("info", self.world, "--json", port=server.port).json()
            self.assertEqual((True, 60), (info["paused"], info["tick"]))

    def test_watchers_are_sent_the_data_that_the_recording_sets(self):
        self.record("a.caromlog", middle=lambda: self.json("call", "data.set", json.dumps(
            {"world": self.world, "key": "score", "value": 3})))
        with self.serve("a.caromlog") as server, Client(server.port) as client:
            client.call("world.pause", world=self.world)
            client.call("world.step", world=self.world, to=0)
            client.call("world.subscribe", world=self.world, data=True)
            client.read_until(client.snapshots)
            client.call("world.step", world=self.world, ticks=60)
            client.read_until(lambda: client.snapshots() and client.snapshots()[-1]["tick"] == 60)
            data = {}
            for snapshot in client.snapshots():
                data.update(snapshot.get("data", {}))
            self.assertEqual({"score": 3}, data)
            self.assertEqual([True], [s["full"] for s in client.snapshots() if s.get("full")])  # the first

    def test_state_that_differs_is_told(self):
        self.record("a.caromlog")
        payloads = list(frames((self.folder / "a.caromlog").read_bytes()))
        for i, payload in enumerate(payloads):
            if b"body.spawn" in payload:
                record = msgpack.unpackb(payload)
                self.lower(record)
                payloads[i] = msgpack.packb(record)
        (self.folder / "b.caromlog").write_bytes(recording(payloads))
        with self.serve("b.caromlog") as server:
            until = time.monotonic() + SECONDS_MAX
            info = {"log_error": ""}
            while not info.get("log_error") and time.monotonic() < until:
                info = carom("info", self.world, "--json", port=server.port).json()
            self.assertIn("the state's hash is", info["log_error"])
            self.assertTrue(info["paused"])

    def test_bad_files_end_the_start(self):
        self.record("a.caromlog")
        log = (self.folder / "a.caromlog").read_bytes()
        (self.folder / "flipped").write_bytes(log[:500] + bytes([log[500] ^ 4]) + log[501:])
        (self.folder / "no").write_bytes(b"no recording")
        for name, word in [("flipped", "checksum"), ("no", "no carom log"), ("nothing", "No such file")]:
            done = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", "--replay", self.path(name)],
                                  stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX)
            self.assertEqual(1, done.returncode)
            self.assertRegex(done.stderr, f"--replay: .*{word}")


class Differences(FileTest):
    def test_worlds_images_and_recordings(self):
        self.ok("save", self.world, self.path("w.caromimage"))
        self.ok("diff", self.world, self.path("w.caromimage"))
        self.ok("fork", self.world, self.world + "-2")
        self.ok("diff", self.world, self.world + "-2")
        self.ok("impulse", self.world + "-2", 3, "0,2")
        told = self.run_carom("diff", self.world, self.world + "-2")
        self.assertEqual(REFUSED, told.code)
        self.assertRegex(told.out, r"\nthe first difference: body 3: velocity y is \S+ and \S+\n$")
        as_json = self.run_carom("diff", self.world, self.world + "-2", "--json").json()
        self.assertEqual((False, 3, "velocity y"), (as_json["same"], as_json["body"], as_json["member"]))

    def test_two_recordings(self):
        self.ok("fork", self.world, self.world + "-2")
        self.record("a.caromlog")
        first, self.world = self.world, self.world + "-2"
        self.record("b.caromlog", 60)
        self.assertTrue(self.json("diff", self.path("a.caromlog"), self.path("b.caromlog"))["same"])
        self.world = first + "-3"
        self.ok("load", self.make_image(), self.world)
        self.assertGreater(self.json("info", self.world)["bodies"], 0)

    def make_image(self):
        self.ok("replay", self.path("a.caromlog"), "--to", 0, "--image", self.path("0.caromimage"))
        return self.path("0.caromimage")

    def test_first_tick_of_two_recordings(self):
        self.ok("fork", self.world, self.world + "-2")
        self.record("a.caromlog")
        self.world += "-2"
        process = subprocess.Popen(
            [CAROM, "record", self.world, self.path("b.caromlog"), "--ticks", "60", "--rate", "7"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        while self.json("info", self.world)["subscribers"] == 0:
            time.sleep(0.01)
        self.json("step", self.world, 40)
        self.json("spawn", self.world, "--circle", 0.5, "--at", "0.2,9")
        self.json("step", self.world, 20)
        process.communicate(timeout=SECONDS_MAX)
        told = self.run_carom("diff", self.path("a.caromlog"), self.path("b.caromlog"), "--json").json()
        # In the first recording the circle exists from tick 31 on (30, if the world is paused).
        self.assertFalse(told["same"])
        self.assertIn(told["tick"], (30, 31))
        self.assertEqual(6, told["body"])


class Images(FileTest):
    def test_save_refuses_to_overwrite(self):
        self.ok("save", self.world, self.path("w"))
        before = (self.folder / "w").read_bytes()
        self.assertIn("--force", self.fails(USAGE, "save", self.world, self.path("w")).err)
        self.ok("step", self.world)
        self.ok("save", self.world, self.path("w"), "--force")
        self.assertNotEqual(before, (self.folder / "w").read_bytes())
        self.assertEqual(["w"], os.listdir(self.folder))

    def test_record_refuses_to_overwrite_and_leaves_nothing(self):
        (self.folder / "a").write_bytes(b"mine")
        self.fails(USAGE, "record", self.world, self.path("a"), "--for", "1s")
        self.assertEqual(b"mine", (self.folder / "a").read_bytes())
        self.fails(REFUSED, "record", "nosuch", self.path("b"), "--for", "1s")
        self.assertEqual(["a"], os.listdir(self.folder))

    def test_load_of_no_image(self):
        (self.folder / "w").write_bytes(b"no image")
        self.assertIn("image", self.fails(REFUSED, "load", self.path("w"), "x").err)
        self.assertIn("WORLD is missing", self.fails(USAGE, "load", self.path("w")).err)
        self.fails(USAGE, "load", self.path("nothing"), "x")

    def test_paused_load_stands_still(self):
        self.ok("save", self.world, self.path("p.caromimage"))
        self.ok("load", self.path("p.caromimage"), self.world + "-p", "--paused")
        self.assertTrue(self.json("info", self.world + "-p")["paused"])

    def test_load_as_it_was_for_load_tests_names_the_new_command(self):
        for words in ([], ["--connections", 10], ["--scenario", "x.json"], ["--time", "1s", "--json"]):
            with self.subTest(words):
                result = self.run_carom("load", *words)
                self.assertEqual(USAGE, result.code)
                self.assertIn("'carom bench' is the load test of a server", result.err)


class Backups(FileTest):
    @classmethod
    def setUpClass(cls):
        cls.data = tempfile.TemporaryDirectory()
        cls.options = ("--data", cls.data.name)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.data.cleanup()

    def test_backup_of_a_running_server(self):
        load = subprocess.Popen([CAROM, "bench", "--time", "3s", "--connections", "4"], stdout=subprocess.DEVNULL,
                                env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        self.ok("step", self.world, 10)
        hashes = {}
        for i in range(5):
            self.ok("step", self.world, 3)
            hashes[i] = self.json("info", self.world)["hash"]
            told = self.json("backup", self.data.name, self.path(f"{i}.bak"))
            self.assertGreaterEqual(told["worlds"], 1)
        load.wait(SECONDS_MAX)
        for i in (0, 4):
            restored = self.path(f"restored-{i}")
            self.ok("restore", self.path(f"{i}.bak"), restored)
            with Caromd(CAROMD, "--data", restored) as server:
                info = carom("info", self.world, "--json", port=server.port).json()
                self.assertEqual((hashes[i], 13 + 3 * i), (info["hash"], info["tick"]))

    def test_nothing_is_overwritten(self):
        self.ok("backup", self.data.name, self.path("a.bak"))
        self.assertIn("is there", self.fails(USAGE, "backup", self.data.name, self.path("a.bak")).err)
        self.assertIn("cannot open the folder of the backup '/nowhere': ", self.fails(USAGE, "backup", self.data.name, "/nowhere/b").err)
        self.assertIn(f"DIR comes before FILE: carom backup {self.data.name} {self.path('b.bak')}",
                      self.fails(USAGE, "backup", self.path("b.bak"), self.data.name).err)
        self.assertIn(f"FILE comes before DIR: carom restore {self.path('a.bak')} {self.data.name}",
                      self.fails(USAGE, "restore", self.data.name, self.path("a.bak")).err)
        self.assertIn("not empty", self.fails(USAGE, "restore", self.path("a.bak"), str(self.folder)).err)
        self.assertIn("no data", self.fails(USAGE, "backup", str(self.folder), self.path("b.bak")).err)

    def test_backups_to_one_name_at_once_leave_one_that_is_whole(self):
        for _ in range(5):
            runs = [subprocess.Popen([CAROM, "backup", self.data.name, self.path("a.bak")], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True) for _ in range(4)]
            said = [run.communicate(timeout=SECONDS_MAX)[1] for run in runs]
            self.assertIn(OK, [run.returncode for run in runs])
            for run, words in zip(runs, said):
                self.assertTrue(run.returncode == OK or "is there" in words, words)
            self.assertEqual(["a.bak"], [path.name for path in self.folder.glob("a.bak*")])
            self.ok("restore", self.path("a.bak"), self.path("r"))
            for path in (self.folder / "a.bak", self.folder / "r"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_names_as_long_as_a_file_system_takes(self):
        name = "n" * 255
        self.ok("backup", self.data.name, self.path(name))
        self.ok("restore", self.path(name), self.path("r"))
        for path in (self.path(name + "n"), self.path("folder") + "/"):
            told = self.fails(USAGE, "backup", self.data.name, path).err
            self.assertIn("not the path of a file, whose name has 1 to 255 bytes: '", told)
        (self.folder / name).unlink()
        self.ok("save", self.world, self.path(name))
        self.ok("diff", self.path(name), self.path(name))
        self.assertIn("File name too long", self.fails(USAGE, "save", self.world, self.path(name + "n")).err)
        self.assertEqual({name, "r"}, {path.name for path in self.folder.iterdir()})

    def test_cut_backup_is_refused(self):
        self.ok("backup", self.data.name, self.path("a.bak"))
        whole = (self.folder / "a.bak").read_bytes()
        for size in (0, 7, 40, len(whole) // 2, len(whole) - 1):
            (self.folder / "cut.bak").write_bytes(whole[:size])
            self.fails(USAGE, "restore", self.path("cut.bak"), self.path("r"))
            self.assertFalse((self.folder / "r").exists())


if __name__ == "__main__":
    main()
