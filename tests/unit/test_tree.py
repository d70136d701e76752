"""The top level contains only the folders that the architecture names, and the files that ARCHITECTURE.md names exist.

In a git work tree only tracked files count, so that private files beside them are ignored; in an unpacked archive all
files count.

Usage: test_tree.py [PROJECT_ROOT]
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

VISIBLE = {"server", "client", "common", "proto", "tests", "docker", "docs",
           "CMakeLists.txt", "CMakePresets.json", "LICENSE",
           "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}
HIDDEN = {".ci", ".clang-format", ".clang-tidy", ".dockerignore", ".gitignore"}
NOT_OURS = {".git", ".build", ".cache"}  # git's own folder, and those in .gitignore


def tracked_files(root):
    """Paths from the root, or None if git does not track this folder."""
    try:
        listing = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], check=True,
                                 capture_output=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return None
    return [name for name in listing.split("\0") if name] or None


def top_level(root):
    tracked = tracked_files(root)
    if tracked is None:
        return {path.name for path in root.iterdir()} - NOT_OURS
    return {name.split("/")[0] for name in tracked}


class Top(unittest.TestCase):
    def test_top_level_holds_nothing_else(self):
        self.assertEqual(set(), top_level(ROOT) - VISIBLE - HIDDEN)

    def test_top_level_is_complete(self):
        self.assertEqual(set(), (VISIBLE | HIDDEN) - top_level(ROOT))

    def test_programs_to_type_can_be_executed(self):
        for name in ["server/run.sh", "tests/run.sh", "docs/build.py", "docs/pictures/moving.py", "docker/healthcheck.sh", "docker/install.sh", ".ci/run"]:
            with self.subTest(name):
                path = ROOT / name
                self.assertTrue(path.is_file())
                self.assertTrue(path.stat().st_mode & 0o111, "not executable")

    def test_presets_name_what_they_build_whatever_was_configured_before(self):
        # Users and developers share a folder, and a cache remembers what a preset leaves out.
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        by_name = {preset["name"]: preset for preset in presets}
        for preset in presets:
            settings = by_name[preset.get("inherits", preset["name"])]["cacheVariables"] | preset["cacheVariables"]
            with self.subTest(preset["name"]):
                if preset["name"] == "release":
                    wanted = {"CAROM_TESTS": "OFF", "CAROM_BENCH": "OFF", "CMAKE_COMPILE_WARNING_AS_ERROR": "OFF"}
                else:
                    wanted = {"CAROM_TESTS": "ON"}
                self.assertEqual(wanted, {name: settings[name] for name in wanted})
        for name in ("check", "dev", "clang"):
            self.assertEqual("ON", by_name[name]["cacheVariables"]["CMAKE_COMPILE_WARNING_AS_ERROR"], name)
        self.assertEqual(by_name["release"]["binaryDir"], by_name["check"]["binaryDir"])


class Architecture(unittest.TestCase):
    """Files that ARCHITECTURE.md names exist, and have the functions that it names beside them."""

    NAMED = re.compile(r"`([\w./-]+\.(?:c|h|py)|[\w/]+/[\w./-]*\*?[\w.]*|[a-z]\w+(?:\(\))?)`")

    def places(self, name):
        """The files or folders of this name: of the tree, of server/, or a file somewhere below it."""
        found = [path for base in (ROOT, ROOT / "server") for path in base.glob(name)]
        if not found and "/" not in name and "." in name:
            found = [path for folder in ("server", "common", "proto", "client") for path in (ROOT / folder).rglob(name)]
        return [path for path in found if ".build" not in path.parts]

    def faults(self, text):
        faults = []
        for number, line in enumerate(text.splitlines(), 1):
            last = []
            for match in self.NAMED.finditer(line):
                name, beside = match[1], line[:match.start()].endswith("` ")
                if "/" in name or name.endswith((".c", ".h", ".py")):
                    last = self.places(name)
                    if not last and not line[match.end():].startswith(" (generated)"):
                        faults.append(f"{number}: there is no {name}")
                elif beside and last and not any(re.search(rf"\b{name.removesuffix('()')}\(", path.read_text(encoding="utf-8"))
                                                 for path in last if path.is_file()):
                    faults.append(f"{number}: {last[0].name} has no {name}")
        return faults

    def test_files_and_functions_of_the_map_are_there(self):
        text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        self.assertGreater(len(self.NAMED.findall(text)), 100)
        self.assertEqual([], self.faults(text))

    def test_what_is_not_there_is_named(self):
        self.assertEqual(["1: there is no net/nothing.c", "2: outbox.c has no outbox_fly"],
                         self.faults("`net/nothing.c` `outbox_share`\n`net/outbox.c` `outbox_fly` · `net/outbox.c` `outbox_share`"))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        ROOT = pathlib.Path(sys.argv.pop(1))
    unittest.main()
