"""Every command that makes single calls to a server: its effect, its output, its errors."""

import json
import re
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from cli import ACTS, CAROM, LOST, OK, REFUSED, ROOT, SECONDS_MAX, ServerTest, USAGE, carom, complete, environment, main, tame
from patience import attempts, eventually
from wire import Client

SCENES = ROOT / "proto" / "scenes"


class Templates(ServerTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = Path(folder.name) / "arena.json"
        path.write_text('{"seats": 2, "scene": "billiards"}', encoding="utf-8")
        cls.options = ("--template", f"arena={path}")
        super().setUpClass()

    def test_join_holds_a_seat_and_prints_the_world_s_events(self):
        first = subprocess.Popen([CAROM, "--server", f"127.0.0.1:{self.server.port}", "join", "arena", "--data", "Ada",
                                  "--kind", "join,leave"], stdout=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(first.kill)
        self.addCleanup(first.stdout.close)
        self.assertRegex(first.stdout.readline(), r"\Aseat 1 of world arena-1, which is new \(tick \d+\)")
        lines = self.ok("join", "arena", "--data", '{"name": "Bob"}', "--for", "100ms", "--kind", "leave").lines()
        self.assertRegex(lines[0], r"\Aseat 2 of world arena-1 \(tick \d+\)")
        joined = first.stdout.readline()
        while "takes seat 2" not in joined:  # its own join may be the first event
            joined = first.stdout.readline()
        self.assertRegex(joined, r"join +session \d+ takes seat 2 \{\"name\":\"Bob\"\}")
        self.assertRegex(first.stdout.readline(), r"leave +session \d+ leaves seat 2")
        self.assertEqual(1, self.json("info", "arena-1")["seats_taken"])
        first.send_signal(signal.SIGINT)
        first.wait(SECONDS_MAX)
        self.assertEqual(0, self.json("info", "arena-1")["seats_taken"])
        self.assertIn("template 'hall' does not exist: the server has arena", self.fails(REFUSED, "join", "hall").err)
        self.assertIn("world 'nowhere'", self.fails(REFUSED, "join", "arena", "--world", "nowhere").err)


class Server(ServerTest):
    options = ("--world", "first", "--world", "second")

    def test_ping(self):
        self.assertRegex(self.ok("ping").out, r"\A127\.0\.0\.1:\d+ answered in [\d.]+ (us|ms|s)\n\Z")
        answer = self.json("ping")
        self.assertGreater(answer["round_trip"], 0)
        self.assertGreater(answer["time"], 0)

    def test_ping_several_times(self):
        lines = self.ok("ping", "-n", 3, "-i", "10ms").lines()
        self.assertEqual(4, len(lines))
        self.assertRegex(lines[3], r"\A3 answers: fastest .*, p50 .*, p99 .*, slowest ")

    def test_info_of_server_and_world(self):
        self.assertEqual("caromd", self.json("info")["server"])
        self.assertRegex(self.ok("info").out, r"(?m)^server +caromd$")
        info = self.json("info", "first")
        self.assertEqual(("first", 60, False), (info["world"], info["hz"], info["paused"]))
        self.assertRegex(self.ok("info", "first").out, r"(?m)^hash +[0-9a-f]{16}$")
        self.assertIn("counters", self.json("info", "--stats"))
        self.assertIn("counters", self.json("stats"))
        self.assertRegex(self.ok("stats").out, r"(?m)^  step\n +count .*\n +p50 +[\d.]+ (us|ms|s)$")
        self.assertRegex(self.ok("info").out, r"(?m)^uptime +[\d.]+ s$")
        self.assertRegex(self.ok("info", "--stats").out, r"(?m)^counters$")

    def test_worlds(self):
        self.assertLessEqual({"first", "second"}, {world["world"] for world in self.json("worlds")})
        table = self.ok("worlds").lines()
        self.assertRegex(table[0], r"\AWORLD +STATE +TICK ")
        self.assertTrue(any(line.startswith("first ") and "running" in line for line in table))
        self.assertIn("second", self.ok("worlds", "--names").lines())
        self.assertLessEqual({"first", "second"}, set(self.json("worlds", "--names")))
        self.assertEqual(table[0].split(), self.ok("ls").lines()[0].split())  # columns widen with the figures
        self.assertRegex(table[1], r" (\d+\.\d s|\d+ min \d\d s) ")

    def test_stepped_world_is_not_called_paused(self):
        self.ok("create", "slowed", "--paused")
        self.addCleanup(self.ok, "destroy", "slowed")
        state = lambda: next(line for line in self.ok("worlds").lines() if line.startswith("slowed "))
        self.assertRegex(state(), r"\Aslowed +paused ")
        self.ok("spawn", "slowed", "--circle", "1")
        self.assertIn("the world is paused", self.ok("get", "slowed", "1", "--explain").out)
        over = threading.Event()

        def step():
            with Client(self.server.port) as client:
                while not over.wait(0.02):
                    client.call("world.step", world="slowed")

        stepping = threading.Thread(target=step)
        stepping.start()
        try:
            eventually(lambda: re.search(r"\Aslowed +stepped at \d+(\.\d)? Hz ", state()))
            eventually(lambda: "paused" not in self.ok("get", "slowed", "1", "--explain").out)
        finally:
            over.set()
            stepping.join()
        eventually(lambda: re.search(r"\Aslowed +paused ", state()))

    def test_unknown_world_is_refused_with_a_hint(self):
        for words in (["info"], ["bodies"], ["watch"], ["events"], ["pause"], ["destroy"], ["step"],
                      ["spawn", "--circle", "1"], ["set", "gravity=0,0"]):
            with self.subTest(words[0]):
                result = self.fails(REFUSED, words[0], "nowhere", *words[1:])
                self.assertIn("not_found: world 'nowhere'", result.err)
                self.assertIn("carom worlds", result.err)
        self.assertIn("did you mean 'first'?", self.fails(REFUSED, "info", "frist").err)
        error = json.loads(self.run_carom("info", "frist", "--json").err)["error"]
        self.assertEqual(("not_found", "world 'frist' does not exist"), (error["code"], error["text"]))
        self.assertIn("did you mean 'first'?", error["hints"][0])

    def test_call(self):
        self.assertEqual({"any": 7}, {k: v for k, v in self.json("call", "ping", "any=7").items() if k == "any"})
        self.assertEqual([1, 2], self.json("call", "ping", '{"any": [1, 2]}')["any"])
        self.assertEqual("x", self.json("call", "ping", "-", input='{"any": "x"}')["any"])
        self.assertEqual(2, self.json("call", "ping", '{"any": 1}', "any=2")["any"])
        self.assertGreater(self.ok("call", "server.info").out.count("\n"), 5)  # indented, for people
        result = self.fails(REFUSED, "call", "world.quux")
        self.assertIn("unknown_method", result.err)
        self.assertIn("carom methods", result.err)
        self.assertIn("invalid_argument", self.fails(REFUSED, "call", "world.info", "world=7x/").err)

    def test_sessions_and_kick(self):
        listening = subprocess.Popen([CAROM, "events", "first"], text=True, stderr=subprocess.PIPE,
                                     stdout=subprocess.DEVNULL,
                                     env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        other = None
        while other is None:
            other = next((s for s in self.json("sessions") if s["subscriptions"]), None)
        self.assertTrue(other["client"].startswith("carom/"))
        self.assertRegex(self.ok("sessions").out, rf"(?m)^ *{other['session']}  carom/[\d.]+ +127\.0\.0\.1:\d+ .* first$")
        self.assertIn(str(other["session"]), complete("kick", "", server=f"127.0.0.1:{self.server.port}"))
        self.assertEqual(f"session {other['session']} ended\n",
                         self.ok("kick", other["session"], "--reason", "enough").out)
        _, err = listening.communicate(timeout=SECONDS_MAX)
        self.assertEqual(LOST, listening.returncode)
        self.assertIn("enough", err)
        self.assertIn("not_found", self.fails(REFUSED, "kick", other["session"]).err)

    def test_texts_of_others_do_not_act_on_the_terminal(self):
        listening = subprocess.Popen([CAROM, "events", "first"], text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                     env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        for _ in attempts():
            other = next((s for s in self.json("sessions") if s["subscriptions"]), None)
            if other is not None:
                break
        self.ok("kick", other["session"], "--reason", f"so{ACTS}carom: a lie")
        _, err = listening.communicate(timeout=SECONDS_MAX)
        self.assertTrue(tame(err), repr(err))
        self.assertRegex(err, r"(?m)^carom: .*so\?.*carom: a lie$")
        for words in ("call", "ping"), ("call", "ping", "--json"):
            out = self.ok(*words, "-", input=json.dumps({"any": ACTS})).out
            self.assertTrue(tame(out), repr(out))
            self.assertEqual(ACTS, json.loads(out)["any"])
        self.ok("create", self.world, "--paused")
        self.ok("data", self.world, "key", json.dumps({"text": ACTS}))
        self.ok("data", self.world, "word", json.dumps(ACTS))
        for words in ("data", self.world, "key"), ("data", self.world, "word"), ("data", self.world):
            out = self.ok(*words).out
            self.assertTrue(tame(out), repr(out))

    def test_top(self):
        out = self.ok("top", "--count", 2, "-i", "200ms").out
        self.assertEqual(2, len(re.findall(r"(?m)^caromd [\d.]+ at 127\.0\.0\.1:\d+  up .*  sessions \d+  worlds \d+  memory [\d.]+ MB$", out)))
        self.assertEqual(2, len(re.findall(r"(?m)^requests \d+/s  snapshots \d+/s  in .*/s  out .*/s  ticks late", out)))
        self.assertEqual(2, len(re.findall(r"(?m)^first +running +[\d.]+/60 +\d+ +\d\.\d{3} +[\d.]+ % ", out)))
        lines = self.ok("top", "-n", 2, "-i", "200ms", "--json").lines()
        self.assertEqual(2, len(lines))
        second = json.loads(lines[1])
        self.assertGreater(second["requests_per_second"], 1)
        self.assertGreater(second["memory_bytes"], 1 << 20)
        self.assertLessEqual({"first", "second"}, {world["world"] for world in second["worlds"]})

    def test_doctor(self):
        findings = {one["check"]: one for one in self.json("doctor")}
        self.assertLessEqual({"terminal", "server", "version", "role", "round trip", "ticks", "sessions"}, set(findings))
        self.assertEqual("ok", findings["version"]["verdict"])
        self.assertRegex(self.ok("doctor").out, r"(?m)^ok +round trip +median .*, slowest .* of 20$")

    def test_call_as_notification_has_no_answer(self):
        self.json("create", self.world, "--paused")
        self.assertEqual("", self.ok("call", "world.resume", f"world={self.world}", "--notify").out)
        for _ in attempts():
            if not self.json("info", self.world)["paused"]:
                return
        self.fail("the notification did nothing")

    def test_completion_offers_the_worlds(self):
        self.assertLessEqual({"first", "second"}, set(complete("watch", "", server=f"127.0.0.1:{self.server.port}")))
        at = f"127.0.0.1:{self.server.port}"
        self.assertEqual([], complete("create", "", server=at))  # a new name
        self.json("create", "full", "--paused")
        self.json("spawn", "full", "--circle", 1, "--count", 3)
        self.assertEqual(["1", "2", "3"], complete("get", "full", "", server=at))
        self.assertEqual(["gravity_scale"], complete("get", "full", "1", "--field", "grav", server=at))
        joint = self.json("joint", "create", "full", "distance", 1, 2, "length=1")["joint"]
        self.assertEqual([str(joint)], complete("joint", "set", "full", "", server=at))
        self.assertIn("pyramid", complete("create", "w", "--scene", "", server=at))
        self.assertEqual(["second"], complete("--server", "127.0.0.1", ":", str(self.server.port), "pause", "se"))


class Worlds(ServerTest):
    def test_create_with_all_it_takes(self):
        self.json("create", self.world, "--gravity", "0,-1.5", "--hz", 120, "--substeps", 2, "--paused",
                  "--max-bodies", 5, "--no-sleep", "hit_threshold=3")
        info = self.json("info", self.world)
        self.assertEqual(([0, -1.5], 120, 2, True, 5, False, 3),
                         tuple(info[k] for k in ("gravity", "hz", "substeps", "paused", "max_bodies", "sleep",
                                                 "hit_threshold")))

    def test_bounds_of_players_are_given_changed_and_shown(self):
        self.json("create", self.world, "--players", '{"mass": 5, "methods": ["body.impulse"]}')
        self.assertEqual({"mass": 5, "methods": ["body.impulse"]}, self.json("info", self.world)["players"])
        self.ok("set", self.world, 'players={"mass": 7}')
        self.assertEqual({"mass": 7}, self.json("info", self.world)["players"])
        self.assertIn("players", self.ok("info", self.world).out)
        self.ok("set", self.world, "players={}")
        self.assertNotIn("players", self.json("info", self.world))
        self.assertIn("players.mass", self.fails(REFUSED, "create", self.world + "-bad", "--players", '{"mass": -1}').err)
        self.assertIn("players", self.fails(REFUSED, "create", self.world + "-bad", "--players", "heavy").err)

    def test_create_from_a_scene(self):
        self.json("create", self.world, "--scene", "cradle")
        self.assertGreater(self.json("info", self.world)["bodies"], 0)

    def test_create_twice_is_refused_unless_wanted(self):
        self.assertRegex(self.ok("create", self.world).out, rf"\Acreated {self.world} \(tick 0\)\n")
        self.assertIn("already_exists", self.fails(REFUSED, "create", self.world).err)
        self.assertEqual(self.world, self.json("create", self.world, "--if-absent")["world"])
        self.assertRegex(self.ok("create", self.world, "--if-absent").out, rf"\A{self.world} exists \(tick \d+\)\n")

    def test_create_with_a_bad_name_is_refused(self):
        self.assertIn("invalid_argument", self.fails(REFUSED, "create", "no/such").err)

    def test_pause_step_resume(self):
        self.json("create", self.world, "--paused")
        self.assertEqual(1, self.json("step", self.world)["tick"])
        self.assertEqual(11, self.json("step", self.world, 10)["tick"])
        self.assertEqual(f"stepped {self.world} (tick 12)\n", self.ok("step", self.world).out)
        self.ok("resume", self.world)
        self.assertEqual(REFUSED, self.run_carom("step", self.world).code)  # only paused worlds can be stepped
        self.ok("pause", self.world)
        self.assertTrue(self.json("info", self.world)["paused"])

    def test_destroy_several_goes_on_after_a_slip(self):
        self.ok("create", self.world + "a")
        self.ok("create", self.world + "b")
        result = self.fails(REFUSED, "destroy", self.world + "a", "nowhere", self.world + "b")
        self.assertEqual([f"destroyed {self.world}a", f"destroyed {self.world}b"],
                         [line.rsplit(" (", 1)[0] for line in result.lines()])
        self.assertNotIn(self.world, self.ok("worlds", "--names").out)

    def test_apply_takes_the_scene_s_name(self):
        result = self.json("apply", SCENES / "cradle.json")
        self.assertEqual(("cradle", True), (result["world"], result["created"]))
        self.assertEqual(result["bodies"], self.json("info", "cradle")["bodies"])
        self.ok("destroy", "cradle")

    def test_apply_into_a_world_of_another_name(self):
        self.assertRegex(self.ok("apply", SCENES / "cradle.json", self.world, "--paused").out,
                         rf"\Acreated {self.world}: \d+ commands, \d+ bodies, \d+ joints \(tick \d+\)\n")
        self.assertTrue(self.json("info", self.world)["paused"])

    def test_apply_twice_needs_to_be_wanted(self):
        scene = SCENES / "cradle.json"
        bodies = self.json("apply", scene, self.world)["bodies"]
        result = self.fails(REFUSED, "apply", scene, self.world)
        self.assertIn(f"world '{self.world}' already has {bodies} bodies: nothing was applied", result.err)
        self.assertIn("--replace", result.err)
        self.assertEqual(bodies, self.json("info", self.world)["bodies"])
        self.assertFalse(self.json("apply", scene, self.world, "--again")["created"])
        self.assertEqual(2 * bodies, self.json("info", self.world)["bodies"])
        self.assertTrue(self.json("apply", scene, self.world, "--replace")["created"])
        self.assertEqual(bodies, self.json("info", self.world)["bodies"])
        self.assertTrue(self.json("apply", scene, self.world + "2", "--replace")["created"])  # nothing to replace

    def test_apply_into_an_empty_world(self):
        self.json("create", self.world)
        self.assertFalse(self.json("apply", SCENES / "cradle.json", self.world)["created"])

    def test_apply_leaves_the_world_when_the_scene_is_wrong(self):
        self.json("apply", SCENES / "cradle.json", self.world)
        before = self.json("info", self.world)
        self.fails(USAGE, "apply", "-", self.world, "--replace", input='{"name": "x", "commands": 3}')
        self.assertEqual(before["epoch"], self.json("info", self.world)["epoch"])

    def test_scenes_are_listed(self):
        scenes = {one["scene"]: one["description"] for one in self.json("scenes")}
        self.assertEqual({path.stem for path in SCENES.glob("*.json")}, set(scenes))
        self.assertIn("5050", scenes["pyramid"])
        self.assertEqual(sorted(scenes), sorted(self.ok("scenes", "--names").lines()))
        self.assertEqual(sorted(scenes), sorted(self.json("scenes", "--names")))
        self.assertRegex(self.ok("scenes").out, r"(?m)^pyramid +5050 unit boxes")
        self.assertIn("did you mean 'cradle'", self.fails(REFUSED, "create", self.world, "--scene", "cradl").err)

    def test_apply_from_standard_input(self):
        scene = {"name": "piped", "commands": [["body.spawn", {"shapes": [{"kind": "circle", "radius": 1}]}]]}
        self.assertEqual(1, self.json("apply", "-", self.world, input=json.dumps(scene))["bodies"])
        self.assertEqual("piped", self.json("apply", "-", input=json.dumps(scene))["world"])

    def test_apply_what_is_no_scene_is_refused(self):
        for text in ("{", '{"name": "x", "commands": 3}', '{"name": "x", "commands": [["body.spwan", {}]]}'):
            self.fails(USAGE, "apply", "-", self.world, input=text)
        self.assertNotIn(self.world, self.ok("worlds", "--names").lines())  # no world is left behind

    def test_apply_tells_line_and_loop_of_a_refusal(self):
        scene = ('{"name": "x",\n "commands": [\n  ["body.spawn", {"shapes": []}],\n'
                 '  {"for": {"i": [0, 3]}, "do": [\n   ["body.spawn", {"tag": "{{ \\" ]", "shapes": []}],\n'
                 '   ["body.spawn", {"shapes": [{"kind": "circle",\n    "radius": "=%s"}]}]]}]}')
        result = self.fails(USAGE, "apply", "-", self.world, input=scene % "2 - i")
        self.assertRegex(result.err, r"\Acarom: standard input:6: commands\[1\]\.do\[1\] \(i = 2\): "
                                     r"shapes\[0\]\.radius: must be from .*, got 0\n")
        absent = '{"name": "x",\n "commands": [\n  {"for": {"i": [0, 3]}, "do": [\n   ["body.remove", {"body": "=77 + i"}]]}]}'
        result = self.fails(REFUSED, "apply", "-", self.world, input=absent)  # only the server knows its bodies
        self.assertRegex(result.err, r"\Acarom: standard input:4: commands\[0\]\.do\[0\] \(i = 0\): ")
        result = self.fails(USAGE, "apply", "-", self.world, input=scene % "1 / (2 - i)")
        self.assertRegex(result.err, r"\Acarom: standard input:6: commands\[1\]\.do\[1\] \(i = 2\): .*division by zero\n")
        self.assertNotIn(self.world, self.ok("worlds", "--names").lines())

    def test_apply_without_create_needs_the_world(self):
        self.fails(REFUSED, "apply", SCENES / "cradle.json", self.world, "--no-create")


    def test_apply_without_a_server_checks(self):
        result = carom("apply", "--check", SCENES / "cradle.json")
        self.assertRegex(result.out, r"cradle.json is a valid scene: \d+ commands, 6 bodies, 5 joints\nOnly a server can check .*\n\Z")
        self.assertEqual(6, carom("apply", "--check", SCENES / "cradle.json", "--json").json()["bodies"])
        bad = carom("apply", "--check", "-", input='{"name": "x",\n "commands": [["body.spwan", {}]]}')
        self.assertEqual((USAGE, ""), (bad.code, bad.out))
        self.assertIn("standard input", bad.err)
        for spawn, told in (({"positon": [0, 0]}, "commands[0]: unknown argument 'positon'; did you mean 'position'?"),
                            ({"shapes": [], "position": "here"}, "commands[0]: position: expected [x, y], got str")):
            bad = carom("apply", "--check", "-", input=json.dumps({"commands": [["body.spawn", spawn]]}))
            self.assertEqual((USAGE, ""), (bad.code, bad.out))
            self.assertIn(told, bad.err)

    def test_swapped_words_of_apply_are_told(self):
        result = carom("apply", "demo", SCENES / "cradle.json")
        self.assertEqual(USAGE, result.code)
        self.assertIn(f"FILE comes before WORLD: carom apply {SCENES / 'cradle.json'} demo", result.err)
        result = carom("load", "demo", SCENES / "cradle.json")
        self.assertIn(f"FILE comes before WORLD: carom load {SCENES / 'cradle.json'} demo", result.err)

    def test_scene_that_a_server_would_refuse_replaces_no_world(self):
        self.ok("create", self.world)
        self.fails(USAGE, "apply", "-", self.world, "--replace", input='{"commands": [["body.spawn", {"positon": [0, 0]}]]}')
        self.assertIn(self.world, self.ok("worlds", "--names").lines())


class Bodies(ServerTest):
    def setUp(self):
        super().setUp()
        self.json("create", self.world, "--gravity", "0,0", "--paused")

    def test_spawn_with_all_it_takes(self):
        body = self.spawn("--circle", 0.5, "--at", "1,-2", "--angle", 0.5, "--velocity", "3,4", "--spin", -1, "--bullet",
                          "--tag", "ball", "--density", 2, "--friction", 0.25, "--restitution", 0.5, "gravity_scale=0.5")
        got = self.get(body)
        self.assertEqual([1, -2], got["position"])
        self.assertEqual([3, 4], got["velocity"])
        self.assertAlmostEqual(0.5, got["angle"], places=6)
        self.assertEqual((-1, 0.5, True, "ball", "dynamic"),
                         tuple(got[k] for k in ("angular_velocity", "gravity_scale", "bullet", "tag", "type")))
        self.assertAlmostEqual(2 * 3.14159265 * 0.25, got["mass"], places=5)
        shape = got["shapes"][0]
        self.assertEqual(("circle", 0.5, 2, 0.25, 0.5),
                         tuple(shape[k] for k in ("kind", "radius", "density", "friction", "restitution")))

    def test_spawn_every_shape(self):
        body = self.spawn("--circle", 1, "--box", "2x1", "--capsule=-1,0,1,0,0.5", "--polygon", "0,0 1,0 0,1",
                          "--segment", "0,0,1,1", "--chain", "0,0 1,0 2,1", "--loop", "0,0 4,0 0,4",
                          "--shape", '{"kind": "box", "size": [1, 1], "radius": 0.1}', "--type", "static")
        kinds = [shape["kind"] for shape in self.get(body)["shapes"]]
        self.assertEqual(8, len(kinds))
        self.assertLessEqual({"circle", "capsule", "segment", "chain"}, set(kinds))

    def test_spawn_several_in_one_tick(self):
        results = self.json("spawn", self.world, "--box", "1x1", "--at", "0,0.5", "--count", 4, "--step", "0,2")["results"]
        self.assertEqual(1, self.json("step", self.world)["tick"])
        self.assertEqual([[0, 0.5], [0, 2.5], [0, 4.5], [0, 6.5]], [self.get(r["body"])["position"] for r in results])

    def test_spawn_for_people(self):
        self.assertRegex(self.ok("spawn", self.world, "--circle", 1).out, r"\Abody 1 spawned \(tick \d+\)\n\Z")
        self.assertEqual(3, len(self.ok("spawn", self.world, "--circle", 1, "-n", 3).lines()))

    def test_spawn_what_the_server_refuses(self):
        self.assertIn("invalid_argument", self.fails(REFUSED, "spawn", self.world, "--circle=-1").err)

    def test_data(self):
        self.assertEqual(f"{self.world} has no data\n", self.ok("data", self.world).out)
        self.assertEqual({}, self.json("data", self.world)["data"])
        self.assertEqual("no such data\n", self.ok("data", self.world, "round").out)
        self.assertRegex(self.ok("data", self.world, "round", '{"number": 3}').out, r"\Around has version 1 \(tick \d+\)\n\Z")
        self.ok("data", self.world, "score/ada", "7", "--text", "--if-version", 0)
        self.assertEqual({"value": "7", "version": 2}, self.json("data", self.world)["data"]["score/ada"])
        self.assertEqual('{"number":3}\n', self.ok("data", self.world, "round").out)
        self.assertRegex(self.ok("data", self.world, "score/", "--prefix").out, r"(?m)^score/ada +2 +7$")
        self.assertIn("has version 2", self.fails(REFUSED, "data", self.world, "score/ada", 8, "--if-version", 9).err)
        self.assertRegex(self.ok("data", self.world, "round", "--remove").out, r"\Aremoved round \(tick \d+\)\n\Z")
        self.assertEqual(["score/ada"], list(self.json("data", self.world)["data"]))

    def test_send(self):
        self.assertRegex(self.ok("send", self.world, "chat", "good game").out, r"\Asent chat \(tick \d+\)\n\Z")
        self.ok("send", self.world, "start", '{"round": 2}', "--to", "referee")
        self.ok("send", self.world, "hint", "7", "--text", "--to-session", 5)
        self.assertIn("message_data_bytes", self.fails(REFUSED, "send", self.world, "n", "x" * 5000).err)

    def test_join_without_a_template(self):
        self.assertIn("the server has none", self.fails(REFUSED, "join", "arena").err)

    def test_get(self):
        body = self.spawn("--box", "2x2", "--at", "1,2")
        self.assertRegex(self.ok("get", self.world, body).out, r"(?m)^position +1, 2$")
        self.assertEqual("1, 2\n", self.ok("get", self.world, body, "--field", "position").out)
        self.assertEqual("1\n", self.ok("get", self.world, body, "-f", "position[0]").out)
        self.assertEqual([1, 2], self.json("get", self.world, body, "--field", "position"))
        self.assertEqual("polygon\n", self.ok("get", self.world, body, "-f", "shapes[0].kind").out)
        self.assertGreater(len(self.ok("get", self.world, body, "-f", "shapes").out), 200)  # whole
        result = self.fails(USAGE, "get", self.world, body, "--field", "positon")
        self.assertIn("a body has no field 'positon'; did you mean 'position'?", result.err)
        self.assertRegex(result.err, r"the fields are body, type, .* and tick\n")
        self.assertIn("did you mean 'kind'", self.fails(USAGE, "get", self.world, body, "-f", "shapes[0].knd").err)
        result = self.fails(REFUSED, "get", self.world, 99)
        self.assertIn("not_found: body 99", result.err)
        self.assertIn("carom bodies", result.err)

    def test_set_body_and_world(self):
        body = self.spawn("--circle", 1)
        self.ok("set", self.world, body, "position=5,-6", "velocity=1,0", "tag=12", "type=kinematic")
        got = self.get(body)
        self.assertEqual(([5, -6], [1, 0], "12", "kinematic"),
                         (got["position"], got["velocity"], got["tag"], got["type"]))
        self.ok("set", self.world, "gravity=0,-3")
        self.assertEqual([0, -3], self.json("info", self.world)["gravity"])
        self.assertIn("body.set has no 'mas'", self.fails(USAGE, "set", self.world, body, "mas=3").err)

    def test_remove_several(self):
        bodies = [self.spawn("--circle", 1) for _ in range(3)]
        result = self.fails(REFUSED, "remove", self.world, bodies[0], 99, bodies[2])
        self.assertEqual(2, len(result.lines()))
        self.assertEqual([bodies[1]], [b["body"] for b in self.json("bodies", self.world)])

    def test_bodies_table_and_choice(self):
        self.spawn("--box", "10x1", "--type", "static")
        ball = self.spawn("--circle", 1, "--circle", 0.5, "--at", "50,0", "--tag", "ball")
        table = self.ok("bodies", self.world).lines()
        self.assertEqual(3, len(table))
        self.assertRegex(table[0], r"\ABODY +TYPE +X +Y ")
        self.assertRegex(table[2], rf"\A *{ball} +dynamic +50\.000 .* 2 circle +ball\Z")
        for words in (["--type", "dynamic"], ["--tag", "ball"], ["--awake"], ["--area", "40,-5,60,5"]):
            self.assertEqual([str(ball)], self.ok("bodies", self.world, "--ids", *words).lines(), words)
            self.assertEqual([ball], [b["body"] for b in self.json("bodies", self.world, *words)], words)
            self.assertEqual([ball], self.json("bodies", self.world, "--ids", *words), words)
        self.assertEqual([], self.json("bodies", self.world, "--tag", "no such"))

    def test_notes_tell_what_has_no_effect(self):
        result = self.run_carom("spawn", self.world)
        self.assertEqual(OK, result.code)
        self.assertIn("carom: note: without a shape a body touches nothing", result.err)
        wall = self.spawn("--box", "1x1", "--type", "static")
        for words in (("impulse", self.world, wall, "0,1"), ("force", self.world, wall, "0,1"),
                      ("torque", self.world, wall, 1)):
            result = self.run_carom(*words)
            self.assertEqual(OK, result.code)
            self.assertIn(f"note: body {wall} is static: impulses and forces do not move it", result.err)
            self.assertEqual("", self.run_carom(*words, "--json").err)

    def test_explain(self):
        ball = self.spawn("--circle", 1, "--at", "0,5")
        self.assertEqual(["paused"], [r["reason"] for r in self.json("get", self.world, ball, "--explain")["reasons"]])
        self.assertIn(f"'carom resume {self.world}'", self.ok("get", self.world, ball, "--explain").out)
        self.ok("resume", self.world)
        for _ in attempts():
            reasons = [r["reason"] for r in self.json("get", self.world, ball, "--explain")["reasons"]]
            if "paused" not in reasons:
                break
        self.assertIn("weightless", reasons)
        self.ok("set", self.world, ball, "velocity=1,0")
        self.assertTrue(self.json("get", self.world, ball, "--explain")["moves"])
        self.assertIn(" moves: velocity ", self.ok("get", self.world, ball, "--explain").out)

    def test_impulse_changes_the_velocity(self):
        body = self.spawn("--box", "1x2")  # 2 kg
        self.ok("impulse", self.world, body, "0,10")
        self.step()
        self.assertAlmostEqual(5, self.get(body)["velocity"][1], places=5)
        self.assertEqual(0, self.get(body)["angular_velocity"])
        self.ok("impulse", self.world, body, "-1,0", "--point", "0,1")
        self.step()
        self.assertGreater(self.get(body)["angular_velocity"], 0)
        before = self.get(body)["angular_velocity"]
        self.ok("impulse", self.world, body, "--angular", -3)
        self.step()
        self.assertLess(self.get(body)["angular_velocity"], before)

    def test_force_and_torque_act_until_they_are_ended(self):
        body = self.spawn("--box", "1x1")  # 1 kg
        self.ok("force", self.world, body, "6,0")
        self.ok("torque", self.world, body, 1)
        self.step(60)
        got = self.get(body)
        self.assertAlmostEqual(6, got["velocity"][0], delta=0.2)
        self.assertGreater(got["angular_velocity"], 1)
        self.assertIn("no longer pushed", self.ok("force", self.world, body, "0,0").out)
        self.assertIn("no longer turned", self.ok("torque", self.world, body, 0).out)
        self.step()
        before = self.get(body)["velocity"]
        self.step(10)
        self.assertEqual(before, self.get(body)["velocity"])
        self.assertRegex(self.ok("force", self.world, body, "1,0", "--point", "0,1").out, r"\Abody \d+ pushed from now on \(tick \d+\)\n")


class Queries(ServerTest):
    def setUp(self):
        super().setUp()
        self.json("create", self.world, "--gravity", "0,0", "--paused")
        self.near = self.json("spawn", self.world, "--circle", 1, "--at", "5,0")["body"]
        self.far = self.json("spawn", self.world, "--box", "2x2", "--at", "10,0",
                             "--shape", '{"kind":"circle","radius":0.1,"filter":{"category":2}}')["body"]
        self.json("step", self.world)

    def hits(self, *words):
        found = self.json(*words)
        return found["hits"] if isinstance(found, dict) else found

    def test_ray(self):
        hits = self.hits("ray", self.world, "0,0", "20,0")
        self.assertEqual([self.near], [hit["body"] for hit in hits])
        self.assertAlmostEqual(4, hits[0]["point"][0], places=4)
        self.assertAlmostEqual(-1, hits[0]["normal"][0], places=4)
        self.assertAlmostEqual(0.2, hits[0]["fraction"], places=4)
        self.assertEqual([self.near, self.far], [h["body"] for h in self.hits("ray", self.world, "0,0", "20,0", "--all")][:2])
        self.assertEqual([self.far], [h["body"] for h in self.hits("ray", self.world, "0,0", "20,0", "--mask", 2)])
        self.assertRegex(self.ok("ray", self.world, "0,0", "20,0").lines()[0], r"\ABODY +SHAPE +POINT")
        self.assertEqual("nothing\n", self.ok("ray", self.world, "0,50", "1,50").out)

    def test_cast(self):
        hits = self.hits("cast", self.world, "0,0", "20,0", "--circle", 0.5)
        self.assertEqual(self.near, hits[0]["body"])
        self.assertAlmostEqual(3.5 / 20, hits[0]["fraction"], places=3)
        self.assertRegex(self.ok("cast", self.world, "0,0", "20,0", "--box", "1x1").lines()[0], r"\ABODY")

    def test_overlap(self):
        ids = lambda *words: sorted(self.json("overlap", self.world, *words))  # noqa: E731
        self.assertEqual([self.near], ids("--point", "5,0.5"))
        self.assertEqual([self.near, self.far], ids("--area", "0,-5,20,5"))
        self.assertEqual([self.far], ids("--circle", 1, "--at", "11,1"))
        self.assertEqual([], ids("--point", "0,50"))
        self.assertEqual("nothing\n", self.ok("overlap", self.world, "--point", "0,50").out)
        self.assertEqual(f"{self.near}\n", self.ok("overlap", self.world, "--point", "5,0.5").out)

    def test_nearest(self):
        found = self.json("nearest", self.world, "0,0")
        self.assertEqual(self.near, found["body"])
        self.assertAlmostEqual(4, found["distance"], places=4)
        self.assertRegex(self.ok("nearest", self.world, "0,0").lines()[0], r"\ABODY +SHAPE +POINT +DISTANCE\Z")
        self.assertEqual("nothing\n", self.ok("nearest", self.world, "0,0", "--radius", 1).out)


class Joints(ServerTest):
    def setUp(self):
        super().setUp()
        self.json("create", self.world, "--paused")
        self.a = self.json("spawn", self.world, "--type", "static", "--at", "0,5")["body"]
        self.b = self.json("spawn", self.world, "--circle", 0.5, "--at", "2,5")["body"]

    def test_life_of_a_joint(self):
        joint = self.json("joint", "create", self.world, "revolute", self.a, self.b, "anchor=0,5")["joint"]
        self.json("step", self.world, 120)
        x, y = self.json("get", self.world, self.b)["position"]
        self.assertAlmostEqual(2, ((x ** 2) + (y - 5) ** 2) ** 0.5, places=2)
        self.assertLess(y, 4.9)
        self.assertEqual(("revolute", self.a, self.b),
                         tuple(self.json("joint", "get", self.world, joint)[k] for k in ("kind", "a", "b")))
        self.assertRegex(self.ok("joint", "list", self.world).lines()[1], rf"\A *{joint} +revolute +{self.a} +{self.b} ")
        self.assertEqual([joint], [j["joint"] for j in self.json("joint", "list", self.world)])
        self.assertEqual([joint], [j["joint"] for j in self.json("joints", self.world, self.b)])
        alone = self.json("spawn", self.world, "--circle", 0.5)["body"]
        self.assertEqual([], self.json("joints", self.world, alone))
        self.assertEqual("no joints\n", self.ok("joints", self.world, alone).out)
        self.assertIn("body 99 does not exist", self.fails(REFUSED, "joints", self.world, 99).err)
        table = self.ok("joints", self.world).lines()
        self.assertRegex(table[0], r"FORCE \[N\] +TORQUE \[N m\]\Z")
        self.assertRegex(table[1], r" [1-9]\d*\.\d{3} +0\.000\Z")  # the bob swings: the hinge bears it
        self.ok("joint", "set", self.world, joint, "motor_speed=3", "max_torque=50")
        self.assertEqual(3, self.json("joint", "get", self.world, joint)["motor_speed"])
        self.ok("joint", "remove", self.world, joint)
        self.assertEqual([], self.json("joint", "list", self.world))
        self.assertIn("carom joints", self.fails(REFUSED, "joint", "get", self.world, joint).err)

    def test_every_kind_can_be_made(self):
        other = self.json("spawn", self.world, "--circle", 0.5, "--at=-2,5")["body"]
        hinges = []
        for kind, words in (("revolute", ("anchor=0,5",)), ("prismatic", ("anchor=0,5", "axis=1,0")), ("distance", ()),
                            ("weld", ("anchor=0,5",)), ("wheel", ("anchor=2,5", "axis=0,1")), ("motor", ()),
                            ("filter", ()), ("pulley", ("ground_a=0,9", "ground_b=2,9"))):
            with self.subTest(kind):
                joint = self.json("joint", "create", self.world, kind, self.a, self.b, *words)["joint"]
                self.assertEqual(kind, self.json("joint", "get", self.world, joint)["kind"])
        mouse = self.json("joint", "create", self.world, "mouse", self.b, "target=2,6")["joint"]
        self.assertEqual(self.b, self.json("joint", "get", self.world, mouse)["b"])
        for body in (self.b, other):
            hinges.append(self.json("joint", "create", self.world, "revolute", self.a, body, "anchor=0,5")["joint"])
        self.json("joint", "create", self.world, "gear", f"joint_a={hinges[0]}", f"joint_b={hinges[1]}", "ratio=2")
        kinds = [joint["kind"] for joint in self.json("joint", "list", self.world)]
        self.assertEqual(12, len(kinds))
        self.assertEqual({"revolute", "prismatic", "distance", "weld", "wheel", "motor", "mouse", "filter", "gear",
                          "pulley"}, set(kinds))
        self.assertIn("a revolute joint needs", self.fails(REFUSED, "joint", "create", self.world, "revolute", 1, 2).err)

    def test_create_for_people(self):
        self.assertRegex(self.ok("joint", "create", self.world, "distance", self.a, self.b, "length=2").out,
                         r"\Ajoint \d+ created \(tick \d+\)\n")
        self.assertIn("joint.create has no 'lenght'; did you mean 'length'?",
                      self.fails(USAGE, "joint", "create", self.world, "distance", self.a, self.b, "lenght=2").err)


if __name__ == "__main__":
    main()
