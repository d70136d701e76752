"""docker/compose.yaml, compose.public.yaml and compose.fleet.yaml without Docker: the fields that they use, and their types, are those of the Compose
specification; each file that is mounted or built from exists; ports, profiles, health checks and the metrics' own files
agree with each other; worlds outlive the container.

Usage: test_compose.py [PROJECT_ROOT]
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = r"[a-zA-Z0-9][a-zA-Z0-9_.-]*"
PORT = re.compile(r"127\.0\.0\.1:(\d+):(\d+)")
PORTS = re.compile(r"(?:127\.0\.0\.1:)?(\d+):(\d+)")
VOLUME = re.compile(r"(?:\$\{\w+:-)?([^:}]+)\}?:(/[^:]+?)(?::ro)?")
MADE = {"public", "fleet"} # set by the commands at the heads of compose.public.yaml and compose.fleet.yaml
RESTART = {"no", "always", "on-failure", "unless-stopped"}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}


def is_list(value, pattern=r".+"):
    return isinstance(value, list) and all(isinstance(one, str) and re.fullmatch(pattern, one) for one in value)


def is_map(value):
    """As of environment and args: text, numbers or nothing; YAML's booleans are refused by Compose."""
    return isinstance(value, dict) and all(isinstance(one, (str, int, float, type(None))) and not isinstance(one, bool)
                                           for one in value.values())


def is_text(value, pattern=r".+"):
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def is_dependency(value):
    return is_list(value, NAME) or isinstance(value, dict) and all(
        set(one) <= {"condition", "required", "restart"} and one["condition"] in CONDITIONS for one in value.values())


# The fields of a service that this file uses; one that is new here has to be looked up in the specification.
FIELDS = {
    "image": is_text,
    "container_name": lambda value: is_text(value, NAME),
    "build": lambda value: set(value) <= {"context", "dockerfile", "args", "tags"} and is_map(value.get("args", {})),
    "environment": is_map,
    "ports": lambda value: is_list(value, PORTS.pattern),
    "user": lambda value: is_text(value, r"\d+:\d+"),
    "working_dir": lambda value: is_text(value, r"/.*"),
    "volumes": lambda value: is_list(value, VOLUME.pattern),
    "profiles": lambda value: is_list(value, NAME),
    "depends_on": is_dependency,
    "entrypoint": is_list, "command": is_list, "security_opt": is_list, "cap_drop": is_list,
    "read_only": lambda value: isinstance(value, bool),
    "tty": lambda value: isinstance(value, bool),
    "stdin_open": lambda value: isinstance(value, bool),
    "restart": lambda value: value in RESTART,
    "stop_grace_period": lambda value: is_text(value, r"(\d+(us|ms|s|m|h))+"),
    "logging": lambda value: set(value) <= {"driver", "options"} and is_text(value["driver"]),
    "healthcheck": lambda value: set(value) <= {"test", "interval", "timeout", "retries", "start_period", "disable"},
}


