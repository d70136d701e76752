"""Commands that need no server: help, usage errors and their exit codes, the table of methods, completion."""

import json
import os
import re
import shutil
import socket
import subprocess
import time
import unittest
from pathlib import Path

from cli import CAROM, CAROMD, COMPLETION, LOST, OK, REFUSED, ROOT, SCRIPTS, SECONDS_MAX, USAGE, carom, complete, environment, main
from listener import Listener


def commands():
    """The names in the overall help."""
    out = carom("--help").out
    return re.findall(r"^  ([a-z]+) +[a-z]", out[:out.index("Topics")], re.MULTILINE)


def summary(command):
    """The command's line in the overall help."""
    return re.search(rf"(?m)^  {command} +(.*)$", carom("--help").out)[1]


def topics():
    """The topics in the overall help."""
    out = carom("--help").out
    return re.findall(r"^  ([a-z-]+) +[a-zA-Z]", out[out.index("Topics"):out.index("Everywhere")], re.MULTILINE)


class Help(unittest.TestCase):
    def test_every_command_has_help_with_examples(self):
        names = commands()
        self.assertTrue(30 <= len(names) <= 60, names)
        for name in names:
            with self.subTest(name):
                help_ = carom(name, "--help")
                self.assertEqual((OK, ""), (help_.code, help_.err))
                self.assertRegex(help_.out, rf"\AUsage: carom {name}")
                self.assertIn("Examples:", help_.out)
                self.assertRegex(help_.out.split("Examples:")[1], rf"carom {name}")
        for name in names[::7]:  # one function serves all
            self.assertEqual(carom(name, "--help").out, carom("help", name).out)
            self.assertEqual(carom(name, "--help").out, carom("--help", name).out)

    def test_required_commands_are_there(self):
        wanted = """ping info worlds create destroy pause resume step spawn remove impulse set get bodies watch events
            apply load bench call methods completion version help joint ray overlap cast nearest force torque shape""".split()
        self.assertEqual(set(), set(wanted) - set(commands()))

    def test_topics_are_told_and_fit_a_terminal(self):
        self.assertEqual(["joint-kinds", "json", "load-scenarios", "scene-files", "shapes"], topics())
        for name in topics():
            with self.subTest(name):
                told = carom("help", name)
                self.assertEqual((OK, ""), (told.code, told.err))
                self.assertRegex(told.out, r"(?m)^Examples?: |^  carom ")
                self.assertLessEqual(max(map(len, told.out.splitlines())), 100)
                self.assertIn(name, complete("help", ""))
                self.assertNotIn(name, commands())
        self.assertIn("carom help TOPIC", carom("help").out)
        self.assertIn("Topics: " + ", ".join(topics()), carom("help", "help").out)

    def test_help_tells_the_exit_codes(self):
        self.assertRegex(carom("--help").out, r"0 it worked; 1 the server refused it; 2 .*file is wrong;\n3 cannot connect, no caromd")

    def test_heading_has_something_below_it(self):
        for name in commands():
            self.assertNotRegex(carom(name, "--help").out, r"(?m)^[A-Z][^\n]*:\n\n", name)

    def test_lines_fit_a_terminal(self):
        helps = {name: carom(name, "--help").out for name in commands()} | {"carom": carom("--help").out}
        for program in (CAROMD, os.path.join(os.path.dirname(CAROM), "carom-load")):
            told = subprocess.run([program, "--help"], text=True, capture_output=True, timeout=SECONDS_MAX)
            self.assertEqual((OK, ""), (told.returncode, told.stderr))
            helps[program] = told.stdout
        for name, text in helps.items():
            self.assertGreater(len(text.splitlines()), 5, name)
            self.assertEqual([], [line for line in text.splitlines() if len(line) > 100], name)
        # An option's text goes on below its beginning, and has all of its words.
        self.assertRegex(helps[CAROMD], r"(?m)^  --origin ORIGIN +CAROM_ORIGIN +allow pages .*\n {42}\S")
        self.assertIn("may be given again; * for all", re.sub(r"\s+", " ", helps[CAROMD]))

    def test_without_a_command_help_goes_to_stderr(self):
        result = carom()
        self.assertEqual((USAGE, ""), (result.code, result.out))
        self.assertIn("Usage:", result.err)

    def test_version_in_all_its_forms(self):
        for words in (["version"], ["--version"], ["-V"], ["ping", "--version"]):
            self.assertRegex(carom(*words).out, r"\Acarom \d+\.\d+\.\d+ \(libcarom \d+\.\d+\.\d+\)\n\Z")
        self.assertEqual({"carom", "libcarom"}, set(carom("version", "--json").json()))


