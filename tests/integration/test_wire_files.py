#!/usr/bin/env python3
"""The files that caromd serves: plain or gzipped, as the request accepts, each form with its own tag. Called with
the path of caromd."""

import gzip
import http.client
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402

CAROMD = sys.argv[1]
SCRIPT = "/src/index.js"

# Accept-Encoding, and whether gzip is sent.
CHOICES = [
    (None, False), ("", False), ("identity", False), ("br", False), ("deflate, br;q=1.0", False),
    ("gzip", True), ("GZip", True), ("br, gzip", True), ("gzip, deflate, br, zstd", True), ("*", True), ("br;q=0,*", True),
    ("gzip;q=0", False), ("gzip;q=0.000", False), ("gzip; q=0", False), ("gzip ;Q=0", False), ("*;q=0", False),
    ("gzip;q=0, *", False), ("*, gzip;q=0", False), ("gzip;q=0.001", True), ("gzip;q=1.000", True), ("*;q=0.5", True),
    ("identity, gzip;q=0.5", False), ("identity;q=0.5, gzip;q=0.5", True), ("identity;q=0.5, gzip", True),
    ("identity;q=0, gzip;q=0", False), ("gzip;q=2", False), ("gzip;q=1.5", False), ("gzip;q=x", False),
    ("gzip;q=", False), ("gzip;q=0.1234", False), ("gzip;q=-1", False), ("gzipx", False), ("xgzip, x", False),
    (",,gzip,", True), ("gzip;level=9", True), ("gzip;level=9;q=0", False),
]


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Caromd(CAROMD))

    def get(self, path, accept=None, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.http_port, timeout=SECONDS_MAX)
        self.addCleanup(connection.close)
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in {"Accept-Encoding": accept, **{n.replace("_", "-"): v for n, v in headers.items()}}.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        answer.body = answer.read()
        return answer

    def test_coding_is_what_the_request_takes(self):
        plain = (ROOT / "client/web/src/index.js").read_bytes()
        for accept, packed in CHOICES:
            with self.subTest(accept):
                answer = self.get(SCRIPT, accept)
                self.assertEqual(answer.headers["Content-Encoding"], "gzip" if packed else None)
                self.assertEqual(answer.headers["Vary"], "Accept-Encoding")
                self.assertEqual(int(answer.headers["Content-Length"]), len(answer.body))
                self.assertEqual(answer.headers["Content-Type"], "text/javascript; charset=utf-8")
                self.assertEqual(gzip.decompress(answer.body) if packed else answer.body, plain)

    def test_every_text_of_the_viewer_is_smaller_by_gzip(self):
        viewer = ROOT / "client/web/viewer"
        plain = packed = 0
        for path in [path for path in viewer.rglob("*") if path.suffix in (".html", ".js", ".css", ".svg")]:
            answer = self.get(f"/viewer/{path.relative_to(viewer).as_posix()}", "gzip")
            self.assertEqual(answer.headers["Content-Encoding"], "gzip", path)
            self.assertEqual(gzip.decompress(answer.body), path.read_bytes(), path)
            plain, packed = plain + path.stat().st_size, packed + len(answer.body)
        self.assertLess(packed, plain / 2)
        # One folder up, so that a prefix can precede it
        page = (viewer / "index.html").read_bytes().replace(b'"../', b'"')
        self.assertEqual(gzip.decompress(self.get("/", "gzip").body), page)

    def test_bytes_do_not_depend_on_when_and_where_they_were_made(self):
        flags, time = self.get(SCRIPT, "gzip").body[3], self.get(SCRIPT, "gzip").body[4:8]
        self.assertEqual((flags, time), (0, bytes(4)), "a name or a time in the head of the file")

    def test_each_form_has_a_tag_of_its_own(self):
        plain, packed = self.get(SCRIPT), self.get(SCRIPT, "gzip")
        tags = [answer.headers["ETag"] for answer in (plain, packed)]
        for tag in tags:
            self.assertRegex(tag, r'^"[0-9a-f]{32}"$')
        self.assertNotEqual(*tags)
        for accept, tag, other in ((None, *tags), ("gzip", *reversed(tags))):
            for wanted in (tag, f'"a", {tag}', "*"):
                again = self.get(SCRIPT, accept, If_None_Match=wanted)
                self.assertEqual((again.status, again.body), (304, b""))
                self.assertEqual((again.headers["ETag"], again.headers["Vary"]), (tag, "Accept-Encoding"))
                self.assertIsNone(again.headers["Content-Encoding"])
            for wanted in (other, '"other"'):
                self.assertEqual(self.get(SCRIPT, accept, If_None_Match=wanted).status, 200)

    def test_head_has_the_headers_of_its_form(self):
        for accept in (None, "gzip"):
            full, head = self.get(SCRIPT, accept), self.get(SCRIPT, accept, method="HEAD")
            self.assertEqual(head.body, b"")
            for name in ("Content-Length", "Content-Encoding", "ETag", "Vary"):
                self.assertEqual(head.headers[name], full.headers[name])

    def test_answers_that_are_no_files_are_sent_as_they_are(self):
        for path in ("/healthz", "/metrics", "/nowhere"):
            answer = self.get(path, "gzip")
            self.assertEqual((answer.headers["Content-Encoding"], answer.headers["Vary"]), (None, None))

    def test_one_header_alone_says_what_is_taken(self):
        with http_lines(self.server.http_port, b"Accept-Encoding: gzip", b"accept-encoding: br") as told:
            self.assertIn(b" 400 ", told)


class http_lines:
    """Compares the first line of the answer to a request with these header lines."""

    def __init__(self, port, *lines):
        self.connection = http.client.socket.create_connection(("127.0.0.1", port), SECONDS_MAX)
        self.connection.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n" + b"".join(line + b"\r\n" for line in lines) + b"\r\n")

    def __enter__(self):
        return self.connection.recv(4096).split(b"\r\n")[0]

    def __exit__(self, *_):
        self.connection.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
