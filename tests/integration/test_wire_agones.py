#!/usr/bin/env python3
"""caromd --agones against a sidecar that answers as Agones does, late, wrongly or not at all. Called with the paths of caromd and of
caromd with planted faults."""

import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client  # noqa: E402
from wire_case import CAROMD, WireTest  # noqa: E402

PLANTED = os.path.abspath(sys.argv[2])
COUNTERS = "/v1beta1/counters/"
GIANT = 1 << 20  # bytes of an answer: more than a server reads


class Sidecar:
    """The REST interface of an Agones sidecar: checks what it gets, records it in order, and answers as `answer` says."""

    def __init__(self, port=0):
        sidecar = self
        self.seen = []  # (path, value); the value of a counter, else None
        self.wrong = []  # requests that Agones would not understand
        self.answer = None  # NULL: as Agones; else a function of the request handler
        self.released = threading.Event()  # ends answers that are held back

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def reply(self, code, body):
                self.send_response(code)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def serve(self, method):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                value = None
                if method == "PATCH" and self.path in (COUNTERS + "worlds", COUNTERS + "sessions"):
                    fields = json.loads(body)
                    value = int(fields["count"])
                    well = list(fields) == ["count"] and isinstance(fields["count"], str)
                else:
                    well = method == "POST" and self.path in ("/ready", "/health", "/allocate", "/shutdown") and json.loads(body) == {}
                if not well or self.headers["Content-Type"] != "application/json":
                    sidecar.wrong.append((method, self.path, body))
                sidecar.seen.append((self.path, value))
                try:
                    if sidecar.answer is not None:
                        sidecar.answer(self)
                    else:
                        self.reply(200, b"{}")
                except OSError:  # the server did not wait
                    self.close_connection = True

            def do_POST(self):
                self.serve("POST")

            def do_PATCH(self):
                self.serve("PATCH")

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def process_request(self, request, client_address):
                sidecar.connections.append(request)
                super().process_request(request, client_address)

            def handle_error(self, request, client_address):
                if not isinstance(sys.exc_info()[1], OSError):  # else the server did not wait
                    super().handle_error(request, client_address)

        self.connections = []
        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def states(self):
        """The states that the server reported, in order."""
        return [path for path, _ in list(self.seen) if path in ("/ready", "/allocate", "/shutdown")]

    def health(self):
        return [path for path, _ in list(self.seen)].count("/health")

    def counter(self, name):
        """The counter's last value; None if it was never set."""
        values = [value for path, value in list(self.seen) if path == COUNTERS + name]
        return values[-1] if values else None

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:  # closed already
                pass
        self.thread.join(SECONDS_MAX)


