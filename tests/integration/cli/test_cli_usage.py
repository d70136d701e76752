"""What needs no server: help, usage errors and their exit codes, the table of methods, completion."""

import json
import re
import subprocess
import unittest

from cli import CAROM, COMPLETION, LOST, OK, REFUSED, USAGE, carom, complete, environment, main


def commands():
    """The names in the overall help."""
    out = carom("--help").out
    return re.findall(r"^  ([a-z]+) +[a-z]", out[:out.index("Topics")], re.MULTILINE)


def topics():
    """Those that the overall help names."""
    out = carom("--help").out
    return re.findall(r"^  ([a-z]+) +[a-z]", out[out.index("Topics"):out.index("Everywhere")], re.MULTILINE)


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
                self.assertEqual(help_.out, carom("help", name).out)
                self.assertEqual(help_.out, carom("--help", name).out)

    def test_required_commands_are_there(self):
        wanted = """ping info worlds create destroy pause resume step spawn remove impulse set get bodies watch events
            apply load call methods completion version help joint ray overlap cast nearest force torque shape""".split()
        self.assertEqual(set(), set(wanted) - set(commands()))

    def test_topics_are_told_and_fit_a_terminal(self):
        self.assertEqual(["joints", "json", "scenes", "shapes"], topics())
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
        self.assertRegex(carom("--help").out, r"0 it worked; 1 the server said no; 2 .*wrong;\n3 cannot connect")

    def test_lines_fit_a_terminal(self):
        for name in commands():
            for line in carom(name, "--help").out.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_without_a_command_help_goes_to_stderr(self):
        result = carom()
        self.assertEqual((USAGE, ""), (result.code, result.out))
        self.assertIn("Usage:", result.err)

    def test_version_in_all_its_forms(self):
        for words in (["version"], ["--version"], ["-V"], ["ping", "--version"]):
            self.assertRegex(carom(*words).out, r"\Acarom \d+\.\d+\.\d+ \(libcarom \d+\.\d+\.\d+\)\n\Z")
        self.assertEqual({"carom", "libcarom"}, set(carom("version", "--json").json()))


