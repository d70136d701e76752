"""The public server that server/README.md prints, command by command as it is printed: with tokens and TLS, but on
ports of the system's choice, under the name localhost, with a certificate of an authority of the test's own. And the
list of SECURITY.md that goes with it.

Usage: test_public_server.py CAROMD CAROM
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAROMD, CAROM = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
SECONDS_MAX = 30


def printed_commands():
    """Those of the block under "A public server", without comments, each on one line."""
    page = (ROOT / "server/README.md").read_text(encoding="utf-8")
    block = re.search(r"^## A public server\n\n```\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1]
    lines = block.replace("\\\n", " ").splitlines()
    return [re.sub(r"\s+#.*", "", line) for line in lines]


class PublicServer(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="carom-public-")))
        subprocess.run([shutil.which("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-keyout", "privkey.pem", "-out", "fullchain.pem", "-days",
                        "30", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], cwd=self.folder,
                       check=True, stderr=subprocess.DEVNULL)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("CAROM_")}
        self.environment |= {"PATH": f"{CAROMD.parent}:{CAROM.parent}:{os.environ['PATH']}", "CAROM_CA": "fullchain.pem",
                             "XDG_CONFIG_HOME": str(self.folder)}
        self.address = "localhost"

    def here(self, command):
        """As it is printed, but for its place."""
        return (command.replace("0.0.0.0:22766", "0.0.0.0:0").replace("0.0.0.0:22767", "0.0.0.0:0")
                .replace("/var/lib/carom", str(self.folder / "data")).replace("play.example", self.address))

    def run_line(self, command):
        return subprocess.run(["sh", "-c", self.here(command)], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)

    def start(self, command):
        """The server, whose log a thread reads, and its port."""
        server = subprocess.Popen(["sh", "-c", "exec " + self.here(command)], cwd=self.folder, env=self.environment,
                                  text=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        log, listening = [], threading.Event()

        def read():
            for line in server.stderr:
                log.append(line)
                if "listening on" in line:
                    listening.set()
            listening.set()

        reader = threading.Thread(target=read)
        reader.start()

        def stop():
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(SECONDS_MAX), 0, log)
            reader.join()
            server.stderr.close()

        self.addCleanup(stop)
        self.assertTrue(listening.wait(SECONDS_MAX))
        return log, re.search(r"listening on 0\.0\.0\.0:(\d+)", "".join(log))[1]

    def test_commands_do_what_is_said(self):
        commands = printed_commands()
        told = {}
        self.assertLessEqual(len(commands), 10)
        for command in commands:
            with self.subTest(command):
                if command.startswith("caromd "):
                    log, port = self.start(command)
                    self.address = f"localhost:{port}"
                    self.assertEqual([line for line in log if " warn " in line or " error " in line], [])
                else:
                    done = self.run_line(command)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    told[" ".join(re.findall(r"token (?:keygen|sign)|create|spawn|sessions", command))] = done.stdout
        self.assertRegex(told["create"], "created arena")
        self.assertRegex(told["spawn"], "body 1")
        self.assertRegex(told["sessions"], r"admin +op ")
        # The secrets are for their owner alone, and the server has no key that signs.
        for name in ("keys.json", "ada.token", "op.token"):
            self.assertEqual((self.folder / name).stat().st_mode & 0o077, 0, name)
        public = json.loads((self.folder / "public.json").read_text(encoding="utf-8"))
        self.assertEqual([key.get("d") for key in public["keys"]], [None])
        # Neither a stranger nor a player does what an admin may.
        base = f"carom --server caroms://{self.address} "
        for words, text in (("create other", "unauthenticated"), ("--token-file ada.token create other",
                                                                  "permission_denied")):
            done = self.run_line(base + words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(text, done.stderr)
        # The counters that SECURITY.md tells to watch.
        page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
        watched = re.search(r"Watch (.*?) in\s+`server\.stats`", page, re.DOTALL)[1]
        stats = self.run_line(base + "--token-file op.token call server.stats --json")
        counters = json.loads(stats.stdout)["counters"]
        for name in re.findall(r"`(\w+)`", watched):
            self.assertIn(name, counters)

    def test_public_address_without_keys_is_refused_and_without_certificate_warned_of(self):
        commands = printed_commands()
        [serve] = [command for command in commands if command.startswith("caromd ")]
        done = self.run_line(serve.replace("--keys public.json", ""))
        self.assertEqual(done.returncode, 1)
        self.assertIn("anyone who reaches 0.0.0.0:", done.stderr)
        self.assertIn("--keys FILE", done.stderr)
        self.assertEqual(self.run_line(commands[0]).returncode, 0)
        log, _ = self.start(re.sub(r"--tls-\w+ \S+", "", serve))
        self.assertIn("tokens and worlds go over 0.0.0.0:", "".join(log))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