class File:
    """The tests of each of the files."""

    FILE = "compose.yaml"
    SERVICES = {"server", "watch", "prometheus", "grafana"}
    SERVERS = ["server"]  # those that keep worlds; the first one builds the image

    def setUp(self):
        self.folder = ROOT / "docker"
        self.file = yaml.safe_load((self.folder / self.FILE).read_text())
        self.services = self.file["services"]
        self.dockerfile = (self.folder / "Dockerfile").read_text()

    def volumes(self, service):
        """(name or path, place in the container) of each volume."""
        found = [VOLUME.fullmatch(one) for one in self.services[service].get("volumes", [])]
        return [(one[1], pathlib.PurePosixPath(one[2])) for one in found]

    def mounts(self, service):
        """(path here, path in the container) of each volume that is a file or a folder."""
        return [(self.folder / name, place) for name, place in self.volumes(service) if name.startswith(".")]

    def test_fields_are_those_of_the_specification(self):
        self.assertEqual(set(self.file), {"services", "volumes"})
        for name, service in self.services.items():
            self.assertRegex(name, f"^{NAME}$")
            for field, value in service.items():
                with self.subTest(f"{name}.{field}"):
                    self.assertIn(field, FIELDS)
                    self.assertTrue(FIELDS[field](value), value)
            self.assertIn("image", service)
        self.assertEqual(set(self.services), self.SERVICES)

    def test_worlds_are_kept_in_a_volume_of_the_server_s_user(self):
        user = re.search(r"^USER (\d+):(\d+)$", self.dockerfile, re.MULTILINE)
        volumes = []
        for server in self.SERVERS:
            [(name, mounted)] = [volume for volume in self.volumes(server) if not volume[0].startswith(".")]
            place = self.services[server]["environment"]["CAROM_DATA"]
            self.assertEqual(pathlib.PurePosixPath(place), mounted)
            self.assertRegex(self.dockerfile, rf"install -d -o {user[1]} -g {user[2]} -m 700 {place}\b")
            self.assertRegex(self.file["volumes"][name]["name"], f"^{NAME}$")
            volumes.append(name)
        self.assertEqual(len(set(volumes)), len(self.SERVERS), "two servers share a folder")
        self.assertLessEqual(set(volumes), set(self.file["volumes"]))

    def test_settings_of_servers_are_options_of_caromd(self):
        known = set(re.findall(r'"(CAROM_[A-Z_]+)"', (ROOT / "server/config/config.c").read_text()))
        self.assertGreater(len(known), 30)
        for server in self.SERVERS:
            self.assertLessEqual(set(self.services[server]["environment"]), known)

    def test_servers_have_time_to_end(self):
        limits = {one["name"]: one["default"]
                  for one in tomllib.loads((ROOT / "proto/schema/server_limits.toml").read_text())["limit"]}
        for server in self.SERVERS:
            drain = limits["drain_ms"] if "CAROM_FLEET" in self.services[server]["environment"] else 0
            seconds = int(re.fullmatch(r"(\d+)s", self.services[server]["stop_grace_period"])[1])
            self.assertGreater(1000 * seconds, drain + 1000 + limits["close_ms"])

    def test_images_have_versions(self):
        for name, service in self.services.items():
            self.assertRegex(service["image"], r":(\$\{CAROM_VERSION:-)?v?\d+\.\d+\.\d+\}?$", name)

    def test_ports_are_given_once(self):
        told = [PORTS.fullmatch(one).groups() for service in self.services.values() for one in service.get("ports", [])]
        self.assertEqual(len({outside for outside, _ in told}), len(told))
        self.assertIn(("22767", "22767"), told)

    def test_mounted_files_exist_and_no_two_at_one_place(self):
        for name in self.services:
            places = [place for _, place in self.mounts(name)]
            self.assertEqual(len(set(places)), len(places))
            for path, place in self.mounts(name):
                with self.subTest(f"{name}: {place}"):
                    if path.relative_to(self.folder).parts[0] in MADE:
                        continue
                    self.assertTrue(path.exists(), path)
                    self.assertEqual(path.is_file(), place.suffix != "")

    def test_build_is_of_files_that_exist(self):
        build = self.services[self.SERVERS[0]]["build"]
        context = (self.folder / build["context"]).resolve()
        self.assertEqual(context, ROOT)
        self.assertTrue((context / build["dockerfile"]).is_file())
        for arg in build["args"]:
            self.assertRegex(self.dockerfile, rf"(?m)^ARG {arg}\b")

    def test_dependencies_start_with_the_profiles_of_those_who_depend(self):
        for name, service in self.services.items():
            wanted = service.get("depends_on", [])
            for other in wanted:
                with self.subTest(f"{name} needs {other}"):
                    self.assertIn(other, self.services)
                    profiles = set(self.services[other].get("profiles", []))
                    self.assertTrue(not profiles or profiles & set(service.get("profiles", [])))
                    if isinstance(wanted, dict) and wanted[other]["condition"] == "service_healthy":
                        self.assertTrue("healthcheck" in self.services[other] or "HEALTHCHECK" in self.dockerfile)

    def test_health_check_of_the_image_is_a_program_in_it(self):
        check = re.search(r"^HEALTHCHECK (?:.*\\\n)*.*?CMD \[\"([^\"]+)\"", self.dockerfile, re.MULTILINE)[1]
        copied = {place: source for source, place in
                  re.findall(r"^COPY (?:--\S+ )*(\S+) (\S+)$", self.dockerfile, re.MULTILINE)}
        source = copied.get(f"/usr/local/bin/{check}")
        self.assertIsNotNone(source, f"{check} is copied into no image")
        self.assertTrue((ROOT / source).stat().st_mode & 0o111)

    def test_programs_of_services_are_copied_into_the_image(self):
        self.assertRegex(self.dockerfile, r"(?m)^COPY --from=\S+ (--\S+ )*/opt/carom/bin/ ")
        for name, service in self.services.items():
            if name in ("watch", "carom"):
                self.assertEqual(service["entrypoint"], ["carom"])


