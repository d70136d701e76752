#!/usr/bin/env python3
"""caromd's settings from a file, their check, and its log as JSON. Called with the path of caromd."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "interop"))
from caromd import Caromd  # noqa: E402
from wire import Client  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])


class Settings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "caromd.conf")

    def write(self, text):
        Path(self.path).write_text(text)

    def check(self, *options):
        ended = subprocess.run([CAROMD, "--config", self.path, "--check-config", *options],
                               capture_output=True, text=True, timeout=20)
        return ended.returncode, ended.stdout, ended.stderr

    def test_sound_file(self):
        self.write("# all well\nworld = demo:demo\nlimit = worlds=3\n")
        self.assertEqual(self.check(), (0, f"{self.path}: sound\n", ""))

    def test_slip_is_told_with_file_and_line(self):
        self.write("# one\nhz = 60\nthreads = many\n")
        code, out, err = self.check()
        self.assertEqual((code, out), (2, ""))
        self.assertIn(f"{self.path}:3: threads: must be a whole number from 1 to 64, not 'many'", err)

    def test_keys_are_checked_too(self):
        self.write("keys = /nonexistent/keys.json\n")
        code, _, err = self.check()
        self.assertEqual(code, 2)
        self.assertIn("--keys", err)

    def test_server_runs_by_its_file(self):
        self.write("world = fromfile\nlimit = worlds=2\n")
        with Caromd(CAROMD, "--config", self.path) as server:
            with Client(server.port) as client:
                self.assertEqual(client.call("world.info", world="fromfile")["world"], "fromfile")
                self.assertEqual(client.call("server.info")["limits"]["worlds"], 2)

    def test_log_as_json(self):
        with Caromd(CAROMD, "--log-format", "json", "--log", "debug", "--world", "demo:demo") as server:
            with Client(server.port) as client:
                client.call("hello", client='a "name" \\ \u0001 ☃')
        lines = [json.loads(line) for line in server.log]
        self.assertGreater(len(lines), 3)
        for line in lines:
            self.assertEqual(list(line), ["time", "level", "message"])
            self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertTrue(any("listening on" in line["message"] for line in lines))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
