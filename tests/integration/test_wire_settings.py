#!/usr/bin/env python3
"""caromd's settings from a file, their check, and its log as JSON. Called with the path of caromd."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client  # noqa: E402
from wire_case import WireTest  # noqa: E402

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
                               capture_output=True, text=True, timeout=SECONDS_MAX)
        return ended.returncode, ended.stdout, ended.stderr

    def test_sound_file(self):
        self.write("# all well\nworld = demo:demo\nlimit = worlds=3\n")
        self.assertEqual(self.check(), (0, f"{self.path}: sound\n", ""))

    def test_slip_is_told_with_file_and_line(self):
        self.write("# one\nhz = 60\nthreads = many\n")
        code, out, err = self.check()
        self.assertEqual((code, out), (2, ""))
        self.assertIn(f"{self.path}:3: threads: must be a whole number from 1 to 64, not 'many'", err)

    def test_what_settings_name_is_checked_too(self):
        """A wrong file, or a server that could not start: reported with the line of the setting."""
        folder = Path(self.path).parent
        (folder / "broken.json").write_text('{"name": "broken", "commands": [["body.spawn", {"shapes": [{"kind": "circle", "radius": -1}]}]]}')
        (folder / "hasty.json").write_text('{"world": {"hz": 1e9}, "commands": []}')
        absent = str(folder / "absent")
        for text, told in (
                (f"# one\nkeys = {absent}\n", f"2: keys: {absent}: No such file"),
                (f"tls-cert = {self.path}\n\ntls-key = {absent}\n", f"3: tls-key: {absent}: cannot be read"),
                (f"tls-cert = {absent}\n\ntls-key = {self.path}\n", f"1: tls-cert: {absent}: cannot be read"),
                (f"tls-cert = {absent}\n", "1: tls-cert: needs --tls-key, too"),
                ("listen = 0.0.0.0:1\n", "1: listen: anyone who reaches 0.0.0.0"),
                ("\nhttp = 0.0.0.0:1\n", "2: http: anyone who reaches 0.0.0.0"),
                ("listen = no-such-host.invalid:1\n", "1: listen: no address for host"),
                ("world = one\nworld = two:demmo\n", "2: world 'two': there is no scene 'demmo'"),
                ("limit = worlds=1\nworld = one\nworld = two\n", "3: world 'two': worlds: there are 1 already"),
                (f"scenes = {folder}\nworld = one:broken\n",
                 f"2: world 'one': {folder}/broken.json: commands[0]: shapes[0].radius: "),
                (f"scenes = {folder}\nworld = one:hasty\n", f"2: world 'one': {folder}/hasty.json: world: hz must be from"),
                ("\ndata = /proc/x\n", "2: data: '/proc/x' cannot be made in '/proc': Read-only file system"),
                (f"data = {absent}/worlds\n", f"1: data: '{absent}/worlds' cannot be made in '{absent}': No such file"),
                (f"data = {self.path}\n", f"1: data: '{self.path}': Not a directory"),
                ("lisen = x\n", "1: no setting is called 'lisen'; did you mean 'listen'? (caromd --help lists the options)")):
            self.write(text)
            code, out, err = self.check()
            self.assertEqual((code, out), (2, ""), text)
            self.assertIn(f"{self.path}:{told}", err)
        for text in (f"data = {folder}\n", f"data = {absent}\n", "listen = 0.0.0.0:1\ninsecure = 1\n", "listen = [::1]:1\n", "listen = localhost:1\n", "http = off\n"):
            self.write(text)
            self.assertEqual(self.check(), (0, f"{self.path}: sound\n", ""))
        self.assertFalse(Path(absent).exists(), "a check makes nothing")

    def test_options_and_variables_are_named_as_they_were_given(self):
        self.write("")
        code, _, err = self.check("--keys", "/nonexistent")
        self.assertEqual(code, 2)
        self.assertIn("caromd: --keys: /nonexistent: ", err)
        ended = subprocess.run([CAROMD, "--check-config"], capture_output=True, text=True, timeout=SECONDS_MAX,
                               env={**os.environ, "CAROM_KEYS": "/nonexistent"})
        self.assertIn("caromd: CAROM_KEYS: /nonexistent: ", ended.stderr)
        self.assertEqual(ended.returncode, 2)

    def test_options_of_a_data_directory_need_one(self):
        for option in ("--load-aside", "--takeover", "--takeover-socket"):
            ended = subprocess.run([CAROMD, option, "x"], capture_output=True, text=True, timeout=SECONDS_MAX)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(f"caromd: {option}: needs --data, too", ended.stderr)
        self.write("")
        self.assertEqual(self.check("--takeover-socket", "off")[0], 0)

    def test_check_looks_at_ports_and_the_recording(self):
        self.write("")
        for options, wanted in ((("--listen", "127.0.0.1:7", "--http", "127.0.0.1:7"), "--http: port 7 is in use by 'listen'"),
                                (("--listen", "127.0.0.1:7", "--http", "0.0.0.0:7", "--insecure"), "--http: port 7 is in use by 'listen'"),
                                (("--replay", self.path), f"--replay: '{self.path}': the log was cut off at byte 0"),
                                (("--replay", "/nonexistent"), "--replay: '/nonexistent': No such file or directory")):
            code, _, err = self.check(*options)
            self.assertEqual((2, True), (code, wanted in err), err)
        for options in (("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"), ("--listen", "127.0.0.1:7", "--http", "127.0.0.2:7")):
            self.assertEqual(0, self.check(*options)[0])

    def test_address_that_does_not_exist_is_told_with_its_option(self):
        for option in ("--listen", "--http"):
            ended = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", option, "nohost.invalid:1"], capture_output=True,
                                   text=True, timeout=SECONDS_MAX)
            self.assertEqual(ended.returncode, 1)
            self.assertIn(f" {option}: no address for host 'nohost.invalid': ", ended.stderr)

    def test_misspelt_variable_is_told(self):
        """Only one that is similar to a setting's: scripts and containers have CAROM_ variables of their own."""
        for variable, meant in (("CAROM_LISTN", "CAROM_LISTEN"), ("CAROM_KEY", "CAROM_KEYS"), ("CAROM_PYTHON", None),
                                ("CAROM_SERVICE_HOST", None), ("CAROM_PORT_22766_TCP_ADDR", None), ("CAROM_TOKEN", None)):
            ended = subprocess.run([CAROMD, "--check-config"], capture_output=True, text=True, timeout=SECONDS_MAX,
                                   env={**os.environ, variable: ""})
            self.assertEqual(ended.returncode, 0)
            self.assertEqual(ended.stderr, f"caromd: {variable} has no effect; did you mean {meant}?\n" if meant else "")

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


class Names(WireTest):
    def test_name_is_listened_on_at_all_its_addresses(self):
        with tempfile.TemporaryDirectory() as folder, \
                Caromd(CAROMD, "--listen", "localhost:0", "--http", "localhost:0") as self.server:
            addresses = ["127.0.0.1"]
            if any("listening also on [::1]" in line for line in self.server.log):
                addresses.append("::1")
            else:
                self.assertFalse(os.path.exists("/proc/net/if_inet6"), folder)
            for address in addresses:
                raw = socket.create_connection((address, self.server.port), SECONDS_MAX)
                with Client(None, raw) as client:
                    client.call("hello")
                with socket.create_connection((address, self.server.http_port), SECONDS_MAX) as page:
                    page.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
                    self.assertTrue(page.recv(1000).startswith(b"HTTP/1.1 200"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
