"""docker/kubernetes without a cluster: a schema of the fields that the manifests use, with their types, so that a misspelt one is
found; secrets, ports, labels and volumes agree with each other; settings are caromd's; times fit. The fields of Agones are those of its
CustomResourceDefinition of Fleet (agones.dev/v1), as far as the manifest uses them.

Usage: test_kubernetes.py [PROJECT_ROOT]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]


def fields(required="", **types):
    """An object with these fields and no others."""
    return {"type": "object", "properties": types, "required": required.split(), "additionalProperties": False}


def each(of):
    return {"type": "array", "items": of, "minItems": 1}


TEXT = {"type": "string", "minLength": 1}
NAME = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"}
PORT = {"type": "integer", "minimum": 1, "maximum": 65535}
COUNT = {"type": "integer", "minimum": 0}
YES = {"type": "boolean"}
LABELS = {"type": "object", "additionalProperties": TEXT, "minProperties": 1}
SELECTOR = fields("matchLabels", matchLabels=LABELS)
META = fields("name", name=NAME, labels=LABELS)
QUANTITY = {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[0-9]+(m|[KMG]i)?$"}}
PROBE = fields("httpGet", httpGet=fields("path port", path={"type": "string", "pattern": "^/"}, port=NAME, scheme={"enum": ["HTTP", "HTTPS"]}),
               periodSeconds=COUNT, timeoutSeconds=COUNT, failureThreshold=COUNT)
CONTAINER = fields(
    "name image ports volumeMounts readinessProbe resources securityContext",
    name=NAME, image={"type": "string", "pattern": r":v?\d+\.\d+\.\d+$"}, command=each(TEXT),
    env=each({"oneOf": [fields("name value", name=TEXT, value=TEXT), fields(
        "name valueFrom", name=TEXT, valueFrom=fields("fieldRef", fieldRef=fields("fieldPath", fieldPath={
            "enum": ["metadata.name", "status.hostIP", "status.podIP"]})))]}),
    ports=each(fields("name containerPort", name=NAME, containerPort=PORT, hostPort=PORT)),
    startupProbe=PROBE, readinessProbe=PROBE, livenessProbe=PROBE,
    lifecycle=fields("preStop", preStop=fields("exec", exec=fields("command", command=each(TEXT)))),
    resources=fields("requests limits", requests=QUANTITY, limits=QUANTITY),
    securityContext=fields("allowPrivilegeEscalation", allowPrivilegeEscalation={"const": False}, readOnlyRootFilesystem={"const": True},
                           capabilities=fields("drop", drop={"const": ["ALL"]})),
    volumeMounts=each(fields("name mountPath", name=NAME, mountPath={"type": "string", "pattern": "^/"}, readOnly=YES)))
POD = fields(
    "affinity securityContext terminationGracePeriodSeconds containers",
    affinity=fields("podAntiAffinity", podAntiAffinity=fields(
        "requiredDuringSchedulingIgnoredDuringExecution", requiredDuringSchedulingIgnoredDuringExecution=each(
            fields("labelSelector topologyKey", labelSelector=SELECTOR, topologyKey={"const": "kubernetes.io/hostname"})))),
    securityContext=fields("runAsNonRoot", runAsNonRoot={"const": True}, runAsUser=COUNT, runAsGroup=COUNT, fsGroup=COUNT),
    terminationGracePeriodSeconds=COUNT, containers=each(CONTAINER),
    volumes=each(fields("name secret", name=NAME, secret=fields("secretName", secretName=NAME, defaultMode=COUNT))))
SPECS = {
    ("v1", "Service"): fields("selector ports", clusterIP={"const": "None"}, publishNotReadyAddresses=YES, selector=LABELS,
                              ports=each(fields("name port", name=NAME, port=PORT))),
    ("policy/v1", "PodDisruptionBudget"): fields("maxUnavailable selector", maxUnavailable={"const": 1}, selector=SELECTOR),
    ("networking.k8s.io/v1", "NetworkPolicy"): fields(
        "podSelector policyTypes ingress", podSelector=SELECTOR, policyTypes={"const": ["Ingress"]}, ingress=each(
            fields("ports", ports=each(fields("port", port=NAME)), **{"from": each(fields("podSelector", podSelector=SELECTOR))}))),
    ("apps/v1", "StatefulSet"): fields(
        "serviceName replicas selector template volumeClaimTemplates", serviceName=NAME, replicas=COUNT, minReadySeconds=COUNT,
        podManagementPolicy={"enum": ["Parallel", "OrderedReady"]}, updateStrategy=fields("type", type={"const": "RollingUpdate"}),
        selector=SELECTOR, template=fields("metadata spec", metadata=fields("labels", labels=LABELS), spec=POD),
        volumeClaimTemplates=each(fields("metadata spec", metadata=META, spec=fields(
            "accessModes resources", accessModes={"const": ["ReadWriteOnce"]}, resources=fields("requests", requests=QUANTITY))))),
}

# A GameServer's pod: Agones adds its sidecar and the ports.
GAME_POD = fields(
    "securityContext terminationGracePeriodSeconds containers", securityContext=POD["properties"]["securityContext"],
    terminationGracePeriodSeconds=COUNT, volumes=POD["properties"]["volumes"], containers=each(fields(
        "name image env resources securityContext readinessProbe", **{name: CONTAINER["properties"][name] for name in (
            "name", "image", "env", "resources", "securityContext", "volumeMounts")},
        readinessProbe=fields("httpGet", httpGet=fields("path port", path={"type": "string", "pattern": "^/"}, port=PORT, scheme={"const": "HTTPS"}),
                              periodSeconds=COUNT, timeoutSeconds=COUNT))))
FLEET = fields(
    "replicas template", replicas=COUNT, scheduling={"enum": ["Packed", "Distributed"]},
    strategy=fields("type", type={"enum": ["Recreate", "RollingUpdate"]}, rollingUpdate=fields("", maxSurge=COUNT, maxUnavailable=COUNT)),
    template=fields("metadata spec", metadata=fields("labels", labels=LABELS), spec=fields(
        "template", container=NAME, ports=each(fields(
            "name containerPort", name=NAME, portPolicy={"enum": ["Dynamic", "Static", "Passthrough"]}, protocol={"enum": ["UDP", "TCP", "TCPUDP"]},
            containerPort=PORT)),
        health=fields("", disabled=YES, initialDelaySeconds=COUNT, periodSeconds=COUNT, failureThreshold={"type": "integer", "minimum": 1}),
        counters={"type": "object", "additionalProperties": fields("count capacity", count=COUNT, capacity=COUNT)},
        template=fields("metadata spec", metadata=fields("labels", labels=LABELS), spec=GAME_POD))))


class Agones(unittest.TestCase):
    def setUp(self):
        [self.fleet] = yaml.safe_load_all((ROOT / "docker/kubernetes/agones.yaml").read_text())
        self.server = self.fleet["spec"]["template"]["spec"]
        self.pod = self.server["template"]["spec"]
        [self.container] = self.pod["containers"]
        self.env = {one["name"]: one["value"] for one in self.container["env"]}

    def test_the_fleet_fits_the_schema(self):
        schema = fields("apiVersion kind metadata spec", apiVersion={"const": "agones.dev/v1"}, kind={"const": "Fleet"}, metadata=META, spec=FLEET)
        jsonschema.Draft7Validator(schema).validate(self.fleet)

    def test_settings_are_options_of_caromd(self):
        self.assertLessEqual(set(self.env), set(re.findall(r'"(CAROM_[A-Z_]+)"', (ROOT / "server/config/config.c").read_text())))
        self.assertEqual("1", self.env["CAROM_AGONES"])

    def test_counters_are_those_that_caromd_reports(self):
        known = set(re.findall(r'\[DUTY_\w+\] = "(\w+)"', (ROOT / "server/fleet/agones.c").read_text()))
        self.assertEqual(known, set(self.server["counters"]))
        limits = {one["name"]: one["default"] for one in tomllib.loads((ROOT / "proto/schema/server_limits.toml").read_text())["limit"]}
        self.assertEqual(limits["worlds"], self.server["counters"]["worlds"]["capacity"])
        self.assertEqual(limits["connections"], self.server["counters"]["sessions"]["capacity"])

    def test_health_is_reported_often_enough(self):
        every = re.search(r"AGONES_HEALTH_MS = (\d+)", (ROOT / "server/fleet/agones.h").read_text())
        self.assertLess(2 * int(every[1]), 1000 * self.server["health"]["periodSeconds"])

    def test_ports_are_those_of_the_image(self):
        image = re.search(r"CAROM_LISTEN=0\.0\.0\.0:(\d+) CAROM_HTTP=0\.0\.0\.0:(\d+)", (ROOT / "docker/Dockerfile").read_text())
        self.assertEqual([("rpc", int(image[1]), "TCP"), ("http", int(image[2]), "TCP")],
                         [(port["name"], port["containerPort"], port["protocol"]) for port in self.server["ports"]])
        self.assertEqual(int(image[2]), self.container["readinessProbe"]["httpGet"]["port"])
        self.assertEqual(self.server["container"], self.container["name"])

    def test_files_that_caromd_reads_are_in_volumes(self):
        mounts = {one["mountPath"]: one["name"] for one in self.container["volumeMounts"]}
        self.assertEqual(sorted(mounts.values()), sorted(one["name"] for one in self.pod["volumes"]))
        for value in self.env.values():
            if value.startswith("/"):
                self.assertIn(str(pathlib.PurePath(value).parent), mounts)
        made = set(re.findall(r"^kubectl create secret \w+ (\S+) ", (ROOT / "docker/kubernetes/README.md").read_text(), re.MULTILINE))
        self.assertLessEqual({one["secret"]["secretName"] for one in self.pod["volumes"]}, made)


class Kubernetes(unittest.TestCase):
    def setUp(self):
        folder = ROOT / "docker/kubernetes"
        self.readme = (folder / "README.md").read_text()
        self.documents = [one for name in ("etcd.yaml", "carom.yaml") for one in yaml.safe_load_all((folder / name).read_text())]
        self.sets = {one["metadata"]["name"]: one["spec"] for one in self.documents if one["kind"] == "StatefulSet"}
        self.pods = {name: spec["template"]["spec"] for name, spec in self.sets.items()}
        self.containers = {name: pod["containers"][0] for name, pod in self.pods.items()}
        self.env = {one["name"]: one.get("value") for one in self.containers["carom"]["env"]}

    def test_documents_fit_the_schema(self):
        self.assertEqual(7, len(self.documents))
        for one in self.documents:
            with self.subTest(kind=one["kind"], name=one["metadata"]["name"]):
                schema = fields("apiVersion kind metadata spec", apiVersion=TEXT, kind=TEXT, metadata=META,
                                spec=SPECS[one["apiVersion"], one["kind"]])
                jsonschema.Draft7Validator(schema).validate(one)

    def test_labels_meet(self):
        for one in self.documents:
            spec, name = one["spec"], one["metadata"]["name"]
            selector = spec.get("podSelector", spec.get("selector"))
            self.assertEqual(self.sets[name]["template"]["metadata"]["labels"], selector.get("matchLabels", selector))
        for name, spec in self.sets.items():
            self.assertEqual(name, spec["serviceName"])
            [apart] = self.pods[name]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            self.assertEqual(spec["selector"], apart["labelSelector"])

    def test_ports_exist(self):
        for one in self.documents:
            if one["kind"] == "StatefulSet":
                continue
            known = {port["name"]: port["containerPort"] for port in self.containers[one["metadata"]["name"]]["ports"]}
            for port in one["spec"].get("ports", []):
                self.assertEqual(known[port["name"]], port["port"])
            for rule in one["spec"].get("ingress", []):
                self.assertLessEqual({port["port"] for port in rule["ports"]}, set(known))
        for container in self.containers.values():
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                if probe in container:
                    self.assertIn(container[probe]["httpGet"]["port"], {port["name"] for port in container["ports"]})

    def test_network_policy_names_every_port_of_the_servers(self):
        [policy] = [one["spec"] for one in self.documents if one["kind"] == "NetworkPolicy"]
        named = {port["port"]: "from" in rule for rule in policy["ingress"] for port in rule["ports"]}
        self.assertEqual({"rpc": False, "http": False, "fleet": True}, named)

    def test_volumes_and_secrets_exist(self):
        made = set(re.findall(r"^kubectl create secret \w+ (\S+) ", self.readme, re.MULTILINE))
        used = set()
        for name, pod in self.pods.items():
            volumes = {one["name"]: one["secret"]["secretName"] for one in pod["volumes"]}
            claims = {one["metadata"]["name"] for one in self.sets[name]["volumeClaimTemplates"]}
            self.assertEqual(set(volumes) | claims, {one["name"] for one in self.containers[name]["volumeMounts"]})
            used |= set(volumes.values())
        self.assertEqual(made, used)

    def files(self, name):
        """Paths in the container of the files of its secrets, by the commands of the README."""
        volumes = {one["name"]: one["secret"]["secretName"] for one in self.pods[name]["volumes"]}
        places = {volumes[one["name"]]: one["mountPath"] for one in self.containers[name]["volumeMounts"] if one["name"] in volumes}
        found = set()
        for kind, secret, options in re.findall(r"^kubectl create secret (\w+) (\S+) (.*)$", self.readme, re.MULTILINE):
            if secret in places:
                keys = ["tls.crt", "tls.key"] if kind == "tls" else re.findall(r"--from-file=(\S+)", options)
                found |= {f"{places[secret]}/{key}" for key in keys}
        return found

    def test_files_that_programs_read_are_in_secrets(self):
        settings = {value for value in self.env.values() if value and value.startswith("/etc/")}
        self.assertEqual(self.files("carom"), settings)
        options = {word.split("=")[1] for word in self.containers["carom-etcd"]["command"] if "=/tls/" in word}
        self.assertEqual(self.files("carom-etcd"), options)

    def test_settings_are_options_of_caromd(self):
        known = set(re.findall(r'"(CAROM_[A-Z_]+)"', (ROOT / "server/config/config.c").read_text()))
        self.assertLessEqual({name for name in self.env if name.startswith("CAROM_")}, known)
        self.assertLessEqual({"CAROM_FLEET", "CAROM_NODE", "CAROM_ADVERTISE", "CAROM_DATA", "CAROM_FLEET_LISTEN"}, set(self.env))

    def test_variables_are_defined_before_they_are_used(self):
        for container in self.containers.values():
            before = set()
            for one in container["env"]:
                self.assertLessEqual(set(re.findall(r"\$\((\w+)\)", one.get("value", ""))), before)
                before.add(one["name"])
            self.assertLessEqual(set(re.findall(r"\$\((\w+)\)", " ".join(container.get("command", [])))), before)

    def test_servers_ask_every_member_of_etcd(self):
        replicas = self.sets["carom-etcd"]["replicas"]
        self.assertEqual(1, replicas % 2)
        members = [f"https://carom-etcd-{i}.carom-etcd:2379" for i in range(replicas)]
        self.assertEqual(members, self.env["CAROM_FLEET"].split(","))
        options = dict(word.removeprefix("--").split("=", 1) for word in self.containers["carom-etcd"]["command"] if "=" in word)
        self.assertEqual(",".join(f"carom-etcd-{i}=https://carom-etcd-{i}.carom-etcd:2380" for i in range(replicas)), options["initial-cluster"])

    def test_servers_have_time_to_move_their_worlds(self):
        limits = {one["name"]: one["default"] for one in tomllib.loads((ROOT / "proto/schema/server_limits.toml").read_text())["limit"]}
        program, seconds = self.containers["carom"]["lifecycle"]["preStop"]["exec"]["command"]
        self.assertEqual("sleep", program)
        needed = 1000 * int(seconds) + limits["drain_ms"] + limits["close_ms"] + 1000
        self.assertGreater(1000 * self.pods["carom"]["terminationGracePeriodSeconds"], needed)

    def test_servers_run_as_the_user_of_the_image(self):
        user = re.search(r"^USER (\d+):(\d+)$", (ROOT / "docker/Dockerfile").read_text(), re.MULTILINE)
        context = self.pods["carom"]["securityContext"]
        self.assertEqual((int(user[1]), int(user[2])), (context["runAsUser"], context["runAsGroup"]))

    @unittest.skipUnless(shutil.which("etcd"), "etcd is not installed")
    def test_options_of_etcd_exist(self):
        told = subprocess.run(["etcd", "--help"], capture_output=True, text=True, check=True)
        for word in self.containers["carom-etcd"]["command"][1:]:
            self.assertRegex(told.stdout + told.stderr, rf"(?m)^\s+{word.split('=')[0]}\b")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
