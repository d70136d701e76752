#!/usr/bin/env python3
"""The tools follow worlds to the servers that serve them. Called with the paths of caromd and carom; skipped where etcd is
not installed."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from fleet_case import FleetCase  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import RemoteError  # noqa: E402
from wire_case import BALL  # noqa: E402

CAROM = os.path.abspath(sys.argv[2])


class FollowTest(FleetCase):
    def start(self, node):
        port = etcd.free_port()
        return self.started("--listen", f"127.0.0.1:{port}", "--http", "off", "--fleet", self.etcd.url, "--fleet-prefix",
                            self.prefix, "--node", node, "--advertise", f"127.0.0.1:{port}")

    def carom(self, server, *words):
        return subprocess.run([CAROM, "--server", f"127.0.0.1:{server.port}", *words], timeout=SECONDS_MAX,
                              capture_output=True, text=True, check=False)

    def two(self, world):
        """Two servers, of which the first does not serve the world."""
        a, b = self.start("a"), self.start("b")
        self.client(b).call("world.create", world=world)

        def known():
            try:
                self.client(a).call("world.info", world=world)
            except RemoteError as error:
                return str(error).startswith("moved: ")
            return False
        self.eventually(known)
        return a, b

    def test_commands_of_the_tool_go_to_the_world_s_server(self):
        a, b = self.two("arena")
        done = self.carom(a, "spawn", "arena", "--circle", "0.5", "--at", "0,6", "--json")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        body = json.loads(done.stdout)["body"]
        self.assertEqual(body, self.client(b).call("body.get", world="arena", body=body)["body"])
        for words in (("get", "arena", str(body)), ("info", "arena"), ("call", "world.info", '{"world": "arena"}')):
            done = self.carom(a, *words)
            self.assertEqual((0, ""), (done.returncode, done.stderr), words)

    def test_watch_shows_a_world_of_another_server(self):
        a, b = self.two("arena")
        self.client(b).call("body.spawn", world="arena", shapes=[BALL])
        done = self.carom(a, "watch", "arena", "--json", "--frames", "5")
        self.assertEqual(0, done.returncode, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(5, len(lines))
        self.assertTrue(any(line.get("bodies") for line in lines))

    def test_recording_is_of_the_world_s_server(self):
        a, _ = self.two("arena")
        file = str(Path(self.etcd.folder.name) / "arena.caromlog")
        done = self.carom(a, "record", "arena", file, "--for", "1s")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(0, self.carom(a, "replay", file, "--verify").returncode)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
