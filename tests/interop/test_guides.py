"""Every block of commands in READMEs and guides is typed as it is printed, into a shell in a folder of its own, with
carom installed as a stranger has it; what cannot be typed here is listed in LEFT_OUT with the reason. Output that is
printed beside commands is compared by test_readme.py.

Usage: test_guides.py BUILD_FOLDER
"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from patience import SECONDS_MAX  # noqa: E402
from terminal import Terminal  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()

# (page, the block's first line) -> why it is not typed here.
LEFT_OUT = {
    ("README.md", "$ ./server/run.sh"): "installs packages and builds anew; the second line is what runs this test",
    ("CONTRIBUTING.md", "git clone … && cd carom"): "installs, builds anew and runs this test",
    ("tests/README.md", "cmake --preset check && cmake --build --preset check && ctest --preset check"):
        "builds anew and runs this test",
    ("client/guides/first-world.md", "$ ./server/run.sh"): "installs packages and builds anew; the rest is typed",
    ("client/web/README.md", "$ cmake --preset release && cmake --build --preset release --target web_package"):
        "client/web/test/package.test.js types it",
    ("server/README.md", "./docker/install.sh build run                   # compilers, libraries, what cpack needs"):
        "tests/unit/test_debs.py runs cpack, tests/integration/clean_root.py installs what it makes",
    ("server/README.md", "docker compose -f docker/compose.yaml up --build --detach     # the server with the demo, and a client that watches"):
        "there is no Docker here; tests/unit/test_compose.py reads the file",
    ("docker/kubernetes/README.md", "git clone https://github.com/googleforgames/agones && cd agones"):
        "needs Go and Agones itself, from the network",
    ("docker/kubernetes/README.md", "kubectl apply -f docker/kubernetes/agones.yaml"):
        "there is no cluster here; tests/unit/test_kubernetes.py reads the files",
    ("docker/kubernetes/README.md", "kubectl create secret generic carom-fleet --from-file=fleet.key"):
        "there is no cluster here; tests/unit/test_kubernetes.py reads the files",
    ("server/fleet/README.md", "carom move arena b   # to server b"): "docs/guides/three-machines.md has it, too, and is typed",
    ("server/fleet/README.md", "openssl rand -hex 32 > fleet.key   # the same file on all servers"):
        "tests/integration/test_wire_pairs.py starts such servers",
    ("client/guides/play-over-distance.md", "20 of 20 keys moved the disc, in frame 1 at the latest; the server is 101 ms away"):
        "what client/examples/predict.c prints; tests/integration/client runs it",
    ("client/guides/rules-rounds-scores.md", "$ mkdir -p coins/www && cd coins"): "client/web/test/package.test.js types it",
    ("client/guides/rules-rounds-scores.md", "$ carom token keygen keys.json --public public.json"): "client/web/test/package.test.js types it",
    ("client/guides/game-in-five-minutes.md", "$ cmake --preset release && cmake --build --preset release --target caromd web_create"):
        "builds anew; client/web/test/create.test.js types the last line",
    ("client/guides/game-in-five-minutes.md", "$ npx --yes ./create-carom-0.1.0.tgz my-game --template phaser"):
        "client/web/test/create.test.js types it",
    ("client/web/create/README.md", "$ cmake --preset release && cmake --build --preset release --target web_create"):
        "client/web/test/create.test.js makes games so",
    ("client/csharp/README.md", "$ mcs -langversion:7.2 -unsafe -target:library -out:Carom.dll client/csharp/Carom/*.cs"):
        "client/csharp/test/test_csharp.py compiles it by the same options",
    ("client/guides/python-many-worlds.md",
     "$ export PYTHONPATH=client/python CAROM_LIBRARY=.build/release/client/lib:.build/release/client/replica"):
        "the test python_vector runs the example",
    ("client/python/README.md",
     "$ pip wheel --no-build-isolation --no-deps -w dist client/python    # needs Debian's python3-setuptools and python3-wheel"):
        "the test python_wheel makes and installs it",
    ("docs/concepts/roles.md",
     '["world.create", {"world": "arena", "players": {"methods": ["body.impulse", "body.force", "world.apply", "body.get", "query.ray"], "impulse": 5, "force": 50}}]'):
        "a request, which tests/integration/test_wire_players.py makes in other words",
    ("docs/concepts/roles.md", "carom token keygen keys.json --public public.json          # keys.json stays with your login service"):
        "server/README.md has these commands too, and is typed",
    ("server/fleet/README.md", "caromd --data /var/lib/carom --listen 10.0.0.7:22766 --keys keys.json \\"):
        "needs an etcd; tests/integration/test_wire_fleet.py starts servers so",
    ("server/http/README.md", "net: bytes -> http.c -> request.c -> respond.c: files, health, metrics"): "a diagram",
}
# Commands within a block that are not typed, and why.
LINES_LEFT_OUT = {
    "./docker/install.sh build run": "what is here since the build that this test belongs to",
    "cmake --preset release && cmake --build --preset release": "the build that this test belongs to",
}

# Replacements in what is typed: for addresses and folders that do not exist here, and for long times.
INSTEAD = {
    "client/guides/game-in-c.md": [("127.0.0.1 ", "{server} "), ("play.example Ada", "{server} Ada")],
    "client/README.md": [("--for 30s", "--for 1s"), ("--to +900", "--to +30"), ("caroms://play.example", "{server}"), ("/home/ada/", "{folder}/")],
    "client/load/README.md": [
        ("carom bench  ", "carom bench --time 1s  "), ("carom bench --connections", "carom bench --time 1s --connections"),
        ("carom bench --relay", "carom bench --time 1s --relay"),
        ("--connections 100 --watchers 1000", "--connections 20 --watchers 20"), ("5s:20,10s:100,5s:0", "1s:20,1s:100,1s:0"),
        ("arena.json --connections 200", "arena.json --time 1s --connections 200")],
    "client/guides/rules-rounds-scores.md": [("start.js", "start.js --listen 127.0.0.1:0")],
    "client/web/examples/knockout/README.md": [("8000", "{free_port}")],
    "server/README.md": [
        ("--listen 0.0.0.0:22766 --http 0.0.0.0:22767", "--listen 127.0.0.1:0 --http 127.0.0.1:0"),
        ("/var/lib/carom", "{folder}/data"), ("caroms://play.example", "caroms://{server} --ca fullchain.pem"),
        ("/etc/carom/keys.json", "{folder}/configured.json")],
}
# Pages whose commands talk to a server that is there already, and its options.
SERVED = {
    "client/guides/first-world.md": "--world demo:demo",
    "client/README.md": "--world demo:demo --data DIR",
    "client/load/README.md": "",
    "server/README.md": "--data DIR", # the one that an upgrade replaces
}
# A block that begins so is a file of that name; the command reads it.
FILES = {
    "# caromd.conf": "caromd --config caromd.conf --check-config",
    "# ~/.config/carom/profiles": "carom --profile play ping --count 1",
}
# Three etcd and three servers, which its commands start and end.
FLEET = "docs/guides/three-machines.md"
SERVER = re.compile(r"(\.build/release/server/)?caromd (?!.*--check-config)|(\.build/release/server/)?caromd$|python3 -m http\.server|node client/web/examples/knockout/start\.js")
# Programs that fill the terminal, and what they show; q leaves them.
SCREENS = [(re.compile(r"hockey \S+ (Ada|Op)$"), r"Ada|Op"), (re.compile(r"^carom (watch|replay .*--watch)"), r"tick|\d+ bodies|demo|arena")]


def pages():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split() if listed.returncode == 0 else []
    return names or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.md") if ".build" not in path.parts
                     and "node_modules" not in path.parts]


def blocks(page):
    """Shell blocks: those of no language, or of a console. PROTOCOL.md's are bytes, which test_protocol.py reads."""
    if page == "proto/PROTOCOL.md":
        return []
    text = (ROOT / page).read_text(encoding="utf-8")
    fenced = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for language, block in fenced if language in ("", "console", "sh")]


