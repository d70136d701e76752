"""carom events: lines for people and for scripts, kinds, bodies, ends."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from cli import CAROM, CAROMD, Caromd, LOST, REFUSED, SECONDS_MAX, ServerTest, environment, main, rest


class Events(ServerTest):
    def setUp(self):
        super().setUp()
        self.json("create", self.world, "--gravity", "0,-10")
        self.json("spawn", self.world, "--box", "20x1", "--at", "0,-0.5", "--type", "static", "--restitution", 1)

    def drop(self, x=0, **_):
        """Drops a ball that bounces forever: repeated begin and end."""
        return self.json("spawn", self.world, "--circle", 0.2, "--at", f"{x},1", "--restitution", 1)["body"]

    def test_lines_for_people(self):
        self.drop()
        lines = self.ok("events", self.world, "--kind", "begin,end", "--count", 4, "--for", f"{SECONDS_MAX}s").lines()
        self.assertEqual(["begin", "end"] * 2 if " begin " in lines[0] else ["end", "begin"] * 2,
                         [line.split()[1] for line in lines])
        begin = next(line for line in lines if " begin " in line)
        self.assertRegex(begin, r"\A +\d+  begin +\d+ \d+  at -?[\d.]+, -?[\d.]+  normal .*speed [\d.]+ m/s")

    def test_lines_of_json(self):
        ball = self.drop()
        result = self.ok("events", self.world, "--json", "--kind", "begin", "-n", 3, "--for", f"{SECONDS_MAX}s")
        events = [json.loads(line) for line in result.lines()]
        self.assertEqual(3, len(events))
        for event in events:
            self.assertEqual("begin", event["kind"])
            self.assertIn(ball, (event["a"], event["b"]))
            self.assertGreater(event["speed"], 1)
        ticks = [event["tick"] for event in events]
        self.assertEqual(sorted(set(ticks)), ticks)

    def test_body_chooses(self):
        balls = [self.drop(x) for x in (-5, 0, 5)]
        result = self.ok("events", self.world, "--json", "-k", "begin", "--body", balls[1], "-n", 3, "--for", f"{SECONDS_MAX}s")
        for line in result.lines():
            self.assertIn(balls[1], (json.loads(line)["a"], json.loads(line)["b"]))

    def test_area_goes_along_with_a_body(self):
        balls = [self.drop(x) for x in (-50, 0, 50)]
        result = self.ok("events", self.world, "--json", "-k", "begin", "--follow", balls[1], "--area", "-5,-5,5,5",
                         "-n", 3, "--for", f"{SECONDS_MAX}s")
        for line in result.lines():
            self.assertIn(balls[1], (json.loads(line)["a"], json.loads(line)["b"]))

    def test_spawn_and_remove_are_told_by_default(self):
        process = subprocess.Popen([CAROM, "events", self.world, "--json", "--count", "2", "--for", f"{SECONDS_MAX}s"], text=True,
                                   stdout=subprocess.PIPE, env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        while self.json("info", self.world)["subscribers"] == 0:
            time.sleep(0.02)
        body = self.json("spawn", self.world, "--circle", 1, "--at", "0,900")["body"]
        self.ok("remove", self.world, body)
        out, _ = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual([("spawn", body), ("remove", body)],
                         [(event["kind"], event["a"]) for event in map(json.loads, out.splitlines())])
        self.assertEqual(0, process.returncode)

    def test_time_ends_it(self):
        self.assertEqual("", self.ok("events", self.world, "--for", "300ms").out)

    def test_count_of_none_is_none(self):
        self.assertEqual("", self.ok("events", self.world, "--count", 0).out)

    def test_destroyed_world_ends_it_with_1(self):
        process = subprocess.Popen([CAROM, "events", self.world], text=True, stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        while self.json("info", self.world)["subscribers"] == 0:
            time.sleep(0.02)
        self.ok("destroy", self.world)
        _, err = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(REFUSED, process.returncode)
        self.assertIn("ended: the world was destroyed", err)

    def test_thousands_a_second_are_all_printed_in_order(self):
        self.json("set", self.world, "gravity=0,-30")
        self.json("spawn", self.world, "--circle", 0.2, "--at", "-9,0.5", "--restitution", 1, "--count", 100,
                  "--step", "0.18,0")
        result = self.ok("events", self.world, "--json", "--kind", "all", "--count", 2000, "--for", f"{SECONDS_MAX}s")
        events = [json.loads(line) for line in result.lines()]
        self.assertEqual(2000, len(events))
        self.assertEqual(sorted(event["tick"] for event in events), [event["tick"] for event in events])


class LostServer(ServerTest):
    def test_server_that_ends_is_3(self):
        self.json("create", self.world)
        process = subprocess.Popen([CAROM, "events", self.world], text=True, stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        while self.json("info", self.world)["subscribers"] == 0:
            time.sleep(0.02)
        self.server.process.terminate()
        self.server.process.wait(SECONDS_MAX)
        _, err = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(LOST, process.returncode, err)
        self.assertIn("shutting down", err)


class RestartedServer(unittest.TestCase):
    def test_watch_goes_on_although_the_server_kept_nothing(self):
        """Without --data the session and its world are gone: watch subscribes to the new world of that name."""
        server = Caromd(CAROMD, "--world", "w:demo")
        self.addCleanup(lambda: server.__exit__())
        port = server.port
        watch = subprocess.Popen([CAROM, "watch", "w", "--json"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=environment(CAROM_SERVER=f"127.0.0.1:{port}"))
        self.addCleanup(watch.kill)
        first = json.loads(watch.stdout.readline())["epoch"]
        server.__exit__()
        server = Caromd(CAROMD, "--world", "w:demo", "--listen", f"127.0.0.1:{port}")
        info = subprocess.run([CAROM, "info", "w", "--json"], text=True, capture_output=True, check=True, timeout=SECONDS_MAX,
                              env=environment(CAROM_SERVER=f"127.0.0.1:{port}"))
        second = json.loads(info.stdout)["epoch"]
        self.assertGreater(second, first)  # also within the same second
        while json.loads(watch.stdout.readline())["epoch"] != second:
            pass
        watch.send_signal(signal.SIGINT)
        _, err = watch.communicate(timeout=SECONDS_MAX)
        self.assertEqual("", err)

    def test_events_and_watch_go_on_after_a_restart(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        readers = []
        self.addCleanup(lambda: [reader.kill() for reader in readers])
        server = Caromd(CAROMD, "--data", os.path.join(folder.name, "data"))
        self.addCleanup(lambda: server.__exit__())
        port = server.port
        surroundings = environment(CAROM_SERVER=f"127.0.0.1:{port}")

        def carom(*words):
            return subprocess.run([CAROM, *map(str, words)], text=True, capture_output=True, check=True, timeout=SECONDS_MAX,
                                  env=surroundings).stdout

        def spawn(x):
            return json.loads(carom("spawn", "w", "--circle", 1, "--at", f"{x},0", "--json"))["body"]

        carom("create", "w", "--gravity", "0,0")
        def read(stdout, *words):
            readers.append(subprocess.Popen([CAROM, *words], text=True, stdout=stdout, stderr=subprocess.PIPE,
                                            env=surroundings))

        frames = open(os.path.join(folder.name, "frames"), "w", encoding="utf-8")  # more than a pipe's buffer
        self.addCleanup(frames.close)
        read(subprocess.PIPE, "events", "w", "--json", "--kind", "spawn", "--count", "3", "--for", f"{SECONDS_MAX}s")
        read(subprocess.PIPE, "watch", "w", "--json")
        read(frames, "watch", "w", "--replica", "--size", "60x6")
        def await_readers():
            """Waits until the three sessions exist and the server reads their input: sessions outlive connections."""
            end = time.monotonic() + SECONDS_MAX
            while sum(s["connected"] and s["subscriptions"] != [] for s in
                      json.loads(carom("call", "server.sessions"))["sessions"]) < 3:
                self.assertLess(time.monotonic(), end, "the readers do not come")
                time.sleep(0.02)

        await_readers()
        bodies, told = [spawn(0)], ""
        for end in (signal.SIGKILL, signal.SIGTERM):
            told += readers[0].stdout.readline()
            server.process.send_signal(end)
            server.await_end()
            server = Caromd(CAROMD, "--data", os.path.join(folder.name, "data"), "--listen", f"127.0.0.1:{port}")
            await_readers()
            bodies.append(spawn(5 * len(bodies)))
        out, err = rest(readers[0])
        self.assertEqual(0, readers[0].returncode, err)
        self.assertEqual(bodies, [json.loads(line)["a"] for line in (told + out).splitlines()])
        readers[1].send_signal(signal.SIGINT)
        out, err = readers[1].communicate(timeout=SECONDS_MAX)
        epochs = {json.loads(line)["epoch"] for line in out.splitlines()}
        self.assertEqual(1, len(epochs))
        self.assertIn(bodies[-1], [row[0] for line in out.splitlines() for row in json.loads(line)["bodies"]])
        shown = []
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end and not any("3 bodies" in line for line in shown):
            time.sleep(0.1)
            shown = Path(frames.name).read_text("utf-8").splitlines()
        readers[2].send_signal(signal.SIGINT)
        _, err = readers[2].communicate(timeout=SECONDS_MAX)
        self.assertEqual("", err)
        self.assertIn("3 bodies", [line for line in shown if " tick " in line][-1])


if __name__ == "__main__":
    main()