INSTALLED = Path(CAROM).parent / "carom.1"


class Manual(unittest.TestCase):
    def lint(self, text):
        if shutil.which("mandoc"):
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "error"], input=text, text=True, capture_output=True)
            self.assertEqual("", done.stdout)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww"], input=text, text=True, capture_output=True)
            self.assertEqual("", done.stderr)
            return re.sub(r".\x08", "", done.stdout)  # bold characters are overstruck
        return text

    def test_page_of_carom_says_all_that_help_says(self):
        page = carom("help", "--man").out
        if INSTALLED.exists():  # missing in sanitizer builds
            self.assertEqual(INSTALLED.read_text(), page)
        for name in commands():
            self.assertIn(f"\n.SS {name}", page)
            for option in re.findall(r"(?m)^  (?:-\w, |    )--([a-z-]+)", carom(name, "--help").out):
                self.assertIn("\\-\\-" + option.replace("-", "\\-"), page)
        for name in topics():
            self.assertIn(f"\n.SS {name}", page)
        self.assertIn("EXIT STATUS", self.lint(page))

    def test_page_of_carom_load_says_all_that_help_says(self):
        page = carom("help", "bench", "--man").out
        if INSTALLED.exists():
            self.assertEqual(INSTALLED.with_name("carom-load.1").read_text(), page)
        for option in re.findall(r"(?m)^  (?:-\w, |    )--([a-z-]+)", carom("bench", "--help").out):
            self.assertIn("\\-\\-" + option.replace("-", "\\-"), page)
        self.assertIn("carom bench", self.lint(page))
        self.assertIn("'carom help bench --man' carom-load(1)", carom("help", "spawn", "--man").err)

    @unittest.skipUnless(INSTALLED.exists(), "no manual pages are built with sanitizers")
    def test_page_of_caromd_says_all_that_help_says(self):
        page = INSTALLED.with_name("caromd.8").read_text()
        told = subprocess.run([CAROMD, "--help"], text=True, capture_output=True, timeout=SECONDS_MAX).stdout
        names = re.findall(r"(?m)^  (--[a-z-]+)", told) + re.findall(r"(?m)^  ([a-z_]+) +\d", told)
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertIn(f"\n\\fB{name.replace('-', chr(92) + '-')}\\fR ", page)
        for name, value, variable in re.findall(r"(?m)^  (--[a-z-]+)( \S+)? +(CAROM_[A-Z_]+) ", told):
            entry = f"\\fB{name}\\fR \\fI{value.strip()}\\fR\n".replace("[", "\\(lB").replace("]", "\\(rB").replace("-", "\\-")
            self.assertRegex(page, re.escape(entry) + rf".+ Environment: \\fB{variable}\\fR\.\n")
        self.assertIn("SEE ALSO", self.lint(page))


