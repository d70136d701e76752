"""tests/run.sh: which failures fail a part, which tests run once more, and what its last line says. server/run.sh: what
it installs, builds and starts.

cmake, ctest and docker/install.sh are replaced by scripts of a temporary folder; ctest fails as a test wishes.

Usage: test_run.py [PROJECT_ROOT]
"""

import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from patience import SECONDS_MAX  # noqa: E402

# The first call fails the tests of FAILS and says SAYS; those of AGAIN fail when they run once more.
CTEST = """#!/bin/bash
echo "$*" >>"$CALLS"
[[ $1 == --preset ]] && list=.build/$2/Testing/Temporary/LastTestsFailed.log
mkdir -p "$(dirname "$list")"
fails=$FAILS
[[ $* == *--rerun-failed* ]] && fails=$AGAIN
rm -f "$list"
for name in $fails; do echo "7:$name" >>"$list"; done
[[ $* == *--rerun-failed* ]] || echo "$SAYS"
[[ -z $REPORT ]] || { path=${ASAN_OPTIONS#log_path=}; echo "$REPORT" >"${path%%:*}.41"; }
echo "100% tests passed, 0 tests failed out of 9"
[[ -z $fails ]]
"""


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("tests", "docker", "bin"):
            (self.root / name).mkdir()
        shutil.copy(ROOT / "tests/run.sh", self.root / "tests/run.sh")
        for path, text in (("docker/install.sh", "#!/bin/sh\n"), ("bin/ctest", CTEST),
                           ("bin/cmake", '#!/bin/sh\necho "$*" >>"$CALLS.cmake"\n')):
            (self.root / path).write_text(text, encoding="utf-8")
            (self.root / path).chmod(0o755)

    def run_part(self, fails="", again="", says="", report=""):
        """Returns the exit code, the output, and how often ctest was called."""
        code, out, calls = self.run_script(["asan"], fails, again, says, report)
        return code, out, len(calls)

    def run_script(self, arguments, fails="", again="", says="", report=""):
        """Returns the exit code, the output, and the arguments of ctest."""
        calls = self.root / "calls"
        calls.unlink(missing_ok=True)
        environment = dict(os.environ, PATH=f"{self.root / 'bin'}:{os.environ['PATH']}", CALLS=str(calls), FAILS=fails,
                           AGAIN=again, SAYS=says, REPORT=report)
        done = subprocess.run([self.root / "tests/run.sh", *arguments], env=environment, text=True, timeout=SECONDS_MAX,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout, calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []

    def make_rooms(self, *rooms):
        for room in rooms:
            (self.root / "tests" / room).mkdir(parents=True)
            (self.root / "tests" / room / "CMakeLists.txt").touch()

    def test_quick_builds_the_rooms_themselves(self):
        self.make_rooms("unit/base", "unit/physics", "property/physics")
        for room, built in (([], "tests/property/physics/all tests/unit/base/all tests/unit/physics/all server/all client/all"),
                            (["physics"], "tests/property/physics/all tests/unit/physics/all")):
            (self.root / "calls.cmake").unlink(missing_ok=True)
            self.assertEqual(0, self.run_script(["quick", *room])[0])
            call = (self.root / "calls.cmake").read_text(encoding="utf-8").splitlines()[-1]
            self.assertEqual(sorted(built.split()), sorted(call.split("--target ")[1].split(" -- ")[0].split()))

    def test_quick_takes_the_room_that_is_named(self):
        self.make_rooms("unit/physics")
        code, out, calls = self.run_script(["quick", "physics", "-R", "joint"])
        self.assertEqual((0, 1), (code, len(calls)), out)
        self.assertIn("--preset dev", calls[0])
        self.assertIn("-L ^room_physics$ -LE package -R joint", calls[0])
        self.assertIn("-L unit|property -LE package", self.run_script(["quick"])[2][0])

    def test_quick_names_the_rooms_where_it_does_not_know_one(self):
        self.make_rooms("unit/physics")
        code, out, calls = self.run_script(["quick", "fysics"])
        self.assertEqual((2, []), (code, calls), out)
        self.assertIn("there is no room 'fysics'; rooms are physics", out)

    def test_release_is_tested_as_the_preset_for_developers(self):
        self.assertTrue(self.run_script(["release"])[2][0].startswith("--preset check "))

    def test_all_leaves_nothing_out(self):
        self.assertIn("-LE rare", self.run_script(["release"])[2][0])
        self.assertNotIn("-LE", self.run_script(["all", "release"])[2][0])
        self.assertEqual(4, len(self.run_script(["all"])[2]))

    def test_tidy_looks_at_the_sources_that_differ(self):
        (self.root / "bin/clang-tidy-14").write_text('#!/bin/sh\nfor last; do :; done\necho "tidy $last"\n[ "$last" != bad.c ]\n')
        (self.root / "bin/clang-tidy-14").chmod(0o755)
        (self.root / "same.c").touch()
        who = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
        for words in (["init", "-q", "-b", "main"], ["add", "same.c"], [*who, "commit", "-qm", "a: b"]):
            subprocess.run(["git", *words], cwd=self.root, check=True)
        self.assertEqual((0, "tests/run.sh: no source differs from main\n"), self.run_script(["tidy"])[:2])
        (self.root / "new.c").touch()
        subprocess.run(["git", "add", "new.c"], cwd=self.root, check=True)
        self.assertEqual((0, "tidy new.c\n"), self.run_script(["tidy", "HEAD"])[:2])
        (self.root / "new.c").rename(self.root / "bad.c")
        subprocess.run(["git", "add", "bad.c"], cwd=self.root, check=True)
        self.assertNotEqual(0, self.run_script(["tidy"])[0])

    def test_parts_build_what_they_run(self):
        for words, labels, wasm in ((["clang"], "", "OFF"), (["asan"], "", "OFF"), (["tsan"], "threads", "OFF"),
                                    (["release"], "shipped|golden|bench|realtime", "ON"), (["all", "tsan"], "", "ON")):
            (self.root / "calls.cmake").unlink(missing_ok=True)
            calls = self.run_script(words)[2]
            configured, built = (self.root / "calls.cmake").read_text(encoding="utf-8").splitlines()
            self.assertIn(f"-DCAROM_TEST_LABELS={labels} -DCAROM_WASM={wasm}", configured)
            self.assertEqual(words == ["release"], "--target all golden-variants" in built)
            self.assertEqual("all" in words or not labels, f"-L {labels or '~'}" not in calls[0])

    def test_nothing_fails(self):
        code, out, calls = self.run_part()
        self.assertEqual((0, 1), (code, calls), out)
        self.assertTrue(out.endswith("100% tests passed, 0 tests failed out of 9\n"), out)

    def test_three_tests_of_programs_run_once_more(self):
        names = "integration_cli_load integration_wire_limits web_client"
        code, out, calls = self.run_part(names)
        self.assertEqual((0, 2), (code, calls), out)
        self.assertTrue(out.endswith(f"tests/run.sh: failed beside others, passed alone: asan: {names}\n"), out)

    def test_what_fails_again_fails_the_part(self):
        code, out, calls = self.run_part("web_client interop_python", "web_client")
        self.assertEqual((1, 2), (code, calls), out)
        self.assertTrue(out.endswith("tests/run.sh: FAILED: asan\n"), out)

    def test_more_than_three_fail_the_part(self):
        self.assertEqual((1, 1), self.run_part("web_a web_b web_c web_d")[::2])

    def test_one_that_calls_the_code_itself_fails_the_part(self):
        for name in ("test_storage", "golden", "simulation", "test_debs"):
            with self.subTest(name):
                self.assertEqual((1, 1), self.run_part(f"web_client {name}")[::2])

    def test_crash_fails_the_part(self):
        for says in ("carom: assertion failed at a.c:7: x > 0", "AssertionError: caromd ended with -11:",
                     "1/9 Test #1: web_client ***Exception: SEGFAULT", "1/9 Test #1: web_client Subprocess aborted***Exception"):
            with self.subTest(says):
                self.assertEqual((1, 1), self.run_part("web_client", says=says)[::2])

    def test_report_of_a_sanitizer_fails_the_part_and_is_printed(self):
        for fails in ("", "web_client"):
            with self.subTest(fails):
                code, out, calls = self.run_part(fails, report="==41==ERROR: AddressSanitizer: heap-use-after-free")
                self.assertEqual((1, 1), (code, calls), out)
                self.assertIn("heap-use-after-free", out)
        self.assertEqual(0, self.run_part()[0], "reports of the run before are gone")


class Serve(unittest.TestCase):
    """server/run.sh, whose tools record their calls."""

    RECORD = '#!/bin/sh\necho "${0##*/} $*" >>"$CALLS"\n'
    CAROMD = RECORD + 'echo "help of caromd"\n'
    # Configures, and builds the server.
    CMAKE = RECORD + """case $* in
    "--preset release") mkdir -p .build/release/server && echo CAROM_TESTS:BOOL=OFF >.build/release/CMakeCache.txt ;;
    *) [ -z "$FAIL" ] || { echo "a.c:1: error"; exit 1; } && cp bin/caromd .build/release/server/caromd ;;
    esac
    """

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path, text in (("docker/install.sh", self.RECORD), ("bin/cmake", self.CMAKE), ("bin/caromd", self.CAROMD),
                           *((name, (ROOT / name).read_text(encoding="utf-8")) for name in ("server/run.sh", "server/config/config.c"))):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
            (self.root / path).chmod(0o755)

    def serve(self, *words, fail=""):
        """Returns the exit code, the output, and the called programs."""
        calls = self.root / "calls"
        calls.unlink(missing_ok=True)
        done = subprocess.run([self.root / "server/run.sh", *words], text=True, timeout=SECONDS_MAX, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=dict(os.environ, PATH=f"{self.root / 'bin'}:{os.environ['PATH']}", CALLS=str(calls), FAIL=fail))
        return done.returncode, done.stdout, calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []

    def test_help_installs_and_builds_nothing(self):
        for words in (["--help"], ["-h"], ["--hz", "30", "--help"]):
            code, out, calls = self.serve(*words)
            self.assertEqual((0, []), (code, calls))
            self.assertRegex(out, r"\AUsage: server/run.sh \[caromd options\]\n(?s:.*)once it is built")
            self.assertFalse((self.root / ".build").exists())

    def test_help_before_the_build_has_all_options_of_caromd(self):
        source = (ROOT / "server/config/config.c").read_text(encoding="utf-8")
        table = re.search(r"const config_option CONFIG_OPTIONS\[\] = \{(.*?)\n\};", source, re.DOTALL).group(1)
        rows = re.findall(r'\{"([a-z0-9-]+)",\s*(?:NULL|"\w+"),\s*(?:NULL|"([^"]*)"),\s*\w+,\s*\w+,\s*((?:"[^"]*"\s*)+)\}', table)
        self.assertGreater(len(rows), 40)
        out = self.serve("--help")[1]
        self.assertLessEqual(max(map(len, out.splitlines())), 105)
        printed = " ".join(out.split())
        for name, value, text in rows:
            words = f"--{name} {value} " + "".join(re.findall(r'"([^"]*)"', text))
            with self.subTest(name):
                self.assertIn(" ".join(words.split()), printed)

    def test_help_of_a_built_server_has_its_options(self):
        self.serve()
        code, out, calls = self.serve("--help")
        self.assertEqual((0, ["caromd --help"]), (code, calls))
        self.assertRegex(out, r"(?s)\AUsage: server/run.sh.*help of caromd\n\Z")

    def test_wrong_option_installs_and_builds_nothing(self):
        for words, says in ((["--hzz", "3"], "unknown option '--hzz'"), (["--hz"], "--hz needs a value"),
                            (["lab"], "'lab' is one word too many"), (["--insecure=1"], "--insecure takes no value"),
                            (["--hz", "30", "-x"], "unknown option '-x'"), (["--"], "unknown option '--'"),
                            (["--h"], "unknown option '--h'"), (["--.z", "1"], "unknown option '--.z'"), ([""], "'' is one word too many")):
            with self.subTest(words):
                self.assertEqual((2, f"server/run.sh: {says} (server/run.sh --help lists the options)\n", []), self.serve(*words))
                self.assertFalse((self.root / ".build").exists())

    def test_wrong_value_is_refused_by_a_built_server(self):
        self.serve()
        caromd = self.root / ".build/release/server/caromd"
        caromd.write_text(self.RECORD + "echo 'caromd: --hz: must be a number' >&2; exit 2\n", encoding="utf-8")
        code, out, calls = self.serve("--hz", "x")
        self.assertEqual((2, "caromd: --hz: must be a number\n", ["caromd --check-config --world demo:demo --hz x"]), (code, out, calls))
        os.utime(caromd, (1, 1))  # older than the table of options: it may not know them
        self.assertEqual("install.sh build run", self.serve("--hz", "x")[2][0])

    def test_all_options_of_caromd_are_known(self):
        source = (ROOT / "server/config/config.c").read_text(encoding="utf-8")
        rows = re.findall(r'\{"([a-z0-9-]+)",\s*(?:NULL|"CAROM_[A-Z_]+"),\s*(NULL|"[^"]*"),', source)
        self.assertGreater(len(rows), 40)
        words = []
        for name, value in rows:
            if name != "help":
                words += [f"--{name}"] if value == "NULL" else [f"--{name}", "-x", f"--{name}=x"]
        code, out, calls = self.serve(*words)
        self.assertEqual((0, f"caromd --world demo:demo {' '.join(words)}"), (code, calls[-1] if calls else ""), out)

    def test_first_run_installs_builds_and_serves_the_demo(self):
        code, _, calls = self.serve("--hz", "30")
        self.assertEqual((0, ["install.sh build run", "cmake --preset release", "cmake --build --preset release --target all",
                              "caromd --world demo:demo --hz 30"]), (code, calls))

    def test_build_of_a_developer_is_kept(self):
        self.serve()
        ninja, cache = self.root / ".build/release/build.ninja", self.root / ".build/release/CMakeCache.txt"
        ninja.touch()
        cache.write_text("CAROM_TESTS:BOOL=ON\n", encoding="utf-8")
        os.utime(cache, (1, 1))
        self.assertEqual(["caromd --check-config --world demo:demo", "install.sh build run",
                          "cmake --build --preset release --target caromd carom", "caromd --world demo:demo"], self.serve()[2])

    def test_preset_of_developers_that_failed_is_replaced(self):
        self.serve()
        ninja, cache = self.root / ".build/release/build.ninja", self.root / ".build/release/CMakeCache.txt"
        ninja.touch()
        os.utime(ninja, (1, 1))
        cache.write_text("CAROM_TESTS:BOOL=ON\n", encoding="utf-8")
        self.assertIn("cmake --preset release", self.serve()[2])

    def test_second_start_waits_until_the_first_has_built(self):
        calls = self.root / "calls"
        (self.root / ".build").mkdir()
        with open(self.root / ".build/run.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            second = subprocess.Popen([self.root / "server/run.sh"], text=True, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      env=dict(os.environ, PATH=f"{self.root / 'bin'}:{os.environ['PATH']}", CALLS=str(calls), FAIL=""))
            self.addCleanup(second.stderr.close)
            self.assertEqual("server/run.sh: another one builds here, waiting for it\n", second.stderr.readline())
            self.assertEqual("install.sh build run\n", calls.read_text(encoding="utf-8"))
        self.assertEqual(0, second.wait(SECONDS_MAX))
        self.assertIn("caromd --world demo:demo", calls.read_text(encoding="utf-8"))

    def test_build_that_fails_is_shown(self):
        code, out, calls = self.serve(fail="yes")
        self.assertEqual((1, 3), (code, len(calls)))
        self.assertRegex(out, r"(?s)a\.c:1: error.*server/run.sh: the build failed")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
