"""The golden hashes change only together with the engine's behaviour number.

    test_behaviour.py GOLDEN HASHES
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

GOLDEN, HASHES = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
TICKS = ["--ticks", "1"]


class Behaviour(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "hashes.txt"
        self.text = HASHES.read_text()
        self.number = int(re.match(r"behaviour (\d+) ", self.text).group(1))

    def golden(self, *arguments):
        done = subprocess.run([GOLDEN, *arguments, str(self.file)], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def alter_first_hash(self):
        line = self.text.splitlines()[2]
        digit = "0" if line[-1] != "0" else "1"
        return self.text.replace(line, line[:-1] + digit)

    def test_file_as_written_is_taken(self):
        self.file.write_text(self.text)
        code, said = self.golden(*TICKS)
        self.assertEqual(0, code, said)

    def test_line_altered_by_hand_is_refused(self):
        self.file.write_text(self.alter_first_hash())
        code, said = self.golden(*TICKS)
        self.assertEqual(1, code)
        self.assertIn("altered by hand", said)

    def test_number_altered_by_hand_is_refused(self):
        self.file.write_text(self.text.replace(f"behaviour {self.number} ",
                                               f"behaviour {self.number + 1} "))
        code, said = self.golden(*TICKS)
        self.assertEqual(1, code)
        self.assertIn("altered by hand", said)

    def test_file_of_no_behaviour_is_written_anew(self):
        self.file.write_text("behaviour 0 0000000000000000\n")
        code, said = self.golden("--write", *TICKS)
        self.assertEqual(0, code, said)
        self.assertIn(f"behaviour {self.number} ", self.file.read_text())

    def test_other_hashes_are_not_written_under_the_same_number(self):
        self.file.write_text(self.alter_first_hash())
        before = self.file.read_text()
        code, said = self.golden("--write", *TICKS)
        self.assertEqual(1, code)
        self.assertIn("raise ENGINE_BEHAVIOUR", said)
        self.assertEqual(before, self.file.read_text())

    def test_other_hashes_are_written_when_the_number_is_raised(self):
        self.file.write_text(self.alter_first_hash().replace(f"behaviour {self.number} ",
                                                             f"behaviour {self.number - 1} "))
        code, said = self.golden("--write", *TICKS)
        self.assertEqual(0, code, said)
        code, said = self.golden(*TICKS)
        self.assertEqual(0, code, said)


unittest.main()
