#!/usr/bin/env python3
"""The packages on a clean Debian: they are installed, started, used over the network, built against, upgraded,
removed and purged in a root of their own, and the .tar.gz is unpacked in another. Run by hand, since it needs root
rights and the network:

    tests/integration/clean_root.py .build/release DIR

DIR keeps the empty Debian, which debootstrap (of the package of that name) makes the first time.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import SECONDS_MAX  # noqa: E402

if len(sys.argv) != 3 or os.geteuid() != 0:
    sys.exit(f"{__doc__}\nIt takes two arguments, and root.")
BUILD, KEPT = (Path(path).resolve() for path in sys.argv[1:3])
PACKAGE_LIST = Path(__file__).resolve().parents[2] / "docker/packages.txt"
SUITE = "bookworm"
PACKAGES = ("caromd", "carom", "libcarom0", "libcarom-dev")
NEWER = "0.99"


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Root:
    """A copy of the empty Debian, and programs that run in it."""

    def __init__(self, path, base):
        self.path = path
        self.servers = []
        run("cp", "-a", base, path)
        shutil.copy("/etc/resolv.conf", path / "etc/resolv.conf")
        # The packages must start nothing themselves: this root shares the machine's network.
        (path / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (path / "usr/sbin/policy-rc.d").chmod(0o755)
        (path / "root/carom").mkdir()

    def run(self, *words):
        return run("chroot", self.path, *words, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
                                                     "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root"}, timeout=900)

    def apt(self, *words):
        return self.run("apt-get", "-qq", "-y", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0", *words)

    def files(self):
        """All files with the project's name, except the package manager's own."""
        found = self.run("find", "/etc", "/usr", "/var/lib", "/opt", "-name", "*carom*", "-not", "-path", "/var/lib/dpkg/*")
        return set(found.split())

    def start(self, *words):
        """Starts a server in the root, with a port chosen by the system. It ends with the root in any case."""
        server = subprocess.Popen(["chroot", self.path, *words, "--listen", "127.0.0.1:0", "--http", "off"],
                                  stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        self.servers.append(server)
        end, told = time.monotonic() + SECONDS_MAX, ""
        while time.monotonic() < end and (line := server.stderr.readline()):
            told += line
            if found := re.search(r"listening on (\S+)", line):
                return server, found.group(1)
        raise AssertionError(f"it did not start: {told}")

    def end(self):
        for server in self.servers:
            server.kill()
            server.wait()
            server.stderr.close()


def stop(test, server):
    server.send_signal(signal.SIGTERM)
    test.assertEqual(0, server.wait(SECONDS_MAX), "it did not end well")


class CleanRoot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = KEPT / "base"
        if not cls.base.exists():
            run("debootstrap", "--variant=minbase", SUITE, cls.base)
        cls.folder = Path(tempfile.mkdtemp(prefix="carom-clean-", dir=KEPT))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run("cpack", "-G", "DEB;TGZ", "-B", cls.folder / "out", cwd=BUILD)
        cls.debs = [next((cls.folder / "out").glob(f"{name}_*.deb")) for name in PACKAGES]

    def newer(self, root):
        """The same packages with a later version."""
        made = []
        for deb in self.debs:
            raw = self.folder / "raw" / deb.name
            raw.parent.mkdir(exist_ok=True)
            run("dpkg-deb", "--raw-extract", deb, raw)
            control = raw / "DEBIAN/control"
            control.write_text(re.sub(r"(?m)^Version: .*|\(= [\d.]+\)", lambda found: f"Version: {NEWER}"
                                      if found[0].startswith("Version") else f"(= {NEWER})", control.read_text()))
            made.append(f"/root/carom/{deb.name.split('_')[0]}_{NEWER}.deb")
            run("dpkg-deb", "--root-owner-group", "--build", raw, f"{root.path}{made[-1]}")
        return made

    def test_packages_live_and_die(self):
        root = Root(self.folder / "debian", self.base)
        self.addCleanup(root.end)
        before = root.files()
        for deb in self.debs:
            shutil.copy(deb, root.path / "root/carom")
        root.apt("update")
        root.apt("install", *(f"/root/carom/{deb.name}" for deb in self.debs))
        conf = root.path / "etc/carom/caromd.conf"
        self.assertIn("sound", root.run("caromd", "--config", "/etc/carom/caromd.conf", "--check-config"))
        command = ("caromd", "--config", "/etc/carom/caromd.conf", "--data", "/var/lib/carom")
        server, where = root.start(*command)
        self.assertIn("demo", root.run("carom", "--server", where, "worlds"), "the first page is empty")
        root.run("carom", "--server", where, "create", "kept", "--scene", "cradle")
        self.assertIn("kept", root.run("carom", "--server", where, "worlds"))
        epoch = root.run("carom", "--server", where, "call", "world.info", "world=kept", "--json")
        epoch = re.search(r'"epoch":(\d+)', epoch)[1]
        # A user's program, built with libcarom-dev and without the sources.
        root.apt("install", "gcc", "libc6-dev", "pkg-config")
        root.run("sh", "-ec", "cc /usr/share/doc/carom/examples/drop.c -o /root/drop $(pkg-config --cflags --libs carom)")
        self.assertIn("touched", root.run("/root/drop", where))
        self.assertRegex(root.run("ldd", "/root/drop"), r"libcarom\.so\.0 => (/usr)?/lib/\w+-linux-gnu/libcarom\.so\.0")
        # An upgrade, while the server runs; the administrator's settings stay.
        conf.write_text(conf.read_text() + "limit = connections=77\n")
        root.apt("install", *self.newer(root))
        self.assertIn(NEWER, root.run("dpkg-query", "-W", "-f", "${Version}", "caromd"))
        self.assertIn("connections=77", conf.read_text())
        stop(self, server)
        server, where = root.start(*command)
        info = root.run("carom", "--server", where, "call", "world.info", "world=kept", "--json")
        self.assertIn(f'"epoch":{epoch}', info)
        self.assertIn('"connections":77', root.run("carom", "--server", where, "call", "server.info", "--json"))
        stop(self, server)
        # A removal keeps worlds and settings, a purge does not.
        root.apt("remove", *PACKAGES)
        self.assertEqual({"/etc/carom", "/etc/carom/caromd.conf", "/var/lib/carom"}, root.files() - before)
        root.apt("purge", "caromd")  # the other packages leave nothing to purge
        self.assertEqual(set(), root.files() - before)

    def test_archive_is_unpacked_and_runs(self):
        root = Root(self.folder / "archive", self.base)
        self.addCleanup(root.end)
        archive = next((self.folder / "out").glob("*.tar.gz"))
        run("tar", "--extract", "--file", archive, "--directory", root.path / "opt")
        top = "/opt/" + archive.name.removesuffix(".tar.gz")
        # The libraries are those of the image of docker/Dockerfile.
        root.apt("update")
        listed = PACKAGE_LIST.read_text()
        root.apt("install", *re.findall(r"(?m)^(\S+) +run$", listed))
        server, where = root.start(f"{top}/bin/caromd", "--world", "demo:demo", "--data", "/root/worlds")
        self.assertIn("demo", root.run(f"{top}/bin/carom", "--server", where, "worlds"))
        self.assertIn("ok", root.run(f"{top}/bin/carom", "--server", where, "doctor"))
        stop(self, server)
        server, where = root.start(f"{top}/bin/caromd", "--data", "/root/worlds")
        self.assertIn("demo", root.run(f"{top}/bin/carom", "--server", where, "worlds"))
        stop(self, server)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
