"""The interface to a service manager: sockets that it passes, notifications to it, and the places that the server
writes.

Usage: test_systemd.py CAROMD UNIT
"""

import os
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
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import SECONDS_MAX  # noqa: E402
from tokens import Secret, write_keys  # noqa: E402
from wire import Client  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
UNIT = os.path.abspath(sys.argv[2])
os.stat(UNIT)  # systemd-analyze calls a missing file one that it cannot look at
EXPOSURE_MAX = 1.2

# Puts the descriptors of the first argument at 3 and above, as the manager does, and executes the
# rest.
LAUNCHER = """
import fcntl, os, sys
given = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 20) for fd in sys.argv[1].split(",") if fd]
for place, fd in enumerate(given):
    os.dup2(fd, 3 + place)
    os.close(fd)
if given:
    os.environ["LISTEN_PID"] = str(os.getpid() + int(os.environ.pop("PID_OFFSET", "0")))
    os.environ["LISTEN_FDS"] = str(len(given))
os.execv(sys.argv[2], sys.argv[2:])
"""


class SystemdTest(unittest.TestCase):
    def listening(self):
        made = socket.socket()
        self.addCleanup(made.close)
        made.bind(("127.0.0.1", 0))
        made.listen(8)
        return made

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.words = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.words.close)
        self.words.bind(str(self.folder / "notify"))
        self.words.settimeout(SECONDS_MAX)

    def launch(self, *options, sockets=(), names=None, **environment):
        env = dict(os.environ, NOTIFY_SOCKET=str(self.folder / "notify"), **environment)
        if names is not None:
            env["LISTEN_FDNAMES"] = names
        fds = [s.fileno() for s in sockets]
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, ",".join(map(str, fds)), CAROMD, *options], pass_fds=fds, env=env,
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()

    def told(self, word):
        others, end = [], time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            text = self.words.recv(256).decode()
            if text.split("\n")[0] == word:
                return text
            others.append(text)
        raise AssertionError(f"not told {word}, but {others}")

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        self.told("STOPPING=1")
        self.assertEqual(process.wait(SECONDS_MAX), 0)

    def test_sockets_are_those_of_the_manager(self):
        rpc, http = self.listening(), self.listening()
        early = Client(rpc.getsockname()[1])  # before the server is there
        self.addCleanup(early.__exit__)
        process = self.launch("--listen", "127.0.0.1:1", sockets=(http, rpc), names="http:rpc")
        self.told("READY=1")
        self.assertEqual(early.call("ping", any=7)["any"], 7)
        with socket.create_connection(http.getsockname(), SECONDS_MAX) as page:
            page.sendall(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            self.assertRegex(page.recv(4096), b"^HTTP/1.1 200 ")
        self.stop(process)
        late = socket.create_connection(rpc.getsockname(), SECONDS_MAX)  # it still listens
        late.close()

    def warnings_of(self, *options, names):
        sockets = [self.listening() for _ in names.split(":")]
        process = self.launch(*options, sockets=sockets, names=names)
        self.told("READY=1")
        self.stop(process)
        return sockets, [line for line in process.stderr if " warn " in line]

    def test_addresses_that_do_not_count_are_told(self):
        _, lines = self.warnings_of("--listen", "127.0.0.1:1", "--http", "localhost:2", names="http:rpc")
        self.assertRegex("".join(lines), r"listen: 127\.0\.0\.1:1 has no effect: .*systemctl edit caromd\.socket")
        self.assertRegex("".join(lines), r"http: localhost:2 has no effect: .*systemctl edit caromd-http\.socket")
        self.assertEqual(len(lines), 2)
        _, lines = self.warnings_of(names="http:rpc")  # the defaults were not asked for
        self.assertEqual(lines, [])
        rpc = self.listening()
        process = self.launch("--listen", "127.0.0.1:%d" % rpc.getsockname()[1], "--http", "off", sockets=(rpc,), names="rpc")
        self.told("READY=1")
        self.stop(process)
        self.assertNotIn("no effect", process.stderr.read())

    def test_browsers_that_nobody_would_answer_are_told(self):
        _, lines = self.warnings_of("--http", "off", names="http:rpc")
        self.assertRegex("".join(lines), "http: off leaves browsers without an answer: .*caromd-http.socket")
        self.assertEqual(len(lines), 1)

    def test_single_socket_needs_no_name(self):
        rpc = self.listening()
        process = self.launch("--http", "off", sockets=(rpc,))
        self.told("READY=1")
        with Client(rpc.getsockname()[1]) as client:
            client.call("hello")
        self.stop(process)

    def test_restart_behind_the_same_socket_loses_no_session(self):
        rpc = self.listening()
        data = str(self.folder / "data")
        process = self.launch("--data", data, "--http", "off", sockets=(rpc,), names="rpc")
        client = Client(rpc.getsockname()[1])
        self.addCleanup(client.__exit__)
        greeting = client.call("hello")
        client.call("world.create", world="w")
        self.stop(process)
        waiting = Client(rpc.getsockname()[1])
        self.addCleanup(waiting.__exit__)
        process = self.launch("--data", data, "--http", "off", sockets=(rpc,), names="rpc")
        self.assertEqual(waiting.call("hello", resume=greeting["resume"])["session"], greeting["session"])
        self.assertEqual([w["world"] for w in waiting.call("world.list")], ["w"])
        self.stop(process)

    def test_sockets_that_do_not_fit_are_told(self):
        listener, plain = self.listening(), socket.socket()
        unix = socket.socket(socket.AF_UNIX)
        for sockets, names, words in (
                ((listener, self.listening()), "rpc:rpc", "'rpc' appears twice"),
                ((listener, self.listening()), "rpc:web", "'web' is neither rpc nor http"),
                ((plain,), "rpc", "descriptor 3 is no TCP socket that listens"),
                ((unix,), "rpc", "descriptor 3 is no TCP socket that listens"),
                ((listener, listener, listener), "rpc:http:x", "LISTEN_FDS: must be 1 to 2, not '3'")):
            with self.subTest(words):
                process = self.launch("--http", "off", sockets=sockets, names=names)
                self.assertEqual(process.wait(SECONDS_MAX), 1)
                self.assertIn(words, process.stderr.read())
        plain.close()
        unix.close()

    def test_sockets_of_another_process_are_not_taken(self):
        rpc = self.listening()
        process = self.launch("--http", "off", "--listen", "127.0.0.1:0", sockets=(rpc,), names="rpc", PID_OFFSET="1")
        self.told("READY=1")
        line = next(line for line in process.stderr if "listening on" in line)
        self.assertNotIn(f":{rpc.getsockname()[1]}\n", line)
        self.stop(process)

    def test_reload_and_watchdog_are_told(self):
        keys = self.folder / "keys.json"
        write_keys(str(keys), Secret())
        process = self.launch("--http", "off", "--listen", "127.0.0.1:0", "--keys", str(keys), WATCHDOG_USEC="200000")
        self.told("READY=1")
        process.send_signal(signal.SIGHUP)
        self.assertRegex(self.told("RELOADING=1"), r"\nMONOTONIC_USEC=\d+$")
        self.told("READY=1")
        self.told("WATCHDOG=1")
        self.told("WATCHDOG=1")
        self.stop(process)

    def test_takeover_tells_the_new_process(self):
        data = str(self.folder / "data")
        process = self.launch("--http", "off", "--listen", "127.0.0.1:0", "--data", data)
        self.told("READY=1")
        following = self.launch("--http", "off", "--data", data, "--takeover", data + "/takeover")
        self.told(f"MAINPID={following.pid}")
        self.assertEqual(process.wait(SECONDS_MAX), 0)
        self.stop(following)


class Unit(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_exposure_is_low(self):
        made = subprocess.run(["systemd-analyze", "security", "--offline=true", UNIT], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        found = re.search(r"Overall exposure level for \S+: ([\d.]+)", made.stdout)
        if found is None:
            self.skipTest("this systemd-analyze cannot look at a file: " + made.stdout[-200:])
        self.assertLessEqual(float(found.group(1)), EXPOSURE_MAX, made.stdout)
        if " 252 " in subprocess.run(["systemd-analyze", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout:
            self.assertEqual(self.printed(), found.group(1))  # the page's figures are those of systemd 252

    def test_page_names_one_exposure_twice(self):
        self.assertLessEqual(float(self.printed()), EXPOSURE_MAX)

    def printed(self):
        """The exposure that README.md has in its table and in the sentence below it."""
        page = (Path(UNIT).parents[1] / "README.md").read_text(encoding="utf-8")
        told = re.findall(r"(?m)^(?:\| `caromd.service` \||The service's) ([\d.]+) (?:\||are) ?", page)
        self.assertEqual(2, len(told), "README.md: the row of caromd.service, and the sentence that begins with \"The service's\"")
        self.assertEqual(told[0], told[1])
        return told[0]

    def test_manager_listens_where_the_server_would(self):
        folder = Path(__file__).resolve().parents[2] / "server/systemd"
        service = (folder / "caromd.service").read_text(encoding="utf-8")
        for unit, port, name in (("caromd.socket", 22766, "rpc"), ("caromd-http.socket", 22767, "http")):
            text = (folder / unit).read_text(encoding="utf-8")
            self.assertIn(f"ListenStream=127.0.0.1:{port}", text)
            self.assertIn(f"FileDescriptorName={name}", text)
            self.assertIn("Service=caromd.service", text)
            for setting in ("Sockets", "After", "Also"):
                self.assertRegex(service, rf"(?m)^{setting}=(.* )?{re.escape(unit)}( |$)")


def permitted_calls():
    """The names of the system calls that the unit permits."""
    listed = subprocess.run(["systemd-analyze", "syscall-filter"], stdout=subprocess.PIPE, text=True, check=True).stdout
    groups, name = {}, None
    for line in listed.splitlines():
        words = line.split("#")[0].split()
        if line.startswith("@"):
            name = words[0]
            groups[name] = set()
        elif words and name is not None:
            groups[name].add(words[0])

    def members(word):
        return set().union(*map(members, groups[word])) if word in groups else {word}

    permitted = members("@default")
    for setting in re.findall(r"(?m)^SystemCallFilter=(.*)$", Path(UNIT).read_text(encoding="utf-8")):
        named = set().union(*map(members, setting.lstrip("~").split()))
        permitted = permitted - named if setting.startswith("~") else permitted | named
    return permitted


def end(child, tracer):
    """Ends a traced process that the test left behind."""
    if tracer.poll() is None:
        os.kill(child, signal.SIGKILL)
        tracer.wait(SECONDS_MAX)


@unittest.skipUnless(shutil.which("strace") and shutil.which("systemd-analyze"), "strace or systemd-analyze is missing")
class Calls(unittest.TestCase):
    """The process makes no system call that the unit refuses."""

    # Sanitizers and the tracer make these; a signal's restart is the kernel's own call.
    FOREIGN = {"ptrace", "personality", "restart_syscall"}

    def test_every_call_is_permitted(self):
        with tempfile.TemporaryDirectory() as folder:
            counts = os.path.join(folder, "counts")
            environment = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
            process = subprocess.Popen(
                ["strace", "-f", "-qq", "-c", "-U", "name", "-o", counts, CAROMD, "--listen", "127.0.0.1:0",
                 "--http", "127.0.0.1:0", "--data", os.path.join(folder, "data"), "--world", "w:demo", "--threads", "2",
                 "--io-threads", "2", "--world-threads", "2"], stderr=subprocess.PIPE, text=True,
                stdin=subprocess.DEVNULL, env=dict(environment, ASAN_OPTIONS="detect_leaks=0"))
            port, first = None, ""
            for line in process.stderr:
                first = first or line
                found = re.search(r"listening on 127\.0\.0\.1:(\d+)", line)
                if found:
                    port = int(found.group(1))
                    break
            if port is None:
                process.kill()
                process.wait()
                process.stderr.close()
                self.skipTest("strace may not trace here: " + first)
            rest = threading.Thread(target=process.stderr.read)
            rest.start()
            self.addCleanup(process.stderr.close)
            self.addCleanup(rest.join)
            child = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
            self.addCleanup(end, int(child[0]), process)
            heap = [["body.spawn", {"position": [x, y], "shapes": [{"kind": "circle", "radius": 0.5}]}]
                    for x in range(30) for y in range(30)]
            with Client(port) as client:
                client.call("hello")
                client.call("world.create", world="x", durability="full")
                client.call("world.apply", world="x", commands=heap)
                client.call("world.pause", world="x")
                client.call("world.step", world="x", ticks=30)
                client.call("world.fork", **{"world": "x", "as": "y"})
                client.call("goodbye")
            os.kill(int(child[0]), signal.SIGHUP)
            os.kill(int(child[0]), signal.SIGTERM)
            process.wait(SECONDS_MAX)
            made = {line.split()[0] for line in Path(counts).read_text(encoding="utf-8").splitlines()
                    if re.match(r"[a-z]\w*$", line.strip())} - {"syscall", "total"}
        self.assertGreater(len(made), 30)
        self.assertIn("setpriority", made)  # threads that build worlds have a lower priority
        self.assertEqual(made - permitted_calls() - self.FOREIGN, set())


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class Writes(unittest.TestCase):
    """The process writes nowhere but in its data folder: each file that it opens to write, makes or renames."""

    def test_nothing_outside_the_data_folder_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            data, trace = os.path.join(folder, "data"), os.path.join(folder, "trace")
            # Sanitizers make folders for their reports, and cannot search a traced process for leaks.
            environment = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
            process = subprocess.Popen(
                ["strace", "-f", "-qq", "-o", trace, "-e", "trace=%file,fchmod,ftruncate", CAROMD, "--listen",
                 "127.0.0.1:0", "--data", data, "--world", "w:demo"], stderr=subprocess.PIPE, text=True,
                stdin=subprocess.DEVNULL, env=dict(environment, ASAN_OPTIONS="detect_leaks=0"))
            lines = []
            for line in process.stderr:
                lines.append(line)
                found = re.search(r"listening on 127\.0\.0\.1:(\d+)", line)
                if found:
                    break
            if not lines or "ptrace" in lines[0].lower():
                process.kill()
                process.wait()
                self.skipTest("strace may not trace here")
            rest = threading.Thread(target=process.stderr.read)
            rest.start()
            with Client(int(found.group(1))) as client:
                client.call("hello")
                client.call("world.create", world="x", durability="full")
                client.call("goodbye")
            child = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
            os.kill(int(child[0]), signal.SIGTERM)
            process.wait(SECONDS_MAX)
            rest.join()
            process.stderr.close()
            writing = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|(^|\s)(mkdir|unlink|rename|link|symlink|chmod|chown|mknod|truncate)")
            opened = [line for line in Path(trace).read_text(encoding="utf-8").splitlines() if writing.search(line)]
            self.assertGreater(len(opened), 5)
            outside = []
            for line in opened:
                path = re.search(r'"([^"]*)"', line)
                # The process writes the names of its threads to /proc. A relative path is opened beside the data
                # folder's own descriptor.
                beside = re.search(r"at2?\((?!AT_FDCWD)\d+", line)
                # The last is written by the thread sanitizer itself
                own = (data, "/dev/null", "/proc/self/task/", "/tmp/tsan.")
                if path and not beside and not path.group(1).startswith(own):
                    outside.append(line)
            self.assertEqual(outside, [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
