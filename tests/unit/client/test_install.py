"""libcarom is installed into an empty prefix, and a user's C and C++ programs are built against it: through pkg-config
and through find_package, shared and static, also after the prefix has moved.

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
        for component in ("libcarom", "libcarom-dev"):
            run("cmake", "--install", BUILD, "--prefix", first, "--component", component)
        cls.prefix = cls.root / "moved"
        shutil.move(first, cls.prefix)
        cls.libdir = find_one(cls.prefix, "libcarom.a").parent

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def pkg_config(self, *options, package="carom"):
        # No other .pc file can be seen: so programs are built only against the files installed here.
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

    def test_pkg_config_replica(self):
        flags = self.pkg_config("--cflags", "--libs", package="carom-replica")
        program, output = self.build_and_run(CC, "replica.c", "replica", *flags,
                                             f"-Wl,-rpath,{self.libdir}")
        self.assertIn("libcarom-replica.so.0", self.needed(program))
        flags = self.pkg_config("--static", "--cflags", "--libs", package="carom-replica")
        swap = {"-lcarom": "-l:libcarom.a", "-lcarom-replica": "-l:libcarom-replica.a"}
        program, static = self.build_and_run(CC, "replica.c", "replica_static",
                                             *[swap.get(flag, flag) for flag in flags])
        self.assertEqual(output, static)
        self.assertEqual([], [name for name in self.needed(program) if "carom" in name])

    def test_wrapper_compiles_under_warnings(self):
        flags = [*self.pkg_config("--cflags", "--libs"), f"-Wl,-rpath,{self.libdir}"]
        for standard in ["c++17", "c++20"]:
            with self.subTest(standard):
                warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
                _, output = self.build_and_run(CXX, "wrapper.cpp", "wrapper", f"-std={standard}",
                                               *warnings, *flags, "-lcarom-replica")
                self.assertEqual("good\n", output)

    def test_documentation_is_there(self):
        for pattern in ["PROTOCOL.md", "examples/hello.c", "examples/hockey.c", "man3/libcarom.3"]:
            find_one(self.prefix, pattern)

    def test_examples_compile_as_they_are_installed(self):
        for example in sorted(find_one(self.prefix, "examples").glob("*.c")):
            package = "carom-replica" if "carom/prediction.h" in example.read_text() else "carom"
            flags = self.pkg_config("--cflags", "--libs", package=package)
            with self.subTest(example.name):
                run(CC, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", example, "-o",
                    self.root / "example", *flags, "-lm")

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
        self.assertEqual("good\n", run(build / "cpp_wrapper"))
        run(build / "c_scene")
        run(build / "c_scene_static")
        run(build / "c_replica")
        run(build / "c_replica_static")

    def test_find_package_without_the_libraries_of_the_static_ones_says_what_is_missing(self):
        wanted = "carom::replica_static need msgpack-c (Debian: libmsgpack-dev), jansson (Debian: libjansson-dev), openssl"
        project = self.root / "static_project"
        for components, passes in (("", True), ("COMPONENTS static", False), ("QUIET OPTIONAL_COMPONENTS static", True)):
            with self.subTest(components):
                shutil.rmtree(project, ignore_errors=True)
                project.mkdir()
                (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.16)\nproject(static NONE)\n"
                                                        f"find_package(carom 0.1 REQUIRED {components})\n")
                done = subprocess.run(["cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                                      text=True, capture_output=True,
                                      env={**os.environ, "PKG_CONFIG_LIBDIR": str(project), "PKG_CONFIG_PATH": ""})
                told = " ".join((done.stdout + done.stderr).split())
                self.assertEqual(passes, done.returncode == 0, told)
                self.assertEqual("QUIET" not in components, wanted in told, told)

    def test_only_what_is_public_can_be_seen(self):
        pattern = r"^[0-9a-f]+ [A-Z] (\S+)$"
        for name, least in [("libcarom", 100), ("libcarom-scene", 5), ("libcarom-replica", 15)]:
            with self.subTest(name):
                shared = run("nm", "-D", "--defined-only", self.libdir / f"{name}.so")
                static = run("nm", "-g", "--defined-only", self.libdir / f"{name}.a")
                public = set(re.findall(pattern, shared, re.M))
                self.assertGreaterEqual(len(public), least)
                self.assertEqual([], sorted(n for n in public if not n.startswith("carom_")))
                self.assertEqual(public, set(re.findall(pattern, static, re.M)))

    def test_every_declared_function_is_there(self):
        shared = "".join(run("nm", "-D", "--defined-only", self.libdir / name)
                         for name in ["libcarom.so", "libcarom-scene.so", "libcarom-replica.so"])
        for header in sorted((self.prefix / "include" / "carom").glob("*.h")):
            text = re.sub(r"//[^\n]*", "", header.read_text())
            for name in re.findall(r"CAROM_API[^;]*?\b(carom_\w+)\(", text):
                self.assertRegex(shared, rf" T {name}\b", header.name)

    def test_null_is_an_error_in_every_function(self):
        source = self.root / "nulls.c"
        source.write_text(null_program(functions(self.prefix / "include" / "carom")))
        flags = [*self.pkg_config("--cflags", "--libs", package="carom-scene"),
                 *self.pkg_config("--libs", package="carom-replica")]
        program = self.root / "nulls"
        run(CC, "-D_GNU_SOURCE", source, "-o", program, *flags, f"-Wl,-rpath,{self.libdir}")
        self.assertEqual("", run(program), "functions that took NULL for good")


# Functions for which NULL, zero or no argument at all is valid.
NULL_IS_GOOD = {"carom_close_reason",  # CAROM_OK: not closed
                "carom_recorder_finish"}  # nothing to finish
# Functions for which they are valid beside a client: no wait, nothing to send, the whole world, no reply, no arguments.
NULL_IS_GOOD_BUT_A_CLIENT = {"carom_poll", "carom_flush", "carom_subscription_area",
                             "carom_unsubscribe", "carom_call_goodbye", "carom_call_server_info",
                             "carom_call_world_list"}


def functions(include):
    """(result, name, [parameter types]) of every public function."""
    for header in sorted(include.glob("*.h")):
        text = re.sub(r"//[^\n]*", "", header.read_text())
        pattern = r"CAROM_API\s+([\w\s\*]+?)\b(carom_\w+)\(([^;]*?)\);"
        for result, name, parameters in re.findall(pattern, text):
            types = [" ".join(p.split()) for p in parameters.split(",")]
            yield " ".join(result.split()), name, [] if types == ["void"] else types


def argument(kind, client):
    if client and re.match(r"(const )?carom_client \*(?!\*)", kind):
        return client
    if "*" in kind or "[" in kind or kind.startswith("carom_response_fn"):
        return "NULL"
    if kind.startswith("carom_vec2"):
        return "(carom_vec2){0, 0}"
    return "0"


def null_program(table):
    """Calls every function with NULL and 0, then every function that takes a client with a valid one."""
    table = list(table)
    assert len(table) > 130, len(table)
    calls = []
    for client in [None, "client"]:
        for result, name, types in table:
            arguments = [argument(kind, client) for kind in types]
            if client and (client not in arguments or name in (
                    "carom_free", "carom_unref", "carom_close", "carom_ref")):
                continue
            call = f"{name}({', '.join(arguments)})"
            if result == "carom_status" and not (
                    name in NULL_IS_GOOD or (client and name in NULL_IS_GOOD_BUT_A_CLIENT)):
                call = f'if ({call} == CAROM_OK) printf("{name} {client}\\n")'
            calls.append(f"    {call};")
    return """#include <carom/carom.h>
#include <carom/json.h>
#include <carom/local.h>
#include <carom/many.h>
#include <carom/prediction.h>
#include <carom/replica.h>
#include <carom/scene.h>
#include <stdio.h>
#include <sys/socket.h>
int main(void)
{
    int pair[2];
    carom_client *client = NULL;
    carom_options options = carom_options_default();
    options.hello = false;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
        carom_connect_fd(pair[0], 1000, &options, &client, NULL) != CAROM_OK) {
        return 1;
    }
""" + "\n".join(calls) + """
    carom_free(client);
    return 0;
}
"""


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
