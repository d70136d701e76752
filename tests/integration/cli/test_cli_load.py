"""carom bench: consistent numbers, reports in every form, a world that is removed afterwards."""

import contextlib
import csv
import html.parser
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from cli import CAROM, ROOT, SECONDS_MAX, ServerTest, carom, environment, main

SCENARIO = {
    "name": "test <script>",
    "seed": 3,
    "constants": {"speed": 3},
    "world": {"gravity": [0, 0], "hz": 120},
    "clients": [
        {"name": "player", "share": 2, "rate": 40, "arrivals": "random",
         "body": {"position": ["=4 * client", 7], "tag": "load", "shapes": [{"kind": "circle", "radius": 0.5}]},
         "subscribe": {"encoding": "packed", "rate": 30},
         "actions": [
             ["body.impulse", {"body": "$own", "impulse": ["=random(-1, 1)", 0]}, {"weight": 6}],
             ["body.spawn", {"position": ["=x", "=y + 3 + n % 5"], "tag": "shot {client}",
                             "shapes": [{"kind": "circle", "radius": 0.1}]}, {"keep": 2}],
             ["body.set", {"body": "$spawned", "velocity": [0, "=speed"]}],
             ["query.ray", {"from": ["=x", "=y"], "to": ["=x + 1", "=y + t"]}]]},
        {"name": "bot", "share": 1, "pause": [0.01, 0.03], "burst": 2, "order": "turn", "subscribe": False, "body": True,
         "actions": [["body.impulse", {"body": "$own", "impulse": [1, 0]}], ["ping", {}]]},
        {"name": "watcher", "share": 1},
    ],
}


class LoadTest(ServerTest):
    options = ("--limit", "resume_ms=300")

    def write(self, content, name="scenario.json"):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        path = folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return path

    def is_struck(self):
        """Whether a body of the load has moved in some world, which shows that the load is running."""
        struck = (body["position"][0] % 4 != 0  # bodies are spawned at multiples of 4 m
                  for name in self.ok("worlds", "--names").lines()
                  for body in self.json("bodies", name, "--tag", "load"))
        return any(struck)

    def await_strike(self):
        until = time.monotonic() + SECONDS_MAX
        while not self.is_struck():
            self.assertLess(time.monotonic(), until, "no body was struck")
            time.sleep(0.02)


