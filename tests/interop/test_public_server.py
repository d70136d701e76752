"""The public server that server/README.md prints, command by command as it is printed: with tokens and TLS, but on
ports of the system's choice, under the name localhost, with a certificate of an authority of the test's own. And the
list of SECURITY.md that goes with it. And the one of docker/compose.public.yaml, whose commands and settings are the
file's own, without containers.

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

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAROMD, CAROM = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
SECONDS_MAX = 240


def printed_commands():
    """The commands of the block under "A public server", without comments, each on one line."""
    page = (ROOT / "server/README.md").read_text(encoding="utf-8")
    block = re.search(r"^## A public server\n\n```\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1]
    lines = block.replace("\\\n", " ").splitlines()
    return [re.sub(r"\s+#.*", "", line) for line in lines]


class Typed(unittest.TestCase):
    """A folder in which commands are typed, and servers that end with the test."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="carom-public-")))
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("CAROM_")}
        self.environment |= {"PATH": f"{CAROMD.parent}:{CAROM.parent}:{os.environ['PATH']}",
                             "XDG_CONFIG_HOME": str(self.folder)}
        self.address = "localhost"

    def certify(self):
        subprocess.run([shutil.which("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-keyout", "privkey.pem", "-out", "fullchain.pem", "-days",
                        "30", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], cwd=self.folder,
                       check=True, stderr=subprocess.DEVNULL)
        self.environment["CAROM_CA"] = "fullchain.pem"

    def here(self, command):
        """The printed command, with this test's ports, folder and address."""
        return (command.replace("0.0.0.0:22766", "0.0.0.0:0").replace("0.0.0.0:22767", "0.0.0.0:0")
                .replace("/var/lib/carom", str(self.folder / "data")).replace("play.example", self.address))

    def run_line(self, command, folder="."):
        return subprocess.run(["sh", "-c", self.here(command)], cwd=self.folder / folder, env=self.environment, text=True,
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
        self.assertIn("listening on", "".join(log))
        return log, re.search(r"listening on 0\.0\.0\.0:(\d+)", "".join(log))[1]


class PublicServer(Typed):
    def setUp(self):
        super().setUp()
        self.certify()

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
        # The counters that SECURITY.md says to watch.
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


class Compose(Typed):
    """docker/compose.public.yaml: the commands at its head, the settings and mounts of its services."""

    TOOL = "docker compose -f docker/compose.public.yaml run --rm carom "
    # What takes Docker or root, and does nothing to settings: tests/unit/test_compose.py reads the file.
    LEFT_OUT = ("docker compose -f docker/compose.public.yaml build", "sudo chown 10001 docker/public/server/privkey.pem")

    def setUp(self):
        super().setUp()
        self.text = (ROOT / "docker/compose.public.yaml").read_text(encoding="utf-8")
        self.services = yaml.safe_load(self.text)["services"]
        image = (ROOT / "docker/Dockerfile").read_text(encoding="utf-8")
        self.image = dict(re.findall(r"(CAROM_(?:LISTEN|HTTP))=(\S+)", image))

    def settings(self):
        """The server's variables, with its mounts' places on this machine."""
        mounts = {place: path for path, place in (one.split(":")[:2] for one in self.services["server"]["volumes"])}
        places = {place: self.folder / ("docker" if path.startswith(".") else "volumes") / path
                  for place, path in mounts.items()}
        (self.folder / "volumes").mkdir()
        values = {name: re.sub(r"\$\{\w+:-(.*?)\}", r"\1", value)
                  for name, value in self.services["server"]["environment"].items()}
        for place, path in places.items():
            values = {name: re.sub(rf"^{place}\b", str(path), value) for name, value in values.items()}
        return values | {name: self.here(value) for name, value in self.image.items()}

    def test_commands_of_the_file_do_what_they_say(self):
        head = self.text.split("services:")[0]
        commands = re.findall(r"^#   (\S.*)$", head, re.MULTILINE)
        told = []
        for command in commands:
            with self.subTest(command):
                if command in self.LEFT_OUT:
                    continue
                if command.endswith(" up --detach"):
                    self.environment |= self.settings()
                    log, port = self.start(str(CAROMD))
                    self.assertEqual([line for line in log if " warn " in line or " error " in line], [])
                    self.address = f"localhost:{port}"
                    for name in [name for name in self.environment if name.startswith("CAROM_")]:
                        del self.environment[name]
                    continue
                tool = command.startswith(self.TOOL)
                typed = command.replace(self.TOOL, "carom ").replace("caroms://server ", f"caroms://{self.address} ")
                done = self.run_line(typed, self.services["carom"]["volumes"][0].split(":")[0].replace(".", "docker", 1)
                                     if tool else ".")
                self.assertEqual(done.returncode, 0, done.stderr)
                told.append(done.stdout)
        self.assertIn("created arena", "".join(told))
        self.assertTrue((self.folder / "docker/public/ada.token").is_file())
        self.assertEqual(len(commands), len(self.LEFT_OUT) + 7)
        # The server is given the folder in which no key is that signs.
        self.assertEqual({"public.json", "fullchain.pem", "privkey.pem"},
                         {path.name for path in (self.folder / "docker/public/server").iterdir()})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
