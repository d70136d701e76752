"""The documentation's site: it builds without a fault, every link of every page reaches a file and an anchor, nothing comes
from elsewhere or needs a script within a page, and the builder reports each kind of fault.

Usage: test_site.py [PROJECT_ROOT]
"""

import gzip
import html.parser
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINKS = {"a": "href", "link": "href", "script": "src", "img": "src"}


class Reader(html.parser.HTMLParser):
    """Links, anchors and scripts of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.inline = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if attributes.get("id"):
            assert attributes["id"] not in self.anchors, f"the anchor {attributes['id']} is there twice"
            self.anchors.add(attributes["id"])
        if attributes.get(LINKS.get(tag)):
            self.links.append((tag, attributes[LINKS[tag]]))
        self.inline += [name for name in attributes if name == "style" or name.startswith("on")]
        self.inline += [tag] if tag == "style" or tag == "script" and "src" not in attributes else []


def build(*words, root=None):
    root = root or ROOT
    done = subprocess.run([sys.executable, root / "docs/build.py", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          check=False)
    return done.returncode, done.stdout + done.stderr


REFERENCES = {"errors": "errors", "limits": "limits", "events": "kinds of events", "metrics": "metrics"}  # page -> block


def protocol():
    return (ROOT / "proto/PROTOCOL.md").read_text(encoding="utf-8")


def methods_of(text):
    return re.findall(r"^<!-- method (\S+) -->$", text, re.M)


def names_of(page, block):
    """The names in the first column of a reference."""
    text = (ROOT / "server/http/README.md").read_text(encoding="utf-8") if page == "metrics" else protocol()
    return re.findall(r"^\| `(\w+)` \|", text.split(f"<!-- reference {block} -->")[1].split("<!-- end -->")[0], re.M)


@unittest.skipUnless(shutil.which("cmark-gfm"), "there is no cmark-gfm")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()), "html")
        cls.code, cls.told = build("--out", cls.folder)
        cls.files = {file.relative_to(cls.folder).as_posix() for file in cls.folder.rglob("*") if file.is_file()}
        cls.pages = {name: Reader((cls.folder / name).read_text(encoding="utf-8")) for name in cls.files if name.endswith(".html")}

    def test_builds_without_a_fault(self):
        self.assertEqual(0, self.code, self.told)
        self.assertRegex(self.told, r"\A\d+ pages, \d+ kB in .*\n\Z")
        for name in ("index.html", "client/index.html", "proto/PROTOCOL.html", "docs/reference/methods.html", "site.css"):
            self.assertIn(name, self.files)

    def test_every_link_reaches_a_file_and_an_anchor(self):
        count = 0
        for name, page in self.pages.items():
            for tag, link in page.links:
                with self.subTest(name, link=link):
                    if re.match(r"[a-z]+:", link):
                        self.assertEqual("a", tag, "a page loads nothing from elsewhere")
                        continue
                    path, _, anchor = urllib.parse.unquote(link).partition("#")
                    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
                    self.assertIn(target, self.files)
                    if anchor:
                        self.assertIn(anchor, self.pages[target].anchors)
                    count += 1
        self.assertGreater(count, 2000)

    def test_pages_have_no_scripts_or_styles_of_their_own(self):
        # caromd's Content-Security-Policy would stop them.
        self.assertEqual({}, {name: page.inline for name, page in self.pages.items() if page.inline})
        for name in self.files:
            self.assertRegex(name, r"\A[A-Za-z0-9_./+-]+\Z", "paths that a request needs no percent signs for")

    def test_methods_errors_limits_and_events_have_anchors(self):
        text = protocol()
        methods = methods_of(text)
        self.assertEqual(set(), {name.replace(".", "") for name in methods} - self.pages["docs/reference/methods.html"].anchors)
        anchors = self.pages["docs/reference/methods.html"].anchors
        for method in methods:
            block = text.split(f"<!-- method {method} -->\n")[1].split("<!-- end -->")[0]
            names = re.findall(r"^\| `(\w+)` \|", block, re.M)
            self.assertEqual(set(), {f"{method.replace('.', '')}-{name}" for name in names} - anchors, "anchors of arguments")
        for page, block in REFERENCES.items():
            self.assertEqual(set(), set(names_of(page, block)) - self.pages[f"docs/reference/{page}.html"].anchors)

    def test_texts_are_there_by_gzip_too(self):
        for name in self.files:
            if name.endswith((".html", ".js", ".css", ".svg")):
                self.assertEqual((self.folder / name).read_bytes(), gzip.decompress((self.folder / f"{name}.gz").read_bytes()))

    def test_second_build_touches_nothing_and_removes_old_files(self):
        old = self.folder / "gone/page.html"
        old.parent.mkdir()
        old.write_text("of an older site")
        times = {name: (self.folder / name).stat().st_mtime_ns for name in self.files}
        self.assertEqual(0, build("--out", self.folder)[0])
        self.assertEqual(times, {name: (self.folder / name).stat().st_mtime_ns for name in self.files})
        self.assertFalse(old.parent.exists())

    def test_folder_with_something_else_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "mine.txt").write_text("kept")
            code, told = build("--out", folder)
            self.assertEqual(1, code)
            self.assertIn("holds something that is no site", told)
            self.assertEqual(["mine.txt"], os.listdir(folder))

    @unittest.skipUnless(shutil.which("node"), "there is no node")
    def test_search_finds_sections(self):
        script = """
            const fs = require('fs'), vm = require('vm');
            const none = () => {};
            const element = {addEventListener: none, form: {addEventListener: none}};
            const document = {getElementById: () => element, body: {dataset: {root: '.'}}, addEventListener: none};
            const context = vm.createContext({document, window: {}});
            for (const name of ['search.js', 'search-index.js']) vm.runInContext(fs.readFileSync(process.argv[1] + '/' + name, 'utf8'), context);
            vm.runInContext(`const rows = read(window.CAROM_SEARCH);`, context);
            for (const words of process.argv.slice(2)) {
              const [first] = vm.runInContext(`find(rows, ${JSON.stringify(words)})`, context);
              console.log(first ? `${first.row.file}#${first.row.anchor}` : 'nothing');
            }"""
        found = subprocess.run(["node", "-e", script, self.folder, "body.spawn", "SLOW readers", "limit_exceeded", "late Batches are rare", "qqqzzz", "body qqqzzz"],
                               capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout.split()
        self.assertEqual(["docs/reference/methods.html#bodyspawn", "proto/PROTOCOL.html#slow-readers",
                          "docs/reference/errors.html#limit_exceeded", "client/guides/play-over-distance.html#how-it-works", "nothing", "nothing"], found)


def rows(page, heading):
    """{first cell: other cells} of the first table after a heading's words, or after any words of the page."""
    text = (ROOT / page).read_text(encoding="utf-8").split(heading, 1)[1]
    table = re.search(r"(?:^\|.*\n)+", text, re.M)[0]
    cells = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()[2:]]
    return {first: rest for first, *rest in reversed(cells)}  # the first of two rows with one name counts


