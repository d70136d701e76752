"""carom relay: clients at a distance, over TCP and WebSocket; errors of wrong options."""

import json
import signal
import socket
import subprocess
import time
import unittest
import urllib.request

from cli import CAROM, LOST, SECONDS_MAX, ServerTest, USAGE, carom, environment, main, rest

from websocket import WebClient  # cli.py has put tests/support on the path
from wire import Client


class Relay(ServerTest):
    def relay(self, *words, server=None):
        """A running relay before the server: returns its first line; `self.ended()` returns its last."""
        address = server or f"127.0.0.1:{self.server.port}"
        self.process = subprocess.Popen([CAROM, "--json", "relay", "--listen", "127.0.0.1:0", *map(str, words)],
                                        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment(CAROM_SERVER=address))
        self.addCleanup(self.process.communicate)
        self.addCleanup(self.process.kill)
        told = json.loads(self.process.stdout.readline())
        self.port = int(told["listen"].rsplit(":", 1)[1])
        return told

    def ended(self):
        self.process.send_signal(signal.SIGINT)
        out, err = rest(self.process)
        self.assertEqual((0, ""), (self.process.returncode, err))
        return json.loads(out)

    def test_each_way_takes_its_delay(self):
        self.relay("--delay", "60ms")
        with Client(self.port) as client:
            client.call("ping")
            begin = time.monotonic()
            for _ in range(3):
                client.call("ping")
            self.assertGreater(time.monotonic() - begin, 3 * 0.12)
        counts = self.ended()
        self.assertEqual((1, 0, 0), (counts["connections"], counts["failed"], counts["stalls"]))
        self.assertGreater(counts["bytes_to_server"], 0)

    def test_whatever_is_sent_arrives_and_nothing_else(self):
        self.relay("--delay", "5ms", "--jitter", "5ms", "--stall", "5%", "--stall-time", "2ms")
        text = "x" * 60_000
        with Client(self.port) as client:
            ids = [client.request("ping", any=f"{i}{text}") for i in range(20)]  # in both directions at once
            for i, request in enumerate(ids):
                self.assertEqual(f"{i}{text}", client.answer(request)["any"])
        counts = self.ended()
        self.assertGreater(counts["stalls"], 0)
        self.assertGreater(counts["bytes_to_clients"], 20 * len(text))

    def test_ends_of_connections_go_through(self):
        self.relay("--delay", "1ms")
        with socket.create_connection(("127.0.0.1", self.port), SECONDS_MAX) as peer:
            peer.sendall(b"\xc1")  # not a message: the server closes
            while peer.recv(4096):
                pass
        with socket.create_connection(("127.0.0.1", self.port), SECONDS_MAX) as peer:
            peer.shutdown(socket.SHUT_WR)  # this side closes: the server closes, too
            while peer.recv(4096):
                pass

    def test_browsers_come_through_as_well(self):
        told = self.relay("--delay", "1ms", "--http", f"127.0.0.1:{self.server.http_port}", "--http-listen", "127.0.0.1:0")
        with urllib.request.urlopen(f"http://{told['http']}/healthz", timeout=SECONDS_MAX) as answer:
            self.assertEqual(200, answer.status)
        port = int(told["http"].rsplit(":", 1)[1])
        with WebClient(port) as client:
            self.assertIn("time", client.call("ping"))

    def test_carom_plays_through_it(self):
        self.relay("--delay", "10ms", "--jitter", "5ms", "--stall", "1%")
        made = carom("create", self.world, "--scene", "demo", port=self.port)
        self.assertEqual(0, made.code, made.err)
        seen = carom("watch", self.world, "--json", "--frames", 5, port=self.port)
        self.assertEqual((0, 5), (seen.code, len(seen.lines())), seen.err)

    def test_time_ends_it(self):
        self.relay("--for", "50ms")
        out, _ = rest(self.process)
        self.assertEqual(0, json.loads(out)["connections"])

    def test_server_that_is_not_there_is_named(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound, but not listening
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self.relay(server=address)
            self.assertEqual(LOST, carom("ping", port=self.port).code)
            self.assertEqual(1, self.ended()["failed"])

    def test_wrong_options_are_explained(self):
        for words, text in [
            (["--jitter", "10ms"], "--jitter is at most --delay"),
            (["--stall", "120%"], "--stall is a share of the segments, such as 1% or 0.01, and not '120%'"),
            (["--stall", "much"], "and not 'much'"),
            (["--delay", "2m"], "--delay is at most 60s"),
            (["--delay", "soon"], "--delay"),
            (["--listen", "22776"], "--listen: '22776' is not HOST:PORT"),
            (["--listen", "127.0.0.1:1:2"], "--listen: '127.0.0.1:1:2'"),
            (["--listen", "192.0.2.1:0"], "--listen: cannot listen on 192.0.2.1:0: "),
            (["--http", "localhost"], "--http: "),
        ]:
            with self.subTest(words):
                self.assertIn(text, self.fails(USAGE, "relay", *words).err)


if __name__ == "__main__":
    main()