class Usage(unittest.TestCase):
    CASES = [
        (["spwan"], "unknown command 'spwan'; did you mean 'spawn'?"),
        (["quux"], "unknown command 'quux'"),
        (["help", "wach"], "no command 'wach'; did you mean 'watch'?"),
        (["help", "shaeps"], "no topic 'shaeps'; did you mean 'shapes'?"),
        (["help", "xyzzy"], "no command 'xyzzy', and no such topic"),
        (["watch", "w", "--frame", "1"], "unknown option '--frame'; did you mean '--frames'?"),
        (["ping", "--jsno"], "unknown option '--jsno'; did you mean '--json'?"),
        (["ping", "--count", "0"], "--count takes a whole number from 1 to 9007199254740992, not '0'"),
        (["top", "--count", "0"], "--count takes a whole number from 1 to 9007199254740992, not '0'"),
        (["watch", "w", "--frames", "0"], "--frames takes a whole number from 1 to 9007199254740992, not '0'"),
        (["record", "w", "f", "--ticks", "0"], "--ticks takes a whole number from 1 to 9007199254740992, not '0'"),
        (["worlds", "--server", ""], "--server takes HOST:PORT, not ''"),
        (["bench", "--server="], "--server takes HOST:PORT, not ''"),
        (["watch"], "WORLD is missing"),
        (["watch", "w", "x"], "'x' is one word too many"),
        (["watch", "w", "--size", "80"], "--size takes a width and a height in characters such as 80x24, not '80'"),
        (["watch", "w", "--size", "5x5"], "--size is from"),
        (["watch", "w", "--area", "5,0,-5,1"], "--area is X0,Y0,X1,Y1 with X0 < X1"),
        (["bodies", "w", "--area", "5,0,-5,1"], "--area is X0,Y0,X1,Y1 with X0 <= X1"),
        (["impulse", "w", "1"], "the impulse is missing"),
        (["impulse", "w", "1", "0,1", "--angular", "2"], "either X,Y or --angular"),
        (["impulse", "w", "one", "0,1"], "BODY takes an id from 1 to 9007199254740992 such as 12, not 'one'"),
        (["impulse", "w", "1", "up"], "X,Y takes two numbers such as 1.5,-2, not 'up'"),
        (["impulse", "w", "1", "--angular", "2", "--point", "0,0"], "--angular turns the body"),
        (["torque", "w", "1", "much"], "N takes a number such as 1.5, not 'much'"),
        (["spawn", "w", "--box", "1"], "--box takes a width and a height in metres such as 1x0.5, not '1'"),
        (["spawn", "w", "--type", "statik"], "--type cannot be 'statik'; did you mean 'static'?"),
        (["spawn", "w", "--count", "0"], "--count is from 1 to 1000"),
        (["spawn", "w", "--shape", "{"], "--shape: line 1"),
        (["spawn", "w", "--polygon", "0,0", "1,1"], "'1,1' is not NAME=VALUE such as gravity=0,-1.62"),
        (["spawn", "w", "positon=1,2"], "body.spawn has no 'positon'; did you mean 'position'?"),
        (["set", "w", "3"], "NAME=VALUE is missing, such as position=0,5"),
        (["set", "w", "3", "restitution=0.2"], "'restitution' belongs to the shapes of a body"),
        (["set", "w", "3", "foo"], "'foo' is not NAME=VALUE such as position=0,5"),
        (["set", "w", "gravty=1"], "world.set has no 'gravty'; did you mean 'gravity'?"),
        (["clients"], "unknown command 'clients'; did you mean 'sessions'?"),
        (["kill"], "unknown command 'kill'; did you mean 'kick'?"),
        (["top", "--interval", "1ms"], "--interval is at least 100ms"),
        (["kick"], "SESSION is missing"),
        (["watch", "w", "--encoding", "tight"], "--encoding"),
        (["watch", "w", "--encoding", "packed", "--replica"], "goes without --encoding"),
        (["watch", "w", "--rate", "-1"], "--rate is from 0.01 to 1000 a second, not -1"),
        (["events", "w", "--rate", "0"], "--rate is from 0.01 to 1000 a second, not 0"),
        (["bench", "--snapshots", "-5"], "--snapshots is from 0.01 to 1000 a second, not -5"),
        (["bench", "--rate", "-1"], "--rate is from 0.01"),
        (["create", "w", "--durability", "ful"], "--durability cannot be 'ful'; did you mean 'full'?"),
        (["create", "w", "--durability", "safe"], "it is one of none, normal, full or replicated"),
        (["shape", "set", "w", "friction=1"], "SHAPE is missing"),
        (["shape", "set", "w", "1"], "NAME=VALUE is missing"),
        (["remove", "w", "9007199254740993"], "BODY takes an id from 1 to 9007199254740992 such as 12, not '9007199254740993'"),
        (["shape", "remove", "w", "x"], "ID takes an id from 1 to 9007199254740992 such as 12"),
        (["get", "w", "1", "--explain", "--field", "mass"], "either --explain or --field"),
        (["data", "w", "k", "1", "--remove"], "--remove takes WORLD and KEY"),
        (["data", "w", "--prefix"], "--prefix takes WORLD"),
        (["data", "w", "k", "--if-version", "1"], "--if-version needs VALUE"),
        (["data", "w", "k", "--text"], "--text needs VALUE"),
        (["send", "w", "n", "--text"], "--text needs DATA"),
        (["send", "w", "n", "--to", "a", "--to-session", "3"], "either --to or --to-session"),
        (["apply", "f", "--again", "--replace"], "either --again or --replace"),
        (["apply", "f", "--no-create", "--replace"], "either --no-create or --replace"),
        (["shape", "ad", "w", "1"], "ACTION cannot be 'ad'; did you mean 'add'?"),
        (["shape", "add", "w"], "ID is missing"),
        (["shape", "add", "w", "1"], "a shape is missing"),
        (["shape", "add", "w", "1", "2", "--circle", "1"], "'2' is one word too many"),
        (["shape", "add", "w", "1", "--shape", "{"], "--shape: line 1"),
        (["overlap", "w"], "give one of --area, --point"),
        (["overlap", "w", "--point", "0,0", "--circle", "1"], "give one of --area, --point"),
        (["cast", "w", "0,0", "1,1"], "a shape is missing"),
        (["cast", "w", "0,0", "1,1", "--circle", "1", "--box", "1x1"], "one shape is enough"),
        (["joint", "make", "w"], "ACTION cannot be 'make'"),
        (["joint", "create", "w"], "KIND is missing"),
        (["joint", "create", "w", "revolut", "1", "2"], "KIND cannot be 'revolut'; did you mean 'revolute'?"),
        (["joint", "create", "w", "revolute", "1", "2", "3"], "'3' is not NAME=VALUE"),
        (["joint", "set", "w", "1"], "NAME=VALUE is missing"),
        (["joint", "get", "w"], "JOINT is missing"),
        (["joint", "list", "w", "5"], "'5' is one word too many"),
        (["events", "w", "--kind", "begn"], "--kind cannot be 'begn'; did you mean 'begin'?"),
        (["bench", "--connections", "0"], "--connections is from 1"),
        (["bench", "--rate", "1", "--window", "2"], "either --rate or --window"),
        (["bench", "--time", "1ms"], "--time is from"),
        (["bench", "--threads", "3", "--connections", "2"], "--threads is from"),
        (["call", "ping", "{"], "the arguments are not JSON: line 1"),
        (["call", "ping", "[1]"], "the arguments are a JSON map"),
        (["call", "ping", "any"], "'any' is not NAME=VALUE"),
        (["methods", "body.impulze"], "no method 'body.impulze'; did you mean 'body.impulse'?"),
        (["completion", "tcsh"], "SHELL cannot be 'tcsh'; it is one of bash, zsh or fish"),
        (["ping", "--timeout", "soon"], "--timeout takes a time such as 5, 250ms or 2m, not 'soon'"),
        (["ping", "--timeout", "0"], "--timeout and CAROM_TIMEOUT are from 1ms to 24h, not '0'"),
        (["ping", "--server", "host:notaport"], "--server: "),
        (["ping", "--server", "http://127.0.0.1:22767/"], "'http://127.0.0.1:22767/' is no address"),
        (["token", "sign", "keys", "--sub", "a", "--for", "0"], "--for is at least 1s"),
        (["ping", "--server"], "--server needs a value: --server HOST:PORT"),
        (["info", "w", "--stats"], "--stats shows the server"),
        (["apply", "-"], "the scene has no name"),
    ]

    def test_slips_end_with_2_and_say_what_was_meant(self):
        for words, told in self.CASES:
            with self.subTest(" ".join(words)):
                result = carom(*words)
                self.assertEqual((USAGE, ""), (result.code, result.out))
                first, *hints = result.err.splitlines()
                self.assertIn(told, first)
                self.assertTrue(first.startswith("carom: "))
                self.assertTrue(any("--help" in hint for hint in hints), hints)

    def test_authorities_that_cannot_be_read_are_told(self):
        result = carom("--ca", "/nonexistent", "-s", "caroms://127.0.0.1:9", "ping")
        self.assertEqual(USAGE, result.code)
        self.assertIn("cannot read '/nonexistent': No such file or directory\n  --ca names the file", result.err)

    def test_controls_of_a_word_do_not_reach_the_terminal(self):
        self.assertNotIn("\x1b", carom("\x1b[2Jx").err)


