"""Plain English, as far as a program can tell: no sentence hides its subject, no comment behind a line
leaves its noun out, each source has a head.

A comment or a page that begins a sentence with "What sleeps ...", "Who is late ..." makes its reader
look for the subject: name it ("Bodies that sleep ..."). Questions are fine. A source begins with a
comment: its purpose, its invariants, the threads that may call it.

Usage: test_words.py [ROOT]
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HIDDEN = re.compile(r"(?:^|[.:;] )(What|Who|Whoever|Whatever)\b(?! if\b)")
SUBJECTLESS = re.compile(r"^\s*[^\s/*#].*\s(?://| #) (?:(?:of|that|which)\b|(?:[\w-]+ ){0,3}[\w-]+'s(?:[;,:]|$))")
OWNERLESS = re.compile(r"\b[Tt]he own \w")
EXAMPLES = "tests/unit/test_words.py"  # this file: its tests of the checks contain faults
COMMENT = re.compile(r"^\s*(?://|\*|/\*|#)\s?(.*)$")


def prose_lines(path):
    """(number, text) of each line of prose: comments of a source, all of a page but its code."""
    text = path.read_text(encoding="utf-8", errors="replace")
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if path.suffix == ".md":
            fenced ^= line.startswith("```")
            if not fenced and not line.startswith("|"):
                yield number, line.strip()
        else:
            comment = COMMENT.match(line)
            if comment:
                yield number, comment[1].strip()


def hidden_subjects(path):
    """The lines that begin a sentence with a hidden subject."""
    found, before, last = [], ".", 0
    for number, text in prose_lines(path):
        goes_on = number == last + 1 and before and before[-1:] not in ".:;"
        for match in HIDDEN.finditer(text):
            begins = match.start() > 0 or not goes_on
            sentence = text[match.start(1):]
            if begins and "?" not in sentence:
                found.append(f"{number}: {sentence[:60]}")
        before, last = text, number
    return found


def subjectless(path):
    """The lines whose comment, behind the code, leaves its noun out: `size; // of a page` does not say what it counts,
    `index; // the reader's` does not say what of the reader it is, nor does `count; // that wait`."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"{number}: {line.strip()[:80]}" for number, line in enumerate(lines, 1) if SUBJECTLESS.search(line)]


def ownerless(path):
    """The lines with "the own", which does not say whose: a player's own, the client's own, its own."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"{number}: {line.strip()[:80]}" for number, line in enumerate(lines, 1) if OWNERLESS.search(line)]


def sources(*more):
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h", "*.hpp", "*.js", "*.md", *more], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split()
    return [name for name in listed if "/corpus/" not in name and (ROOT / name).exists()]


class Words(unittest.TestCase):
    maxDiff = None

    def test_no_sentence_hides_its_subject(self):
        names = sources()
        self.assertGreater(len(names), 100, "the sources were not found")
        for name in names:
            found = hidden_subjects(ROOT / name)
            with self.subTest(name):
                self.assertEqual([], found, f"{name}: name the subject of these sentences")

    def test_no_comment_behind_a_line_leaves_its_noun_out(self):
        for name in sources("*.ts", "*.cs", "*.py"):
            if not name.endswith(".md") and name != EXAMPLES:
                self.assertEqual([], subjectless(ROOT / name), f"{name}: name the subject of these comments")

    def test_own_names_its_owner(self):
        for name in sources("*.ts", "*.cs", "*.py", "*.toml"):
            if name != EXAMPLES:
                self.assertEqual([], ownerless(ROOT / name), f"{name}: say whose own it is")

    def test_each_source_has_a_head(self):
        bare = [name for name in sources() if not name.endswith(".md")
                and not re.match(r"(#!.*\n)?(//|/\*)", (ROOT / name).read_text(encoding="utf-8"))]
        self.assertEqual([], bare, "these sources lack a head: a comment that says what they are")


class Checker(unittest.TestCase):
    def found(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.write_text(text, encoding="utf-8")
            return len(hidden_subjects(path))

    def test_hidden_subjects_are_found(self):
        self.assertEqual(1, self.found("a.c", "// What sleeps costs nothing.\n"))
        self.assertEqual(1, self.found("a.c", "int a;\n// Ends it. Who waits is told.\n"))
        self.assertEqual(1, self.found("a.c", "int a; // bytes\nint b;\n// What sleeps costs nothing.\n"))
        self.assertEqual(0, self.found("a.c", "// It tells\n// What sleeps.\n"))
        self.assertEqual(1, self.found("a.md", "Whoever asks is told.\n"))

    def test_comments_without_their_noun_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.c")
            path.write_text("int a; // of a page\nint b; // bytes of a page\n    // of a page\n// of all\n", encoding="utf-8")
            self.assertEqual(["1: int a; // of a page"], subjectless(path))
            path.write_text("int a; // the reader's\nint b; // its world's; 0: none\nint c; // that wait\n"
                            "int d; // size of the reader's page\nint e; // the reader's size\n", encoding="utf-8")
            self.assertEqual(["1", "2", "3"], [line.split(":")[0] for line in subjectless(path)])
            path.write_text("count = 0  # which wait\nsize = 0  # bytes\n# that is all\n", encoding="utf-8")
            self.assertEqual(["1"], [line.split(":")[0] for line in subjectless(path)])

    def test_own_without_an_owner_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.md")
            path.write_text("A player sees the own disc.\nA player sees its own disc.\nThe owner.\n", encoding="utf-8")
            self.assertEqual(["1: A player sees the own disc."], ownerless(path))

    def test_other_sentences_are_left_alone(self):
        self.assertEqual(0, self.found("a.c", "// Tells what sleeps, and who waits\n// What for?\n"))
        self.assertEqual(0, self.found("a.md", "```\n# What a program prints\n```\n"))
        self.assertEqual(0, self.found("a.c", "// It knows\n// What is goes on from the line before.\n"))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        ROOT = pathlib.Path(sys.argv.pop(1))
    unittest.main()