class Usage(unittest.TestCase):
    CASES = [
        (["spwan"], "unknown command 'spwan'; did you mean 'spawn'?"),
        (["quux"], "unknown command 'quux'"),
        (["help", "wach"], "no command 'wach'; did you mean 'watch'?"),
        (["watch", "w", "--frame", "1"], "unknown option '--frame'; did you mean '--frames'?"),
        (["ping", "--jsno"], "unknown option '--jsno'; did you mean '--json'?"),
        (["watch"], "WORLD is missing"),
        (["watch", "w", "x"], "'x' is one word too many"),
        (["watch", "w", "--size", "80"], "--size takes two numbers above zero such as 80x24, not '80'"),
        (["watch", "w", "--size", "5x5"], "--size is from"),
        (["watch", "w", "--area", "5,0,-5,1"], "--area is X0,Y0,X1,Y1 with X0 < X1"),
        (["impulse", "w", "1"], "what impulse?"),
        (["impulse", "w", "1", "0,1", "--angular", "2"], "either X,Y or --angular"),
        (["impulse", "w", "one", "0,1"], "BODY takes an id such as 12, not 'one'"),
        (["impulse", "w", "1", "up"], "X,Y takes two numbers such as 1.5,-2, not 'up'"),
        (["impulse", "w", "1", "--angular", "2", "--point", "0,0"], "--angular turns the body"),
        (["torque", "w", "1", "much"], "N takes a number such as 1.5, not 'much'"),
        (["spawn", "w", "--box", "1"], "--box takes two numbers above zero"),
        (["spawn", "w", "--type", "statik"], "--type cannot be 'statik'; did you mean 'static'?"),
        (["spawn", "w", "--count", "0"], "--count is from 1 to 1000"),
        (["spawn", "w", "--shape", "{"], "--shape: line 1"),
        (["spawn", "w", "positon=1,2"], "body.spawn has no 'positon'; did you mean 'position'?"),
        (["set", "w", "3"], "what is to be set?"),
        (["set", "w", "3", "foo"], "'foo' is not NAME=VALUE"),
        (["shape", "ad", "w", "1"], "ACTION cannot be 'ad'; did you mean 'add'?"),
        (["shape", "add", "w"], "ID is missing"),
        (["shape", "add", "w", "1"], "a shape is missing"),
        (["shape", "add", "w", "1", "2", "--circle", "1"], "'2' is one word too many"),
        (["shape", "add", "w", "1", "--shape", "{"], "--shape: line 1"),
        (["overlap", "w"], "overlap with what?"),
        (["overlap", "w", "--point", "0,0", "--circle", "1"], "overlap with what?"),
        (["cast", "w", "0,0", "1,1"], "a shape is missing"),
        (["cast", "w", "0,0", "1,1", "--circle", "1", "--box", "1x1"], "one shape is enough"),
        (["joint", "make", "w"], "ACTION cannot be 'make'"),
        (["joint", "create", "w"], "KIND is missing"),
        (["joint", "create", "w", "revolut", "1", "2"], "KIND cannot be 'revolut'; did you mean 'revolute'?"),
        (["joint", "create", "w", "revolute", "1", "2", "3"], "'3' is not NAME=VALUE"),
        (["joint", "set", "w", "1"], "what is to be set?"),
        (["joint", "get", "w"], "JOINT is missing"),
        (["joint", "list", "w", "5"], "'5' is one word too many"),
        (["events", "w", "--kind", "begn"], "--kind cannot be 'begn'; did you mean 'begin'?"),
        (["load", "--connections", "0"], "--connections is from 1"),
        (["load", "--rate", "1", "--window", "2"], "either --rate or --window"),
        (["load", "--time", "1ms"], "--time is from"),
        (["load", "--threads", "3", "--connections", "2"], "--threads is from"),
        (["call", "ping", "{"], "the arguments are not JSON: line 1"),
        (["call", "ping", "[1]"], "the arguments are a JSON map"),
        (["call", "ping", "any"], "'any' is not NAME=VALUE"),
        (["methods", "body.impulze"], "no method 'body.impulze'; did you mean 'body.impulse'?"),
        (["completion", "fish"], "SHELL cannot be 'fish'"),
        (["ping", "--timeout", "soon"], "--timeout takes a time such as 5, 250ms or 2m, not 'soon'"),
        (["ping", "--timeout", "0"], "--timeout is from 1ms to 24h"),
        (["ping", "--server", "host:notaport"], "--server: "),
        (["ping", "--server"], "--server needs a value: --server HOST:PORT"),
        (["info", "w", "--stats"], "--stats is about the server"),
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

    def test_controls_of_a_word_do_not_reach_the_terminal(self):
        self.assertNotIn("\x1b", carom("\x1b[2Jx").err)


class NoServer(unittest.TestCase):
    def test_every_command_that_needs_one_ends_with_3_and_says_how_to_start_it(self):
        for words in (["ping"], ["info"], ["worlds"], ["create", "w"], ["watch", "w"], ["events", "w"],
                      ["load"], ["call", "ping"], ["spawn", "w", "--circle", "1"], ["bodies", "w"]):
            with self.subTest(words[0]):
                result = carom(*words)
                self.assertEqual((LOST, ""), (result.code, result.out))
                self.assertIn("cannot connect to 127.0.0.1:1", result.err)
                self.assertIn("caromd --listen 127.0.0.1:1", result.err)
                self.assertIn("CAROM_SERVER", result.err)

    def test_option_goes_before_the_environment(self):
        self.assertIn("127.0.0.1:2", carom("ping", "--server", "127.0.0.1:2").err)

    def test_file_that_is_not_there_is_told_before_connecting(self):
        result = carom("apply", "/nowhere/at/all.json")
        self.assertEqual(REFUSED, result.code)
        self.assertIn("cannot read /nowhere/at/all.json: No such file", result.err)


class Methods(unittest.TestCase):
    def test_table_names_each_method_with_its_arguments(self):
        all_ = carom("methods", "--json").json()
        names = [method["name"] for method in all_]
        self.assertEqual(names, carom("methods", "--names").lines())
        self.assertLessEqual({"ping", "world.create", "body.spawn", "world.subscribe", "query.ray"}, set(names))
        impulse = next(m for m in all_ if m["name"] == "body.impulse")
        self.assertEqual(["world", "body", "impulse", "point"], [a["name"] for a in impulse["arguments"]])
        self.assertEqual([True, True, True, False], [a["required"] for a in impulse["arguments"]])
        self.assertEqual(impulse, carom("methods", "body.impulse", "--json").json())
        self.assertRegex(carom("methods").out, r"(?m)^body\.impulse +world, body, impulse, point\?$")
        self.assertRegex(carom("methods", "body.impulse").out, r"(?m)^impulse +\[x, y\], N s +\(required\)")


class Completion(unittest.TestCase):
    def test_shipped_script_is_what_the_program_prints(self):
        self.assertEqual(COMPLETION.read_text(), carom("completion", "bash").out)

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
            told = set(re.findall(r"(?m)^  (?:-\w, |    )(--[a-z-]+)", carom(name, "--help").out))
            self.assertEqual(told, offered, name)

    def test_choices_and_methods(self):
        self.assertEqual(["dynamic", "kinematic", "static"], complete("spawn", "w", "--type", ""))
        self.assertEqual(["create"], complete("joint", "c"))
        self.assertEqual(["body.impulse"], complete("call", "body.imp"))
        self.assertEqual(["auto", "always", "never"], complete("--color", ""))
        self.assertEqual(["never"], complete("--color", "=", "n"))

    def test_files(self):
        self.assertEqual([str(COMPLETION)], complete("apply", str(COMPLETION)[:-3]))

    def test_nothing_where_anything_goes(self):
        self.assertEqual([], complete("impulse", "w", ""))
        self.assertEqual([], complete("watch", "w", "--rate", ""))

    def test_worlds_without_a_server_is_silence(self):
        self.assertEqual([], complete("watch", ""))


class Output(unittest.TestCase):
    def test_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([CAROM, "help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                  env=environment())
        self.assertEqual(REFUSED, done.returncode)
        self.assertIn("cannot write the result", done.stderr)

    def test_json_of_methods_is_one_line(self):
        result = carom("methods", "--json")
        self.assertEqual(1, result.out.count("\n"))
        json.loads(result.out)


if __name__ == "__main__":
    main()
