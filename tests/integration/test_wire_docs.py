#!/usr/bin/env python3
"""The documentation's site at /docs/ (caromd --docs DIR): types, compressed forms, folders, what is not served; the site
that is installed beside the program is found. Called with the path of caromd."""

import gzip
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from folder_case import FolderTest  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
PAGE = "<!doctype html><title>carom</title>" + "<p>page</p>" * 100


class Docs(FolderTest):
    def setUp(self):
        super().setUp()
        self.folder = self.top / "prefix/share/carom/docs"
        for path, text in (("index.html", PAGE), ("client/index.html", "clients"), ("docs/reference/methods.html", "methods"),
                           ("search.js", "search"), ("site.css", "look")):
            self.write(path, text)
        Path(self.folder, "index.html.gz").write_bytes(gzip.compress(PAGE.encode(), mtime=0))
        Path(self.folder, "search.js.gz").write_bytes(b"larger than the file itself: not served")
        Path(self.folder, "alone.gz").write_bytes(b"no file of that name")

    def serve(self, *options, program=CAROMD):
        return self.start(program, *options)

    def test_pages_have_types_tags_and_the_policy_of_the_viewer(self):
        self.serve("--docs", str(self.folder))
        for path, kind in (("/docs/", "text/html"), ("/docs/index.html", "text/html"), ("/docs/client/", "text/html"),
                           ("/docs/docs/reference/methods.html", "text/html"), ("/docs/search.js", "text/javascript"),
                           ("/docs/site.css", "text/css")):
            answer = self.get(path)
            self.assertEqual((200, f"{kind}; charset=utf-8"), (answer.status, answer.headers["Content-Type"]), path)
            self.assertEqual(self.get("/").headers["Content-Security-Policy"], answer.headers["Content-Security-Policy"])
            self.assertEqual("nosniff", answer.headers["X-Content-Type-Options"])
            self.assertEqual(304, self.get(path, If_None_Match=answer.headers["ETag"]).status)
        self.assertEqual(PAGE.encode(), self.get("/docs/").body)
        self.assertEqual((200, b""), (self.get("/docs/", "HEAD").status, self.get("/docs/", "HEAD").body))
        self.assertEqual(204, self.get("/docs/", "OPTIONS").status)

    def test_forms_beside_the_pages_are_sent_to_those_who_take_gzip(self):
        self.serve("--docs", str(self.folder))
        packed = self.get("/docs/index.html", Accept_Encoding="gzip")
        self.assertEqual(("gzip", PAGE.encode()), (packed.headers["Content-Encoding"], gzip.decompress(packed.body)))
        plain = self.get("/docs/search.js", Accept_Encoding="gzip")
        self.assertEqual((None, b"search"), (plain.headers["Content-Encoding"], plain.body))
        for path in ("/docs/index.html.gz", "/docs/alone.gz"):
            self.assertEqual(404, self.get(path).status)

    def test_folders_are_redirected_and_have_no_list(self):
        self.serve("--docs", str(self.folder))
        for path, name in (("/docs", "docs"), ("/docs/client", "client")):
            moved = self.get(path)  # to a place beside itself: a proxy may serve it under a prefix
            self.assertEqual((301, f"./{name}/"), (moved.status, moved.headers["Location"]))
        for path in ("/docs/docs/", "/docs/docs", "/docsindex.html", "/docs/nothing.html", "/docs/client/nothing/", "/docs//", "/index.html"):
            self.assertEqual(404, self.get(path).status, path)

    def test_nothing_outside_the_folder_is_served(self):
        (self.top / "secret.txt").write_text("secret", encoding="utf-8")
        (self.folder / "link.txt").symlink_to(self.top / "secret.txt")
        (self.folder / "site.css.gz").symlink_to(self.top / "secret.txt")
        self.write(".hidden", "secret")
        self.serve("--docs", str(self.folder))
        for path in ("/docs/link.txt", "/docs/.hidden", "/docs/../secret.txt", "/docs/%2e%2e/secret.txt", "/docs/..", "/docs/../healthz"):
            answer = self.get(path)
            self.assertIn(answer.status, (400, 404), path)
            self.assertNotIn(b"secret", answer.body)
        self.assertEqual(b"look", self.get("/docs/site.css", Accept_Encoding="gzip").body)

    def test_game_goes_first_and_both_are_served(self):
        game = self.top / "game"
        (game / "docs").mkdir(parents=True)
        (game / "index.html").write_text("game", encoding="utf-8")
        (game / "docs/rules.html").write_text("rules", encoding="utf-8")
        (game / "docs/site.css").write_text("the game's look", encoding="utf-8")
        self.serve("--docs", str(self.folder), "--www", str(game))
        self.assertEqual([b"game", b"rules", b"the game's look", b"clients"],
                         [self.get(path).body for path in ("/", "/docs/rules.html", "/docs/site.css", "/docs/client/")])

    def test_installed_site_is_found_beside_the_program_and_can_be_off(self):
        program = self.top / "prefix/bin/caromd"
        program.parent.mkdir()
        shutil.copy(CAROMD, program)
        self.serve(program=program)
        self.assertEqual(b"clients", self.get("/docs/client/").body)
        self.serve("--docs", "off", program=program)
        self.assertEqual([404, 404, 200], [self.get(path).status for path in ("/docs/", "/docs", "/healthz")])
        self.assertIn(b"not installed here", self.get("/docs/").body)
        self.assertNotIn(b"not installed here", self.get("/docsx").body)
        (self.folder / "index.html").unlink()
        self.serve(program=program)
        self.assertEqual(404, self.get("/docs/client/").status)

    def test_folder_that_cannot_be_served_stops_the_start(self):
        empty = self.top / "empty"
        empty.mkdir()
        self.write("src/a.h.html", "header")
        for folder, words in ((self.top / "gone", "No such file"), (self.folder / "index.html", "is not a folder"),
                              (empty, "has no files that could be served"), (self.folder, "/src/ is the server's own")):
            done = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--docs", str(folder)],
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS_MAX, check=False)
            self.assertNotEqual(0, done.returncode)
            self.assertIn("docs", done.stderr)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
