#!/usr/bin/env python3
"""caromd behind proxies: hand-made PROXY headers from named addresses; and real proxies, if Debian's haproxy and nginx
are installed, with the configurations in server/http/proxies.md. Called with the path of caromd."""

import contextlib
import ipaddress
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from urllib.parse import urljoin

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from websocket import BINARY, PING, PONG, WebSocket, frame, handshake  # noqa: E402
from wire import Client  # noqa: E402
from wire_case import WireTest  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
PAGE = Path(__file__).resolve().parents[2] / "server/http/proxies.md"
PROXY = "127.0.0.2"  # connections from this address count as those of a proxy
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def header(source="203.0.113.7", port=40404, command=1, more=b""):
    """A PROXY header of version 2."""
    address = ipaddress.ip_address(source)
    target = ipaddress.ip_address("192.0.2.1" if address.version == 4 else "2001:db8::1")
    body = address.packed + target.packed + struct.pack(">HH", port, 443) + more
    family = 0x11 if address.version == 4 else 0x21
    return SIGNATURE + bytes([0x20 | command, family]) + struct.pack(">H", len(body)) + body


class ProxyTest(WireTest):
    OPTIONS = []

    @classmethod
    def setUpClass(cls):
        cls.server = Caromd(CAROMD, "--threads", "1", "--proxy-from", f"{PROXY},127.1.0.0/16", "--world", "w:demo",
                            "--limit", "connections_per_address=3", *cls.OPTIONS)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def open(self, *pieces, port=None, source=PROXY):
        raw = socket.create_connection(("127.0.0.1", port or self.server.port), SECONDS_MAX, (source, 0))
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.addCleanup(raw.close)
        for piece in pieces:
            raw.sendall(piece)
        return raw

    def proxied(self, **told):
        return Client(None, self.open(header(**told)))

    def addresses(self):
        with Client(self.server.port) as watch:
            return [s["address"] for s in watch.call("server.sessions")["sessions"]]

    def counter(self, name):
        with Client(self.server.port) as client:
            return client.call("server.stats")["counters"][name]

    def refused(self, why, *pieces, **more):
        """Checks that the connection is closed without a byte, counted, and logged."""
        before = self.counter("proxies_refused")
        seen = len(self.server.log)
        raw = self.open(*pieces, **more)
        try:
            self.assertEqual(raw.recv(100), b"")
        except ConnectionResetError:
            pass
        self.eventually(lambda: self.counter("proxies_refused") == before + 1)
        self.eventually(lambda: re.search(
            rf"refused: no session, address {re.escape(PROXY)}:\d+: \w+: PROXY header: .*{why}",
            "".join(self.server.log[seen:])))


class Rights(unittest.TestCase):
    """A proxy on this machine connects everybody: without keys, a warning at the start says that all clients are
    admins."""

    def warned(self, *options):
        with Caromd(CAROMD, "--threads", "1", *options) as server:
            with Client(server.port) as client:
                client.call("ping")
            return [line for line in server.log if "could do everything" in line]

    def test_server_for_proxies_without_keys_warns(self):
        local, named = ("--origin", "http://localhost:1"), ("--origin", "https://play.example")
        for options, by in ((("--proxy-from", PROXY), "--proxy-from"), ((*local, *named), named[1])):
            with self.subTest(options):
                self.assertRegex(" ".join(self.warned(*options)), rf"warn.*\({by}\).*--keys")

    def test_server_that_knows_who_comes_does_not(self):
        for options in (("--origin", "http://127.0.0.1:8000"), ("--origin", "*"),
                        ("--insecure", "--proxy-from", PROXY, "--origin", "https://play.example")):
            with self.subTest(options):
                self.assertEqual([], self.warned(*options))


