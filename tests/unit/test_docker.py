"""The image: its health check asks at the server's own address, it has the project's version, a folder
for scenes, and nothing that was only needed to build it.

Usage: test_docker.py [PROJECT_ROOT]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAROM = '#!/bin/sh\necho "$@" >"$CALLED"\nexit "$CODE"\n'


class HealthCheck(unittest.TestCase):
    def check(self, *command_line, code=0, healthy=None, **environment):
        """Checks the arguments with which carom is called (it ends with `code`) when process 1 has this command
        line."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "carom").write_text(CAROM)
            (folder / "carom").chmod(0o755)
            (folder / "cmdline").write_bytes(b"".join(a.encode() + b"\0" for a in command_line))
            environment |= {"PATH": f"{folder}:{os.environ['PATH']}", "CALLED": str(folder / "called"),
                            "CODE": str(code)}
            result = subprocess.run([ROOT / "docker/healthcheck.sh", folder / "cmdline"], env=environment,
                                    check=False)
            self.assertEqual(result.returncode == 0, code == 0 if healthy is None else healthy)
            return (folder / "called").read_text().split()

    def test_address_of_the_environment_is_asked(self):
        self.assertEqual(self.check("caromd", CAROM_LISTEN="10.0.0.2:5000"),
                         ["--server", "10.0.0.2:5000", "--timeout", "2s", "ping"])

    def test_option_comes_before_the_environment_and_the_last_counts(self):
        for line in (["caromd", "--listen", "0.0.0.0:5001"], ["caromd", "--listen=0.0.0.0:5001"],
                     ["caromd", "--listen", "0.0.0.0:1", "--hz", "30", "--listen=0.0.0.0:5001"],
                     ["/sbin/docker-init", "--", "caromd", "--listen", "0.0.0.0:5001", "--world", "a b"]):
            self.assertEqual(self.check(*line, CAROM_LISTEN="0.0.0.0:22766")[1], "127.0.0.1:5001")

    def test_every_address_is_asked_on_the_loopback_one(self):
        self.assertEqual(self.check("caromd", CAROM_LISTEN="[::]:7")[1], "[::1]:7")
        self.assertEqual(self.check("caromd", CAROM_LISTEN="[fe80::1]:7")[1], "[fe80::1]:7")
        self.assertEqual(self.check("caromd")[1], "127.0.0.1:22766")

    def test_other_options_are_no_addresses(self):
        self.assertEqual(self.check("caromd", "--world", "--listening", "--limit", "listen=3")[1],
                         "127.0.0.1:22766")

    def test_server_that_does_not_answer_is_unhealthy(self):
        self.check("caromd", code=3)
        self.check("caromd", code=1)

    def test_server_with_a_certificate_is_asked_over_tls(self):
        for line, variables in ((["--tls-cert", "c.pem"], {}), (["--tls-cert=c.pem"], {}),
                                ([], {"CAROM_TLS_CERT": "c.pem"})):
            asked = self.check("caromd", "--listen", "0.0.0.0:7", *line, **variables)
            self.assertEqual(asked, ["--server", "caroms://127.0.0.1:7", "--timeout", "2s", "ping"])
        # The server answers, though with a certificate for another name; or it does not answer.
        self.check("caromd", "--tls-cert", "c.pem", code=1, healthy=True)
        self.check("caromd", "--tls-cert", "c.pem", code=3, healthy=False)

    def test_certificate_of_a_settings_file_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder, "caromd.conf")
            config.write_text("# tls-cert = no.pem\nhz = 30\n")
            self.assertEqual(self.check("caromd", "--config", str(config))[1], "127.0.0.1:22766")
            config.write_text("hz = 30\ntls-cert = c.pem\n")
            for line, variables in ((["--config", str(config)], {}), ([f"--config={config}"], {}),
                                    ([], {"CAROM_CONFIG": str(config)})):
                self.assertEqual(self.check("caromd", *line, **variables)[1], "caroms://127.0.0.1:22766")


