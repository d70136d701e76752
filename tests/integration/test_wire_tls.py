#!/usr/bin/env python3
"""TLS: Python's ssl and openssl's s_client as clients, certificates with every kind of fault, and peers that break off,
delay, or do not speak TLS. Called with the paths of caromd and carom."""

import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from websocket import WebClient  # noqa: E402
from wire import Client, Closed  # noqa: E402

CAROMD, CAROM = (os.path.abspath(path) for path in sys.argv[1:3])
OPENSSL = shutil.which("openssl")
BALL = {"kind": "circle", "radius": 0.5}


def openssl(*words, folder):
    subprocess.run([OPENSSL, *words], cwd=folder, check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_certificate(folder, name, host="DNS:localhost,IP:127.0.0.1", days=30):
    """Makes NAME.pem, signed by the folder's ca.pem, and NAME.key."""
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key",
            "-out", f"{name}.csr", "-subj", f"/CN={name}", folder=folder)
    Path(folder, f"{name}.ext").write_text(f"subjectAltName={host}\n")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-out", f"{name}.pem", "-days", str(days), "-extfile", f"{name}.ext", folder=folder)


def make_folder():
    folder = tempfile.mkdtemp(prefix="carom-tls-")
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key",
            "-out", "ca.pem", "-days", "30", "-subj", "/CN=the test's authority", folder=folder)
    make_certificate(folder, "good")
    return folder


class TlsTest(unittest.TestCase):
    OPTIONS = []

    @classmethod
    def setUpClass(cls):
        cls.folder = make_folder()
        cls.server = Caromd(CAROMD, "--threads", "1", "--world", "w", "--tls-cert", cls.path("good.pem"), "--tls-key",
                            cls.path("good.key"), *cls.OPTIONS)

    @classmethod
    def tearDownClass(cls):
        try:
            cls.server.__exit__()
        finally:
            shutil.rmtree(cls.folder)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def connect(self, port=None, name="localhost", context=None, address="127.0.0.1"):
        plain = socket.create_connection((address, port or self.server.port), SECONDS_MAX)
        context = context or ssl.create_default_context(cafile=self.path("ca.pem"))
        return context.wrap_socket(plain, server_hostname=name)

    def client(self, **more):
        client = Client(None, connected=self.connect(**more))
        self.addCleanup(client.socket.close)
        return client

    def counters(self):
        return self.client().call("server.stats")["counters"]

    def logged(self, text):
        """Waits for a line of the server's log, which a thread reads."""
        end = time.monotonic() + SECONDS_MAX
        while not any(text in line for line in list(self.server.log)):
            self.assertLess(time.monotonic(), end, text)
            time.sleep(0.01)

    def carom(self, *words, **environment):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CAROM_")}
        clean |= {"XDG_CONFIG_HOME": self.folder} | environment
        return subprocess.run([CAROM, *words], capture_output=True, text=True, env=clean, timeout=SECONDS_MAX,
                              stdin=subprocess.DEVNULL, cwd=self.folder)