class NoServer(unittest.TestCase):
    def test_timeout_may_come_from_the_environment(self):
        wrong = carom("ping", env={"CAROM_TIMEOUT": "soon"})
        self.assertEqual(USAGE, wrong.code)
        self.assertIn("CAROM_TIMEOUT are from 1ms to 24h, not 'soon'", wrong.err)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            for words, env in (((), {"CAROM_TIMEOUT": "50ms"}), (("--timeout", "50ms"), {"CAROM_TIMEOUT": "1h"})):
                late = carom("ping", *words, port=silent.getsockname()[1], env=env)
                self.assertEqual(LOST, late.code)
                self.assertIn("did not answer hello", late.err)
                self.assertIn("--proxy-from", late.err)
            began = time.monotonic()
            self.assertEqual(LOST, carom("ping", port=silent.getsockname()[1], env={"CAROM_TIMEOUT": "4s"}).code)
            self.assertGreaterEqual(time.monotonic() - began, 4, "no less patient than it was told to be")

    def test_every_command_that_needs_one_ends_with_3_and_says_how_to_start_it(self):
        for words in (["ping"], ["info"], ["worlds"], ["create", "w"], ["watch", "w"], ["events", "w"],
                      ["bench"], ["call", "ping"], ["spawn", "w", "--circle", "1"], ["bodies", "w"]):
            with self.subTest(words[0]):
                result = carom(*words)
                self.assertEqual((LOST, ""), (result.code, result.out))
                self.assertIn("cannot connect to 127.0.0.1:1", result.err)
                self.assertIn("caromd --listen 127.0.0.1:1", result.err)
                self.assertIn("CAROM_SERVER", result.err)

    @unittest.skipUnless(os.path.exists("/proc/net/if_inet6"), "this machine has no IPv6")
    def test_suggested_address_can_be_typed(self):
        result = carom("ping", "--server", "[::1]:1")
        self.assertEqual(LOST, result.code)
        suggested = re.search(r"start one: caromd (.*)", result.err).group(1)
        checked = subprocess.run([CAROMD, "--check-config", *suggested.split()], text=True, capture_output=True, timeout=SECONDS_MAX)
        self.assertEqual((0, "--listen [::1]:1 --world demo:demo"), (checked.returncode, suggested), checked.stderr)

    def test_name_of_no_host_gets_a_hint_of_its_own(self):
        result = carom("ping", "--server", "a" * 64 + ":1")  # too long for any resolver to ask
        self.assertEqual(LOST, result.code)
        self.assertIn("cannot find the host 'aaa", result.err)
        self.assertIn("is the name right", result.err)
        self.assertNotIn("start", result.err)

    def test_option_goes_before_the_environment(self):
        self.assertIn("127.0.0.1:2", carom("ping", "--server", "127.0.0.1:2").err)

    def test_file_that_is_not_there_is_told_before_connecting(self):
        result = carom("apply", "/nowhere/at/all.json")
        self.assertEqual(USAGE, result.code)
        self.assertIn("cannot read /nowhere/at/all.json: No such file", result.err)


