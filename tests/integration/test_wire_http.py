#!/usr/bin/env python3
"""HTTP: files, health, metrics, and invalid or excessive requests: refused with the right status, counted, and without
effect on others. Called with the path of caromd."""

import http.client
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from websocket import WebClient, handshake  # noqa: E402
from wire import Client, RemoteError  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
BALL = {"kind": "circle", "radius": 0.5}
GET = b"GET /healthz HTTP/1.1\r\nHost: here\r\n"


class HttpTest(unittest.TestCase):
    OPTIONS = []

    @classmethod
    def setUpClass(cls):
        cls.server = Caromd(CAROMD, "--threads", "1", *cls.OPTIONS)
        cls.port = cls.server.http_port

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def get(self, path, method="GET", **headers):
        with_dashes = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)
        self.addCleanup(connection.close)
        connection.request(method, path, headers=with_dashes)
        answer = connection.getresponse()
        answer.body = answer.read()
        return answer

    def raw(self, *pieces, wait=0.0):
        """Sends the pieces and reads to the end; returns all input."""
        with socket.create_connection(("127.0.0.1", self.port), SECONDS_MAX) as opened:
            try:
                for piece in pieces:
                    opened.sendall(piece)
                    time.sleep(wait)
                data = b""
                while part := opened.recv(65536):
                    data += part
            except ConnectionError:
                pass
        return data

    def status(self, *pieces, **more):
        answer = self.raw(*pieces, **more)
        found = re.match(rb"HTTP/1\.1 (\d+) ", answer)
        self.assertTrue(found, answer[:200])
        return int(found.group(1))

    def counters(self):
        with Client(self.server.port) as client:
            return client.call("server.stats")["counters"]