class SpokenTest(TlsTest):
    def test_calls_and_snapshots_go_through_tls_1_3(self):
        client = self.client()
        self.assertEqual(client.socket.version(), "TLSv1.3")
        self.assertEqual(client.call("hello")["server"], "caromd")
        for _ in range(100):
            client.request("body.spawn", world="w", shapes=[BALL], velocity=[1.0, 0.0])
        client.call("world.subscribe", world="w")
        client.read_until(lambda: len(client.snapshots()) >= 30)
        ticks = [snapshot["tick"] for snapshot in client.snapshots()]
        self.assertEqual(ticks, sorted(ticks))

    def test_large_messages_arrive_whole_in_both_directions(self):
        client = self.client()
        text = "x" * 60_000
        asked = [client.request("ping", any=text) for _ in range(50)]
        self.assertTrue(all(client.answer(i)["any"] == text for i in asked))
        # Sends byte by byte, so that records are split everywhere.
        plain = socket.create_connection(("127.0.0.1", self.server.port), SECONDS_MAX)
        context = ssl.create_default_context(cafile=self.path("ca.pem"))
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        peer = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
        while True:
            try:
                peer.do_handshake()
                break
            except ssl.SSLWantReadError:
                for byte in outgoing.read():
                    plain.sendall(bytes([byte]))
                incoming.write(plain.recv(65536))
        peer.write(b"\x94\x00\x01\xa4ping\x90")
        for byte in outgoing.read():
            plain.sendall(bytes([byte]))
        incoming.write(plain.recv(65536))
        self.assertEqual(peer.read(3), b"\x94\x01\x01")
        plain.close()

    def test_reader_that_stops_gets_what_it_missed_without_a_break(self):
        client = self.client()
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.call("world.create", world="slow", hz=240)
        for _ in range(400):
            client.request("body.spawn", world="slow", shapes=[], velocity=[3.0, 1.0])
        client.call("world.subscribe", world="slow", events=[])
        other, begun = self.client(), client.call("world.info", world="slow")["tick"]
        other.call("world.subscribe", world="slow", events=[])
        other.read_until(lambda: other.snapshots() and other.snapshots()[-1]["tick"] >= begun + 240)
        last = client.call("world.info", world="slow")["tick"]
        client.read_until(lambda: client.snapshots()[-1]["tick"] >= last)
        client.call("world.destroy", world="slow")

    def test_http_and_websocket_speak_it_too(self):
        context = ssl.create_default_context(cafile=self.path("ca.pem"))
        page = http.client.HTTPSConnection("127.0.0.1", self.server.http_port, timeout=SECONDS_MAX, context=context)
        page.request("GET", "/healthz")
        self.assertEqual(page.getresponse().read(), b"ok\n")
        page.close()
        real = socket.create_connection

        def secured(address, *more):
            return context.wrap_socket(real(address, *more), server_hostname="localhost")

        socket.create_connection = secured
        try:
            web = WebClient(self.server.http_port)
        finally:
            socket.create_connection = real
        self.assertEqual(web.call("hello")["server"], "caromd")
        web.call("world.subscribe", world="w")
        web.read_until(lambda: len(web.snapshots()) >= 3)
        web.socket.close()

    def test_session_is_resumed_over_another_connection(self):
        first = self.client()
        secret = first.call("hello")["resume"]
        first.socket.close()
        second = self.client()
        self.assertEqual(second.call("hello", resume=secret)["session"], second.call("hello")["session"])

    def test_end_is_told_by_close_notify(self):
        client = self.client()
        client.send(b"\xc1")  # no MessagePack
        with self.assertRaises(Closed):
            client.read_until(lambda: False)
        self.assertIn("closing", [method for method, _ in client.notifications])


class PolicyTest(TlsTest):
    def s_client(self, *words, data=b""):
        return subprocess.run([OPENSSL, "s_client", "-connect", f"127.0.0.1:{self.server.port}", *words],
                              input=data, capture_output=True, timeout=SECONDS_MAX, check=False)

    def test_older_versions_are_refused(self):
        for version in ("-tls1_2", "-tls1_1", "-tls1"):
            done = self.s_client(version, "-cipher", "ALL:@SECLEVEL=0")
            self.assertNotEqual(done.returncode, 0, version)
            self.assertNotIn(b"Cipher is TLS_", done.stdout)

    def test_openssl_has_tls_1_3_no_ticket_and_no_compression(self):
        done = self.s_client("-CAfile", self.path("ca.pem"), "-verify_return_error")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"New, TLSv1.3", done.stdout)
        self.assertIn(b"Compression: NONE", done.stdout)
        self.assertNotIn(b"New Session Ticket arrived", done.stdout)

    def test_renegotiation_does_not_exist(self):
        done = self.s_client("-CAfile", self.path("ca.pem"), data=b"R\n")
        self.assertIn(b"SSL routines", done.stdout + done.stderr)  # s_client itself refuses to request it
        self.client().call("ping")

    def test_key_updates_are_taken(self):
        done = self.s_client("-CAfile", self.path("ca.pem"), data=b"K\n" * 3)
        self.assertNotIn(b"alert", done.stderr)
        self.client().call("ping")

    def test_plain_bytes_are_answered_and_counted(self):
        before = self.counters()["tls_refused"]
        ports = []
        with Client(self.server.port) as plain:
            ports.append(plain.socket.getsockname()[1])
            with self.assertRaises(Closed):
                plain.call("hello")
            self.assertEqual(plain.notifications[0][0], "closing")
            self.assertIn("caroms://", plain.notifications[0][1][0]["reason"])
        page = http.client.HTTPConnection("127.0.0.1", self.server.http_port, timeout=SECONDS_MAX)
        page.request("GET", "/")
        ports.append(page.sock.getsockname()[1])
        answer = page.getresponse()
        self.assertEqual(answer.status, 400)
        self.assertIn(b"https://", answer.read())
        page.close()
        self.assertEqual(self.counters()["tls_refused"], before + 2)
        for port in ports:
            self.logged(f"refused: no session, address 127.0.0.1:{port}: invalid_argument: "
                        "plain bytes where TLS is spoken")


