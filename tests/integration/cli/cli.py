"""Runs `carom` against a server that the test starts; tests get the two programs' paths as arguments."""

import functools
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402

CAROMD, CAROM = (os.path.abspath(path) for path in sys.argv[1:3])
SCRIPTS = ROOT / "client" / "cli" / "completion"
COMPLETION = SCRIPTS / "carom.bash"
# The search for leaks doubles the time of a short program. These tests run every command with it; the others start
# the program hundreds of times for its texts, and do without.
LEAKS_SOUGHT = Path(sys.argv[0]).stem in ("test_cli_commands", "test_cli_load", "test_cli_token", "test_cli_relay")

OK, REFUSED, USAGE, LOST = 0, 1, 2, 3


def environment(**more):
    """The test's environment, without variables that change the program's behaviour."""
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(("CAROM_", "LC_")) and k not in ("LANG", "NO_COLOR", "TERM")}
    if not LEAKS_SOUGHT:
        kept["ASAN_OPTIONS"] = kept.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "CAROM_TIMEOUT": f"{SECONDS_MAX}s", **more}


class Result:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return self.out.splitlines()


@functools.cache
def help_of(*words):
    """The program's help, which depends on no server and no file: read only once."""
    return carom(*words, env={})


def carom(*words, port=None, input=None, env=None):
    """Runs the program with the words; `port`: port of the server; None: a port without a listener."""
    if (port, input, env) == (None, None, None) and ("--help" in words or words[:1] == ("help",)):
        return help_of(*words)
    server = f"127.0.0.1:{port}" if port else "127.0.0.1:1"
    done = subprocess.run(
        [CAROM, *map(str, words)], input=input if input is not None else "", text=True,
        capture_output=True, timeout=SECONDS_MAX,
        env=environment(CAROM_SERVER=server, **(env or {})))
    return Result(done)


COMPLETE = r"""
source "$1"; function=$2; shift 2
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
"$function"
printf '%s\n' "${COMPREPLY[@]}"
"""


# Characters that act on a terminal: an escape sequence, a line of its own, C1's CSI, and a change of direction.
ACTS = "\x1b[31m\r\n\x7f\u009b1m\u202e"


def tame(text):
    """Whether a text has no character that acts on a terminal, but for the ends of lines."""
    return not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]", text)


def rest(process):
    """Returns the output of the process until it ends, and its errors. Popen.communicate would lose the lines that a readline
    read ahead."""
    out, err = process.stdout.read(), process.stderr.read()
    process.wait(SECONDS_MAX)
    return out, err


def complete(*words, server="127.0.0.1:1", program=CAROM):
    """Returns the words that bash's completion of the program offers for the last word."""
    function = "_" + Path(program).name
    done = subprocess.run(["bash", "--norc", "-c", COMPLETE, "complete", str(COMPLETION), function, program, *words],
                          text=True, capture_output=True, timeout=SECONDS_MAX, env=environment(CAROM_SERVER=server))
    assert done.stderr == "", done.stderr
    return done.stdout.split()


class ServerTest(unittest.TestCase):
    """A server for all tests of a class; each test has a world of its own name."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Caromd(CAROMD, *cls.options)
        cls.server.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def setUp(self):
        self.world = self.id().rsplit(".", 1)[1]

    def run_carom(self, *words, **more):
        return carom(*words, port=self.server.port, **more)

    def ok(self, *words, **more):
        """Runs a command that must succeed, and print no error except the note that it reads too slowly, on a busy machine."""
        result = self.run_carom(*words, **more)
        said = re.sub(r"^ *\d+ snapshots were merged because .*\n", "", result.err, flags=re.MULTILINE)
        self.assertEqual((OK, ""), (result.code, said), words)
        return result

    def json(self, *words, **more):
        """Runs a command that must succeed with --json and print exactly one line of it."""
        result = self.ok(*words, "--json", **more)
        self.assertEqual(1, result.out.count("\n"), words)
        return result.json()

    def spawn(self, *words):
        """Makes a body in the test's world; returns its id."""
        return self.json("spawn", self.world, *words)["body"]

    def get(self, body):
        return self.json("get", self.world, body)

    def step(self, ticks=1):
        self.json("step", self.world, ticks)

    def fails(self, code, *words, **more):
        result = self.run_carom(*words, **more)
        self.assertEqual(code, result.code, (words, result.out, result.err))
        self.assertTrue(result.err.startswith("carom: "), result.err)
        return result


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