def commands(block):
    """The typed lines: those after a prompt or, in a block without prompts, all; a backslash continues a line."""
    lines = block.replace("\\\n", " ").splitlines()
    if any(line.startswith("$ ") for line in lines):
        return [line[2:] for line in lines if line.startswith("$ ")]
    return [line for line in lines if line.strip()]


class Shell:
    """A person's shell: a folder, an environment that export changes, servers that run in other terminals."""

    def __init__(self, folder, page):
        self.folder = folder
        self.page = page
        self.server = ""
        self.servers = []
        home = folder / "home"
        install = subprocess.run(["cmake", "--install", BUILD, "--prefix", home / ".local"], capture_output=True, text=True)
        assert install.returncode == 0, install.stderr
        for name in ("client", "docker", "proto"):
            (folder / name).symlink_to(ROOT / name)
        (folder / ".build").mkdir()
        (folder / ".build/release").symlink_to(BUILD)
        for name in ("hello.c", "hockey.c"):
            shutil.copy(ROOT / "client/examples" / name, folder)
        if "--out ada.token" not in (ROOT / page).read_text():
            (folder / "ada.token").write_text("none\n")
        (folder / "DIR").mkdir()
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.free_port = probe.getsockname()[1]
        local = home / ".local"
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("CAROM")}
        self.env |= {"HOME": str(home), "PATH": f"{local}/bin:/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color",
                     "PKG_CONFIG_PATH": f"{local}/lib/pkgconfig", "LD_LIBRARY_PATH": f"{local}/lib", "LANG": "C.UTF-8",
                     "CAROM_LISTEN": "127.0.0.1:0", "CAROM_HTTP": "127.0.0.1:0"}

    def instead(self, text):
        for printed, typed in INSTEAD.get(self.page, []):
            text = text.replace(printed, typed)
        return text.replace("{server}", self.server).replace("{folder}", str(self.folder)) \
                   .replace("{free_port}", str(self.free_port))

    def type(self, printed):
        command = self.instead(printed)
        if SERVER.match(command):
            self.serve(command)
            return
        for pattern, shows in SCREENS:
            if pattern.search(command):
                self.watch(command, shows)
                return
        if command.startswith("export "):
            self.export(command)
            return
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=SECONDS_MAX)
        assert done.returncode == 0, f"{command}\nended with {done.returncode}:\n{done.stdout}{done.stderr}"

    def export(self, command):
        done = subprocess.run(["sh", "-c", f"{command}; env -0"], cwd=self.folder, env=self.env, capture_output=True,
                              text=True, timeout=SECONDS_MAX)
        assert done.returncode == 0, done.stderr
        self.env = dict(pair.split("=", 1) for pair in done.stdout.split("\0") if "=" in pair)

    def serve(self, command):
        """Runs the command in another terminal, until the page is at its end."""
        process = subprocess.Popen(["sh", "-c", f"exec {command}"], cwd=self.folder, env=self.env, text=True,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.servers.append(process)
        if "http.server" in command:
            self.fetch(f"http://127.0.0.1:{self.free_port}/examples/knockout/")
            return
        told = ""
        for line in process.stderr:
            told += line
            if found := re.search(r"listening on (127\.0\.0\.1:\d+)", line):
                self.server = found.group(1)
                self.env["CAROM_SERVER"] = self.server
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return
        raise AssertionError(f"{command}\ndid not start:\n{told}")

    def fetch(self, address):
        end = time.monotonic() + SECONDS_MAX
        while True:
            try:
                with urllib.request.urlopen(address, timeout=SECONDS_MAX) as answer:
                    assert answer.status == 200
                    return
            except urllib.error.URLError:
                assert time.monotonic() < end, f"nothing at {address}"
                time.sleep(0.1)

    def watch(self, command, shows):
        terminal = Terminal(["sh", "-c", f"exec {command}" if not command.startswith("CAROM_TOKEN=") else command],
                            self.env, 100, 40, cwd=self.folder)
        try:
            terminal.wait_for(shows)
            terminal.keys("q")
            code = terminal.end()
            assert code == 0, f"{command}\nended with {code}"
        finally:
            terminal.close()

    def end(self):
        for process in reversed(self.servers):
            process.terminate()
            process.wait(SECONDS_MAX)
            process.stderr.close()


class FleetShell(Shell):
    """A shell of docs/guides/three-machines.md: processes run behind, each port is another one that is free, and output is
    compared, whatever its times are. Commands that only ask are typed again until they print what is printed."""

    ASKS = re.compile(r"carom (fleet|info|doctor)|grep ")
    BEHIND = re.compile(r"2>&1 & echo \$! > (\w+)\.pid$")
    WATCHER = "carom watch "

    def __init__(self, folder, page):
        super().__init__(folder, page)
        self.ports = {}
        self.watcher = None
        self.env["CAROM_SERVER"] = self.instead("127.0.0.1:22766")

    def instead(self, text):
        return re.sub(r"127\.0\.0\.1:(\d+)", lambda found: f"127.0.0.1:{self.port(found[1])}", text)

    def port(self, printed):
        while printed not in self.ports:
            with socket.create_server(("127.0.0.1", 0)) as probe:
                port = probe.getsockname()[1]
            if port not in self.ports.values():
                self.ports[printed] = port
        return self.ports[printed]

    @staticmethod
    def shape(text):
        """The printed text without measured times and sizes, counts of sessions, ticks and spaces."""
        text = re.sub(r"\d+(\.\d+)? ([munk]?s|[kMG]?B)\b", "U", text)
        text = re.sub(r"(?m)^(\w+ +127\S+ +\d+) +\d+ ", r"\1 S ", text)
        text = re.sub(r"\b(tick) \d+|\d+ (command|hash)(?:e?s)?\b", r"\1\2", text)
        return re.sub(r" +", " ", text).strip()

    def type(self, printed, output=""):
        command = self.instead(printed)
        if command.startswith("export "):
            self.export(command)
        elif command.startswith(self.WATCHER):
            self.watcher = Terminal(["sh", "-c", f"exec {command}"], self.env, 100, 40, cwd=self.folder)
            self.watcher.wait_for(r"tick \d+")
        else:
            self.ask(command, self.shape(self.instead(output)))
            if behind := self.BEHIND.search(command):
                self.started(behind[1])

    def ask(self, command, wanted):
        end = time.monotonic() + SECONDS_MAX
        while True:
            done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=SECONDS_MAX)
            if done.returncode == 0 and self.shape(done.stdout) == wanted:
                return
            early = "no other server of the fleet can be the world's standby" in done.stderr  # nobody types as fast as this
            if not (early or self.ASKS.match(command)) or time.monotonic() > end:
                raise AssertionError(f"{command}\nended with {done.returncode}:\n{done.stdout}{done.stderr}\nprinted is:\n{wanted}")
            time.sleep(0.2)

    def started(self, name):
        """Waits until a caromd listens, or an etcd lives: it answers only once most of them are there."""
        end = time.monotonic() + SECONDS_MAX
        pid = int((self.folder / f"{name}.pid").read_text())
        while name in "abc":
            log = (self.folder / f"{name}.log").read_text()
            if "listening on" in log:
                return
            os.kill(pid, 0)
            assert time.monotonic() < end, f"{name} does not listen:\n{log}"
            time.sleep(0.05)

    def watcher_goes_on(self):
        """Waits until the watcher shows a newer tick than the world's server has now."""
        told = subprocess.run(["carom", "info", "arena", "--json"], env=self.env, capture_output=True, text=True, check=True,
                              timeout=SECONDS_MAX)
        while int(self.watcher.wait_for(r"tick (\d+) ")[1]) <= json.loads(told.stdout)["tick"]:
            pass

    def end(self):
        for path in self.folder.glob("*.pid"):
            try:
                os.kill(int(path.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.watcher:
            self.watcher.close()


def fleet_commands():
    """(command, output) of the fleet's page."""
    text = "".join(block.replace("\\\n", " ") for block in blocks(FLEET))
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)


class Guides(unittest.TestCase):
    def test_fleet_s_page_prints_commands_and_their_output(self):
        self.assertGreater(sum(output != "" for _, output in fleet_commands()), 4)

    def test_every_block_is_typed_or_listed(self):
        for page in pages():
            for block in blocks(page):
                first = block.splitlines()[0]
                typed = page in (*SERVED, *INSTEAD, FLEET, "client/guides/any-language.md") or (page, first) in LEFT_OUT
                self.assertTrue(typed, f"{page}: nothing types the block that begins with {first!r}")

    def test_lists_name_what_is_printed(self):
        printed = {page: blocks(page) for page in pages()}
        for page, first in LEFT_OUT:
            self.assertIn(first, [block.splitlines()[0] for block in printed[page]], page)
        for page, pairs in INSTEAD.items():
            for text, _ in pairs:
                self.assertTrue(any(text in block for block in printed[page]), f"{page}: {text}")
        every = "\n".join(block for page in printed for block in printed[page])
        for text in [*LINES_LEFT_OUT, *FILES]:
            self.assertIn(text, every)

    def type_page(self, page):
        with tempfile.TemporaryDirectory() as folder:
            shell = Shell(pathlib.Path(folder), page)
            self.prepare(shell)
            try:
                if page in SERVED:
                    shell.serve(f"caromd {SERVED[page]}")
                typed = 0
                for block in blocks(page):
                    if (page, block.splitlines()[0]) in LEFT_OUT:
                        continue
                    typed += self.type_block(shell, block)
                self.assertGreater(typed, 0)
            finally:
                shell.end()

    @unittest.skipUnless(shutil.which("etcd"), "etcd is not installed (docker/install.sh test)")
    def test_fleet_does_what_is_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            shell = FleetShell(pathlib.Path(folder), FLEET)
            changes = 0
            try:
                for command, output in fleet_commands():
                    shell.type(command, output)  # each needs those before it
                    if shell.watcher and output:
                        shell.watcher_goes_on()
                        changes += 1
            finally:
                shell.end()
            self.assertGreater(changes, 4)

    def prepare(self, shell):
        """The things that a page takes for granted: a certificate, keys where caromd.conf has them."""
        if shell.page == "server/README.md":
            shell.type("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout privkey.pem "
                       "-out fullchain.pem -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1")
            shell.type("carom token keygen first.json --public configured.json")

    def type_block(self, shell, block):
        first = block.splitlines()[0]
        for name, command in FILES.items():
            if first.startswith(name):
                place = pathlib.Path(name[2:].replace("~", shell.env["HOME"]))
                path = shell.folder / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(shell.instead(block))
                shell.type(command)
                return 1
        lines = [line for line in commands(block) if line not in LINES_LEFT_OUT]
        for line in lines:
            with self.subTest(line):
                shell.type(line)
        return len(lines)


def add(page):
    name = re.sub(r"\W+", "_", page.removesuffix(".md")).lower()
    setattr(Guides, f"test_{name}_is_typed", lambda self: self.type_page(page))


for wanted in ["client/guides/game-in-c.md", "client/guides/first-world.md", "client/guides/any-language.md", "client/README.md",
               "client/load/README.md", "client/guides/rules-rounds-scores.md", "client/web/examples/knockout/README.md", "server/README.md"]:
    add(wanted)

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