class CommandLineTest(TlsTest):
    def url(self, host="localhost"):
        return f"caroms://{host}:{self.server.port}"

    def refused(self, code, text, *words, **environment):
        done = self.carom(*words, **environment)
        self.assertEqual((done.returncode, text in done.stderr), (code, True), (done.returncode, done.stderr))

    def test_command_line_connects_and_verifies(self):
        self.assertEqual(self.carom("-s", self.url(), "--ca", "ca.pem", "ping").returncode, 0)
        self.assertEqual(self.carom("-s", self.url("127.0.0.1"), "ping", CAROM_CA="ca.pem").returncode, 0)
        self.refused(1, "unable to get local issuer certificate", "-s", self.url(), "ping")
        self.refused(1, "hostname mismatch", "-s", self.url(), "--ca", "ca.pem", "--tls-name", "play.example", "ping")
        self.refused(2, "tls.ca_file", "-s", self.url(), "--ca", "absent.pem", "ping")
        self.refused(2, "caroms://", "-s", f"localhost:{self.server.port}", "--ca", "ca.pem", "ping")

    def test_plain_client_is_told_to_use_tls(self):
        done = self.carom("-s", f"localhost:{self.server.port}", "ping")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("caroms://", done.stderr)

    def test_tls_to_a_plain_server_is_refused(self):
        with Caromd(CAROMD, "--threads", "1", "--http", "off") as plain:
            self.refused(3, "no TLS 1.3 with this server", "-s", f"caroms://localhost:{plain.port}", "--ca", "ca.pem",
                         "ping")

    def test_load_goes_through_tls(self):
        done = self.carom("-s", self.url(), "--ca", "ca.pem", "bench", "-c", "3", "-d", "1s")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_profiles_name_the_server_and_its_certificates(self):
        folder = Path(self.folder, "carom")
        folder.mkdir(exist_ok=True)
        profiles = folder / "profiles"
        profiles.write_text(f"# servers\n[play]\nserver = {self.url()}\nca = {self.path('ca.pem')}\n")
        self.assertEqual(self.carom("--profile", "play", "ping").returncode, 0)
        self.assertEqual(self.carom("ping", CAROM_PROFILE="play").returncode, 0)
        self.refused(2, "has no profile [other]", "--profile", "other", "ping")
        self.refused(1, "hostname mismatch", "--profile", "play", "--tls-name", "x.example", "ping")
        profiles.write_text("[play]\nserfer = x\n")
        self.refused(2, "line 2: 'serfer' is no setting: server, ca, tls-name, token-file or timeout", "ping")
        profiles.write_text("[default]\nserver = 127.0.0.1:1\n")
        self.refused(3, "127.0.0.1:1", "ping")
        profiles.unlink()
        self.refused(2, "No such file", "--profile", "play", "ping")