class Image(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "docker/Dockerfile").read_text()
        self.last_stage = self.text.rsplit("\nFROM ", 1)[1]

    def version(self):
        return re.search(r"project\(carom VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

    def test_version_is_the_project_s(self):
        version = self.version()
        self.assertIn(f"ARG VERSION={version}\n", self.last_stage)
        self.assertIn('image.version="${VERSION}"', self.last_stage)
        compose = (ROOT / "docker/compose.yaml").read_text()
        self.assertEqual(set(re.findall(r"CAROM_VERSION:-([^}]*)", compose)), {version})

    def test_last_stage_copies_programs_and_pages_alone(self):
        copied = re.findall(r"^COPY .*? (\S+) \S+$", self.last_stage, re.M)
        self.assertEqual(copied, ["/opt/carom/bin/", "/opt/carom/share/carom/docs/", "docker/healthcheck.sh"])

    def source(self):
        """Makes a folder with the files that the first stage copies."""
        first = self.text.split("\nFROM build AS docs\n", 1)[0]
        source = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "src")
        for line in re.findall(r"^COPY (.*)$", first, re.M):
            *names, to = line.split()
            for name in names:
                alone = len(names) == 1 and not to.endswith("/")
                place = source / to if alone else source / to / pathlib.Path(name).name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(ROOT / name)
        return source

    def cmake(self, source, *words):
        done = subprocess.run(["cmake", *words], cwd=source, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout + done.stderr

    def test_first_stage_copies_all_that_the_build_reads(self):
        source = self.source()
        code, told = self.cmake(source, "--preset", "release")
        self.assertEqual(code, 0, told)
        # The build of users: the engine and the examples, no tests, and warnings that are no errors.
        self.assertNotIn("cmocka", told)
        build = (source / ".build/release/build.ninja").read_text()
        for target in ("client/web/engine/engine.wasm", "example_hockey"):
            self.assertIn(target, build)
        self.assertNotIn("-Werror", build)

    def test_build_without_a_tool_says_what_to_install(self):
        source = self.source()
        code, told = self.cmake(source, "--preset", "release", "-DCAROM_WASM_OPT=OFF", "-DCAROM_WASM_LIBC=OFF")
        self.assertNotEqual(code, 0)
        self.assertRegex(told, r"missing:\s+binaryen wasi-libc\s+./docker/install\.sh build")
        # An option builds without the npm package.
        code, told = self.cmake(source, "--preset", "release", "-DCAROM_WASM=OFF")
        self.assertEqual(code, 0, told)
        code, told = self.cmake(source, "--build", "--preset", "release", "--target", "web_package")
        self.assertNotEqual(code, 0)
        self.assertIn("CAROM_WASM=OFF", told)
        self.assertFalse((source / ".build/release/client/web/package").exists())

    def test_packages_of_the_tools_are_installed_for_a_build(self):
        engine = (ROOT / "client/web/engine/CMakeLists.txt").read_text()
        needed = re.findall(r"^set\(package_\w+ (\S+)\)$", engine, re.M)
        self.assertEqual(len(needed), 5)
        for package in [*needed, "dpkg-dev", "file"]:  # the last two are for cpack
            self.assertRegex((ROOT / "docker/packages.txt").read_text(), rf"(?m)^{package} +build\b")

    def test_ports_are_told(self):
        ports = sorted(re.search(r"^EXPOSE (.*)$", self.last_stage, re.M).group(1).split())
        self.assertEqual(ports, ["22766", "22767"])
        for port in ports:
            self.assertRegex(self.last_stage, rf"CAROM_(LISTEN|HTTP)=0\.0\.0\.0:{port}")
            self.assertIn(f'"127.0.0.1:{port}:{port}"', (ROOT / "docker/compose.yaml").read_text())

    def test_metrics_profile_mounts_files_that_are_there(self):
        compose = (ROOT / "docker/compose.yaml").read_text()
        mounted = re.findall(r"^      - \./(\S+?):", compose, re.M)
        self.assertEqual(len(mounted), 5)
        for path in mounted:
            self.assertTrue((ROOT / "docker" / path).is_file(), path)
        self.assertIn('"server:22767"', (ROOT / "docker/metrics/prometheus.yml").read_text())

    def test_prometheus_takes_its_configuration(self):
        promtool = shutil.which("promtool")
        if promtool is None:
            self.skipTest("no promtool")
        checked = subprocess.run([promtool, "check", "config", str(ROOT / "docker/metrics/prometheus.yml")],
                                 capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_scenes_have_a_volume(self):
        self.assertIn("VOLUME /scenes", self.last_stage)
        self.assertIn("CAROM_SCENES=/scenes", self.last_stage)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
