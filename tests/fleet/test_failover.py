#!/usr/bin/env python3
"""libcarom, by `carom watch`, goes on at the standby when the world's server dies or hangs. Called with the paths of caromd and
carom; skipped where etcd is not installed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from fleet import Fleet, creates  # noqa: E402
from patience import SECONDS_MAX, eventually  # noqa: E402

CAROMD, CAROM = (os.path.abspath(path) for path in sys.argv[1:3])


@unittest.skipUnless(etcd.there(), "etcd is not installed (docker/install.sh test)")
class FailoverTest(unittest.TestCase):
    eventually = staticmethod(eventually)

    def setUp(self):
        self.fleet = Fleet(CAROMD, pairs=True)
        self.addCleanup(self.fleet.stop)
        for node in "ab":
            self.fleet.start(node)
        with self.fleet.client("a") as client:
            self.eventually(lambda: creates(client))
        self.eventually(lambda: self.fleet.record("arena")["standby"])
        self.ticks = []
        self.watch = subprocess.Popen([CAROM, "--server", f"127.0.0.1:{self.fleet.servers['a'].port}", "watch", "arena", "--json"],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.addCleanup(self.end)
        self.eventually(lambda: len(self.ticks) > 10)

    def read(self):
        for line in self.watch.stdout:
            if "tick" in (shown := json.loads(line)):
                self.ticks.append(shown["tick"])

    def end(self):
        self.watch.kill()
        self.watch.wait()
        self.reader.join(SECONDS_MAX)
        self.watch.stdout.close()

    def goes_on(self, what):
        """Checks that the watcher gets ten more ticks, from the standby, and none twice."""
        begun = time.monotonic()
        self.eventually(lambda: self.fleet.record("arena")["primary"] == "b")
        shown = len(self.ticks)
        self.eventually(lambda: len(self.ticks) > shown + 10)
        self.assertEqual(sorted(set(self.ticks)), self.ticks)
        self.assertIsNone(self.watch.poll())
        print(f"carom watch went on {time.monotonic() - begun:.2f} s after its server {what}", file=sys.stderr)

    def test_watcher_goes_on_when_its_server_is_killed(self):
        self.fleet.servers["a"].process.kill()
        self.goes_on("was killed")
        self.fleet.servers["a"].kill()

    def test_watcher_goes_on_when_its_server_hangs(self):
        hung = self.fleet.servers["a"].process
        hung.send_signal(signal.SIGSTOP)
        try:
            self.goes_on("was stopped")
        finally:
            hung.send_signal(signal.SIGCONT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
