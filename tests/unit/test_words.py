"""Plain English, as far as a program can tell: no sentence hides its subject, each source has a head.

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


def sources():
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h", "*.hpp", "*.js", "*.md"], cwd=ROOT, check=True,
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

    def test_other_sentences_are_left_alone(self):
        self.assertEqual(0, self.found("a.c", "// Tells what sleeps, and who waits\n// What for?\n"))
        self.assertEqual(0, self.found("a.md", "```\n# What a program prints\n```\n"))
        self.assertEqual(0, self.found("a.c", "// It knows\n// What is goes on from the line before.\n"))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        ROOT = pathlib.Path(sys.argv.pop(1))
    unittest.main()
