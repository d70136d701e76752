"""The C sources are formatted by clang-format 14 (Debian 12's) with .clang-format.

Usage: test_format.py [PROJECT_ROOT]     `git ls-files '*.c' '*.h' | xargs clang-format-14 -i` corrects them. """

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("client", "common", "proto", "server", "tests")
ENDINGS = {".c", ".h", ".hpp", ".cpp"}
VERSION = 14  # other versions format differently: one version would change what another leaves


def formatter():
    """The program of that version, or None."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path and re.search(rf"version {VERSION}\.", subprocess.run([path, "--version"], capture_output=True, text=True).stdout):
            return path
    return None


def sources(root):
    return sorted(str(path.relative_to(root)) for room in ROOMS for path in (root / room).rglob("*")
                  if path.suffix in ENDINGS and "node_modules" not in path.parts)


def complaints(program, root, paths):
    """A line for each place that would change."""
    done = subprocess.run([program, "--dry-run", "--Werror", *paths], cwd=root, capture_output=True, text=True)
    places = re.findall(r"(?m)^(\S+?:\d+):\d+: error: ", done.stderr)
    return places or ([done.stderr] if done.returncode else [])


class Format(unittest.TestCase):
    def setUp(self):
        self.program = formatter()
        if self.program is None:
            self.assertNotIn("CI", os.environ, f"there is no clang-format {VERSION}: ./docker/install.sh test")
            self.skipTest(f"there is no clang-format {VERSION} (./docker/install.sh test installs it)")

    def test_sources_are_formatted(self):
        paths = sources(ROOT)
        self.assertGreater(len(paths), 500)
        lots = [paths[i::16] for i in range(16)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = sorted(set().union(*pool.map(lambda lot: complaints(self.program, ROOT, lot), lots)))
        self.assertEqual([], wrong[:20], f"{len(wrong)} places; clang-format-{VERSION} -i FILE mends them")

    def test_place_that_differs_is_named(self):
        path = ROOT / "tests/unit/wrong.c"
        done = subprocess.run([self.program, "--dry-run", "--Werror", f"--assume-filename={path}"], cwd=ROOT,
                              input="int  f(void) { return 1; }\n", capture_output=True, text=True)
        self.assertNotEqual(0, done.returncode)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        ROOT = pathlib.Path(sys.argv.pop(1))
    unittest.main()