class Demo(File, unittest.TestCase):
    def test_ports_are_on_the_loopback_address(self):
        for service in self.services.values():
            for one in service.get("ports", []):
                self.assertRegex(one, f"^{PORT.pattern}$")

    def test_prometheus_reads_the_file_and_asks_the_server(self):
        places = {str(place): path for path, place in self.mounts("prometheus")}
        config = yaml.safe_load(places.pop("/etc/prometheus/prometheus.yml").read_text())  # the path that the image reads
        self.assertEqual([f"/etc/prometheus/{name}" for name in config["rule_files"]], list(places))
        jobs = config["scrape_configs"]
        targets = [target for job in jobs for static in job["static_configs"] for target in static["targets"]]
        for target in targets:
            host, port = target.split(":")
            self.assertIn(host, self.services)
            self.assertRegex(self.dockerfile, rf"(?m)^EXPOSE .*\b{port}\b")

    def test_grafana_finds_its_source_and_its_dashboard(self):
        places = {place: yaml.safe_load(path.read_text()) for path, place in self.mounts("grafana")}
        provisioning = pathlib.PurePosixPath("/etc/grafana/provisioning")
        [source] = places[provisioning / "datasources/carom.yaml"]["datasources"]
        host, port = re.fullmatch(r"http://([\w-]+):(\d+)", source["url"]).groups()
        self.assertIn(host, self.services)
        self.assertEqual(port, "9090")  # where Prometheus listens
        [provider] = places[provisioning / "dashboards/carom.yaml"]["providers"]
        [dashboard] = [json.dumps(content) for place, content in places.items()
                       if str(place.parent) == provider["options"]["path"]]
        used = set(re.findall(r'"datasource": \{"type": "\w+", "uid": "([^"]+)"\}', dashboard))
        self.assertEqual(used, {source["uid"]})
        self.assertEqual(json.loads(dashboard)["uid"], "carom")  # the uid in the address at the head of compose.yaml


class Public(File, unittest.TestCase):
    FILE = "compose.public.yaml"
    SERVICES = {"server", "carom"}

    def test_server_asks_for_tokens_over_tls(self):
        settings = self.services["server"]["environment"]
        self.assertNotIn("CAROM_INSECURE", settings)
        [(_, place)] = self.mounts("server")
        for name in ("CAROM_KEYS", "CAROM_TLS_CERT", "CAROM_TLS_KEY"):
            self.assertEqual(place, pathlib.PurePosixPath(settings[name]).parent)

    def test_secrets_are_seen_by_neither_git_nor_the_build(self):
        self.assertIn("/docker/public/", (ROOT / ".gitignore").read_text().split())
        self.assertIn("docker/public", (ROOT / ".dockerignore").read_text().split())


class Fleet(File, unittest.TestCase):
    FILE = "compose.fleet.yaml"
    SERVICES = {"etcd1", "etcd2", "etcd3", "a", "b", "c"}
    SERVERS = ["a", "b", "c"]

    def test_servers_are_one_fleet(self):
        settings = [self.services[name]["environment"] for name in self.SERVERS]
        for name in ("CAROM_FLEET", "CAROM_FLEET_SECRET"):
            self.assertEqual(len({one[name] for one in settings}), 1)
        for name in ("CAROM_NODE", "CAROM_ADVERTISE", "CAROM_FLEET_LISTEN"):
            self.assertEqual(len({one[name] for one in settings}), 3)
        urls = settings[0]["CAROM_FLEET"].split(",")
        self.assertEqual([f"http://etcd{i}:2379" for i in (1, 2, 3)], urls)
        self.assertEqual(set(self.SERVICES) - set(self.SERVERS), {url.split("//")[1].split(":")[0] for url in urls})

    def test_servers_advertise_the_ports_that_are_published(self):
        for name in self.SERVERS:
            service = self.services[name]
            settings = service["environment"]
            published = {inside: outside for outside, inside in (PORT.fullmatch(one).groups() for one in service["ports"])}
            self.assertEqual(settings["CAROM_ADVERTISE"], f"127.0.0.1:{published['22766']},127.0.0.1:{published['22767']}")
            self.assertEqual((settings["CAROM_NODE"], settings["CAROM_FLEET_LISTEN"]), (name, f"{name}:22768"))
            [(_, place)] = self.mounts(name)
            self.assertEqual(pathlib.PurePosixPath(settings["CAROM_FLEET_SECRET"]).parent, place)

    def test_members_of_etcd_name_each_other(self):
        for i in (1, 2, 3):
            command = self.services[f"etcd{i}"]["command"]
            self.assertEqual(command[0], "etcd")
            options = dict(option.removeprefix("--").split("=", 1) for option in command[1:])
            self.assertEqual(options["initial-cluster"], ",".join(f"etcd{j}=http://etcd{j}:2380" for j in (1, 2, 3)))
            self.assertEqual((options["name"], options["advertise-client-urls"], options["initial-advertise-peer-urls"]),
                             (f"etcd{i}", f"http://etcd{i}:2379", f"http://etcd{i}:2380"))
            [(_, place)] = self.volumes(f"etcd{i}")
            self.assertEqual(options["data-dir"], str(place))

    @unittest.skipUnless(shutil.which("etcd"), "etcd is not installed")
    def test_options_of_etcd_exist(self):
        told = subprocess.run(["etcd", "--help"], capture_output=True, text=True, check=True)
        for option in self.services["etcd1"]["command"][1:]:
            self.assertRegex(told.stdout + told.stderr, rf"(?m)^\s+{option.split('=')[0]}\b")

    def test_key_is_seen_by_neither_git_nor_the_build(self):
        self.assertIn("/docker/fleet/", (ROOT / ".gitignore").read_text().split())
        self.assertIn("docker/fleet", (ROOT / ".dockerignore").read_text().split())


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
