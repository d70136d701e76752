"""carom load: numbers that hold together, a world that is gone afterwards."""

import signal
import subprocess
import time

from cli import CAROM, ServerTest, environment, main


class Load(ServerTest):
    options = ("--limit", "resume_ms=300")

    def test_rate_is_kept_and_all_is_answered(self):
        result = self.json("load", "--connections", 4, "--rate", 50, "--time", "1s", "--bodies", 10)
        self.assertEqual(4, result["connections"])
        self.assertAlmostEqual(200, result["commands_sent"], delta=40)  # of a busy machine
        self.assertTrue(100 < result["commands"] <= result["commands_sent"], result)
        self.assertGreater(result["snapshots"], 4 * 20)
        self.assertEqual(({}, 0), (result["errors"], result["lost"]))
        self.assertGreater(result["bytes_in"], result["snapshots"] * 100)
        self.assertGreater(result["bytes_out"], result["commands_sent"] * 20)
        latency = result["latency"]
        self.assertTrue(0 < latency["p50"] <= latency["p90"] <= latency["p99"] <= latency["max"] < 5, latency)
        self.assertEqual([], self.ok("worlds", "--names").lines())

    def test_window_without_snapshots_in_several_threads(self):
        result = self.json("load", "-c", 4, "--window", 8, "-d", "500ms", "--no-snapshots", "--threads", 2)
        self.assertEqual(0, result["snapshots"])
        self.assertGreater(result["commands"], 4 * 8 * 5)
        self.assertEqual({}, result["errors"])

    def test_table_for_people(self):
        out = self.ok("load", "-c", 2, "-d", "300ms").out
        self.assertRegex(out, r"\A2 connections to 'load-\d+-\d+' for 0\.3 s, 60 commands a second each\n")
        for row in ("commands answered", "snapshots", "bytes in", "bytes out", "errors"):
            self.assertRegex(out, rf"(?m)^{row} ")
        self.assertRegex(out, r"(?m)^latency of commands +p50 .* p90 .* p99 .* max ")

    def test_given_world_is_left_as_it_was(self):
        self.json("create", self.world)
        self.json("spawn", self.world, "--circle", 1)
        self.assertEqual(self.world, self.json("load", "--world", self.world, "-c", 3, "-d", "300ms")["world"])
        self.assertEqual(1, self.json("info", self.world)["bodies"])
        self.ok("destroy", self.world)

    def is_struck(self):
        """Whether there is a world in which a body of the load has been moved: it is at work."""
        struck = (body["position"][0] % 4 != 0  # where each is put is a multiple of 4 m
                  for name in self.ok("worlds", "--names").lines()
                  for body in self.json("bodies", name, "--tag", "load"))
        return any(struck)

    def test_signal_ends_it_and_its_world(self):
        process = subprocess.Popen([CAROM, "load", "-c", "2", "-d", "60s"], text=True, stdout=subprocess.PIPE,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        while not self.is_struck():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        self.assertEqual(0, process.returncode)
        self.assertIn("latency", out)
        self.assertEqual([], self.ok("worlds", "--names").lines())

    def test_killed_leaves_no_world(self):
        process = subprocess.Popen([CAROM, "load", "-c", "2", "-d", "60s"], stdout=subprocess.DEVNULL,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        while not self.is_struck():
            time.sleep(0.02)
        process.kill()
        process.wait(30)
        until = time.monotonic() + 45  # a session is kept for a while after its connection is lost
        while self.ok("worlds", "--names").lines() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual([], self.ok("worlds", "--names").lines())

    def test_world_that_is_not_there_is_refused(self):
        self.assertIn("not_found", self.fails(1, "load", "--world", "nowhere", "-d", "300ms").err)


if __name__ == "__main__":
    main()