class Stranger(Listener):
    """A port where another program answers: sends `banner`, then is silent, or closes the connection."""

    def __init__(self, banner=b"", close=False):
        self.banner, self.close = banner, close
        self.open = []
        super().__init__()

    def serve(self, connection):
        connection.sendall(self.banner)
        connection.recv(4096)
        if self.close:
            connection.close()
        else:
            self.open.append(connection)

    def __exit__(self, *_):
        super().__exit__()
        for connection in self.open:
            connection.close()


class WrongServer(unittest.TestCase):
    def test_somebody_else_s_port_ends_with_3(self):
        for name, stranger in (("banner", Stranger(b"SSH-2.0-OpenSSH_9.2\r\n")), ("silent", Stranger()),
                               ("http", Stranger(b"HTTP/1.1 400 Bad Request\r\n\r\n", close=True)),
                               ("closes", Stranger(close=True)),
                               ("rpc", Stranger(bytes([0x94, 1, 0, 0xa3]) + b"no!" + bytes([0xc0])))):
            with self.subTest(name), stranger:
                result = carom("ping", port=stranger.port, env={"CAROM_TIMEOUT": ""})
                self.assertEqual((LOST, ""), (result.code, result.out), result.err)
                self.assertIn(f"something answers at 127.0.0.1:{stranger.port}, but no caromd", result.err)
                self.assertNotIn("start one", result.err)
                self.assertIn("http://, port 22767", result.err)