class Pages(HttpTest):
    def test_root_is_a_page(self):
        answer = self.get("/")
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn(b"<!doctype html", answer.body.lower())
        policy = answer.headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(self.get("/?world=demo#x").status, 200)

    def test_sources_of_the_client_are_files(self):
        sources = Path(__file__).resolve().parents[2] / "client/web/src"
        bundled = {"phaser.js", "pixi.js", "picture.js"}  # for games that a bundler puts together: not served
        for path in (path for path in sources.glob("*.js") if path.name not in bundled):
            answer = self.get(f"/src/{path.name}")
            self.assertEqual(answer.headers["Content-Type"], "text/javascript; charset=utf-8")
            self.assertEqual(answer.body, path.read_bytes())

    def test_viewer_is_served_whole(self):
        viewer = Path(__file__).resolve().parents[2] / "client/web/viewer"
        if not (viewer / "index.html").exists():
            self.skipTest("no viewer in this tree")
        page = (viewer / "index.html").read_bytes()  # the file lies one folder below the root
        self.assertEqual(self.get("/").body, page.replace(b'"../viewer/', b'"viewer/'))
        self.assertEqual(self.get("/viewer/").body, page)
        moved = self.get("/viewer")
        self.assertEqual((301, "./viewer/"), (moved.status, moved.headers["Location"]))
        for reference in re.findall(rb'(?:href|src)="([^"#]+)"', self.get("/").body):
            self.assertFalse(reference.startswith((b"/", b"..")), "a proxy may serve the page under a path")
        for path in viewer.rglob("*"):
            if path.suffix in (".html", ".js", ".css", ".svg"):
                answer = self.get(f"/viewer/{path.relative_to(viewer).as_posix()}")
                self.assertEqual((answer.status, answer.body), (200, path.read_bytes()), path)

    def test_head_has_the_headers_alone(self):
        full, head = self.get("/src/index.js"), self.get("/src/index.js", method="HEAD")
        self.assertEqual(head.body, b"")
        self.assertEqual(head.headers["Content-Length"], full.headers["Content-Length"])
        self.assertEqual(self.get("/metrics", method="HEAD").body, b"")

    def test_health_and_readiness(self):
        self.assertEqual((self.get("/healthz").status, self.get("/healthz").body), (200, b"ok\n"))
        self.assertEqual(self.get("/readyz").status, 200)

    def test_server_that_leaves_is_not_ready(self):
        with Caromd(CAROMD, "--limit", "lame_duck_ms=20000") as server:
            with Client(server.port) as client:
                client.call("hello")
                server.process.send_signal(signal.SIGUSR1)
                client.read_until(lambda: client.notifications)
                url = f"http://127.0.0.1:{server.http_port}"
                with self.assertRaises(urllib.error.HTTPError) as caught:
                    urllib.request.urlopen(url + "/readyz", timeout=SECONDS_MAX)
                self.assertEqual(caught.exception.code, 503)
                caught.exception.close()
                with urllib.request.urlopen(url + "/healthz", timeout=SECONDS_MAX) as answer:
                    self.assertEqual(answer.status, 200)

    def test_several_requests_on_one_connection(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)
        for path in ("/healthz", "/src/client.js", "/nothing", "/metrics", "/"):
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            self.assertEqual(answer.status, 404 if path == "/nothing" else 200)
        connection.close()

    def test_requests_one_behind_another(self):
        count = 40
        answer = self.raw((GET + b"\r\n") * (count - 1) + GET + b"Connection: close\r\n\r\n")
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), count)
        files = b"GET /src/client.js HTTP/1.1\r\nHost: h\r\n\r\n" * 5 + GET + b"Connection: close\r\n\r\n"
        self.assertEqual(self.raw(files).count(b"HTTP/1.1 200 OK"), 6)

    def test_request_byte_by_byte(self):
        self.assertEqual(self.status(*[bytes([b]) for b in GET + b"Connection: close\r\n\r\n"]), 200)

    def test_options_of_every_page_tell_the_methods(self):
        """Load balancers use it for checks: HAProxy requests OPTIONS / HTTP/1.0, without Host."""
        self.assertEqual(self.status(b"OPTIONS / HTTP/1.0\r\n\r\n"), 204)
        for path in ("/", "/healthz", "/readyz", "/metrics", "/src/index.js", "/rpc"):
            answer = self.get(path, method="OPTIONS")
            self.assertEqual((answer.status, answer.body), (204, b""), path)
            self.assertEqual(answer.headers["Allow"], "GET, HEAD, OPTIONS")
            self.assertNotIn("Access-Control-Allow-Origin", answer.headers)
        self.assertEqual(self.get("/nothing", method="OPTIONS").status, 404)
        whole = self.raw(b"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n" + GET + b"Connection: close\r\n\r\n")
        self.assertTrue(whole.startswith(b"HTTP/1.1 204 ") and b"HTTP/1.1 200 OK" in whole, whole)
        self.assertEqual(self.status(b"GET * HTTP/1.1\r\nHost: h\r\n\r\n"), 400)

    def test_old_version_closes(self):
        self.assertEqual(self.status(b"GET /healthz HTTP/1.0\r\n\r\n"), 200)


