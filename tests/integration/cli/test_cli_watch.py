"""carom watch: frames into a pipe, and the screen of a real (pseudo) terminal."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from cli import CAROM, CAROMD, Caromd, LOST, REFUSED, SECONDS_MAX, ServerTest, carom, environment, main, rest
from patience import attempts
from terminal import Terminal

BRAILLE = re.compile("[\u2801-\u28ff]")
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"


class Frames(ServerTest):
    def setUp(self):
        super().setUp()
        self.json("create", self.world, "--paused")
        self.json("spawn", self.world, "--box", "10x1", "--at", "0,-0.5", "--type", "static")
        self.ball = self.json("spawn", self.world, "--circle", 2, "--at", "0,1.99")["body"]
        self.json("step", self.world)

    def frame(self, *words, **more):
        lines = self.ok("watch", self.world, "--frames", 1, *words, **more).out.split("\n")
        self.assertEqual("", lines.pop())
        return lines

    def test_frame_has_its_size_and_its_status(self):
        lines = self.frame("--size", "60x20")
        self.assertEqual(20, len(lines))
        self.assertTrue(all(len(line) <= 60 for line in lines), lines)
        self.assertRegex(lines[0], rf"\A{self.world[:20]}.*tick 1 ")
        self.assertTrue(any(BRAILLE.search(line) for line in lines))

    def test_bodies_are_drawn_to_scale(self):
        lines = self.frame("--size", "60x21", "--area", "-7.5,-2.5,7.5,7.5")[1:]
        inked = [(x, y) for y, line in enumerate(lines) for x, c in enumerate(line) if BRAILLE.match(c)]
        width = max(x for x, _ in inked) - min(x for x, _ in inked) + 1
        height = max(y for _, y in inked) - min(y for _, y in inked) + 1
        # The view is 10 m wide and 5 m high; a cell is twice as high as wide.
        self.assertAlmostEqual(10 / 5, width / (2 * height), delta=0.25)

    def test_body_is_followed(self):
        far = self.json("spawn", self.world, "--circle", 2, "--at", "500,40")["body"]
        at_ball = self.frame("--size", "40x16", "--area", "-3,-3,3,3", "--follow", self.ball)
        at_far = self.frame("--size", "40x16", "--area", "-3,-3,3,3", "--follow", far)
        self.assertTrue(any(BRAILLE.search(line) for line in at_far[1:]))
        self.assertNotEqual(at_ball[1:], at_far[1:])  # there is no floor in the second picture
        lines = self.ok("watch", self.world, "--json", "--frames", 1, "--area", "-3,-3,3,3", "--follow", far).lines()
        self.assertEqual([far], [row[0] for row in json.loads(lines[0])["bodies"]])
        self.assertIn("follow: body 999 does not exist", self.fails(1, "watch", self.world, "--frames", 1, "--follow",
                                                                    999).err)

    def test_circle_and_box_look_like_themselves(self):
        lines = self.frame("--size", "40x16", "--ascii", "--area", "-5.5,-1.2,5.5,4.5")
        self.assertNotRegex("".join(lines), "[^\x20-\x7e]")
        self.assertGreater(sum(c in "-_\"=#" for c in lines[-2] + lines[-3] + lines[-4]), 15)  # the floor's edges

    def test_rotation_shows(self):
        before = self.frame("--size", "40x16", "--area", "-5,-1,5,5")
        self.ok("set", self.world, self.ball, "angle=1.5")
        self.json("step", self.world)
        self.assertNotEqual(before[1:], self.frame("--size", "40x16", "--area", "-5,-1,5,5")[1:])

    def test_contacts_normals_and_ids_can_be_shown(self):
        self.json("step", self.world, 30)
        area = ("--size", "60x24", "--area", "-5,-1,5,5", "--color", "always")
        plain = self.frame(*area)
        with_contacts = self.frame(*area, "--contacts")
        self.assertNotIn("38;5;196m", "".join(plain))
        self.assertIn("38;5;196m", "".join(with_contacts))
        self.assertIn("38;5;227m", "".join(self.frame(*area, "--normals")))
        self.assertTrue(any(re.search(rf"\b{self.ball}\b", line) for line in self.frame(*area, "--ids")[1:]))

    def test_joints_can_be_shown(self):
        look = ("--size", "60x24", "--color", "always")
        self.assertNotIn("38;5;43m", "".join(self.frame(*look)))
        other = self.json("spawn", self.world, "--circle", 1, "--at", "8,6")["body"]
        for words in (("distance", self.ball, other), ("mouse", other, "target=9,9"),
                      ("pulley", self.ball, other, "ground_a=0,8", "ground_b=8,8")):
            with self.subTest(words[0]):
                joint = self.json("joint", "create", self.world, *words)["joint"]
                self.json("step", self.world)
                self.assertIn("38;5;43m", "".join(self.frame(*look)))
                self.assertNotIn("38;5;43m", "".join(self.frame(*look, "--no-joints")))
                self.ok("joint", "remove", self.world, joint)

    def test_colour_only_when_it_is_wanted(self):
        self.assertNotIn("\x1b", "".join(self.frame()))  # a pipe
        self.assertIn("\x1b[38;5;214m", "".join(self.frame("--color", "always")))
        self.assertNotIn("\x1b", "".join(self.frame("--color", "never")))

    def test_locale_without_utf8_gets_ascii(self):
        lines = self.frame(env={"LC_ALL": "C"})
        self.assertNotRegex("".join(lines), "[^\x20-\x7e]")

    def test_several_frames_of_a_moving_world_differ(self):
        self.ok("set", self.world, self.ball, "velocity=5,5")
        self.ok("resume", self.world)
        out = self.ok("watch", self.world, "--frames", 3, "--size", "120x10", "-i", "100ms").out
        lines = out.split("\n")  # 10 lines of a frame and an empty one, three times
        self.assertEqual(33, len(lines))
        frames = ["\n".join(lines[i:i + 10]) for i in (0, 11, 22)]
        self.assertEqual(3, len(set(frames)))
        ticks = [int(re.search(r"tick (\d+)", frame)[1]) for frame in frames]
        self.assertEqual(sorted(set(ticks)), ticks)

    def test_slow_world_is_watched_at_its_own_rate(self):
        slow = f"{self.world}-slow"
        self.ok("create", slow, "--hz", 10)
        self.json("spawn", slow, "--circle", 1, "--at", "0,5")
        for words in ((), ("--encoding", "plain"), ("--rate", 10)):
            with self.subTest(str(words)):
                self.assertEqual(2, len(self.ok("watch", slow, "--json", "--frames", 2, *words).lines()))
        for words in (("watch", slow, "--frames", 1), ("events", slow)):
            self.assertIn("rate: at most 10, the world's ticks a second", self.fails(1, *words, "--rate", 11).err)

    def test_header_drops_whole_fields(self):
        wide = self.frame("--size", "120x10")[0]
        self.assertRegex(wide, rf"\A{self.world}  tick \d+  PAUSED  \d+ bodies  \d+ awake  \d+ contacts?  step [\d.]+ ms")
        fields = wide.split("  ")
        for columns in (100, 60, 50, 40):
            narrow = self.frame("--size", f"{columns}x10")[0]
            self.assertLessEqual(len(narrow), max(columns, len(self.world)))
            self.assertLessEqual(set(map(lambda f: re.sub(r"[\d.]+", "", f), narrow.split("  "))),
                                 set(map(lambda f: re.sub(r"[\d.]+", "", f), fields)))

    def test_ids_in_a_heap_do_not_overlap(self):
        self.ok("spawn", self.world, "--circle", 0.1, "--at", "20,20", "--count", 200, "--step", "0.01,0.01", "--tag", "heap")
        known = set(self.ok("bodies", self.world, "--ids").lines())
        text = "\n".join(self.frame("--ids", "--area", "15,15,27,27")[1:-1])
        shown = re.findall(r"\d+", text)
        self.assertTrue(3 <= len(shown) < 100, shown)
        self.assertLessEqual(set(shown), known)

    def test_view_of_the_scene_is_shown_first(self):
        scene = {"name": "far", "view": [1000, 1000, 1010, 1004], "commands": [
            ["body.spawn", {"type": "static", "position": [1005, 1002], "shapes": [{"kind": "box", "size": [4, 2]}]}],
            ["body.spawn", {"position": [0, 0], "shapes": [{"kind": "circle", "radius": 1}]}]]}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "far.json").write_text(json.dumps(scene))
            with Caromd(CAROMD, "--scenes", folder, "--world", "far:far") as server:
                lines = carom("watch", "far", "--frames", 1, "--size", "80x20", "--ids", port=server.port).lines()
        picture = "\n".join(lines[1:])
        self.assertTrue(BRAILLE.search(picture))
        self.assertIn("1", re.findall(r"\d+", picture))
        self.assertNotIn("2", re.findall(r"\d+", re.sub(r"\d+ m$", "", picture, flags=re.M)))

    def test_empty_world_is_a_frame_too(self):
        self.json("create", self.world + "2")
        self.assertIn("0 bodies", self.ok("watch", self.world + "2", "--frames", 1).out)

    def test_json_prints_snapshots(self):
        self.ok("resume", self.world)
        lines = self.ok("watch", self.world, "--json", "--frames", 3).lines()
        self.assertEqual(3, len(lines))
        snapshots = [json.loads(line) for line in lines]
        self.assertEqual([True, False, False], [snapshot["full"] for snapshot in snapshots])
        self.assertEqual(self.world, snapshots[0]["world"])

    def test_server_sends_contacts_only_where_they_are_wanted(self):
        self.json("step", self.world, 30)
        sent = lambda *words: json.loads(self.ok("watch", self.world, "--json", "--frames", 1, *words).lines()[0])
        self.assertEqual([], sent().get("contacts", []))
        self.assertEqual([], sent("--no-joints", "--ids").get("contacts", []))
        for words in ("--contacts", "--normals"):
            self.assertEqual(1, len(sent(words)["contacts"]), words)
        self.assertRegex(self.frame("--size", "120x10")[0], r" 1 contact ")  # the count needs no contacts

    def test_frames_for_ever_end_with_a_signal(self):
        process = subprocess.Popen([CAROM, "watch", self.world, "-i", "50ms"], text=True, stdout=subprocess.PIPE,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        self.assertIn("tick", process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(0, process.returncode)


class Top(ServerTest):
    options = ("--world", "alpha:pyramid", "--world", "beta")

    def test_keys_sort_turn_and_quit(self):
        terminal = on_terminal(self.server.port, "top", "--sort", "watchers", "--interval", "200ms")
        self.addCleanup(terminal.close)
        first, last = r"\n[^\n]*alpha[^\n]*\n[^\n]*beta", r"\n[^\n]*beta[^\n]*\n[^\n]*alpha"
        terminal.wait_for(first + r"[^q]*q quits .*\(by watchers\)")  # equal loads are sorted by name
        terminal.keys("r")
        terminal.wait_for(last + r"[^q]*q quits .*\(by watchers, upwards\)")
        terminal.keys("s")
        terminal.wait_for(last + r"[^q]*q quits .*\(by name, upwards\)")
        terminal.keys("s")
        terminal.wait_for(last + r"[^q]*q quits .*\(by load, upwards\)")  # 5050 boxes are more load than none
        terminal.keys("q")
        self.assertEqual(0, terminal.end())

    def test_a_server_that_restarts_is_shown_again(self):
        with Caromd(CAROMD, "--world", "alpha") as first:
            port = first.port
            terminal = on_terminal(port, "top", "--interval", "200ms")
            self.addCleanup(terminal.close)
            lines = subprocess.Popen([CAROM, "top", "--interval", "200ms"], text=True, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(CAROM_SERVER=f"127.0.0.1:{port}"))
            self.addCleanup(lines.wait)
            self.addCleanup(lines.kill)
            terminal.wait_for("alpha[^q]*q quits")
            while "alpha" not in lines.stdout.readline():
                pass
        terminal.wait_for("the server is gone: trying to come back")
        self.assertEqual("carom: note: the server is gone: trying to come back\n", lines.stderr.readline())
        with Caromd(CAROMD, "--world", "gamma", "--listen", f"127.0.0.1:{port}"):
            terminal.wait_for("connected again")
            terminal.wait_for("gamma[^q]*q quits")
            self.assertEqual("carom: note: connected again\n", lines.stderr.readline())
            while "gamma" not in lines.stdout.readline():
                pass
            terminal.keys("q")
            self.assertEqual(0, terminal.end())
            lines.send_signal(signal.SIGINT)
            self.assertEqual("", rest(lines)[1])

    def test_narrow_terminal_cuts_lines_instead_of_wrapping_them(self):
        terminal = on_terminal(self.server.port, "top", "--color", "always")
        self.addCleanup(terminal.close)
        terminal.resize(40, 10)
        head = terminal.wait_for(r"\x1b\[H\x1b\[2J(caromd [^\n]{32}…)\r?\n")[1]
        self.assertEqual(40, len(head))
        self.assertIn("\x1b[32mrunning", terminal.wait_for(r"(?s)(WORLD.*?)q quits")[1])
        terminal.keys("q")
        self.assertEqual(0, terminal.end())

    def test_tables_have_colours_on_a_terminal_and_on_demand(self):
        head, good = "\x1b[1mWORLD\x1b[0m", "\x1b[32mrunning\x1b[0m"
        for words, coloured in ((("--color", "always"), True), ((), False)):
            out = self.ok("worlds", *words).out
            self.assertEqual([coloured, coloured], [head in out, good in out])
        terminal = on_terminal(self.server.port, "worlds")
        self.addCleanup(terminal.close)
        terminal.wait_for(re.escape(good))
        self.assertEqual(0, terminal.end())
        plain = on_terminal(self.server.port, "worlds", NO_COLOR="1")
        self.addCleanup(plain.close)
        self.assertEqual(0, plain.end())
        self.assertNotIn("\x1b", plain.text)


class Terminals(unittest.TestCase):
    def test_a_program_that_ended_is_not_awaited(self):
        terminal = Terminal([sys.executable, "-c", "print('bye')"], dict(os.environ))
        self.addCleanup(terminal.close)
        with self.assertRaisesRegex(AssertionError, "before the program ended with 0; got '(?s:.*)bye"):
            terminal.wait_for("more")


# A process that can be stopped needs a parent in its session, as a shell is for a job. The job
# starts when it has the terminal and its pid was printed, so that the pid does not mix with the
# picture.
SHELL = """
import os, sys
gate, key = os.pipe()
job = os.fork()
if job == 0:
    os.read(gate, 1)
    os.execv(sys.argv[1], sys.argv[1:])