class Headers(ProxyTest):
    def test_sessions_have_the_address_that_is_told(self):
        for source, name in (("203.0.113.7", "203.0.113.7:40404"), ("2001:db8::7", "[2001:db8::7]:40404")):
            client = self.proxied(source=source)
            client.call("hello")
            self.assertIn(name, self.addresses())
            client.__exit__()

    def test_header_in_two_pieces_cut_at_every_byte(self):
        whole = header(more=b"\x02\x00\x04play") + b"\x94\x00\x07\xa4ping\x91\x80"
        for at in range(1, len(whole)):
            raw = self.open(whole[:at])
            self.counter("requests")  # the server has handled the first piece
            raw.sendall(whole[at:])
            self.assertEqual(raw.recv(1000)[:3], b"\x94\x01\x07")
            raw.close()

    def test_header_byte_by_byte(self):
        client = Client(None, self.open(*[bytes([b]) for b in header()]))
        client.call("ping")

    def test_proxy_that_speaks_for_itself_keeps_its_own(self):
        client = self.proxied(command=0)
        client.call("hello")
        self.assertTrue(any(a.startswith(PROXY + ":") for a in self.addresses()))

    def test_network_of_proxies(self):
        client = Client(None, self.open(header(source="203.0.113.9"), source="127.1.2.3"))
        client.call("hello")
        self.assertIn("203.0.113.9:40404", self.addresses())

    def test_limits_count_the_address_that_is_told(self):
        held = [self.proxied(source="198.51.100.1", port=1000 + i) for i in range(3)]
        for client in held:
            client.call("hello")
        crowded = self.proxied(source="198.51.100.1")
        crowded.read_until(lambda: crowded.notifications)
        self.assertIn("connections_per_address", crowded.notifications[0][1][0]["reason"])
        self.proxied(source="198.51.100.2").call("hello")
        self.logged(r"address 198\.51\.100\.1:40404: limit_exceeded: connections_per_address: there are 3")

    def test_pages_and_websockets(self):
        port = self.server.http_port
        page = self.open(header(), b"GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", port=port)
        self.assertTrue(page.recv(1000).startswith(b"HTTP/1.1 200 OK"))
        self.open(header(source="203.0.113.20"), b"POST / HTTP/1.1\r\nHost: h\r\n\r\n", port=port).recv(1000)
        self.logged(r"address 203\.0\.113\.20:40404: .*methods")
        web = self.open(header(source="203.0.113.21") + handshake(port), port=port)
        self.assertTrue(web.recv(1000).startswith(b"HTTP/1.1 101"))
        self.assertIn("203.0.113.21:40404", self.addresses())


class Refusals(ProxyTest):
    OPTIONS = ["--limit", "first_message_ms=700"]

    def test_version_1(self):
        self.refused("version 1 is not spoken", b"PROXY TCP4 203.0.113.7 192.0.2.1 40404 443\r\n")

    def test_none(self):
        self.refused("there is none", b"\x94\x00\x07\xa4ping\x91\x80")
        self.refused("there is none", b"GET / HTTP/1.1\r\n", port=self.server.http_port)

    def test_parts_that_are_wrong(self):
        good = header()
        self.refused("version", good[:12] + b"\x31" + good[13:])
        self.refused("command", good[:12] + b"\x2f" + good[13:])
        self.refused("not of TCP", good[:13] + b"\x31" + good[14:])
        self.refused("too short", good[:14] + b"\0\x05" + good[16:21])
        self.refused("4096", good[:14] + b"\xff\xff")
        self.refused("checksum", header(more=b"\x03\x00\x04abcd"))
        self.refused("beyond its end", header(more=b"\x03\x00\x09abcd"))

    def test_header_that_does_not_come_or_ends(self):
        self.refused("first_message_ms", header()[:20])
        self.refused("first_message_ms")
        raw = self.open(header()[:20])
        raw.shutdown(socket.SHUT_WR)
        self.logged("PROXY header: the connection ended within it")

    def test_probe_that_connects_and_closes_is_no_refusal(self):
        before = self.counter("proxies_refused")
        self.open().close()
        self.proxied().call("ping")
        self.assertEqual(self.counter("proxies_refused"), before)

    def test_others_are_not_believed(self):
        """127.0.0.3 is not named: its PROXY header counts as an invalid message."""
        raw = self.open(header(source="203.0.113.66"), source="127.0.0.3")
        self.assertIn(b"closing", raw.recv(1000))
        self.assertNotIn("203.0.113.66:40404", self.addresses())
        self.assertFalse([line for line in self.server.log if "203.0.113.66" in line])

    def test_server_ends_while_one_waits(self):
        with Caromd(CAROMD, "--proxy-from", PROXY) as server:
            self.open(port=server.port)
            self.open(header()[:9], port=server.http_port)
            with Client(server.port) as client:
                client.call("ping")