class Measured(LoadTest):
    """Figures that a slow program or server would distort: the part release of tests/run.sh checks them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.result = carom("bench", "--connections", 4, "--rate", 50, "--time", "2s", "--bodies", 10, "--json",
                               port=cls.server.port).json()
        except BaseException:
            cls.tearDownClass()
            raise

    def test_rate_is_kept_and_all_is_answered(self):
        result = self.result
        self.assertEqual(4, result["connections"])
        self.assertAlmostEqual(400, result["commands_sent"], delta=80)  # on a busy machine
        self.assertTrue(200 < result["commands"] <= result["commands_sent"], result)
        self.assertGreater(result["snapshots"], 4 * 40)
        self.assertEqual(({}, 0), (result["errors"], result["lost"]))
        self.assertGreater(result["bytes_in"], result["snapshots"] * 20)
        self.assertGreater(result["bytes_out"], result["commands_sent"] * 20)
        latency = result["latency"]
        self.assertTrue(0 < latency["p50"] <= latency["p90"] <= latency["p99"] <= latency["max"] < 5, latency)
        self.assertEqual([], self.ok("worlds", "--names").lines())

    def test_parts_of_a_latency_add_up(self):
        metrics = self.result["metrics"]
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
            self.assertLess(metrics[name]["p50"], 1, name)  # seconds, on a busy machine

    def test_ticks_are_waited_for_in_short_runs_too(self):
        # The load's own world is paused while its clients connect: snapshots from then would give wrong times for
        # ticks.
        metrics = self.json("bench", "--connections", 8, "--rate", 20, "--time", "1s")["metrics"]
        self.assertGreater(metrics["wait"]["p50"], 0)
        self.assertLess(metrics["above"]["mean"], metrics["ack"]["mean"])

    def test_stages_are_linear_ramps(self):
        result = self.json("bench", "--stage", "1s:20,500ms:20", "--stage", "500ms:0", "--rate", 10, "--no-snapshots")
        self.assertEqual((20, 2.0), (result["connections"], result["seconds"]))
        clients = [row["clients"] for row in result["time"]["slices"]]
        self.assertEqual(0.1, result["time"]["slice_seconds"])
        self.assertEqual(20, len(clients))
        for at, wanted in ((0, 2), (4, 10), (12, 20), (17, 12)):
            self.assertAlmostEqual(wanted, clients[at], delta=5, msg=clients)
        self.assertEqual(20, result["metrics"]["connect"]["count"])
        self.assertAlmostEqual(10 * (10 + 10 + 5), result["commands_sent"], delta=60)
        self.assertEqual({}, result["errors"])

    def test_relay_puts_clients_at_a_distance(self):
        result = self.json("bench", "-c", 3, "--rate", 20, "--time", "1s", "--relay", "delay=40ms,jitter=5ms,stall=2%,seed=9")
        self.assertEqual(({}, 0), (result["errors"], result["lost"]))
        told = result["relay"]
        self.assertEqual((0.04, 0.005, 0.02, 9), tuple(told[key] for key in ("delay", "jitter", "stall", "seed")))
        self.assertAlmostEqual(0.09, told["stall_time"])
        self.assertEqual((3, 0), (told["connections"], told["failed"]))
        for name in ("ack", "rtt"):
            self.assertGreater(result["metrics"][name]["p50"], 0.07, name)  # there and back
        self.assertGreater(result["server"]["ticks"], 30)
        out = self.ok("bench", "-c", 1, "-d", "300ms", "--relay", "delay=1ms").out
        self.assertRegex(out, r"(?m)^clients are 1 ms away: 0 stalls$")
        self.assertNotIn("relay", self.json("bench", "-c", 1, "-d", "200ms"))

    def test_stall_of_the_server_shows_from_the_time_that_commands_were_due(self):
        for extra in ((), ("--window", "3")):
            with self.subTest(extra=extra):
                rate = () if extra else ("--rate", "100")
                process = subprocess.Popen(
                    [CAROM, "bench", "-c", "2", "-d", "9s", "--json", *rate, *extra], text=True,
                    stdout=subprocess.PIPE, env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
                self.await_strike()
                time.sleep(0.5)
                self.server.process.send_signal(signal.SIGSTOP)
                time.sleep(0.9)
                self.server.process.send_signal(signal.SIGCONT)
                out, _ = process.communicate(timeout=SECONDS_MAX)
                result = json.loads(out)
                ack, sent = result["metrics"]["ack"], result["metrics"]["sent"]
                # The stall was 0.9 of 9 s: a tenth of all commands were due during it, and waited half of it on
                # average.
                self.assertGreater(ack["max"], 0.29)
                self.assertGreater(ack["p99"], 0.2)
                self.assertGreater(ack["p95"], 0.08)
                self.assertEqual("interval" if extra else "due", result["correction"])
                if extra:  # only the six calls in flight measured the stall
                    self.assertLess(sent["p95"], 0.1)
                    self.assertGreater(ack["count"], sent["count"])
                slices = result["time"]["slices"]
                self.assertGreater(max(row.get("ack", {}).get("p50", 0) for row in slices), 0.05)

    def test_scenario_does_what_it_says(self):
        result = self.json("bench", "--scenario", self.write(SCENARIO), "-c", 8, "-d", "2s")
        self.assertEqual(("test <script>", 8, {}), (result["scenario"], result["connections"], result["errors"]))
        self.assertEqual([("player", 0.5), ("bot", 0.25), ("watcher", 0.25)],
                         [(kind["name"], kind["share"]) for kind in result["clients"]])
        metrics = result["metrics"]
        share = result["server"]["rate_share"]  # a busy machine slows the world, and the server says how much
        self.assertTrue(0 < share <= 1, share)
        self.assertTrue(2 * 120 * share - 100 < result["server"]["ticks"] < 2 * 120 + 100, result["server"])
        self.assertGreater(metrics["ack"]["count"], 4 * 40 * 0.5 * share)
        self.assertGreater(metrics["query"]["count"], 4)  # rays and pings
        self.assertGreater(metrics["seen"]["count"], 10)
        # 4 players, and 2 bots with a body and each player's last two shots.
        self.assertTrue(6 < result["server"]["bodies"] <= 6 + 4 * 2, result["server"])
        self.assertEqual([], self.ok("worlds", "--names").lines())

    def test_a_run_of_some_length_has_a_row_a_second(self):
        result = self.json("bench", "-c", 1, "-d", "10s", "--rate", 5)
        self.assertEqual((1, 10), (result["time"]["slice_seconds"], len(result["time"]["slices"])))

    def test_server_tells_of_the_run_alone(self):
        hz = 200
        result = self.json("bench", "-c", 1, "-d", "1s", "--hz", hz)["server"]
        self.assertTrue(result["of_run"])
        for name in ("step", "delay"):
            # Without counts of earlier tests; a busy machine slows the world.
            self.assertTrue(hz * (result["rate_share"] - 0.5) < result[name]["count"] < 1.5 * hz, result)
            order = [result[name][share] for share in ("p50", "p90", "p95", "p99", "p99.9", "max")]
            self.assertEqual(sorted(order), order)
            self.assertGreater(order[0], 0)
        self.assertEqual(4, self.run_carom("bench", "-c", 1, "-d", "300ms", "--fail-if", "step.p50>0us").code)

    def test_load_measures_itself(self):
        result = self.json("bench", "-c", 4, "-d", "1s")
        self.assertAlmostEqual(1000, result["metrics"]["lag"]["count"], delta=150)
        self.assertGreater(result["load"]["processor"], 0)
        self.assertLessEqual(result["load"]["processor"], 1.5)
        # The load is stopped for a third of the time, which it must notice.
        process = subprocess.Popen([CAROM, "bench", "-c", "2", "-d", "3s", "--json"], text=True, stdout=subprocess.PIPE,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        self.await_strike()
        time.sleep(0.3)
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.6)
        process.send_signal(signal.SIGCONT)
        out, _ = process.communicate(timeout=SECONDS_MAX)
        result = json.loads(out)
        self.assertTrue(result["load"]["short_of_processor"])
        self.assertGreater(result["metrics"]["lag"]["p95"], 0.2)

    def test_signal_ends_it_and_its_world(self):
        for _ in range(8):  # in one run of three, a command sent after the end stays unanswered
            process = subprocess.Popen([CAROM, "bench", "-c", "2", "-d", "60s"], text=True, stdout=subprocess.PIPE,
                                       env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
            self.await_strike()
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=SECONDS_MAX)
            self.assertEqual(0, process.returncode, out)
            self.assertIn("LATENCY", out)
            self.assertEqual([], self.ok("worlds", "--names").lines())


class Load(LoadTest):
    def test_players_and_watchers_in_several_worlds_encodings_and_threads(self):
        result = self.json("bench", "--connections", 4, "--watchers", 12, "--worlds", 3, "--threads", 3,
                           "--encoding", "packed=2,plain=1,log=1", "--area", "30x20", "--time", "1s", "--rate", 20)
        self.assertEqual((16, 3), (result["connections"], result["worlds"]))
        self.assertGreater(result["commands_sent"], 0)
        self.assertGreater(result["snapshots"], 16)
        self.assertEqual(({}, 0, 0), (result["errors"], result["lost"], result["refused"]))
        self.assertGreater(result["server"]["ticks"], 3)
        self.assertEqual([], self.ok("worlds", "--names").lines())

    def test_carom_load_is_the_same_by_its_own_name(self):
        program = Path(CAROM).with_name("carom-load")
        env = environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}")
        done = subprocess.run([program, "-c", "1", "-d", "200ms", "--json"], text=True, capture_output=True, timeout=SECONDS_MAX, env=env)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertEqual(1, json.loads(done.stdout)["connections"])
        wrong = subprocess.run([program, "--time", "1ms"], text=True, capture_output=True, timeout=SECONDS_MAX, env=env)
        self.assertEqual((2, "carom-load: --time is from 100ms to 24h in all\n  'carom-load --help' shows how it is used\n"),
                         (wrong.returncode, wrong.stderr))
        self.assertIn("Usage: carom-load [options]\n",
                      subprocess.run([program, "--help"], text=True, capture_output=True, timeout=SECONDS_MAX, env=env).stdout)

    def test_installation_without_carom_load_says_so(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        alone = shutil.copy(CAROM, folder / "carom")
        done = subprocess.run([alone, "bench"], text=True, capture_output=True, timeout=SECONDS_MAX,
                              env=environment(PATH=str(folder)))
        self.assertEqual(1, done.returncode)
        self.assertIn("carom: cannot start carom-load: No such file or directory\n  it is installed with carom", done.stderr)

    def test_shipped_scenario_and_the_one_of_the_help_work(self):
        text = self.ok("help", "load-scenarios").out
        duel = self.write(text[text.index("\n  {\"name\""):])
        for path in (ROOT / "client" / "load" / "arena.json", duel):
            with self.subTest(path.name):
                self.assertIn("is a sound scenario", self.ok("bench", "--scenario", path, "--check").out)
                result = self.json("bench", "--scenario", path, "-c", 10, "-d", "1s")
                self.assertEqual({}, result["errors"])
                self.assertGreater(result["commands"], 10)

    def test_scenario_is_checked_before_anything_is_done(self):
        broken = self.write('{"clients": [\n  {"rate": 5,\n   "actions": [\n     ["body.spwan", {}]]}]}')
        for words in (["--check"], ["-d", "60s"]):
            result = self.fails(2, "bench", "--scenario", broken, *words)
            self.assertIn(f"{broken}:4: clients[0].actions[0]: there is no method 'body.spwan'; did you mean 'body.spawn'?",
                          result.err)
            self.assertIn("carom help load-scenarios", result.err)
        self.assertIn("cut.json:1", self.fails(2, "bench", "--check", "--scenario", self.write('{"clients": [', "cut.json")).err)
        sound = self.write(SCENARIO)
        self.assertEqual({"kinds": 3, "actions": 6}, self.json("bench", "--scenario", sound, "--check"))
        for option in ("--rate=5", "--encoding=packed", "--watchers=3", "--no-snapshots", "--area=3x3"):
            self.assertIn("either --scenario or --", self.fails(2, "bench", "--scenario", sound, option).err)
        self.assertIn("this scenario makes one with its own settings", self.fails(2, "bench", "--scenario", sound, "--world", "w").err)

    def test_expression_without_a_value_is_an_error_of_the_run(self):
        kind = {"rate": 50, "body": True, "actions": [["body.impulse", {"body": "$own", "impulse": ["=1 / (n - 3)", 0]}]]}
        result = self.run_carom("bench", "--scenario", self.write({"clients": [kind]}), "-c", 1, "-d", "1s", "--json")
        self.assertEqual(1, result.code)
        self.assertEqual({"invalid_argument"}, set(result.json()["errors"]))
        self.assertIn("body.impulse: .impulse[0]: column 12: division by zero",
                      result.json()["error_texts"]["invalid_argument"])

    def test_own_world_moves_when_all_are_there_unless_the_scenario_pauses_it(self):
        kind = {"rate": 20, "body": True, "actions": [["body.impulse", {"body": "$own", "impulse": [1, 0]}]]}
        for paused in (False, True):
            with self.subTest(paused=paused):
                path = self.write({"world": {"paused": paused}, "clients": [kind]})
                result = self.json("bench", "--scenario", path, "-c", 4, "-d", "500ms")
                self.assertEqual({}, result["errors"])
                self.assertGreater(result["commands"], 10)
                self.assertEqual(not paused, result["server"]["ticks"] > 0)

    def test_closed_scenario_that_can_do_nothing_does_not_spin(self):
        kind = {"window": 2, "subscribe": False, "actions": [["body.remove", {"body": "$spawned"}]]}
        result = self.json("bench", "--scenario", self.write({"clients": [kind]}), "-c", 2, "-d", "500ms")
        self.assertEqual(0, result["commands_sent"])
        self.assertLess(result["seconds"], 1)

    def test_fail_if_ends_with_4_and_tells_each(self):
        result = self.run_carom("bench", "-c", 2, "-d", "500ms", "--json", "--fail-if", "p99>1us", "--fail-if", "errors>0",
                                "--fail-if", "query.p50>1s")
        self.assertEqual(4, result.code)
        told = [json.loads(line)["error"] for line in result.err.splitlines()]
        self.assertEqual(["threshold", "threshold"], [one["code"] for one in told])
        self.assertRegex(told[0]["text"], r"--fail-if 'p99>1us': it was [0-9.]+ (us|ms|s)\Z")
        self.assertIn("--fail-if 'query.p50>1s': nothing was measured", told[1]["text"])
        self.assertEqual([("p99>1us", True), ("errors>0", False), ("query.p50>1s", True)],
                         [(one["fail_if"], one["failed"]) for one in result.json()["thresholds"]])
        self.assertEqual(0, self.run_carom("bench", "-c", 2, "-d", "500ms", "--fail-if", "ack.p99>1h".replace("1h", "60s")).code)

    def test_errors_fail_a_load_unless_a_threshold_allows_them(self):
        kind = {"rate": 20, "actions": [["body.remove", {"body": 999999}]]}
        path = self.write({"clients": [kind]})
        words = ["bench", "--scenario", path, "-c", 2, "-d", "500ms"]
        result = self.run_carom(*words)
        self.assertEqual(1, result.code)
        self.assertRegex(result.out, r"(?m)^\d+ commands ended with not_found, the first: body.remove: ")
        self.assertEqual(0, self.run_carom(*words, "--fail-if", "errors>100%").code)
        self.assertEqual(1, self.run_carom(*words, "--fail-if", "late>100%").code)
        self.assertEqual(4, self.run_carom(*words, "--fail-if", "errors>99%").code)

    def test_wrong_fail_if_is_refused_before_the_run(self):
        for condition, told in (("p99>5", "a time needs its unit: us, ms or s"),
                                ("speed>5", "nothing is named 'speed'; there are ack, wait, above"),
                                ("p99", "expected NAME, > or >= or < or <=, and a number")):
            self.assertIn(told, self.fails(2, "bench", "-d", "60s", "--fail-if", condition).err)

    def test_csv_adds_up(self):
        path = self.write("", "report.csv")
        result = self.json("bench", "--scenario", self.write(SCENARIO), "-c", 8, "-d", "2s", "--csv", path)
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        parts, whole = rows[:-1], rows[-1]
        self.assertEqual((20, {"time"}, "all"), (len(parts), {row["row"] for row in parts}, whole["row"]))
        self.assertNotIn(None, {value for row in rows for value in row.values()})  # as in a row of another length
        for column in ("sent", "answered", "errors", "lost", "snapshots", "skipped", "bytes_in", "bytes_out",
                       "server_ticks", "server_ticks_late", "ack_count", "seen_count", "age_count", "lag_count"):
            self.assertEqual(int(whole[column]), sum(int(row[column] or 0) for row in parts), column)
        self.assertEqual((result["commands_sent"], result["commands"], result["bytes_in"]),
                         tuple(int(whole[column]) for column in ("sent", "answered", "bytes_in")))
        self.assertAlmostEqual(2, sum(float(row["seconds"]) for row in parts), places=6)
        for row in rows:
            order = [float(row[f"ack_{share}_ms"] or 0) for share in ("p50", "p90", "p95", "p99", "p99.9", "max")]
            self.assertEqual(sorted(order), order)
        self.assertAlmostEqual(float(whole["ack_max_ms"]), max(float(row["ack_max_ms"] or 0) for row in parts), delta=1e-3)

    def test_html_is_whole_and_asks_for_nothing(self):
        path = self.write("", "report.html")
        self.ok("bench", "--scenario", self.write(SCENARIO), "-c", 8, "-d", "1s", "--html", path, "--fail-if", "p99>60s")
        text = path.read_text()
        page = Page()
        page.feed(text)
        page.close()
        self.assertEqual([], page.open)
        self.assertEqual([], page.links)
        self.assertNotRegex(text, r"https?:|//[a-z]|@import|url\(|fetch\(|XMLHttp|import\s")
        data = json.loads(page.data)
        self.assertEqual("test <script>", data["report"]["scenario"])  # the text did not end the script
        self.assertEqual([False], [one["failed"] for one in data["report"]["thresholds"]])
        for name, bars in data["histograms"].items():
            self.assertEqual(data["report"]["metrics"][name]["count"], sum(count for _, count in bars), name)
            self.assertIn(name, data["explained"])

    def test_report_that_cannot_be_written_is_told_before_the_run(self):
        for option in ("--csv", "--html"):
            self.assertIn("cannot write '/nowhere/x'", self.fails(2, "bench", "-d", "60s", option, "/nowhere/x").err)

    def test_full_disk_is_an_error(self):
        if Path("/dev/full").exists():
            for option in ("--csv", "--html"):
                self.assertIn("cannot write '/dev/full'", self.fails(2, "bench", "-c", 1, "-d", "200ms", option, "/dev/full").err)

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
                (["--watchers", "5", "--no-snapshots"], "either --watchers or --no-snapshots"),
                (["--rate", "5", "--window", "4"], "either --rate or --window"),
                (["--relay", "delay=soon"], "--relay: delay takes a time such as 5, 250ms or 2m, not 'soon'"),
                (["--relay", "dealy=1"], "--relay: 'dealy=1': expected NAME=VALUE of delay, jitter, stall, stall-time and seed"),
                (["--relay", "jitter=1ms"], "--relay: jitter is at most delay"),
                (["--relay", "delay=1ms", "-c", "4097"], "--relay takes at most 4096 clients"),
                (["--time", "1ms"], "100ms to 24h")):
            with self.subTest(words=words):
                self.assertIn(told, self.fails(2, "bench", *words).err)

    def test_quiet_without_a_terminal(self):
        self.assertEqual("", self.ok("bench", "-c", 1, "-d", "300ms").err)

    def test_progress_is_never_below_zero(self):
        terminal, end = pty.openpty()
        process = subprocess.Popen([CAROM, "bench", "-c", "1", "-d", "500ms"], stdout=subprocess.DEVNULL, stderr=end,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        os.close(end)
        shown = b""
        with contextlib.suppress(OSError):  # a closed terminal gives this error
            while part := os.read(terminal, 4096):
                shown += part
        os.close(terminal)
        self.assertEqual(0, process.wait(SECONDS_MAX))
        self.assertIn(b"clients", shown)
        self.assertNotIn(b"-0", shown)

    def test_window_without_snapshots_in_several_threads(self):
        result = self.json("bench", "-c", 4, "--window", 8, "-d", "500ms", "--no-snapshots", "--threads", 2)
        self.assertEqual(0, result["snapshots"])
        self.assertGreater(result["commands"], 4 * 8)  # more than one window
        self.assertEqual({}, result["errors"])

    def test_table_for_people(self):
        out = self.ok("bench", "-c", 2, "-d", "300ms").out
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
        self.assertEqual(self.world, self.json("bench", "--world", self.world, "-c", 3, "-d", "300ms")["world"])
        self.assertEqual(1, self.json("info", self.world)["bodies"])
        self.ok("destroy", self.world)

    def test_killed_scenario_leaves_a_given_world_as_it_was(self):
        scenario = {key: value for key, value in SCENARIO.items() if key != "world"}
        self.json("create", self.world, "hz=120", "--gravity", "0,0")
        self.json("spawn", self.world, "--circle", 1)
        process = subprocess.Popen([CAROM, "bench", "--scenario", self.write(scenario), "--world", self.world, "-c", "8",
                                    "-d", "60s"], stdout=subprocess.DEVNULL,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        until = time.monotonic() + SECONDS_MAX
        while not any(re.match("shot", body.get("tag", "")) for body in self.json("bodies", self.world)):
            self.assertLess(time.monotonic(), until, "nobody shot")
            time.sleep(0.02)
        process.kill()
        process.wait(SECONDS_MAX)
        while self.json("info", self.world)["bodies"] != 1:
            self.assertLess(time.monotonic(), until + 45, "bodies stayed")
            time.sleep(0.05)
        self.assertEqual([1], [body["body"] for body in self.json("bodies", self.world)])
        self.ok("destroy", self.world)

    def test_killed_leaves_no_world(self):
        process = subprocess.Popen([CAROM, "bench", "-c", "2", "-d", "60s"], stdout=subprocess.DEVNULL,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        self.await_strike()
        process.kill()
        process.wait(SECONDS_MAX)
        until = time.monotonic() + SECONDS_MAX  # the server keeps a session for a while after its connection is lost
        while self.ok("worlds", "--names").lines() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual([], self.ok("worlds", "--names").lines())

    def test_world_that_is_not_there_is_refused(self):
        self.assertIn("not_found", self.fails(1, "bench", "--world", "nowhere", "-d", "300ms").err)


class Page(html.parser.HTMLParser):
    """The elements left open, the links, and the text of the JSON script."""

    VOID = {"meta", "link", "br", "img", "input", "hr"}

    def __init__(self):
        super().__init__()
        self.open, self.links, self.data = [], [], ""

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.links += [value for name, value in attrs.items() if name in ("src", "href", "action", "srcset")]
        if tag not in self.VOID:
            self.open.append(tag + ("#data" if attrs.get("id") == "data" else ""))

    def handle_endtag(self, tag):
        assert self.open.pop().split("#")[0] == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script#data":
            self.data += data


if __name__ == "__main__":
    main()