class JsonErrors(unittest.TestCase):
    def error(self, *words, code):
        result = carom(*words)
        self.assertEqual((code, "", 1), (result.code, result.out, result.err.count("\n")), result.err)
        return json.loads(result.err)["error"]

    def test_usage_file_and_connection(self):
        slip = self.error("spwan", "--json", code=USAGE)
        self.assertEqual("usage", slip["code"])
        self.assertIn("did you mean 'spawn'", slip["text"])
        self.assertTrue(slip["hints"])
        self.assertEqual("file", self.error("apply", "/nowhere.json", "-j", code=USAGE)["code"])
        self.assertEqual("unavailable", self.error("--json", "ping", code=LOST)["code"])


class Methods(unittest.TestCase):
    def test_table_names_each_method_with_its_arguments(self):
        all_ = carom("methods", "--json").json()
        names = [method["name"] for method in all_]
        self.assertEqual(names, carom("methods", "--names").lines())
        self.assertEqual(names, carom("methods", "--names", "--json").json())
        self.assertLessEqual({"ping", "world.create", "body.spawn", "world.subscribe", "query.ray"}, set(names))
        impulse = next(m for m in all_ if m["name"] == "body.impulse")
        self.assertEqual(["world", "body", "impulse", "point", "epoch"], [a["name"] for a in impulse["arguments"]])
        self.assertEqual([True, True, True, False, False], [a["required"] for a in impulse["arguments"]])
        self.assertEqual(impulse, carom("methods", "body.impulse", "--json").json())
        self.assertRegex(carom("methods").out, r"(?m)^body\.impulse +world, body, impulse, point\?, epoch\?$")
        self.assertRegex(carom("methods", "body.impulse").out, r"(?m)^impulse +\[x, y\], N s +\(required\)")