class Pages(unittest.TestCase):
    """The words of pages that tests of the built site look for are there: these tests need no program."""

    def test_protocol_s_methods_and_references_are_found(self):
        methods = methods_of(protocol())
        self.assertGreater(len(methods), 40)
        for page, block in REFERENCES.items():
            self.assertGreater(len(names_of(page, block)), 5, page)

    def test_searched_sections_are_there(self):
        for page, words in (("proto/PROTOCOL.md", "# Slow readers"), ("client/guides/play-over-distance.md", "# How it works"),
                            ("client/README.md", "# The command line")):
            self.assertRegex((ROOT / page).read_text(encoding="utf-8"), rf"(?m)^#+ {words[2:]}$", page)
        text = (ROOT / "client/guides/play-over-distance.md").read_text(encoding="utf-8").split("# How it works\n")[1].split("\n#")[0]
        self.assertIn("late batches are rare", " ".join(text.lower().split()), "the search's words of that section")


class Figures(unittest.TestCase):
    """Figures of the concepts are those of the benchmarks' tables, rounded."""

    def same(self, shown, measured):
        shown = re.sub(r"(?<=\d) (?=\d)| ms$", "", shown)
        digits = len(shown.partition(".")[2])
        self.assertLessEqual(abs(float(shown) - float(re.sub(" ms$", "", measured))), 0.5 * 10**-digits + 1e-9, (shown, measured))

    def test_encodings(self):
        shown, measured = rows("docs/concepts/encodings.md", "## Figures"), rows("tests/bench/RESULTS.md", "## carom-bench-network")
        names = {"a quarter moves": "quarter", "all move": "all", "250 collide, 30 Hz": "colliding", "at rest": "rest"}
        self.assertEqual(set(names), set(shown))
        for name, scene in names.items():
            for value, column in zip(shown[name], (0, 1, 3, 6, 7), strict=True):
                self.same(value, measured[scene][column])

    def test_latency(self):
        shown = rows("docs/concepts/time.md", "## Which latency to expect")
        measured = rows("tests/bench/RESULTS.md", "Command to acknowledgement and to snapshot, as")
        self.assertEqual(3, len(shown))
        for name, values in shown.items():
            for value, column in zip(values, (0, 1, 5, 6), strict=True):
                self.same(value, measured[name.replace("10 000", "10000")][column])

    def test_distance(self):
        shown, measured = rows("docs/concepts/distance.md", "## What to expect"), rows("client/guides/play-over-distance.md", "From a key to the frame")
        self.assertEqual(4, len(shown))
        for name, (drawn, median, p95) in shown.items():
            stalls, by_snapshots, predicted = measured[name]
            self.assertEqual("none", stalls)
            self.same(drawn, by_snapshots.split(",")[0])
            self.same(median, predicted.split(",")[0])
            self.same(p95, predicted.split(", ")[1])