class CertificateTest(TlsTest):
    def serve(self, *options):
        done = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", "--http", "off", *options], capture_output=True,
                              text=True, timeout=SECONDS_MAX, stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stderr

    def test_files_that_are_wrong_are_named(self):
        make_certificate(self.folder, "other")
        Path(self.path("empty.pem")).write_text("nothing\n")
        openssl("ec", "-in", "good.key", "-aes128", "-passout", "pass:secret", "-out", "locked.key", folder=self.folder)
        good, key = self.path("good.pem"), self.path("good.key")
        for options, text in (
                (["--tls-cert", good], "--tls-cert: needs --tls-key, too"),
                (["--tls-key", key], "--tls-key: needs --tls-cert, too"),
                (["--tls-cert", self.path("absent"), "--tls-key", key], "cannot be read"),
                (["--tls-cert", self.path("empty.pem"), "--tls-key", key], "empty.pem: holds no certificate"),
                (["--tls-cert", good, "--tls-key", self.path("empty.pem")], "empty.pem: holds no private key"),
                (["--tls-cert", good, "--tls-key", self.path("locked.key")], "locked.key: holds no private key"),
                (["--tls-cert", good, "--tls-key", self.path("other.key")], "other.key")):
            code, log = self.serve(*options)
            self.assertIn(code, (1, 2))
            self.assertIn(text, log)
            self.assertNotIn("listening", log)

    def test_check_config_looks_at_them(self):
        done = subprocess.run([CAROMD, "--check-config", "--tls-cert", self.path("good.pem"), "--tls-key",
                               self.path("ca.key")], capture_output=True, text=True, timeout=SECONDS_MAX, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("ca.key", done.stderr)

    def test_expired_certificate_is_not_taken(self):
        make_certificate(self.folder, "old", days=-1)
        with Caromd(CAROMD, "--threads", "1", "--http", "off", "--tls-cert", self.path("old.pem"), "--tls-key",
                    self.path("old.key")) as server:
            with self.assertRaises(ssl.SSLCertVerificationError):
                self.connect(port=server.port)
            done = self.carom("-s", f"caroms://localhost:{server.port}", "--ca", "ca.pem", "ping")
            self.assertIn("certificate has expired", done.stderr)
            self.assertTrue(any("the certificate ended" in line for line in server.log))

    def test_sighup_brings_a_new_certificate_and_keeps_a_bad_one_out(self):
        make_certificate(self.folder, "first")
        certificate, key = self.path("live.pem"), self.path("live.key")
        shutil.copy(self.path("first.pem"), certificate)
        shutil.copy(self.path("first.key"), key)

        def serial():
            with self.connect(port=server.port) as peer:
                return peer.getpeercert()["serialNumber"]

        def reload(text):
            server.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + SECONDS_MAX
            while not any(text in line for line in server.log[seen:]):
                self.assertLess(time.monotonic(), end, "".join(server.log))
                time.sleep(0.01)

        with Caromd(CAROMD, "--threads", "1", "--http", "off", "--tls-cert", certificate, "--tls-key", key) as server:
            begun = serial()
            old = Client(None, connected=self.connect(port=server.port))
            make_certificate(self.folder, "second")
            shutil.copy(self.path("second.pem"), certificate)
            seen = len(server.log)
            reload("keeping the old certificate")  # the certificate does not belong to the key
            self.assertEqual(serial(), begun)
            shutil.copy(self.path("second.key"), key)
            seen = len(server.log)
            reload("read a certificate")
            self.assertNotEqual(serial(), begun)
            old.call("ping")  # it continues with the certificate with which it began
            old.socket.close()


class HostileTest(TlsTest):
    OPTIONS = ["--limit", "first_message_ms=1500", "--limit", "http_ms=1500", "--limit", "connections=300",
               "--limit", "connections_per_address=300"]

    def hello(self):
        """A whole first flight."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        peer = ssl.create_default_context(cafile=self.path("ca.pem")).wrap_bio(incoming, outgoing,
                                                                                server_hostname="localhost")
        with self.assertRaises(ssl.SSLWantReadError):
            peer.do_handshake()
        return outgoing.read()

    def plain(self, port=None):
        opened = socket.create_connection(("127.0.0.1", port or self.server.port), SECONDS_MAX)
        self.addCleanup(opened.close)
        return opened

    def ended(self, opened, seconds=SECONDS_MAX):
        if isinstance(opened, ssl.SSLSocket):  # arbitrary bytes of the stream
            opened = socket.socket(fileno=opened.detach())
            self.addCleanup(opened.close)
        opened.settimeout(seconds)
        try:
            while opened.recv(65536):
                pass
        except ConnectionError:
            pass

    def test_half_handshakes_by_the_thousand_are_ended_and_nobody_notices(self):
        good = self.client()
        good.call("hello")
        flight = self.hello()
        for _ in range(3):
            crowd = []
            for i in range(200):
                opened = self.plain()
                opened.sendall(flight[: i % len(flight)] if i % 2 else flight)
                crowd.append(opened)
            good.call("ping")
            for opened in crowd[::2]:
                opened.close()
            for opened in crowd[1::2]:
                self.ended(opened)
                opened.close()
        good.call("ping")

    def test_handshakes_that_wait_do_not_keep_another_waiting(self):
        good = self.client()
        flight = self.hello()
        crowd = [self.plain() for _ in range(250)]
        before = good.call("server.stats")["counters"]["bytes_received"]
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            for opened in crowd:
                opened.sendall(flight)
            request = good.request("server.stats")
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        handled = (good.answer(request)["counters"]["bytes_received"] - before) // len(flight)
        # At most eight per turn, in at most three turns: that in which the server was stopped, that which read the
        # request, and one whose time ended before the request's turn. After that no handshake comes before the request.
        self.assertLessEqual(handled, 3 * 8)
        for opened in crowd:
            opened.close()
        good.call("ping")

    def test_one_byte_a_second_is_no_handshake(self):
        flight = self.hello()
        for port in (self.server.port, self.server.http_port):
            slow, sent = self.plain(port), 0
            try:
                for byte in flight:
                    slow.sendall(bytes([byte]))
                    sent += 1
                    slow.settimeout(0.2)
                    try:
                        if not slow.recv(1):
                            break
                    except TimeoutError:
                        pass
            except ConnectionError:
                pass
            self.assertLess(sent, len(flight))

    def test_broken_records_end_that_connection_alone(self):
        good = self.client()
        before = good.call("server.stats")["counters"]["tls_failed"]
        flight = self.hello()
        broken = [b"\x16" + os.urandom(200), flight[:40] + os.urandom(len(flight) - 40),
                  b"\x16\x03\x01\xff\xff" + b"\0" * 70000, b"\x16\x03\x01\x00\x00" * 1000,
                  b"\x16\x03\x01\x40\x00" + b"\x01\x00\x3f\xfc" + b"\0" * 16380]
        for data in broken:
            opened = self.plain()
            try:
                opened.sendall(data)
            except ConnectionError:
                pass
            self.ended(opened)
        # An established connection, too.
        peer = self.connect()
        os.write(peer.fileno(), b"\x17\x03\x03\x00\x40" + os.urandom(64))
        self.ended(peer)
        self.assertTrue([line for line in self.server.log if "invalid_argument: TLS: " in line and
                         "refused: no session, address 127.0.0.1:" in line])
        self.assertGreaterEqual(good.call("server.stats")["counters"]["tls_failed"], before + 4)

    def test_peer_that_is_turned_away_is_told_why_through_tls(self):
        for _ in range(20):
            self.client().call("ping")
        # A refused peer has close_ms for its handshake, which a busy machine may exceed.
        with Caromd(CAROMD, "--threads", "1", "--http", "off", "--tls-cert", self.path("good.pem"), "--tls-key",
                    self.path("good.key"), "--limit", "connections=2", "--limit", "close_ms=60000") as small:
            kept = [Client(None, connected=self.connect(port=small.port)) for _ in range(2)]
            for client in kept:
                client.call("ping")
            refused = Client(None, connected=self.connect(port=small.port))
            with self.assertRaises(Closed):
                refused.read_until(lambda: False)
            self.assertEqual(refused.notifications[0][1][0]["code"], "limit_exceeded")
            for client in (*kept, refused):
                client.socket.close()

    def test_peer_that_breaks_off_leaves_nothing_behind(self):
        good = self.client()
        for _ in range(20):
            peer = self.connect()
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            peer.close()
            peer = self.connect()
            peer.sendall(b"\x94\x00\x01\xa4ping")  # in the middle of a message
            peer.shutdown(socket.SHUT_WR)
            self.ended(peer)
            good.call("ping")

    def test_answers_that_nobody_reads_are_bounded(self):
        with Caromd(CAROMD, "--threads", "1", "--http", "off", "--tls-cert", self.path("good.pem"), "--tls-key",
                    self.path("good.key"), "--limit", "output_bytes=262144", "--limit", "stall_ms=500") as server:
            peer = self.connect(port=server.port)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.settimeout(5)
            ping = b"\x94\x00\x01\xa4ping\x91\x81\xa3any\xda\x40\x00" + b"x" * 0x4000
            try:
                for _ in range(4000):
                    peer.sendall(ping)
            except (ConnectionError, TimeoutError, ssl.SSLError):
                pass
            good = Client(None, connected=self.connect(port=server.port))
            good.call("ping")
            good.socket.close()
            port, end = peer.getsockname()[1], time.monotonic() + SECONDS_MAX
            line = re.compile(rf"refused: session \d+, subject '', address 127.0.0.1:{port}: limit_exceeded: stall_ms")
            while not any(line.search(written) for written in list(server.log)):
                self.assertLess(time.monotonic(), end, server.log)
                time.sleep(0.05)
            peer.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
