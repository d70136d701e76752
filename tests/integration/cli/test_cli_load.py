"""carom load: numbers that hold together, a world that is gone afterwards."""

import json
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

    def test_parts_of_a_latency_add_up(self):
        metrics = self.json("load", "--connections", 4, "--rate", 50, "--time", "2s")["metrics"]
        tick = 1 / 60
        self.assertLessEqual(metrics["wait"]["max"], tick * 1.02)  # bins are within 1/64
        self.assertAlmostEqual(metrics["ack"]["mean"], metrics["wait"]["mean"] + metrics["above"]["mean"], delta=1e-4)
        self.assertEqual(metrics["ack"]["count"], metrics["sent"]["count"])
        self.assertLessEqual(metrics["sent"]["mean"], metrics["ack"]["mean"])
        self.assertGreater(metrics["seen"]["count"], metrics["ack"]["count"] * 0.9)
        for name, metric in metrics.items():
            order = [metric[share] for share in ("p50", "p90", "p95", "p99", "p99.9", "max")]
            self.assertEqual(sorted(order), order, name)
        for name in ("age", "jitter", "rtt"):
            self.assertLess(metrics[name]["p50"], 0.1, name)

    def test_players_and_watchers_in_several_worlds_encodings_and_threads(self):
        result = self.json("load", "--connections", 4, "--watchers", 12, "--worlds", 3, "--threads", 3,
                           "--encoding", "packed=2,plain=1,log=1", "--area", "30x20", "--time", "1s", "--rate", 20)
        self.assertEqual((16, 3), (result["connections"], result["worlds"]))
        self.assertAlmostEqual(4 * 20, result["commands_sent"], delta=10)
        self.assertAlmostEqual(16 * 60, result["snapshots"], delta=320)
        self.assertEqual(({}, 0, 0), (result["errors"], result["lost"], result["refused"]))
        self.assertAlmostEqual(3 * 60, result["server"]["ticks"], delta=60)
        self.assertEqual([], self.ok("worlds", "--names").lines())

    def test_stages_are_linear_ramps(self):
        result = self.json("load", "--stage", "1s:20,500ms:20", "--stage", "500ms:0", "--rate", 10, "--no-snapshots")
        self.assertEqual((20, 2.0), (result["connections"], result["seconds"]))
        clients = [row["clients"] for row in result["time"]["slices"]]
        self.assertEqual(0.1, result["time"]["slice_seconds"])
        self.assertEqual(20, len(clients))
        for at, wanted in ((0, 2), (4, 10), (12, 20), (17, 12)):
            self.assertAlmostEqual(wanted, clients[at], delta=5, msg=clients)
        self.assertEqual(20, result["metrics"]["connect"]["count"])
        self.assertAlmostEqual(10 * (10 + 10 + 5), result["commands_sent"], delta=60)
        self.assertEqual({}, result["errors"])

    def test_stall_of_the_server_shows_from_the_time_that_commands_were_due(self):
        for extra in ((), ("--window", "3")):
            with self.subTest(extra=extra):
                rate = () if extra else ("--rate", "100")
                process = subprocess.Popen(
                    [CAROM, "load", "-c", "2", "-d", "3s", "--json", *rate, *extra], text=True,
                    stdout=subprocess.PIPE, env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
                self.await_strike()
                time.sleep(0.5)
                self.server.process.send_signal(signal.SIGSTOP)
                time.sleep(0.3)
                self.server.process.send_signal(signal.SIGCONT)
                out, _ = process.communicate(timeout=30)
                result = json.loads(out)
                ack, sent = result["metrics"]["ack"], result["metrics"]["sent"]
                # 0.3 of 3 s: a tenth of all commands were due in the stall and waited for half of it in the mean.
                self.assertGreater(ack["max"], 0.29)
                self.assertGreater(ack["p99"], 0.2)
                self.assertGreater(ack["p95"], 0.08)
                self.assertEqual("interval" if extra else "due", result["correction"])
                if extra:  # of six in flight only six saw it
                    self.assertLess(sent["p95"], 0.1)
                    self.assertGreater(ack["count"], sent["count"])

    def test_bad_input_is_told_with_its_place(self):
        for words, told in (
                (["--stage", "10:5,soon:3"], "stage 2, 'soon:3': expected a time before the colon"),
                (["--stage", "10s"], "stage 1, '10s': expected TIME:CLIENTS"),
                (["--stage", "10s:99999"], "stage 1, '10s:99999': expected clients after the colon, from 0 to 20000"),
                (["--stage", "1s:0"], "at least one stage needs clients"),
                (["--stage", "1s:5", "--time", "1s"], "either --stage or --time"),
                (["--stage", "25h:5"], "at most 24h"),
                (["--encoding", "zip"], "'zip': expected plain, packed or log"),
                (["--encoding", "packed=0"], "'packed=0': expected plain, packed or log"),
                (["--worlds", "0"], "--worlds is from 1 to 256"),
                (["--worlds", "2", "--world", "w"], "either --world"),
                (["--threads", "11"], "no more than there are clients"),
                (["--connections", "20001"], "from 1 to 20000"),
                (["--connections", "0"], "from 1 to 20000"),
                (["--watchers", "5", "--no-snapshots"], "nothing to do"),
                (["--rate", "5", "--window", "4"], "either --rate or --window"),
                (["--time", "1ms"], "100ms to 24h")):
            with self.subTest(words=words):
                self.assertIn(told, self.fails(2, "load", *words).err)

    def test_quiet_without_a_terminal(self):
        self.assertEqual("", self.ok("load", "-c", 1, "-d", "300ms").err)

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
        self.assertRegex(out, r"(?m)^LATENCY +P50 +P90 +P95 +P99 +P99.9 +MAX +MEAN +COUNT ")
        for row in ("ack", "wait", "above", "sent", "seen", "jitter"):
            self.assertRegex(out, rf"(?m)^{row} +[0-9.]+ (us|ms|s) ")
        self.assertRegex(out, r"(?m)^server: \d+ ticks, \d+ begun more than a tick late")
        self.assertIn("run from when a command was due, also while the server stalled", out)

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

    def await_strike(self):
        until = time.monotonic() + 45
        while not self.is_struck():
            self.assertLess(time.monotonic(), until, "no body was struck")
            time.sleep(0.02)

    def test_signal_ends_it_and_its_world(self):
        process = subprocess.Popen([CAROM, "load", "-c", "2", "-d", "60s"], text=True, stdout=subprocess.PIPE,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        self.await_strike()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        self.assertEqual(0, process.returncode)
        self.assertIn("LATENCY", out)
        self.assertEqual([], self.ok("worlds", "--names").lines())

    def test_killed_leaves_no_world(self):
        process = subprocess.Popen([CAROM, "load", "-c", "2", "-d", "60s"], stdout=subprocess.DEVNULL,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        self.await_strike()
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
