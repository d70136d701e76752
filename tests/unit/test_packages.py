"""packages.txt and install.sh: the list is valid, and only missing packages are installed; so are npm's packages.

dpkg, dpkg-query, apt-get, npm, id and sudo are replaced by scripts of a temporary folder that record their calls.

Usage: test_packages.py [PROJECT_ROOT]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGES = {"build", "run", "test"}
MACHINE = "amd64"  # what dpkg is made to say

DPKG_QUERY = """#!/bin/sh
# Answers as dpkg-query does, for the packages of INSTALLED; others are unknown to it. Asked for all, it tells what
# those provide.
case $3 in *Provides*)
    printf '%s\n' 'removed, gone' 'installed, ' "installed, $PROVIDED"
    exit 0 ;;
esac
shift 3
for package in "$@"; do
    case " $INSTALLED " in
    *" $package "*) echo "installed $package" ;;
    *" $package:removed "*) echo "config-files $package" ;;
    *) echo "no packages found matching $package" >&2 ;;
    esac
done
exit 1
"""
RECORD = """#!/bin/sh
echo "$(basename "$0") $*" >>"$RECORD"
"""
SUDO = RECORD + 'exec "$@"\n'
NPM = RECORD + 'mkdir -p node_modules && touch node_modules/playwright\n'
LOCK = "client/web/test/package-lock.json"


def entries():
    """(package, stages and machines that do without it) of every line of the list."""
    lines = (ROOT / "docker/packages.txt").read_text(encoding="utf-8").splitlines()
    words = [line.split("#")[0].split() for line in lines]
    return [(w[0], w[1:]) for w in words if w]


def packages(*stages, machine=MACHINE):
    return [package for package, needed in entries()
            if set(stages) & set(needed) and "!" + machine not in needed]


class List(unittest.TestCase):
    def test_list_names_each_package_once_with_its_stages(self):
        names = [package for package, _ in entries()]
        self.assertEqual(len(set(names)), len(names))
        for package, stages in entries():
            with self.subTest(package):
                self.assertRegex(package, r"^[a-z0-9][a-z0-9+.-]+$")
                self.assertTrue(stages)
                machines = {word for word in stages if re.fullmatch("![a-z0-9]+", word)}
                self.assertEqual(set(), set(stages) - STAGES - machines)
                self.assertTrue(set(stages) & STAGES)


class Lock(unittest.TestCase):
    def test_lock_pins_versions_and_contents_and_names_no_registry(self):
        lock = json.loads((ROOT / LOCK).read_text(encoding="utf-8"))
        wanted = json.loads((ROOT / LOCK).with_name("package.json").read_text(encoding="utf-8"))["dependencies"]
        self.assertEqual(wanted, lock["packages"][""]["dependencies"])
        for name, package in lock["packages"].items():
            if name:
                self.assertRegex(package["version"], r"^\d+\.\d+\.\d+$")
                self.assertRegex(package["integrity"], "^sha512-")
                self.assertNotIn("resolved", package)
        for name, version in wanted.items():
            self.assertEqual(version, lock["packages"][f"node_modules/{name}"]["version"])


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "carom")
        for name in ("docker/install.sh", "docker/packages.txt", LOCK):
            self.root.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.root / name)
        self.bin = pathlib.Path(folder.name, "bin")
        self.bin.mkdir()
        self.tool("npm", NPM)
        self.record = self.bin / "record"
        self.tool("apt-get", RECORD)
        self.tool("dpkg", f"#!/bin/sh\necho {MACHINE}\n")
        self.tool("dpkg-query", DPKG_QUERY)
        self.tool("sudo", SUDO)
        self.tool("id", "#!/bin/sh\necho 0\n")

    def tool(self, name, text):
        path = self.bin / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def install(self, *stages, installed=(), provided="", path=None):
        environment = dict(os.environ, PATH=path or f"{self.bin}:/usr/bin:/bin", RECORD=str(self.record),
                           INSTALLED=" ".join(installed), PROVIDED=provided)
        return subprocess.run([self.root / "docker/install.sh", *stages], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def calls(self):
        return self.record.read_text(encoding="utf-8").splitlines() if self.record.exists() else []

    def test_install_with_nothing_missing_is_quiet(self):
        result = self.install("build", "run", installed=packages("build", "run"))
        self.assertEqual((0, "", "", []), (result.returncode, result.stdout, result.stderr, self.calls()))

    def test_install_asks_for_what_is_missing_and_nothing_else(self):
        wanted = packages("build")
        result = self.install("build", installed=wanted[2:] + [wanted[1] + ":removed"])
        self.assertEqual(0, result.returncode, result.stderr)
        update, install = self.calls()
        self.assertRegex(update, "^apt-get .* update$")
        self.assertRegex(install, "--no-install-recommends")
        self.assertTrue(install.endswith(f" install {wanted[0]} {wanted[1]}"), install)

    def test_install_takes_the_packages_of_all_stages_given(self):
        self.install("build", "test")
        self.assertEqual(packages("build", "test"), self.calls()[1].split(" install ")[1].split())

    def test_install_leaves_out_what_a_machine_does_not_need(self):
        self.tool("dpkg", "#!/bin/sh\necho arm64\n")
        self.install("test")
        wanted = packages("test", machine="arm64")
        self.assertLess(len(wanted), len(packages("test")))
        self.assertEqual(wanted, self.calls()[1].split(" install ")[1].split())

    def test_install_uses_sudo_only_when_it_is_not_root(self):
        self.install("run")
        self.assertFalse([call for call in self.calls() if call.startswith("sudo")])
        self.tool("id", "#!/bin/sh\necho 1000\n")
        self.install("run")
        self.assertEqual(2, len([call for call in self.calls() if call.startswith("sudo")]))

    def test_install_without_root_and_sudo_says_what_root_types(self):
        self.tool("id", "#!/bin/sh\necho 1000\n")
        (self.bin / "sudo").unlink()
        for name in ("awk", "cat", "cmp", "dirname", "grep", "sed", "tr"):
            (self.bin / name).symlink_to(shutil.which(name))
        result = self.install("run", path=self.bin)
        self.assertEqual((1, []), (result.returncode, self.calls()))
        told = "apt-get update && apt-get install --no-install-recommends " + " ".join(packages("run"))
        self.assertIn(told, result.stderr)

    def test_install_that_fails_says_so(self):
        self.tool("apt-get", "#!/bin/sh\nexit 100\n")
        self.assertNotEqual(0, self.install("run").returncode)

    def test_install_leaves_out_what_another_package_provides(self):
        wanted = packages("test")
        self.install("test", installed=wanted[3:], provided=f"{wanted[0]}, {wanted[1]} (= 1.2), not-{wanted[2]}")
        self.assertTrue(self.calls()[1].endswith(f" install {wanted[2]}"), self.calls())

    def test_install_for_tests_fetches_what_the_lock_file_names_once(self):
        first = self.install("test", installed=packages("test"))
        self.assertEqual(0, first.returncode, first.stderr)
        self.assertEqual(1, len(self.calls()))
        self.assertRegex(self.calls()[0], "^npm ci .*--ignore-scripts")
        again = self.install("build", "test", installed=packages("build", "test"))
        self.assertEqual((0, "", "", 1), (again.returncode, again.stdout, again.stderr, len(self.calls())))
        with (self.root / LOCK).open("a", encoding="utf-8") as lock:
            lock.write("\n")
        self.install("test", installed=packages("test"))
        self.assertEqual(2, len(self.calls()), "another lock file")

    def test_install_for_other_stages_asks_nothing_of_npm(self):
        self.install("build", "run", installed=packages("build", "run"))
        self.assertEqual([], self.calls())

    def test_install_tells_what_npm_said_and_tries_again(self):
        self.tool("npm", RECORD + "echo 'npm ERR! no network'; exit 1\n")
        for calls in (1, 2):
            result = self.install("test", installed=packages("test"))
            self.assertEqual((1, calls), (result.returncode, len(self.calls())))
            self.assertRegex(result.stderr, "(?s)no network.*npm could not install.*cd client/web/test && npm ci")

    def test_install_of_an_unknown_stage_is_refused(self):
        for stages in ([], ["biuld"], ["build", ""]):
            result = self.install(*stages)
            self.assertEqual((1, []), (result.returncode, self.calls()))
            self.assertTrue(re.search("build", result.stderr))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        ROOT = pathlib.Path(sys.argv.pop(1))
    unittest.main()