@unittest.skipUnless(shutil.which("cmark-gfm"), "there is no cmark-gfm")
class Faults(unittest.TestCase):
    def test_folders_of_others_are_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder, "tree")
            ignored = shutil.ignore_patterns(".*", "node_modules", "corpus", "__pycache__")
            shutil.copytree(ROOT, root, ignore=ignored, symlinks=True)
            (root / "my-game").mkdir()
            (root / "my-game/README.md").write_text("No title, and [a link](nowhere.md).\n", encoding="utf-8")
            code, told = build("--out", pathlib.Path(folder, "html"), root=root)
            self.assertEqual(0, code, told)
            self.assertIn("docs/pages.toml: no section lists my-game/README.md: left out\n", told)
            self.assertTrue(pathlib.Path(folder, "html/index.html").exists())
            self.assertFalse(pathlib.Path(folder, "html/my-game").exists())

    def test_faults_are_reported_with_their_page(self):
        links = ("[a](gone.md) [b](../README.md#no-such-place) [c](#nor-this) [d](/README.md) ![e](gone.png) "
                 '<a href="../../../outside.md">f</a> [good](../README.md#the-command-line) [self](#mine) <https://example.org/x>')
        pages = {"client/guides/mine.md": f"# Mine\n\n{links}\n", "client/guides/bare.md": "Text.\n", "nowhere/page.md": "# Page\n"}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder, "tree")
            ignored = shutil.ignore_patterns(".*", "node_modules", "corpus", "__pycache__")
            shutil.copytree(ROOT, root, ignore=ignored, symlinks=True)
            for name, text in pages.items():
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            code, told = build("--check", root=root)
        self.assertEqual(1, code)
        mine = "client/guides/mine.md"
        self.assertEqual(sorted(told.splitlines()[:-1]), sorted([
            f"{mine}: 'gone.md' leads to no file", f"{mine}: 'gone.png' leads to no file", f"{mine}: '../../../outside.md' leads to no file",
            f"{mine}: '/README.md' begins with '/': links are relative to their file",
            f"{mine}: '../README.md#no-such-place' names the anchor 'no-such-place', which client/index.html does not have",
            f"{mine}: '#nor-this' names the anchor 'nor-this', which client/guides/mine.html does not have",
            "docs/pages.toml: no section lists nowhere/page.md", "client/guides/bare.md: has no heading, and so no title"]))
        self.assertEqual("docs/build.py: 8 faults; nothing was written", told.splitlines()[-1])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
