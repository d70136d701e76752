"""libcarom is installed into an empty prefix, and a stranger's C and C++ programs are built against
it: through pkg-config and through find_package, shared and static, also after the prefix has moved.

Usage: test_install.py BUILD_DIR C_COMPILER CXX_COMPILER
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CC, CXX = (pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3])
STRANGER = pathlib.Path(__file__).resolve().parent / "stranger"


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def find_one(root, pattern):
    found = sorted(root.rglob(pattern))
    if not found:
        raise AssertionError(f"no {pattern} below {root}")
    return found[0]


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.temporary.name)
        first = cls.root / "first"
        run("cmake", "--install", BUILD, "--prefix", first, "--component", "libcarom")
        cls.prefix = cls.root / "moved"
        shutil.move(first, cls.prefix)
        cls.libdir = find_one(cls.prefix, "libcarom.a").parent

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def pkg_config(self, *options, package="carom"):
        # No other .pc file can be seen: what is asked of a stranger is what is installed here.
        path = {"PKG_CONFIG_LIBDIR": str(self.libdir / "pkgconfig"), "PKG_CONFIG_PATH": ""}
        return run("pkg-config", *options, package, env={**os.environ, **path}).split()

    def build_and_run(self, compiler, source, name, *options):
        program = self.root / name
        run(compiler, STRANGER / source, "-o", program, *options)
        return program, run(program)

    def needed(self, program):
        return re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", program))

    def test_pkg_config_shared(self):
        flags = [*self.pkg_config("--cflags", "--libs"), f"-Wl,-rpath,{self.libdir}"]
        for compiler, source in [(CC, "main.c"), (CXX, "main.cpp")]:
            with self.subTest(source):
                program, output = self.build_and_run(compiler, source, "shared", *flags)
                self.assertIn("cannot connect to 127.0.0.1:1", output)
                needed = self.needed(program)
                self.assertIn("libcarom.so.0", needed)
                self.assertEqual([], [name for name in needed if "scene" in name])

    def test_pkg_config_scene(self):
        flags = self.pkg_config("--cflags", "--libs", package="carom-scene")
        program, output = self.build_and_run(CC, "scene.c", "scene", *flags,
                                             f"-Wl,-rpath,{self.libdir}")
        self.assertIn("libcarom-scene.so.0", self.needed(program))
        flags = self.pkg_config("--static", "--cflags", "--libs", package="carom-scene")
        swap = {"-lcarom": "-l:libcarom.a", "-lcarom-scene": "-l:libcarom-scene.a"}
        program, static = self.build_and_run(CC, "scene.c", "scene_static",
                                             *[swap.get(flag, flag) for flag in flags])
        self.assertEqual(output, static)
        self.assertEqual([], [name for name in self.needed(program) if "carom" in name])

    def test_libcarom_needs_no_json(self):
        needed = self.needed(find_one(self.prefix, "libcarom.so"))
        self.assertEqual([], [name for name in needed if "jansson" in name or "scene" in name])

    def test_pkg_config_static(self):
        flags = self.pkg_config("--static", "--cflags", "--libs")
        self.assertIn("-lcarom", flags)
        flags = ["-l:libcarom.a" if flag == "-lcarom" else flag for flag in flags]
        for compiler, source in [(CC, "main.c"), (CXX, "main.cpp")]:
            with self.subTest(source):
                program, _ = self.build_and_run(compiler, source, "static", *flags)
                self.assertNotIn("libcarom.so.0", self.needed(program))

    def test_find_package(self):
        build = self.root / "build"
        run("cmake", "-G", "Ninja", "-S", STRANGER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_CXX_COMPILER={CXX}")
        run("cmake", "--build", build)
        for language in ["c", "cpp"]:
            for kind in ["carom", "carom_static"]:
                with self.subTest(language=language, kind=kind):
                    program = build / f"{language}_{kind}"
                    run(program)
                    self.assertEqual(kind == "carom", "libcarom.so.0" in self.needed(program))
        run(build / "c_scene")
        run(build / "c_scene_static")

    def test_only_what_is_public_can_be_seen(self):
        pattern = r"^[0-9a-f]+ [A-Z] (\S+)$"
        for name, least in [("libcarom", 100), ("libcarom-scene", 5)]:
            with self.subTest(name):
                shared = run("nm", "-D", "--defined-only", self.libdir / f"{name}.so")
                static = run("nm", "-g", "--defined-only", self.libdir / f"{name}.a")
                public = set(re.findall(pattern, shared, re.M))
                self.assertGreaterEqual(len(public), least)
                self.assertEqual([], sorted(n for n in public if not n.startswith("carom_")))
                self.assertEqual(public, set(re.findall(pattern, static, re.M)))

    def test_every_declared_function_is_there(self):
        shared = "".join(run("nm", "-D", "--defined-only", self.libdir / name)
                         for name in ["libcarom.so", "libcarom-scene.so"])
        for header in sorted((self.prefix / "include" / "carom").glob("*.h")):
            text = re.sub(r"//[^\n]*", "", header.read_text())
            for name in re.findall(r"CAROM_API[^;]*?\b(carom_\w+)\(", text):
                self.assertRegex(shared, rf" T {name}\b", header.name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
