#!/usr/bin/env python3
"""The packages that cpack makes of this build: each file in one of them, a server that starts from the installed files,
maintainer scripts that work without systemd. Called with the build folder."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import SECONDS_MAX  # noqa: E402

BUILD = Path(sys.argv[1])
PACKAGES = ("caromd", "carom", "libcarom0", "libcarom-dev")
SONAMES = ("libcarom.so.0", "libcarom-scene.so.0", "libcarom-replica.so.0")


PACKING_MAX = 4 * SECONDS_MAX  # cpack asks a program about each of some thousand files


def run(*words, timeout=SECONDS_MAX, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout, **more)


@unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb")
class PackagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="carom-packages-"))
        run("cpack", "-G", "DEB;TGZ", "-B", str(cls.folder / "out"), cwd=BUILD, timeout=PACKING_MAX)
        cls.debs = {name: next((cls.folder / "out").glob(f"{name}_*.deb")) for name in PACKAGES}
        for name, deb in cls.debs.items():
            run("dpkg-deb", "--raw-extract", deb, cls.folder / name)
        cls.root = cls.folder / "root"
        for deb in cls.debs.values():
            run("dpkg-deb", "--extract", deb, cls.root)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def files(self, name):
        base = self.folder / name
        return {str(path.relative_to(base)) for path in base.rglob("*")
                if not path.is_dir() and "DEBIAN" not in path.parts}

    def field(self, name, field):
        return run("dpkg-deb", "--field", str(self.debs[name]), field).stdout.strip()

    def test_no_file_is_in_two_packages_and_none_is_left_out(self):
        all_files = [file for name in PACKAGES for file in self.files(name)]
        self.assertEqual(len(all_files), len(set(all_files)))
        listing = run("tar", "--list", "--file", str(next((self.folder / "out").glob("*.tar.gz")))).stdout
        packed = {line.split("/", 1)[1] for line in listing.split() if not line.endswith("/")}
        # Only Debian has its libraries in the machine's folder.
        self.assertEqual({re.sub(r"^usr/(lib/\w+-linux-gnu/)?", lambda found: "lib/" if found[1] else "", file)
                          for file in all_files}, packed)

    def test_each_part_is_where_it_is_looked_for(self):
        self.assertIn("usr/bin/caromd", self.files("caromd"))
        self.assertIn("usr/share/carom/scenes/demo.json", self.files("caromd"))
        for page in ("index.html", "index.html.gz", "docs/reference/methods.html", "search-index.js"):
            self.assertIn(f"usr/share/carom/docs/{page}", self.files("caromd"))
        for unit in ("caromd.service", "caromd.socket", "caromd-http.socket"):
            self.assertIn(f"usr/lib/systemd/system/{unit}", self.files("caromd"))
        for path in ("bin/carom", "bin/carom-load", "share/man/man1/carom-load.1"):
            self.assertIn(f"usr/{path}", self.files("carom"))
        self.assertIn("usr/share/zsh/vendor-completions/_carom", self.files("carom"))
        for name, package in (("carom", "carom"), ("carom-load", "carom"), ("caromd", "caromd")):
            for script in (f"bash-completion/completions/{name}", f"fish/vendor_completions.d/{name}.fish"):
                self.assertIn(f"usr/share/{script}", self.files(package))
        lib = f"usr/lib/{run('gcc', '-print-multiarch').stdout.strip()}"
        for soname in SONAMES:
            self.assertIn(f"{lib}/{soname}", self.files("libcarom0"))
            self.assertIn(f"{lib}/{soname.removesuffix('.0')}", self.files("libcarom-dev"))
        for file in ("pkgconfig/carom.pc", "cmake/carom/caromConfig.cmake", "libcarom.a"):
            self.assertIn(f"{lib}/{file}", self.files("libcarom-dev"))
        self.assertIn("usr/include/carom/carom.h", self.files("libcarom-dev"))
        for name in PACKAGES:
            self.assertIn(f"usr/share/doc/{name}/copyright", self.files(name))
            self.assertIn("Section", (self.folder / name / "DEBIAN/control").read_text())

    def test_libraries_are_depended_on(self):
        for library in ("libuv1", "libmsgpackc2", "libssl3", "libjansson4", "zlib1g", "libcurl4"):
            self.assertIn(library, self.field("caromd", "Depends"))
        self.assertIn("libssl3", self.field("libcarom0", "Depends"))
        self.assertIn("libcarom0 (= ", self.field("libcarom-dev", "Depends"))

    def test_program_that_links_the_library_depends_on_its_package(self):
        shlibs = (self.folder / "libcarom0/DEBIAN/shlibs").read_text().splitlines()
        self.assertEqual({soname.removesuffix(".so.0") for soname in SONAMES}, {line.split()[0] for line in shlibs})
        for line in shlibs:
            self.assertRegex(line, r"^libcarom\S* 0 libcarom0 \(")

    def test_development_files_find_the_libraries_beside_them(self):
        lib = next(self.root.glob("usr/lib/*/pkgconfig")).parent
        flags = run("pkg-config", "--variable=libdir", "carom", env={
            **os.environ, "PKG_CONFIG_LIBDIR": str(lib / "pkgconfig"), "PKG_CONFIG_PATH": ""}).stdout.strip()
        self.assertEqual(lib.resolve(), Path(flags).resolve())
        project = self.folder / "stranger"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.18)\nproject(stranger C)\nfind_package(carom REQUIRED)\n"
            "add_executable(hello hello.c)\ntarget_link_libraries(hello PRIVATE carom::carom)\n")
        shutil.copy(self.root / "usr/share/doc/carom/examples/hello.c", project)
        run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.root / 'usr'}")
        run("cmake", "--build", project / "build")

    def test_without_what_finds_dependencies_no_package_is_made(self):
        for missing, package in (("dpkg-shlibdeps", "dpkg-dev"), ("file", "file")):
            with self.subTest(missing):
                folder = self.folder / f"without-{missing}"
                tools = folder / "bin"
                tools.mkdir(parents=True)
                for name in {name for path in ("/usr/bin", "/bin") for name in os.listdir(path)} - {missing}:
                    (tools / name).symlink_to(Path("/usr/bin", name))
                done = subprocess.run([shutil.which("cpack"), "-G", "DEB", "-B", folder / "out", "-D",
                                       f"CMAKE_PROGRAM_PATH={tools}", "-D", "CMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF"],
                                      cwd=BUILD, env={**os.environ, "PATH": str(tools)}, capture_output=True, text=True)
                self.assertNotEqual(0, done.returncode)
                self.assertIn(package, done.stderr)
                self.assertEqual([], list((folder / "out").glob("*.deb")))

    @unittest.skipUnless(shutil.which("readelf"), "there is no readelf")
    def test_list_of_licences_names_what_is_linked(self):
        names = {"libuv": "libuv (", "libmsgpackc": "msgpack-c (", "libjansson": "Jansson (", "libssl": "OpenSSL 3 (",
                 "libcrypto": "OpenSSL 3 (", "libz": "zlib (", "libcurl": "curl (", "libc": "glibc (", "libm": "glibc (", "ld-linux-x86-64": "glibc ("}
        linked = set()
        for path in [self.root / "usr/bin/caromd", self.root / "usr/bin/carom", *self.root.glob("usr/lib/**/*.so")]:
            linked |= set(re.findall(r"NEEDED.*\[(.+?)\.so", run("readelf", "-d", path).stdout))
        told = (self.root / "usr/share/doc/caromd/copyright").read_text()
        self.assertEqual({names[library] for library in linked if not library.startswith("libcarom")},
                         {name for name in names.values() if name in told})

    def test_installed_server_and_command_line_work_together(self):
        caromd, carom = self.root / "usr/bin/caromd", self.root / "usr/bin/carom"
        config = self.root / "usr/share/carom/caromd.conf"
        self.assertIn("sound", run(caromd, "--config", config, "--check-config").stdout)
        server = subprocess.Popen([caromd, "--config", config, "--listen", "127.0.0.1:0", "--http", "off"],
                                  stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        try:
            for line in server.stderr:
                if found := re.search(r"listening on (\S+)", line):
                    break
            self.assertIn("demo", run(carom, "--server", found.group(1), "worlds").stdout)
        finally:
            server.terminate()
            self.assertEqual(server.wait(SECONDS_MAX), 0)
            server.stderr.close()

    def test_maintainer_scripts_are_sound(self):
        for script in ("postinst", "prerm", "postrm"):
            path = self.folder / "caromd/DEBIAN" / script
            self.assertTrue(os.access(path, os.X_OK))
            run("sh", "-n", path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