os.setpgid(job, job)
os.tcsetpgrp(0, job)
print("job", job, flush=True)
os.write(key, b".")
os._exit(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]))
"""


def on_terminal(port, *words, before=(), **env):
    """`carom` on a pseudo terminal."""
    return Terminal([*before, CAROM, *words], environment(CAROM_SERVER=f"127.0.0.1:{port}", **env))


class Screen(ServerTest):
    options = ("--world", "drum:drum")

    def setUp(self):
        super().setUp()
        self.terminal = on_terminal(self.server.port, "watch", "drum")
        self.addCleanup(self.terminal.close)
        self.terminal.wait_for(re.escape(ENTER))
        self.terminal.wait_for(r"drum  tick \d+")
        self.terminal.wait_for(BRAILLE.pattern)

    def paused(self):
        return self.json("info", "drum")["paused"]

    def test_quit_puts_the_terminal_back(self):
        self.terminal.keys("q")
        self.assertEqual(0, self.terminal.end())
        self.assertIn("\x1b[?25h", self.terminal.text)
        self.assertTrue(self.terminal.text.rstrip().endswith(LEAVE))

    def test_signals_put_the_terminal_back(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number.name):
                terminal = on_terminal(self.server.port, "watch", "drum")
                self.addCleanup(terminal.close)
                terminal.wait_for(BRAILLE.pattern)
                terminal.process.send_signal(number)
                self.assertEqual(0, terminal.end())
                self.assertIn(LEAVE, terminal.text)

    def test_crash_puts_the_terminal_back(self):
        self.terminal.process.send_signal(signal.SIGABRT)
        self.assertEqual(-signal.SIGABRT, self.terminal.end())
        self.assertIn(LEAVE, self.terminal.text)

    def test_stop_gives_the_screen_back_and_takes_it_again(self):
        terminal = on_terminal(self.server.port, "watch", "drum", before=(sys.executable, "-c", SHELL))
        self.addCleanup(terminal.close)
        job = int(terminal.wait_for(r"job (\d+)")[1])
        terminal.wait_for(BRAILLE.pattern)
        terminal.keys("\x1a")
        terminal.wait_for(re.escape(LEAVE))
        for _ in range(200):
            state = Path(f"/proc/{job}/stat").read_text().rsplit(")", 1)[1].split()[0]
            if state == "T":
                break
            terminal.read(0.05)
        self.assertEqual("T", state)
        os.kill(job, signal.SIGCONT)
        terminal.wait_for(re.escape(ENTER))
        terminal.wait_for(BRAILLE.pattern)
        terminal.keys("q")
        self.assertEqual(0, terminal.end())

    def test_space_pauses_and_resumes_the_world(self):
        self.terminal.keys(" ")
        self.terminal.wait_for("PAUSED")
        self.assertTrue(self.paused())
        self.terminal.keys(" ")
        self.terminal.wait_for("space pause")
        for _ in attempts():
            if not self.paused():
                break
        self.assertFalse(self.paused())

    def test_resize_draws_anew_in_the_new_size(self):
        self.terminal.resize(40, 12)
        self.terminal.process.send_signal(signal.SIGWINCH)
        self.terminal.wait_for(r"\x1b\[12;1Hq quit")
        self.terminal.text = ""
        self.terminal.read(0.5)
        self.assertEqual([], [row for row in re.findall(r"\x1b\[(\d+);1H", self.terminal.text) if int(row) > 12])
        for row in re.findall(r"\x1b\[\d+;1H([^\x1b]*)", re.sub(r"\x1b\[[\d;]*m", "", self.terminal.text)):
            self.assertLessEqual(len(row), 40)

    def test_keys_change_the_picture(self):
        self.terminal.keys(" ")
        self.terminal.wait_for("PAUSED")
        self.terminal.read(1.5)  # until nothing moves
        for keys, wanted in (("c", r"\x1b\["), ("+", r"1H"), ("-", r"1H"), ("\x1b[C", r"1H"), ("h", r"1H"), ("f", r"fit\*"),
                             ("i", r"\d"), ("i", r"1H"), ("n", r"38;5;227m")):
            with self.subTest(keys):
                self.terminal.text = ""
                self.terminal.keys(keys)
                self.terminal.wait_for(wanted)
        self.terminal.keys(" ")
        self.terminal.wait_for("space pause")

    def test_contacts_come_when_they_are_switched_on_and_are_counted_for_a_picked_body(self):
        self.json("pause", "drum")
        self.addCleanup(self.json, "resume", "drum")  # the other tests' world, too
        self.terminal.wait_for("PAUSED")
        self.terminal.keys("\t")
        body = self.terminal.wait_for(r"body (\d+)  ")[1]
        touching = len(self.json("contacts", "drum", body)["contacts"])
        self.terminal.wait_for(rf"touches {touching}\b")  # while the snapshots have no contacts
        self.assertNotIn("38;5;196m", self.terminal.text)
        for key, colour in (("c", "38;5;196m"), ("n", "38;5;227m")):
            with self.subTest(key):
                self.terminal.keys(key)
                self.terminal.wait_for(colour)
                self.terminal.keys(key)
        self.terminal.keys("q")
        self.assertEqual(0, self.terminal.end())

    def test_question_mark_shows_the_keys(self):
        self.terminal.keys("?")
        self.terminal.wait_for("one step of a paused world")
        self.terminal.keys("?")
        self.terminal.wait_for(BRAILLE.pattern)

    def test_dot_steps_a_paused_world(self):
        self.terminal.keys(".")
        self.terminal.wait_for("a step needs a paused world")
        self.terminal.keys(" ")
        self.terminal.wait_for("PAUSED")
        for _ in attempts():  # the screen says so before the server has done it
            info = self.json("info", "drum")
            if info["paused"]:
                break
        before = info["tick"]
        self.terminal.keys(".")
        self.terminal.wait_for(f"tick {before + 1} ")
        self.assertEqual(before + 1, self.json("info", "drum")["tick"])
        self.terminal.keys(" ")
        self.terminal.wait_for("space pause")

    def test_picking_a_body_shows_its_details(self):
        self.terminal.keys("\t")
        first = self.terminal.wait_for(r"body (\d+)  (static|kinematic|dynamic)")[1]
        self.terminal.wait_for(r"velocity .* m/s")
        self.terminal.wait_for("38;5;231m")
        self.terminal.keys("\t")
        second = self.terminal.wait_for(r"body (?!" + first + r" )(\d+)  (static|kinematic|dynamic)")[1]
        self.assertNotEqual(first, second)
        self.terminal.keys("\x1b[Z")
        self.terminal.wait_for(rf"body {first}  ")
        self.terminal.keys("\x1b")
        self.terminal.read(0.5)
        self.terminal.text = ""
        self.terminal.keys("\x1b[<0;40;12M")  # the middle of the drum is full of bodies
        self.terminal.wait_for(r"body \d+  (static|kinematic|dynamic)")

    def test_no_color_is_respected(self):
        terminal = on_terminal(self.server.port, "watch", "drum", NO_COLOR="1")
        self.addCleanup(terminal.close)
        terminal.wait_for(r"drum  tick")
        terminal.wait_for(BRAILLE.pattern)
        terminal.read(0.5)
        self.assertNotIn("38;5;", terminal.text)

    def test_rows_that_do_not_change_are_not_sent(self):
        self.terminal.keys(" ")
        self.terminal.wait_for("PAUSED")
        until = time.monotonic() + SECONDS_MAX
        rows = ["all"]
        while not set(rows) <= {"1", "24"} and time.monotonic() < until:  # a slow machine is still drawing
            self.terminal.text = ""
            self.terminal.read(1.0)
            rows = re.findall(r"\x1b\[(\d+);1H", self.terminal.text)
        self.assertLessEqual(set(rows), {"1", "24"})  # at most the lines of text
        self.terminal.keys(" ")
        self.terminal.wait_for("space pause")


class Predicted(ServerTest):
    def test_prediction_tells_its_figures(self):
        self.json("create", self.world)
        self.json("spawn", self.world, "--box", "40x1", "--at", "0,-0.5", "--type", "static")
        ball = self.json("spawn", self.world, "--circle", 2, "--at", "0,9")["body"]
        terminal = on_terminal(self.server.port, "watch", self.world, "--predict")
        self.addCleanup(terminal.close)
        terminal.wait_for(r"[1-9]\d* ticks ahead, 100\.0 % right, 0\.0 rollbacks/s")
        self.ok("impulse", self.world, ball, "5,500")  # the replica cannot foresee this
        terminal.wait_for(r"ticks ahead, \d\d\.\d % right, (?!0\.0 )\d+\.\d rollbacks/s of [\d.]+ ticks")
        terminal.keys("q")
        self.assertEqual(0, terminal.end())


class Endings(ServerTest):
    def test_world_that_is_destroyed_ends_it_with_1(self):
        self.json("create", self.world)
        terminal = on_terminal(self.server.port, "watch", self.world)
        self.addCleanup(terminal.close)
        terminal.wait_for(re.escape(ENTER))
        terminal.wait_for("0 bodies")
        self.ok("destroy", self.world)
        self.assertEqual(REFUSED, terminal.end())
        self.assertIn("the world was destroyed", terminal.text)
        self.assertLess(terminal.text.index(LEAVE), terminal.text.index("carom: "))  # reported on the first screen


class LostServer(ServerTest):
    def test_server_that_ends_ends_it_with_3(self):
        self.json("create", self.world)
        terminal = on_terminal(self.server.port, "watch", self.world)
        self.addCleanup(terminal.close)
        terminal.wait_for("0 bodies")
        self.server.process.terminate()
        self.server.process.wait(SECONDS_MAX)
        self.assertEqual(LOST, terminal.end())
        self.assertIn("shutting down", terminal.text)
        self.assertLess(terminal.text.index(LEAVE), terminal.text.index("carom: "))


if __name__ == "__main__":
    main()