class Completion(unittest.TestCase):
    def test_shipped_script_is_what_the_program_prints(self):
        for shell, name in (("bash", "carom.bash"), ("zsh", "_carom"), ("fish", "carom.fish")):
            self.assertEqual((SCRIPTS / name).read_text(), carom("completion", shell).out)

    def test_commands(self):
        self.assertEqual(set(commands()), set(complete("")))
        self.assertEqual(["spawn"], complete("spa"))
        self.assertEqual(["spawn"], complete("help", "spa"))
        self.assertEqual(["watch"], complete("--server", "127.0.0.1", ":", "99", "wat"))
        self.assertEqual(["watch"], complete("--json", "-t", "3", "wat"))

    def test_options_of_the_command_and_global_ones(self):
        self.assertEqual(["--frames"], complete("watch", "w", "--fr"))
        self.assertEqual(["--json"], complete("watch", "w", "--js"))
        self.assertNotIn("--frames", complete("spawn", "w", "--"))
        for name in commands():
            offered = set(complete(name, "--"))
            shown = carom(name, "--help").out
            told = set(re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+)", shown))
            told |= set(re.findall(r"--[a-z-]+", re.search(r"\nEverywhere .*\n(.*)\n", shown).group(1)))
            self.assertEqual(told, offered, name)

    def test_arguments_of_methods(self):
        self.assertEqual(["restitution_threshold="], complete("create", "w", "rest"))
        self.assertEqual(["gravity_scale="], complete("spawn", "w", "gravity"))
        self.assertEqual(["dynamic", "kinematic", "static"], sorted(complete("set", "w", "3", "type", "=")))
        self.assertEqual(["true"], complete("set", "w", "3", "awake", "=", "t"))
        self.assertEqual(["motor_speed="], complete("joint", "set", "w", "1", "motor_s"))
        self.assertEqual(["world="], complete("call", "world.info", "w"))
        self.assertEqual(["revolute"], complete("joint", "create", "w", "rev"))

    def test_kinds_of_events_one_after_the_other(self):
        self.assertEqual(["begin"], complete("events", "w", "--kind", "b"))
        self.assertEqual(["begin,hit"], complete("events", "w", "--kind", "begin,hi"))

    def test_scenes_without_a_server_are_those_that_came_along(self):
        self.assertIn("pyramid", complete("create", "w", "--scene", ""))

    def test_caromd(self):
        self.assertEqual(["--listen"], complete("--list", program=CAROMD))
        self.assertEqual(["warn"], complete("--log", "w", program=CAROMD))
        self.assertEqual(["idle_ms="], complete("--limit", "idle", program=CAROMD))
        self.assertEqual([str(COMPLETION)], complete("--scenes", str(COMPLETION)[:-3], program=CAROMD))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh here")
    def test_zsh_loads_it_and_asks_the_program(self):
        script = """
            compdef() { print -r -- "compdef $*" }
            _describe() { local name=$2; print -rl -- ${(P)name} }
            _files() { print -r -- files }
            source $1; shift
            words=("$@") CURRENT=$# service=carom
            _carom
            """
        def zsh(*words):
            return subprocess.run(["zsh", "-f", "-c", script, "zsh", str(SCRIPTS / "_carom"), CAROM, *words], text=True,
                                  capture_output=True, timeout=SECONDS_MAX, env=environment()).stdout.splitlines()
        self.assertEqual(["compdef _carom carom caromd carom-load", f"spawn:{summary('spawn')}"], zsh("spa"))
        self.assertEqual(["static", "kinematic", "dynamic"], zsh("spawn", "w", "--type", "")[1:])
        self.assertEqual(["files"], zsh("apply", "")[1:])

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_loads_it_and_asks_the_program(self):
        def fish(line):
            command = f"source {SCRIPTS / 'carom.fish'}; complete -C '{line}'"
            path = ":".join([str(Path(CAROM).parent), str(Path(CAROMD).parent), os.environ["PATH"]])
            return subprocess.run(["fish", "--no-config", "-c", command], text=True, capture_output=True, timeout=SECONDS_MAX,
                                  env=environment(PATH=path)).stdout.splitlines()
        self.assertEqual([f"spawn\t{summary('spawn')}"], fish("carom spa"))
        self.assertEqual({"dynamic", "kinematic", "static"}, set(fish("carom spawn w --type ")))
        self.assertIn("--listen", [line.split()[0] for line in fish("caromd --li")])
    def test_choices_and_methods(self):
        self.assertEqual(["static", "kinematic", "dynamic"], complete("spawn", "w", "--type", ""))
        self.assertEqual(["create"], complete("joint", "c"))
        self.assertEqual(["body.impulse"], complete("call", "body.imp"))
        self.assertEqual(["auto", "always", "never"], complete("--color", ""))
        self.assertEqual(["never"], complete("--color", "=", "n"))

    def test_files(self):
        self.assertEqual([str(COMPLETION)], complete("apply", str(COMPLETION)[:-3]))

    def test_nothing_where_anything_goes(self):
        self.assertEqual([], complete("watch", "w", "--rate", ""))

    def test_worlds_without_a_server_is_silence(self):
        self.assertEqual([], complete("watch", ""))


class Environment(unittest.TestCase):
    def test_misspelt_variable_is_told_and_the_server_s_own_are_not(self):
        told = carom("scenes", env={"CAROM_SEVER": "127.0.0.1:1"})
        self.assertTrue(told.err.startswith("carom: note: CAROM_SEVER has no effect; did you mean CAROM_SERVER?\n"), told.err)
        names = re.findall(r'"(CAROM_\w+)"', (ROOT / "server/config/config.c").read_text())
        self.assertIn("CAROM_LISTEN", names)
        others = {name: "x" for name in (*names, "CAROM_PYTHON", "CAROM_SERVICE_HOST", "CAROM_PORT_22766_TCP")}
        self.assertNotIn("has no effect", carom("scenes", env=others).err)


class Output(unittest.TestCase):
    def test_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([CAROM, "help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX,
                                  env=environment())
        self.assertEqual(REFUSED, done.returncode)
        self.assertIn("cannot write the result", done.stderr)

    def test_json_of_methods_is_one_line(self):
        result = carom("methods", "--json")
        self.assertEqual(1, result.out.count("\n"))
        json.loads(result.out)


if __name__ == "__main__":
    main()