class BadRequests(HttpTest):
    """Each is answered with its status, and the connection is closed."""

    def refused(self, status, *pieces):
        before = self.counters()["http_refused"]
        self.assertEqual(self.status(*pieces), status)
        self.assertEqual(self.counters()["http_refused"], before + 1)

    def test_what_is_no_http(self):
        for data in (b"\x94\x00\x01\xa4ping\x90", b"\x16\x03\x01\x02\x00\x01", b"\r\n", b"get / HTTP/1.1\r\n",
                     b"GET /\x00 HTTP/1.1", b"SSH-2.0-x\x07"):
            with self.subTest(data):
                self.refused(400, data)

    def test_request_lines(self):
        for line in (b"GET\r\n", b"GET /\r\n", b"GET / HTTP/1.1 x\r\n", b"GET  / HTTP/1.1\r\n", b"GET / HTTP/11\r\n",
                     b"GET / HTTPS/1.1\r\n", b"GET x HTTP/1.1\r\n", b"GET http://h/ HTTP/1.1\r\n",
                     b"G@T / HTTP/1.1\r\n", b"GET /\xc3\xa4 HTTP/1.1\r\n"):
            with self.subTest(line):
                self.refused(400, line + b"Host: h\r\n\r\n")

    def test_versions(self):
        self.refused(505, b"GET / HTTP/2.0\r\nHost: h\r\n\r\n")
        self.refused(505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

    def test_paths_that_go_up(self):
        for path in (b"/..", b"/../etc/passwd", b"/viewer/../../x", b"/%2e%2e/x", b"/.git/config", b"/viewer/.hidden",
                     b"/viewer\\..\\x", b"/src/%00.js"):
            with self.subTest(path):
                self.refused(400, b"GET " + path + b" HTTP/1.1\r\nHost: h\r\n\r\n")

    def test_unknown_paths(self):
        for path in ("/x", "/src", "/src/index.js/", "/rpc/", "//"):
            with self.subTest(path):
                self.assertEqual(self.get(path).status, 404)

    def test_methods(self):
        for method in ("POST", "PUT", "DELETE", "options", "TRACE", "CONNECT", "BREW"):
            with self.subTest(method):
                answer = self.raw(f"{method} / HTTP/1.1\r\nHost: h\r\n\r\n".encode())
                self.assertTrue(answer.startswith(b"HTTP/1.1 405 "), answer[:80])
                self.assertIn(b"\r\nAllow: GET, HEAD, OPTIONS\r\n", answer)

    def test_bodies(self):
        self.refused(413, GET + b"Content-Length: 5\r\n\r\nhello")
        self.refused(413, GET + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        self.refused(400, GET + b"Content-Length: x\r\n\r\n")
        self.refused(400, GET + b"Content-Length: 0\r\nContent-Length: 5\r\n\r\n")
        self.assertEqual(self.status(GET + b"Content-Length: 0\r\nConnection: close\r\n\r\n"), 200)

    def test_slow_post_is_refused_at_its_head(self):
        self.refused(405, b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")

    def test_header_lines(self):
        for lines in (b" folded: x\r\n", b"A: b\r\n c\r\n", b"no colon\r\n", b": nameless\r\n", b"A : b\r\n",
                      b"A: \x01\r\n", b"A: b\n", b"A: b\rC: d\r\n", b"Host: again\r\n"):
            with self.subTest(lines):
                self.refused(400, GET + lines + b"\r\n")

    def test_host_is_named(self):
        self.refused(400, b"GET / HTTP/1.1\r\n\r\n")
        self.refused(400, b"GET / HTTP/1.1\r\nHost: \r\n\r\n")

    def test_header_lines_without_end(self):
        self.refused(431, GET + b"A: b\r\n" * 101 + b"\r\n")
        self.assertEqual(self.status(GET + b"A: b\r\n" * 98 + b"Connection: close\r\n\r\n"), 200)

    def test_header_of_a_megabyte(self):
        self.refused(431, GET + b"A: " + b"x" * 20000)
        before = self.counters()["http_refused"]
        answer = self.raw(GET + b"A: " + b"x" * (1 << 20))
        self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 431 "), answer[:80])
        self.assertEqual(self.counters()["http_refused"], before + 1)


class Names(HttpTest):
    """A page of evil.example whose name was made to point here (DNS rebinding) learns nothing, not even the names of
    worlds."""
    OPTIONS = ["--origin", "https://play.example", "--origin", "http://tools.example:8000", "--world", "secret"]

    def verdict(self, host, path="/metrics"):
        return self.status(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())

    def test_own_names_and_those_of_allowed_origins(self):
        port = self.port
        for host in (f"127.0.0.1:{port}", "127.0.0.1", "192.168.7.9:80", f"localhost:{port}", "LOCALHOST", "a.localhost",
                     f"[::1]:{port}", "[2001:db8::7]", "server:22767", "my_box", "play.example", "Play.Example:443",
                     "tools.example"):
            with self.subTest(host):
                self.assertEqual(self.verdict(host), 200)
        self.assertEqual(self.status(b"GET /metrics HTTP/1.0\r\n\r\n"), 200)

    def test_other_names(self):
        before = self.counters()["refused_host"]
        others = [f"evil.example:{self.port}", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                  "127.0.0.1.", "notplay.example", "play.example.evil.example", "play.example.", "xlocalhost.example",
                  "[evil]", "[play.example]", "[", "[]", ":80", ".", "x" * 5000 + ".example", "127.0.0.1\\@evil.example"]
        for host in others:
            with self.subTest(host):
                answer = self.raw(f"GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                self.assertTrue(answer.startswith(b"HTTP/1.1 421 Misdirected Request\r\n"), answer[:80])
                self.assertIn(b"caromd --origin", answer)
                self.assertNotIn(b"secret", answer)
        self.assertEqual(self.counters()["refused_host"], before + len(others))

    def test_every_page_but_that_the_process_lives(self):
        for path in ("/", "/viewer/main.js", "/src/client.js", "/readyz", "/metrics", "/nothing"):
            with self.subTest(path):
                self.assertEqual(self.verdict("evil.example", path), 421)
        self.assertEqual(self.verdict("evil.example", "/healthz"), 200)

    def test_any_name_where_any_page_may_connect(self):
        with Caromd(CAROMD, "--origin", "*") as server, socket.create_connection(("127.0.0.1", server.http_port), SECONDS_MAX) as opened:
            opened.sendall(b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            self.assertTrue(opened.recv(4096).startswith(b"HTTP/1.1 200 "))


class Policy(unittest.TestCase):
    def policy(self, *options):
        with Caromd(CAROMD, "--threads", "1", *options) as server:
            with urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}/", timeout=SECONDS_MAX) as answer:
                headers = answer.headers
        self.assertEqual(headers["X-Frame-Options"], "DENY")
        self.assertEqual(headers["Referrer-Policy"], "no-referrer")
        parts = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
        self.assertEqual((parts["default-src"], parts["frame-ancestors"]), ("'none'", "'none'"))
        return parts["connect-src"]

    def test_the_page_connects_to_its_own_server_and_those_that_the_operator_names(self):
        self.assertEqual(self.policy(), "'self'")
        self.assertEqual(self.policy("--viewer-server", "wss://b.example:22767", "--viewer-server", "ws://10.0.0.7:1/rpc"),
                         "'self' wss://b.example:22767 ws://10.0.0.7:1/rpc")
        self.assertEqual(self.policy("--viewer-server", "*"), "'self' ws: wss:")

    def test_as_many_and_as_long_as_may_be(self):
        servers = [f"wss://{i:02}." + "a" * 246 for i in range(16)]
        options = [word for server in servers for word in ("--viewer-server", server)]
        self.assertEqual(self.policy(*options), "'self' " + " ".join(servers))


class Refusals(unittest.TestCase):
    """Log lines about refusals, from a server of its own, whose burst of lines is not used up by other tests."""
    LINES_AT_ONCE, LINES_A_SECOND = 100, 10
    ADDRESS = "127.0.0.3"
    BREW = (b"BREW / HTTP/1.1\r\nHost: h\r\n\r\n", "the methods are GET, HEAD and OPTIONS")

    def setUp(self):
        self.server = Caromd(CAROMD, "--threads", "1")
        self.addCleanup(self.server.__exit__)

    def send(self, data):
        """Sends it, reads to the end, and returns the peer's name in the log."""
        with socket.create_connection(("127.0.0.1", self.server.http_port), SECONDS_MAX, (self.ADDRESS, 0)) as opened:
            name = f"{self.ADDRESS}:{opened.getsockname()[1]}"
            try:
                opened.sendall(data)
                while opened.recv(65536):
                    pass
            except ConnectionError:
                pass
        return name

    def wait(self, found, seconds=SECONDS_MAX):
        end = time.monotonic() + seconds
        while not (value := found()) and time.monotonic() < end:
            time.sleep(0.01)
        return value

    def lines(self, name):
        return [line.rstrip() for line in list(self.server.log) if f"address {name}: " in line]

    def written(self):
        return sum("refused: no session" in line for line in list(self.server.log))

    def unwritten(self):
        return sum(int(n) for n in re.findall(r"refused: (\d+) more, which (?:was|were) not written down",
                                              "".join(list(self.server.log))))

    def test_each_has_its_line_with_address_and_reason(self):
        evil = handshake(self.server.http_port, Origin="https://evil.example")
        for data, code, reason in (
                (evil, "permission_denied", "pages of this origin may not connect: caromd --origin allows one"),
                (GET + b"A: " + b"x" * (1 << 20), "limit_exceeded", "http_header_bytes: the header is too long"),
                (b"\x94\x00\x01\xa4ping\x90", "invalid_argument",
                 "this is not HTTP: the other port speaks the protocol itself"),
                (self.BREW[0], "invalid_argument", self.BREW[1])):
            with self.subTest(reason):
                name = self.send(data)
                lines = self.wait(lambda name=name: self.lines(name))
                self.assertEqual(len(lines), 1)
                self.assertTrue(lines[0].endswith(
                    f"refused: no session, address {name}: {code}: {reason}"), lines[0])
        self.assertEqual((self.written(), self.unwritten()), (4, 0))

    def test_flood_has_so_many_lines_and_the_rest_is_a_number(self):
        begin, sent, last = time.monotonic(), 0, None
        while sent < 400 or not self.wait(lambda: self.lines(last), 0.2):  # the last refusal must have a line
            self.assertLess(sent, 500)
            last = self.send(self.BREW[0])
            sent += 1
        self.assertTrue(self.wait(lambda: self.written() + self.unwritten() >= sent))
        elapsed = time.monotonic() - begin
        self.assertEqual(self.written() + self.unwritten(), sent)
        self.assertLessEqual(self.written(), self.LINES_AT_ONCE + 1 + self.LINES_A_SECOND * elapsed)
        self.assertGreaterEqual(self.written(), min(sent, self.LINES_AT_ONCE))


class Bounds(HttpTest):
    OPTIONS = ["--limit", "http_connections=8", "--limit", "http_ms=600", "--limit", "http_header_bytes=1024"]

    def test_header_bytes(self):
        self.assertEqual(self.status(GET + b"A: " + b"x" * 1100 + b"\r\n\r\n"), 431)
        self.assertEqual(self.status(GET + b"A: " + b"x" * 800 + b"\r\nConnection: close\r\n\r\n"), 200)

    def test_slow_post(self):
        before = self.counters()["http_expired"]
        head = b"POST / HTTP/1.1\r\n"
        self.assertEqual(self.status(*[bytes([b]) for b in head[:10]], wait=0.1), 408)
        self.assertEqual(self.counters()["http_expired"], before + 1)

    def test_slow_header(self):
        before = self.counters()["http_expired"]
        self.assertEqual(self.status(*[bytes([b]) for b in GET[:10]], wait=0.1), 408)
        self.assertEqual(self.counters()["http_expired"], before + 1)

    def test_silent_connection_is_closed(self):
        self.assertEqual(self.raw(), b"")

    def test_requests_of_one_connection(self):
        """They are answered one after the other, whatever their number."""
        answer = self.raw((GET + b"\r\n") * 2000 + GET + b"Connection: close\r\n\r\n")
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), 2001)
        self.assertEqual(answer.count(b"Connection: close"), 1)

    def test_clients_that_go_when_their_answer_comes_are_forgotten(self):
        """The server reads no next request from a connection that ended in the turn in which its answer was sent."""
        for end in (socket.SHUT_WR, socket.SHUT_RDWR, None):
            for _ in range(100):
                with socket.create_connection(("127.0.0.1", self.port), SECONDS_MAX) as opened:
                    opened.sendall(GET + b"\r\n" + GET)
                    if end is not None:
                        opened.shutdown(end)
                    else:
                        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.assertEqual(self.status(GET + b"Connection: close\r\n\r\n"), 200)

    def test_oldest_makes_room(self):
        before = self.counters()["http_crowded"]
        crowd = [socket.create_connection(("127.0.0.1", self.port), SECONDS_MAX) for _ in range(9)]
        self.assertEqual(crowd[0].recv(100)[:12], b"HTTP/1.1 503")
        for one in crowd[1:]:
            one.settimeout(0.01)
            with self.assertRaises(TimeoutError):
                one.recv(1)
        self.assertEqual(self.counters()["http_crowded"], before + 1)
        self.assertEqual(self.get("/healthz").status, 200)
        for one in crowd:
            one.close()

    def test_websockets_take_none_of_these_places(self):
        clients = [WebClient(self.port) for _ in range(20)]
        for client in clients:
            client.call("ping")
        self.assertEqual(self.get("/healthz").status, 200)
        for client in clients:
            client.__exit__()


class HalfOpen(HttpTest):
    def test_ten_thousand_half_open_upgrades(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard > 0 else 65536, hard))
        keep = min(10000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)
        client = WebClient(self.port)
        client.call("world.create", world="calm")
        client.call("body.spawn", world="calm", shapes=[BALL])
        client.call("world.subscribe", world="calm")
        half = handshake(self.port)[:-10]
        crowd = []
        for i in range(10000):
            try:
                crowd.append(socket.create_connection(("127.0.0.1", self.port), SECONDS_MAX))
                crowd[-1].sendall(half)
            except ConnectionError:
                pass  # the server refused the connection
            if len(crowd) > keep:
                crowd.pop(0).close()
            if i % 1000 == 0:
                self.assertEqual(self.get("/healthz").status, 200)
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=SECONDS_MAX) as answer:
            text = answer.read().decode()
        self.assertLessEqual(int(re.search(r'carom_connections\{transport="http"\} (\d+)', text).group(1)), 512)
        self.assertGreater(self.counters()["http_crowded"], 5000)
        seen = len(client.snapshots())
        client.read_until(lambda: len(client.snapshots()) > seen + 10)
        client.__exit__()
        for one in crowd:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Metrics(HttpTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.OPTIONS = ["--world", "demo:demo", "--data", os.path.join(cls.folder.name, "data")]
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def scrape(self):
        time.sleep(0.15)  # for HTTP_METRICS_MS the text stays the same
        return self.get("/metrics").body.decode()

    def value(self, name, text=None):
        found = re.search(rf"^{re.escape(name)} (\S+)$", text or self.scrape(), re.MULTILINE)
        self.assertIsNotNone(found, name)
        return float(found.group(1))

    def test_promtool_finds_nothing(self):
        promtool = shutil.which("promtool")
        if promtool is None:
            self.skipTest("no promtool")
        with Client(self.server.port) as client:
            client.call("hello")
            client.call("world.subscribe", world="demo")
        checked = subprocess.run([promtool, "check", "metrics"], input=self.scrape(), text=True,
                                 capture_output=True)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_every_family_is_there_and_has_its_kind(self):
        text = self.scrape()
        kinds = {"histogram": ["carom_world_step_seconds", "carom_world_tick_lateness_seconds",
                               "carom_command_duration_seconds", "carom_snapshot_build_seconds"],
                 "counter": ["carom_calls_total", "carom_network_received_bytes_total", "carom_network_sent_bytes_total",
                             "carom_connections_total", "carom_snapshots_sent_total", "carom_snapshots_skipped_total",
                             "carom_storage_commits_total", "carom_limit_reached_total", "carom_refusals_total"],
                 "gauge": ["carom_connections", "carom_sessions", "carom_world_bodies", "carom_world_subscriptions"]}
        for kind, names in kinds.items():
            for name in names:
                with self.subTest(name):
                    self.assertIn(f"\n# TYPE {name} {kind}\n", text)
                    self.assertIn(f"\n# HELP {name} ", text)

    def test_content_type(self):
        self.assertEqual(self.get("/metrics").headers["Content-Type"],
                         "text/plain; version=0.0.4; charset=utf-8")

    def test_worlds_have_histograms(self):
        while self.value('carom_world_step_seconds_count{world="demo"}', text := self.scrape()) <= 5:
            pass
        steps = self.value('carom_world_step_seconds_count{world="demo"}', text)
        self.assertGreater(steps, 5)
        self.assertEqual(self.value('carom_world_step_seconds_bucket{world="demo",le="+Inf"}', text), steps)
        self.assertGreater(self.value('carom_world_tick_lateness_seconds_count{world="demo"}', text), 5)
        self.assertGreater(self.value('carom_world_bodies{world="demo"}', text), 1)

    def test_world_that_ended_is_not_told(self):
        with Client(self.server.port) as client:
            for _ in range(20):
                client.call("world.create", world="again", durability="none")
                client.call("world.destroy", world="again")
            client.call("world.create", world="again", durability="none")
            text = self.scrape()
            self.assertEqual(text.count('carom_world_bodies{world="again"}'), 1)
            client.call("world.destroy", world="again")
        end = time.monotonic() + SECONDS_MAX
        while 'world="again"' in self.scrape():
            self.assertLess(time.monotonic(), end)

    def test_calls_by_method_and_result(self):
        before = self.scrape()
        with Client(self.server.port) as client:
            client.call("ping")
            client.call("world.info", world="demo")
            for method in ("world.info", "no.such"):
                with self.assertRaises(RemoteError):
                    client.call(method, world="nowhere")
        after = self.scrape()
        for name in ('method="ping",result="ok"', 'method="world.info",result="ok"'):
            name = f"carom_calls_total{{{name}}}"
            self.assertEqual(self.value(name, after), self.value(name, before) + 1)
        self.assertGreaterEqual(self.value('carom_calls_total{method="world.info",result="not_found"}', after), 1)
        self.assertGreaterEqual(
            self.value('carom_calls_total{method="unknown",result="unknown_method"}', after), 1)

    def test_connections_by_transport(self):
        tcp, web = Client(self.server.port), WebClient(self.port)
        tcp.call("ping")
        web.call("ping")
        text = self.scrape()
        self.assertEqual(self.value('carom_connections{transport="tcp"}', text), 1)
        self.assertEqual(self.value('carom_connections{transport="websocket"}', text), 1)
        self.assertGreaterEqual(self.value('carom_connections{transport="http"}', text), 1)
        tcp.__exit__()
        web.__exit__()

    def test_limits_that_were_reached(self):
        before = self.value('carom_limit_reached_total{limit="http_header_bytes"}')
        self.assertEqual(self.status(GET + b"A: " + b"x" * 20000), 431)
        self.assertEqual(self.value('carom_limit_reached_total{limit="http_header_bytes"}'), before + 1)
        with Client(self.server.port) as client:
            for _ in range(64):
                client.call("world.subscribe", world="demo", rate=1)
            with self.assertRaises(RemoteError):
                client.call("world.subscribe", world="demo", rate=1)
        self.assertEqual(self.value('carom_limit_reached_total{limit="subscriptions_per_connection"}'), 1)

    def test_storage(self):
        with Client(self.server.port) as client:
            client.call("world.pause", world="demo")
            before = self.value("carom_storage_commits_total")
            client.call("body.spawn", world="demo", shapes=[BALL])
            client.call("world.resume", world="demo")
        self.assertGreater(self.value("carom_storage_commits_total"), before)
        self.assertGreater(self.value("carom_storage_written_bytes_total"), 0)

    def test_process(self):
        text = self.scrape()
        self.assertLess(abs(self.value("process_start_time_seconds", text) - time.time()), 600)
        self.assertGreater(self.value("process_resident_memory_bytes", text), 1 << 20)


class Addresses(unittest.TestCase):
    def test_off(self):
        with Caromd(CAROMD, "--http", "off") as server:
            self.assertIsNone(server.http_port)
            with Client(server.port) as client:
                client.call("ping")

    def test_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as held:
            port = held.getsockname()[1]
            ended = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", "--http", f"127.0.0.1:{port}"],
                                   capture_output=True, text=True, timeout=SECONDS_MAX)
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"cannot listen on 127.0.0.1:{port}", ended.stderr)

    def test_everybody_needs_insecure(self):
        ended = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", "--http", "0.0.0.0:0"], capture_output=True,
                               text=True, timeout=SECONDS_MAX)
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, r"anyone who reaches 0\.0\.0\.0:\d+ could do everything")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