class Agones(WireTest):
    def setUp(self):
        self.sidecar = Sidecar()
        self.addCleanup(lambda: self.sidecar.close())

    def start(self, *options, program=CAROMD, **variables):
        with mock.patch.dict(os.environ, AGONES_SDK_HTTP_PORT=str(self.sidecar.port), **variables):
            server = self.server = Caromd(program, "--agones", *options)
        self.addCleanup(lambda: server.process.poll() is None and server.kill())  # a failed test leaves it running
        return server

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.server.http_port}/metrics") as page:
            [line] = [line for line in page.read().decode().splitlines() if line.startswith(name + " ")]
        return float(line.split()[1])

    def await_states(self, *states):
        self.eventually(lambda: self.sidecar.states() == list(states))

    def assert_world_ticks(self, client, world="demo"):
        before = client.call("world.info", world=world)["tick"]
        self.eventually(lambda: client.call("world.info", world=world)["tick"] > before + 3)

    def test_a_server_reports_its_life(self):
        self.start("--world", "demo")
        self.await_states("/ready")
        self.eventually(lambda: self.sidecar.counter("worlds") == 1 and self.sidecar.counter("sessions") == 0)
        with Client(self.server.port) as client:
            self.await_states("/ready", "/allocate")
            self.eventually(lambda: self.sidecar.counter("sessions") == 1)
            client.call("world.create", world="arena")
            self.eventually(lambda: self.sidecar.counter("worlds") == 2)
        self.eventually(lambda: self.sidecar.counter("sessions") == 0)
        self.eventually(lambda: self.sidecar.health() >= 3)
        self.assertEqual(["/ready", "/allocate"], self.sidecar.states())  # the world that was made is still there
        with Client(self.server.port) as client:
            client.call("world.destroy", world="arena")
        self.await_states("/ready", "/allocate", "/ready")
        self.server.__exit__()
        self.assertEqual(["/ready", "/allocate", "/ready", "/shutdown"], self.sidecar.states())
        self.assertEqual([], self.sidecar.wrong)
        self.assertEqual([], [line for line in self.server.log if "WARN" in line or "ERROR" in line])

    def test_a_worlds_log_keeps_a_server_allocated_after_a_restart(self):
        with tempfile.TemporaryDirectory() as data:
            self.start("--data", data)
            with Client(self.server.port) as client:
                client.call("world.create", world="kept")
            self.server.__exit__()
            self.sidecar.seen.clear()
            self.start("--data", data)
            self.await_states("/allocate")
            self.server.__exit__()

    def test_a_sidecar_that_starts_later_is_found(self):
        port = self.sidecar.port
        self.sidecar.close()
        with self.start("--world", "demo") as server:
            server.await_log("agones: no answer from the sidecar")
            self.assertEqual(1, self.metric("carom_agones_unanswered"))
            self.sidecar = Sidecar(port)
            self.await_states("/ready")
            server.await_log("agones: the sidecar answers again")
            self.eventually(lambda: self.metric("carom_agones_unanswered") == 0)
            self.sidecar.close()  # gone again: the log gets one more line, and the server ends all the same
            self.eventually(lambda: sum("no answer from the sidecar" in line for line in server.log) == 2)
            with Client(server.port) as client:
                self.assert_world_ticks(client)
        self.assertIn("agones: the sidecar did not accept the end within 2000 ms", "".join(server.log))

    def test_a_silent_sidecar_stops_no_world(self):
        self.sidecar.answer = lambda handler: self.sidecar.released.wait(SECONDS_MAX)
        with self.start("--world", "demo") as server:
            server.await_log("agones: no answer from the sidecar")
            with Client(server.port) as client:
                self.assert_world_ticks(client)
                before = self.metric('carom_agones_requests_total{result="unanswered"}')
                self.eventually(lambda: self.metric('carom_agones_requests_total{result="unanswered"}') > before + 4)
                self.assertEqual(0, self.metric('carom_agones_requests_total{result="accepted"}'))
            self.assertEqual(1, sum("no answer from the sidecar" in line for line in server.log))

    def test_a_giant_answer_is_cut(self):
        def giant(handler):
            handler.reply(200, b"{" + b" " * GIANT + b"}")
        self.sidecar.answer = giant
        with self.start("--world", "demo") as server:
            self.assertIn("its answer has more than 65536 bytes", server.await_log("no answer from the sidecar"))
            with Client(server.port) as client:
                self.assert_world_ticks(client)
            self.sidecar.answer = None
            server.await_log("agones: the sidecar answers again")

    def test_another_program_at_the_port_is_named_once(self):
        self.sidecar.answer = lambda handler: handler.reply(200, b"<html>It works!</html>")
        with self.start("--world", "demo") as server:
            line = server.await_log("/ready answers")
            self.assertIn(f"agones: http://127.0.0.1:{self.sidecar.port}/ready answers HTTP 200, and not as Agones does", line)
            with Client(server.port) as client:
                self.assert_world_ticks(client)
            self.eventually(lambda: self.sidecar.states().count("/ready") >= 2)  # asked again, in case another comes
            self.assertEqual(1, sum("/ready answers" in line for line in server.log))

    def test_counters_that_the_fleet_does_not_have_are_named(self):
        def refuse(handler):
            if handler.path == COUNTERS + "worlds":
                handler.reply(404, b'{"code":5,"message":"counter not found: worlds"}')
            elif handler.path == COUNTERS + "sessions" and self.sidecar.counter("sessions") > 0:
                handler.reply(400, b'{"code":11,"message":"out of range.\\u0007 Count must be within range [0,Capacity]. Count: 1"}')
            else:
                handler.reply(200, b"{}")
        self.sidecar.answer = refuse
        with self.start("--world", "demo") as server:
            self.assertIn("spec.counters.worlds of the Fleet's template makes one", server.await_log("no counter 'worlds'"))
            self.await_states("/ready")
            with Client(server.port):
                line = server.await_log("counter 'sessions'")
                self.assertIn("is not set to 1: HTTP 400: out of range.", line)
                self.assertNotIn("\a", line)
            self.await_states("/ready", "/allocate", "/ready")

    def test_health_is_reported_only_while_worlds_tick(self):
        with tempfile.TemporaryDirectory() as folder:
            gate = Path(folder, "gate")
            with self.start("--world", "demo", "--threads", "2", program=PLANTED, CAROM_PLANT="stuck-step", CAROM_GATE=str(gate)) as server:
                self.eventually(lambda: self.sidecar.health() >= 1)
                client = self.connect()
                client.call("world.create", world="stuck", hz=61)
                server.await_log("agones: health is not reported: a simulation thread has been at one step for more than 5 s")
                before = None
                for _ in range(3):  # more than the time between two reports of health passes
                    with Client(server.port):
                        self.eventually(lambda: self.sidecar.counter("sessions") == 2)
                    self.eventually(lambda: self.sidecar.counter("sessions") == 1)
                    before = self.sidecar.health() if before is None else before
                for _ in range(3):
                    with Client(server.port):
                        self.eventually(lambda: self.sidecar.counter("sessions") == 2)
                    self.eventually(lambda: self.sidecar.counter("sessions") == 1)
                self.assertEqual(before, self.sidecar.health())
                gate.touch()
                server.await_log("agones: all worlds tick again: health is reported")
                self.eventually(lambda: self.sidecar.health() > before)

    def test_a_server_that_is_replaced_reports_no_end(self):
        with tempfile.TemporaryDirectory() as data:
            first = self.start("--world", "demo", "--data", data)
            self.await_states("/ready")
            second = self.start("--takeover", data + "/takeover", "--data", data)
            first.process.wait(SECONDS_MAX)
            self.await_states("/ready", "/allocate")  # the second one does not know who made the world
            first.kill()
            self.assertEqual(0, first.process.returncode)
            second.__exit__()
            self.assertEqual(["/ready", "/allocate", "/shutdown"], self.sidecar.states())

    def test_a_server_that_cannot_run_reports_no_end(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            environment = os.environ | {"AGONES_SDK_HTTP_PORT": str(self.sidecar.port)}
            ended = subprocess.run([CAROMD, "--agones", "--listen", f"127.0.0.1:{taken.getsockname()[1]}"], env=environment,
                                   capture_output=True, text=True, timeout=SECONDS_MAX)
        self.assertEqual(1, ended.returncode)
        self.assertNotIn("/shutdown", self.sidecar.states())

    def test_wrong_ports_are_named(self):
        for text in ("0", "65536", "-1", "9358x", " 9358", "port"):
            with self.subTest(text=text):
                environment = os.environ | {"AGONES_SDK_HTTP_PORT": text}
                ended = subprocess.run([CAROMD, "--agones", "--check-config"], env=environment, capture_output=True, text=True, timeout=SECONDS_MAX)
                self.assertEqual(2, ended.returncode)
                self.assertIn(f"AGONES_SDK_HTTP_PORT: '{text}' is not a port from 1 to 65535", ended.stderr)
                ignored = subprocess.run([CAROMD, "--check-config"], env=environment, capture_output=True, text=True, timeout=SECONDS_MAX)
                self.assertEqual(0, ignored.returncode)  # without --agones it means nothing

    def test_lame_duck_ends_with_shutdown(self):
        with self.start("--world", "demo") as server:
            self.await_states("/ready")
            with Client(server.port):
                self.await_states("/ready", "/allocate")
                server.process.send_signal(signal.SIGUSR1)
                server.await_log("SIGUSR1")
            server.process.wait(SECONDS_MAX)
            self.await_states("/ready", "/allocate", "/shutdown")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:], verbosity=2)
