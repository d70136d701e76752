"""A world in whose ticks the process ended twice is set aside, and the others start. The steps that end the process
are planted (planted/faults.c) in worlds of 61 Hz, in the server that is started as `planted`.

Usage: test_wire_aside.py CAROMD CAROMD_PLANTED CAROM
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX, eventually  # noqa: E402
from wire import Client, Closed, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD  # noqa: E402

PLANTED = os.path.abspath(sys.argv[2])
CAROM = os.path.abspath(sys.argv[3])
BAD_HZ = 61


class AsideTest(unittest.TestCase):
    FAULT, SIGNAL = "failed-step", "SIGABRT"

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="carom-aside-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.data = os.path.join(folder, "data")
        os.environ["CAROM_PLANT"] = self.FAULT
        # A sanitizer would take these signals itself, and end the process with a report.
        for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"):
            own = os.environ.get(name, "")
            self.addCleanup(os.environ.__setitem__, name, own)
            os.environ[name] = own + "".join(f":handle_{s}=0" for s in ("segv", "sigbus", "abort", "sigill", "sigfpe"))
        self.addCleanup(os.environ.pop, "CAROM_PLANT")

    def start(self, program, *options):
        server = Caromd(program, "--data", self.data, "--http", "127.0.0.1:0", *options)
        self.addCleanup(server.process.stderr.close)
        self.addCleanup(server.process.wait)
        self.addCleanup(server.process.kill)
        client = Client(server.port)
        self.addCleanup(client.socket.close)
        return server, client

    def ends(self, server, number):
        self.assertEqual(server.process.wait(SECONDS_MAX), -number)
        server.reader.join(SECONDS_MAX)

    def make(self, client, world, **settings):
        client.call("world.create", world=world, **settings)
        client.call("body.spawn", world=world, shapes=[BALL])

    def crash_once(self):
        """A start that ends by itself: in the replay of the log, or in a tick after it."""
        try:
            server, _ = self.start(PLANTED)
        except (RuntimeError, ConnectionError):
            return  # it ended before it listened
        self.ends(server, getattr(signal, self.SIGNAL))

    def crash_twice(self):
        server, client = self.start(PLANTED)
        self.make(client, "good", hz=60, durability="full")
        try:
            self.make(client, "bad", hz=BAD_HZ, durability="full")
        except (Closed, ConnectionError):
            pass
        self.ends(server, getattr(signal, self.SIGNAL))
        lines = Path(self.data, "crashes").read_text().splitlines()
        self.assertEqual([line.split()[1] for line in lines], [self.SIGNAL])
        self.crash_once()

    def worlds(self, client):
        return {w["world"]: w for w in client.call("world.list")}

    def is_set_aside(self, server, client):
        worlds = self.worlds(client)
        self.assertEqual(set(worlds), {"good", "bad"})
        self.assertNotIn("unavailable", worlds["good"])
        self.assertRegex(worlds["bad"]["unavailable"],
                         rf"set aside.* 2 times \({self.SIGNAL}, {self.SIGNAL}\).*--load-aside bad.*world\.destroy")
        self.assertEqual(client.call("world.info", world="bad"), worlds["bad"])
        for method, arguments in (("world.step", {}), ("body.spawn", {"shapes": [BALL]}), ("world.subscribe", {}),
                                  ("world.create", {"if_absent": True})):
            with self.assertRaisesRegex(RemoteError, "unavailable: world 'bad' is set aside"):
                client.call(method, world="bad", **arguments)
        with self.assertRaisesRegex(RemoteError, "already_exists"):
            client.call("world.create", world="bad")
        self.assertIn("world 'bad' is set aside", "".join(server.log))
        client.call("body.spawn", world="good", position=[5, 5], shapes=[BALL])

    def page(self, server, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}{path}", timeout=SECONDS_MAX) as answer:
            return answer.read().decode()


class FailedAssertion(AsideTest):
    def test_second_end_sets_it_aside_and_the_others_start(self):
        self.crash_twice()
        server, client = self.start(PLANTED)
        self.is_set_aside(server, client)
        self.assertEqual(self.page(server, "/readyz"),
                         "ready; 1 world is not served, as the log and 'carom doctor' say why\n")
        self.assertIn("\ncarom_worlds_not_served 1\n", self.page(server, "/metrics"))
        for command, words in (("doctor", "bad is set aside"), ("worlds", "not served")):
            done = subprocess.run([CAROM, "--server", f"carom://127.0.0.1:{server.port}", command],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS_MAX)
            self.assertIn(words, done.stdout, done.stderr)
        # A server killed in between changes nothing, nor does one that ends cleanly.
        server.process.kill()
        self.ends(server, signal.SIGKILL)
        server, client = self.start(PLANTED)
        self.is_set_aside(server, client)
        server.process.terminate()
        self.ends(server, 0)
        server, client = self.start(PLANTED)
        self.is_set_aside(server, client)

    def test_it_is_loaded_on_request_and_counts_anew(self):
        self.crash_twice()
        server, client = self.start(CAROMD, "--load-aside", "bad")
        self.assertNotIn("unavailable", self.worlds(client)["bad"])
        self.assertEqual(client.call("world.info", world="bad")["bodies"], 1)
        self.assertEqual(self.page(server, "/readyz"), "ready\n")
        server.process.terminate()
        self.ends(server, 0)
        server, client = self.start(CAROMD)
        self.assertNotIn("unavailable", self.worlds(client)["bad"])

    def test_it_is_dropped_on_request(self):
        self.crash_twice()
        server, client = self.start(PLANTED)
        client.call("world.destroy", world="bad")
        self.assertEqual(set(self.worlds(client)), {"good"})
        client.call("world.create", world="bad", hz=60)
        server.process.terminate()
        self.ends(server, 0)
        server, client = self.start(PLANTED)
        self.assertNotIn("unavailable", self.worlds(client)["bad"])
        self.assertEqual(Path(self.data, "crashes").read_text(), "")

    def test_crashes_of_another_version_do_not_count(self):
        self.crash_twice()
        crashes = Path(self.data, "crashes")
        crashes.write_text("".join(line.rsplit(" ", 1)[0] + " 0.0.9\n" for line in crashes.read_text().splitlines()))
        _, client = self.start(CAROMD)
        self.assertNotIn("unavailable", self.worlds(client)["bad"])

    def test_file_that_makes_no_sense_sets_nothing_aside(self):
        server, client = self.start(CAROMD)
        self.make(client, "good", hz=60, durability="full")
        epoch = client.call("world.info", world="good")["epoch"]
        server.process.terminate()
        self.ends(server, 0)
        words = [b"", b"\n\n", b"good SIGABRT 0.1.0\n" * 3, f"{epoch} SIGTERM 0.1.0\n".encode() * 3,
                 f"{epoch} SIGABRT\n".encode() * 3, os.urandom(5000), b"9" * 100000, bytes(100000)]
        for text in words:
            Path(self.data, "crashes").write_bytes(text)
            server, client = self.start(CAROMD)
            eventually(lambda: "unavailable" not in self.worlds(client)["good"] or
                       "being restored" not in self.worlds(client)["good"]["unavailable"])
            self.assertNotIn("unavailable", self.worlds(client)["good"], text[:40])
            server.process.terminate()
            self.ends(server, 0)
        Path(self.data, "crashes").unlink()
        Path(self.data, "crashes").mkdir()
        server, client = self.start(CAROMD)
        self.assertNotIn("unavailable", self.worlds(client)["good"])
        self.assertIn("cannot record worlds that end the process", "".join(server.log))


class WildPointer(AsideTest):
    FAULT, SIGNAL = "wild-step", "SIGSEGV"

    def test_fault_of_memory_counts_as_a_failed_assertion_does(self):
        self.crash_twice()
        self.is_set_aside(*self.start(PLANTED))


class NobodysFault(AsideTest):
    """A process ended from outside is no world's fault."""
    FAULT = ""

    def test_signals_of_others_and_kills_do_not_count(self):
        for number in (signal.SIGABRT, signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL, signal.SIGKILL, signal.SIGBUS):
            server, client = self.start(CAROMD)
            if "busy" not in self.worlds(client):
                self.make(client, "busy", hz=1000, durability="full")
            server.process.send_signal(number)
            self.ends(server, number)
        _, client = self.start(CAROMD)
        self.assertNotIn("unavailable", self.worlds(client)["busy"])
        self.assertEqual(Path(self.data, "crashes").read_text(), "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
