#!/usr/bin/env python3
"""The packages that cpack makes of this build: each file in one of them, a server that starts from what it
installs, maintainer scripts that do their work where there is no systemd. Called with the build folder."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv[1])
PACKAGES = ("caromd", "carom", "libcarom", "libcarom-dev")


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, **more)


@unittest.skipUnless(shutil.which("dpkg-deb"), "there is no dpkg-deb")
class PackagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="carom-packages-"))
        run("cpack", "-G", "DEB;TGZ", "-B", str(cls.folder / "out"), cwd=BUILD)
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
        self.assertEqual({file.removeprefix("usr/") for file in all_files}, packed)

    def test_each_part_is_where_it_is_looked_for(self):
        self.assertIn("usr/bin/caromd", self.files("caromd"))
        self.assertIn("usr/share/carom/scenes/demo.json", self.files("caromd"))
        for unit in ("caromd.service", "caromd.socket"):
            self.assertIn(f"usr/lib/systemd/system/{unit}", self.files("caromd"))
        self.assertIn("usr/bin/carom", self.files("carom"))
        self.assertIn("usr/share/zsh/vendor-completions/_carom", self.files("carom"))
        for name in ("carom", "caromd"):
            for script in (f"bash-completion/completions/{name}", f"fish/vendor_completions.d/{name}.fish"):
                self.assertIn(f"usr/share/{script}", self.files(name))
        self.assertTrue(any(re.fullmatch(r"usr/lib/.*libcarom\.so\.[\d.]+", file) for file in self.files("libcarom")))
        self.assertTrue(any(file.endswith("libcarom.so") for file in self.files("libcarom-dev")))
        self.assertIn("usr/include/carom/carom.h", self.files("libcarom-dev"))
        for name in PACKAGES:
            self.assertIn(f"usr/share/doc/{name}/copyright", self.files(name))
            self.assertIn("Section", (self.folder / name / "DEBIAN/control").read_text())

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "there is no dpkg-shlibdeps")
    def test_libraries_are_depended_on(self):
        for library in ("libuv1", "libmsgpackc2", "libssl3", "libjansson4"):
            self.assertIn(library, self.field("caromd", "Depends"))
        self.assertIn("libssl3", self.field("libcarom", "Depends"))
        self.assertIn("libcarom (= ", self.field("libcarom-dev", "Depends"))

    @unittest.skipUnless(shutil.which("readelf"), "there is no readelf")
    def test_list_of_licences_names_what_is_linked(self):
        names = {"libuv": "libuv (", "libmsgpackc": "msgpack-c (", "libjansson": "Jansson (", "libssl": "OpenSSL 3 (",
                 "libcrypto": "OpenSSL 3 (", "libc": "glibc (", "libm": "glibc (", "ld-linux-x86-64": "glibc ("}
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
        server = subprocess.Popen([caromd, "--config", config, "--listen", "127.0.0.1:0", "--http", "off", "--world",
                                   "demo:demo"], stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        try:
            for line in server.stderr:
                if found := re.search(r"listening on (\S+)", line):
                    break
            self.assertIn("demo", run(carom, "--server", found.group(1), "worlds").stdout)
        finally:
            server.terminate()
            self.assertEqual(server.wait(20), 0)
            server.stderr.close()

    def test_maintainer_scripts_are_sound(self):
        for script in ("postinst", "prerm", "postrm"):
            path = self.folder / "caromd/DEBIAN" / script
            self.assertTrue(os.access(path, os.X_OK))
            run("sh", "-n", path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