class Waiting(ProxyTest):
    OPTIONS = ["--limit", "first_message_ms=600000"]  # so that no connection times out while the others come

    def test_many_that_wait_leave_the_server_to_others(self):
        waiting = [self.open() for _ in range(1030)]
        self.logged("PROXY header: 1024 connections wait for theirs already")
        with Client(self.server.port) as client:
            client.call("ping")
        for raw in waiting:
            raw.close()


class IoThreads(Headers):
    """Sockets and TLS on threads of their own."""
    OPTIONS = ["--io-threads", "2"]


def make_certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                    "key.pem", "-out", "cert.pem", "-days", "3", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1"], cwd=folder, check=True, capture_output=True)
    cert, key = Path(folder, "cert.pem"), Path(folder, "key.pem")
    Path(folder, "both.pem").write_bytes(cert.read_bytes() + key.read_bytes())
    return str(cert), str(key)


class Secured(ProxyTest):
    """TLS begins behind the header."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="carom-proxies-")
        cls.cert, key = make_certificate(cls.folder)
        cls.OPTIONS = [*cls.OPTIONS, "--tls-cert", cls.cert, "--tls-key", key]
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)
        super().tearDownClass()

    def secure(self, raw):
        context = ssl.create_default_context(cafile=self.cert)
        secured = context.wrap_socket(raw, server_hostname="localhost")
        self.addCleanup(secured.close)
        return secured

    def test_tls_behind_the_header(self):
        client = Client(None, self.secure(self.open(header(source="203.0.113.30"))))
        client.call("hello")
        self.assertIn("203.0.113.30:40404",
                      [s["address"] for s in client.call("server.sessions")["sessions"]])

    def test_broken_tls_is_told_with_the_address(self):
        self.open(header(source="203.0.113.31"), b"\x16\x03\x01\x00\x05hello").recv(100)
        self.logged(r"address 203\.0\.113\.31:40404: .*TLS")


class SecuredIoThreads(Secured):
    OPTIONS = ["--io-threads", "2"]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


# The printed ports and files that a real proxy gets others for
PRINTED = {
    "nginx": [":22767", "443", "/etc/ssl/play.crt", "/etc/ssl/play.key"],
    "haproxy": [":22767", ":22766", "443", "22700", "/etc/ssl/play.pem"],
}


def configuration(name):
    """The page's configuration for that proxy."""
    return re.search(rf"<!-- {name} -->\n```[a-z]*\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL).group(1)


class Page(unittest.TestCase):
    def test_configurations_have_the_ports_and_files_that_are_replaced(self):
        for name, texts in PRINTED.items():
            for text in texts:
                self.assertIn(text, configuration(name), name)


class RealProxy(WireTest):
    """The page's configuration `NAME`, with the test's ports and files."""
    NAME = PROGRAM = None
    SERVER = []

    @classmethod
    def setUpClass(cls):
        if shutil.which(cls.PROGRAM, path="/usr/sbin:/usr/bin:/sbin") is None:
            raise unittest.SkipTest(f"{cls.PROGRAM} is not installed")
        cls.folder = tempfile.mkdtemp(prefix="carom-proxies-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.cert, key = make_certificate(cls.folder)
        cls.server = cls.enterClassContext(Caromd(CAROMD, "--threads", "1", "--world", "w:demo", *cls.SERVER))
        for attempt in range(5):  # another program may take a free port before the proxy listens there
            if cls.start(key):
                return
        raise AssertionError(Path(cls.folder, "log").read_text())

    @classmethod
    def start(cls, key):
        """Whether the proxy accepts connections; not if one of its ports was taken meanwhile."""
        cls.port, cls.rpc_port = free_port(), free_port()
        text = configuration(cls.NAME)
        puts = {":22767": f":{cls.server.http_port}", ":22766": f":{cls.server.port}",
                "443": str(cls.port), "22700": str(cls.rpc_port),
                "/etc/ssl/play.pem": f"{cls.folder}/both.pem", "/etc/ssl/play.crt": cls.cert, "/etc/ssl/play.key": key}
        # In one pass, since ports may contain "443"
        text = re.sub("|".join(map(re.escape, puts)), lambda found: puts[found.group()], text)
        config = Path(cls.folder, "proxy.conf")
        config.write_text(cls.whole(text))
        with open(Path(cls.folder, "log"), "w") as log:
            cls.proxy = subprocess.Popen(cls.command(str(config)), stdout=subprocess.DEVNULL, stderr=log)
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end and cls.proxy.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", cls.port), 1).close()
                cls.addClassCleanup(cls.proxy.wait)
                cls.addClassCleanup(cls.proxy.terminate)
                return True
        cls.proxy.terminate()
        cls.proxy.wait()
        return False

    def connect_tls(self, port):
        context = ssl.create_default_context(cafile=self.cert)
        raw = socket.create_connection(("127.0.0.1", port), SECONDS_MAX)
        own = raw.getsockname()
        secured = context.wrap_socket(raw, server_hostname="localhost")
        self.addCleanup(secured.close)
        return secured, own

    def get(self, path, host="play.example"):
        page, _ = self.connect_tls(self.port)
        page.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while data := page.recv(65536):
            answer += data
        return answer

    def web(self, path="/rpc", origin="https://play.example"):
        """A hello over a WebSocket through the proxy; returns its frames' socket and the test's own address."""
        page, own = self.connect_tls(self.port)
        request = handshake(0, Host="play.example", Origin=origin).replace(b"GET /rpc", f"GET {path}".encode())
        web = WebSocket.__new__(WebSocket)
        web.socket, web.input = page, b""
        page.sendall(request)
        head = web.read_head()
        self.assertTrue(head.startswith(b"HTTP/1.1 101"), head)
        return web, f"{own[0]}:{own[1]}"

    def session_of(self, name):
        with Client(self.server.port) as watch:
            return name in [s["address"] for s in watch.call("server.sessions")["sessions"]]


class Nginx(RealProxy):
    NAME = PROGRAM = "nginx"
    SERVER = ["--origin", "https://play.example", "--limit", "websocket_ping_ms=100"]

    @classmethod
    def whole(cls, text):
        paths = "".join(f"{kind}_temp_path {cls.folder}/{kind};\n"
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return (f"pid {cls.folder}/pid;\nerror_log stderr;\ndaemon off;\nmaster_process off;\nevents {{}}\n"
                f"http {{\naccess_log off;\n{paths}{text}\n}}\n")

    @classmethod
    def command(cls, config):
        return ["/usr/sbin/nginx", "-c", config, "-p", cls.folder]

    def test_page_below_a_prefix(self):
        page = self.get("/carom/")
        references = re.findall(rb'(?:href|src)="([^"#]+)"', page)
        self.assertGreater(len(references), 2)
        for reference in [b"src/index.js", *references]:
            answer = self.get(urljoin("/carom/", reference.decode()))
            self.assertIn(b"200 OK", answer.split(b"\r\n")[0], reference)

    def test_websocket_stays_through_pings(self):
        web, _ = self.web("/carom/rpc")
        for _ in range(3):
            opcode, payload, _ = web.read_frame()
            self.assertEqual(opcode, PING)
            web.send(frame(PONG, payload))
        web.send(frame(BINARY, b"\x94\x00\x07\xa4ping\x91\x80"))
        opcode, payload, _ = web.read_frame()
        while opcode == PING:
            opcode, payload, _ = web.read_frame()
        self.assertEqual(payload[:3], b"\x94\x01\x07")


class Haproxy(RealProxy):
    NAME = PROGRAM = "haproxy"
    SERVER = ["--origin", "https://play.example", "--proxy-from", "127.0.0.1"]

    @classmethod
    def whole(cls, text):
        return text

    @classmethod
    def command(cls, config):
        return ["/usr/sbin/haproxy", "-db", "-f", config]

    def session_of(self, name):
        """The test has the proxy's address, so it connects through the proxy too."""
        secured, _ = self.connect_tls(self.rpc_port)
        with Client(None, secured) as watch:
            return name in [s["address"] for s in watch.call("server.sessions")["sessions"]]

    def test_servers_are_up_by_its_checks(self):
        self.assertIn(b"200 OK", self.get("/readyz").split(b"\r\n")[0])

    def test_websocket_is_known_by_its_own_address(self):
        web, own = self.web()
        web.send(frame(BINARY, b"\x94\x00\x07\xa4ping\x91\x80"))
        self.assertEqual(web.read_frame()[1][:3], b"\x94\x01\x07")
        self.assertTrue(self.session_of(own))

    def test_protocol_itself_is_known_by_its_own_address(self):
        secured, own = self.connect_tls(self.rpc_port)
        Client(None, secured).call("hello")
        self.assertTrue(self.session_of(f"{own[0]}:{own[1]}"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
