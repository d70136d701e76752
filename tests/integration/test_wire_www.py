#!/usr/bin/env python3
"""A game's own files beside the viewer (caromd --www DIR): which files are served, with which types, and which are not;
changes of the folder while the server runs. Called with the path of caromd."""

import gzip
import os
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from folder_case import FolderTest  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
PAGE = "<!doctype html><title>game</title><script type=module src=js/game.js></script>\n"
SCRIPT = "import {connect} from '/src/index.js';\n" * 100


class Www(FolderTest):
    def setUp(self):
        super().setUp()
        self.folder = self.top / "game"
        for path, text in (("index.html", PAGE), ("js/game.js", SCRIPT), ("levels/index.html", "levels"),
                           ("levels/1.json", "{}"), ("hit.ogg", "sound"), ("empty.css", "")):
            self.write(path, text)

    def serve(self, *options):
        return self.start(CAROMD, "--www", str(self.folder), *options)

    def test_page_of_the_game_is_the_first_and_the_viewer_stays(self):
        server = self.serve()
        page = self.get("/")
        self.assertEqual((200, "text/html; charset=utf-8", PAGE.encode()),
                         (page.status, page.headers["Content-Type"], page.body))
        self.assertIn("script-src 'self'", page.headers["Content-Security-Policy"])
        self.assertEqual("nosniff", page.headers["X-Content-Type-Options"])
        for path in ("/viewer/", "/viewer/index.html", "/src/index.js", "/healthz", "/readyz", "/metrics"):
            self.assertEqual(200, self.get(path).status, path)
        self.assertIn(b"viewer", self.get("/viewer/").body)
        with Client(server.port) as client:
            client.call("ping")

    def test_types_are_those_of_the_names(self):
        self.write("strange.xyz", "?")
        self.serve()
        for path, kind in (("/js/game.js", "text/javascript; charset=utf-8"), ("/levels/1.json", "application/json"),
                           ("/hit.ogg", "audio/ogg"), ("/empty.css", "text/css; charset=utf-8"),
                           ("/strange.xyz", "application/octet-stream")):
            answer = self.get(path)
            self.assertEqual((200, kind), (answer.status, answer.headers["Content-Type"]), path)

    def test_folder_has_its_page_and_no_list(self):
        self.serve()
        self.assertEqual(b"levels", self.get("/levels/").body)
        moved = self.get("/levels")
        self.assertEqual((301, "./levels/"), (moved.status, moved.headers["Location"]))
        for path in ("/js/", "/js", "/nowhere", "/levels/2.json", "/INDEX.HTML"):
            self.assertEqual(404, self.get(path).status, path)

    def test_forms_have_tags_of_their_own(self):
        self.serve()
        plain = self.get("/js/game.js")
        packed = self.get("/js/game.js", Accept_Encoding="gzip")
        self.assertEqual(SCRIPT.encode(), plain.body)
        self.assertEqual("gzip", packed.headers["Content-Encoding"])
        self.assertEqual(SCRIPT.encode(), gzip.decompress(packed.body))
        self.assertNotEqual(plain.headers["ETag"], packed.headers["ETag"])
        self.assertEqual(304, self.get("/js/game.js", If_None_Match=plain.headers["ETag"]).status)
        self.assertNotIn("Content-Encoding", self.get("/hit.ogg", Accept_Encoding="gzip").headers)
        head = self.get("/js/game.js", "HEAD")
        self.assertEqual((str(len(SCRIPT)), b""), (head.headers["Content-Length"], head.body))

    def test_what_lies_outside_or_is_hidden_is_not_served(self):
        secret = self.folder.parent / "secret.txt"
        secret.write_text("secret", encoding="utf-8")
        (self.folder / "link.txt").symlink_to(secret)
        (self.folder / "up").symlink_to(self.folder.parent)
        self.write(".env", "secret")
        self.write(".git/config", "secret")
        self.write("a name.txt", "a name that needs percent signs")
        longest = "/".join(["d" * 100] * 5) + "/" + "f" * 6  # 512 bytes with the slash before it
        self.write(longest, "longest")
        self.write(longest + "f", "a byte more")
        server = self.serve()
        for path in ("/link.txt", "/up/secret.txt", "/.env", "/.git/config", "/../secret.txt", "/js/../../secret.txt",
                     "/%2e%2e/secret.txt", "/a%20name.txt", "//secret.txt"):
            answer = self.get(path)
            self.assertIn(answer.status, (400, 404), path)
            self.assertNotIn(b"secret\n", answer.body)
        server.await_log(": serves 7 files")  # hidden files are not even read
        server.await_log("does not serve 2 files")
        self.assertEqual((b"longest", 404), (self.get(f"/{longest}").body, self.get(f"/{longest}f").status))

    def test_changes_are_served_without_a_restart(self):
        server = self.serve()
        self.write("js/game.js", "1")
        self.eventually(lambda: self.get("/js/game.js").body == b"1")
        self.write("new.txt", "new")
        self.eventually(lambda: self.get("/new.txt").body == b"new")
        (self.folder / "new.txt").unlink()
        self.eventually(lambda: self.get("/new.txt").status == 404)
        self.write("src/mine.js", "the server's own folder")
        self.write("new.txt", "again")
        server.await_log("keeping the files as they were read before: 'src/mine.js' cannot be served")
        self.assertEqual((404, 200), (self.get("/new.txt").status, self.get("/").status))
        (self.folder / "src/mine.js").unlink()
        self.eventually(lambda: self.get("/new.txt").body == b"again")

    def test_only_files_that_have_changed_are_read_again(self):
        for i in range(20):
            self.write(f"level/{i}.json", f'{{"level": {i}}}')
        server = self.serve()
        server.await_log(": serves 26 files, 26 of them read now")
        kept = self.get("/level/7.json")
        self.write("level/3.json", '{"level": 4}')
        server.await_log(": serves 26 files, 1 of them read now")
        self.eventually(lambda: self.get("/level/3.json").body == b'{"level": 4}')
        again = self.get("/level/7.json")
        self.assertEqual((kept.body, kept.headers["etag"]), (again.body, again.headers["etag"]))
        # As many bytes as before, and the time set back.
        path = self.folder / "level/3.json"
        before = path.stat()
        self.write("level/3.json", '{"level": 5}')
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.eventually(lambda: self.get("/level/3.json").body == b'{"level": 5}')

    def test_folder_may_be_a_link_that_a_release_moves(self):
        current = self.folder.parent / "current"
        current.symlink_to(self.folder)
        self.folder, games = current, self.folder
        self.serve()
        self.assertEqual(PAGE.encode(), self.get("/").body)
        self.folder = games.parent / "next"
        self.write("index.html", "next")
        current.unlink()
        current.symlink_to(self.folder)
        self.eventually(lambda: self.get("/").body == b"next")

    def test_texts_that_take_long_to_compress_are_served_as_they_are_until_then(self):
        text = SCRIPT * 220
        for i in range(10):
            self.write(f"{i}.js", text)
        self.serve()
        self.assertEqual("gzip", self.get("/0.js", Accept_Encoding="gzip").headers["Content-Encoding"])
        last = self.get("/9.js")
        self.assertEqual((200, text.encode()), (last.status, last.body))
        packed = self.eventually(lambda: (a := self.get("/9.js", Accept_Encoding="gzip")).headers["Content-Encoding"] and a)
        self.assertEqual(text.encode(), gzip.decompress(packed.body))
        self.assertEqual(last.headers["ETag"], self.get("/9.js").headers["ETag"])

    def large(self, size):
        data = os.urandom(size)
        (self.folder / "large.bin").write_bytes(data)
        return data

    def test_file_is_larger_than_what_may_wait_for_a_connection(self):
        data = self.large((1 << 20) + 12345)
        self.serve("--limit", "output_bytes=300000")
        for headers in ({}, {"Connection": "close"}):
            self.assertEqual(data, self.get("/large.bin", **headers).body)
        with socket.create_connection(("127.0.0.1", self.port), SECONDS_MAX) as both:  # the second request waits for the first file
            both.sendall(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hit.ogg HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            got = b"".join(iter(lambda: both.recv(1 << 16), b""))
        self.assertEqual(1, got.count(data))
        self.assertTrue(got.endswith(b"sound"))

    def test_slow_reader_gets_the_whole_file_before_its_connection_is_closed(self):
        data = self.large(8 << 20)
        server = self.serve("--limit", "close_ms=10")
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            slow.connect(("127.0.0.1", self.port))
            slow.sendall(b"GET /large.bin HTTP/1.0\r\nHost: localhost\r\n\r\n")
            got = b""
            while piece := slow.recv(1 << 18):
                got += piece
                with Client(server.port) as other:  # some turns of the server pass
                    other.call("ping")
                time.sleep(0.02)
        self.assertTrue(got.endswith(data), len(got))

    def test_file_is_sent_to_its_end_after_it_has_changed(self):
        data = self.large(8 << 20)
        self.serve()
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            slow.connect(("127.0.0.1", self.port))
            slow.sendall(b"GET /large.bin HTTP/1.0\r\nHost: localhost\r\n\r\n")
            got = slow.recv(1 << 16)
            self.write("large.bin", "small now")
            self.eventually(lambda: self.get("/large.bin").body == b"small now")
            self.write("large.bin", "smaller")
            self.eventually(lambda: self.get("/large.bin").body == b"smaller")
            got += b"".join(iter(lambda: slow.recv(1 << 16), b""))
        self.assertTrue(got.endswith(data))

    def refused(self, *words):
        done = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--www", str(self.folder)],
                              capture_output=True, text=True, timeout=SECONDS_MAX)
        self.assertNotEqual(0, done.returncode)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_folders_that_cannot_be_served_are_named(self):
        self.write("viewer/mine.js", "1")
        self.refused("--www: 'viewer/mine.js' cannot be served: /viewer/ is the server's own")
        (self.folder / "viewer/mine.js").unlink()
        with open(self.folder / "large.bin", "wb") as large:
            large.truncate(256 << 20)  # a sparse file: nothing is written
        self.refused("at most 268435456 are served")
        (self.folder / "large.bin").unlink()
        for i in range(4097):
            (self.folder / f"{i}.txt").touch()
        self.refused("--www: there are more than 4096 files in it")
        self.folder = self.folder / "levels"
        for file in self.folder.iterdir():
            file.unlink()
        self.refused("has no files that could be served")
        self.folder = self.folder / "nowhere"
        self.refused("nowhere': No such file or directory")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
