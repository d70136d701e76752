#!/usr/bin/env python3
"""A real Prometheus with docker/metrics/prometheus.yml, changed only in the server's address: it scrapes a server with
every kind of load, and every panel of the Grafana dashboard gets numbers, and each
alert fires when it should. Called with the path of caromd."""

import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request
from pathlib import Path

import yaml

METRICS = Path(__file__).resolve().parents[2] / "docker/metrics"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client, RemoteError  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
BALL = {"kind": "circle", "radius": 0.5}
CONFIG = (METRICS / "prometheus.yml").read_text()
SCRAPE_SECONDS = int(re.search(r"scrape_interval: (\d+)s", CONFIG).group(1))
ALERTS = [rule for group in yaml.safe_load((METRICS / "alerts.yaml").read_text())["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((METRICS / "dashboard.json").read_text())
# The interval as Grafana sets it: four times the scrape interval.
VARIABLES = {"$__rate_interval": f"{4 * SCRAPE_SECONDS}s", "$instance": ".*", "$world": ".*"}


def filled(expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return expression


def panels():
    """(title, expression) of every query of the dashboard, with Grafana's variables filled in."""
    return [(panel["title"], filled(target["expr"]))
            for panel in DASHBOARD["panels"] for target in panel.get("targets", [])]


def labels_of(variable):
    """(series, label) of a variable of the dashboard: its values are those of the label."""
    return re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()


class Busy:
    """A server with something to show in every panel: commands, failures, refusals and limits once a second."""

    def __init__(self, server):
        self.server = server
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def run(self):
        with Client(self.server.port) as client:
            client.call("world.subscribe", world="demo")
            while not self.done.wait(0.5):
                client.call("body.spawn", world="demo", shapes=[BALL])
                try:
                    client.call("world.info", world="nowhere")
                except RemoteError:
                    pass
                for request in (b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nA: " + b"x" * 20000):
                    with socket.create_connection(("127.0.0.1", self.server.http_port), SECONDS_MAX) as refused:
                        try:
                            refused.sendall(request)
                            while refused.recv(4096):
                                pass
                        except ConnectionError:
                            pass


class Prometheus:
    def __init__(self, folder, target):
        self.folder = Path(folder)
        self.target = target

    def __enter__(self):
        told = CONFIG.replace("server:22767", self.target)
        assert told.count(self.target) == 1, "the configuration names the server of docker/compose.yaml once"
        (self.folder / "prometheus.yml").write_text(told)
        shutil.copy(METRICS / "alerts.yaml", self.folder)
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        with (self.folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
                 f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(SECONDS_MAX)

    def api(self, path, **arguments):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?" + urllib.parse.urlencode(arguments)
        with urllib.request.urlopen(url, timeout=SECONDS_MAX) as answer:
            return json.load(answer)["data"]

    def values(self, query):
        return [float(one["value"][1]) for one in self.api("query", query=query)["result"]]


@unittest.skipUnless(shutil.which("prometheus"), "no prometheus")
class Dashboard(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.server = cls.enterClassContext(Caromd(CAROMD, "--threads", "1", "--world", "demo:demo", "--data", f"{folder}/worlds"))
        cls.enterClassContext(Busy(cls.server))
        cls.prometheus = cls.enterClassContext(Prometheus(folder, f"127.0.0.1:{cls.server.http_port}"))
        cls.end = time.monotonic() + SECONDS_MAX

    def finite(self, query):
        """The numbers that a query gives; waits for some until the common deadline."""
        while True:
            try:
                values = [value for value in self.prometheus.values(query) if math.isfinite(value)]
            except OSError: # it starts
                values = []
            if values or time.monotonic() > self.end:
                return values
            time.sleep(0.5)

    def test_server_is_up_and_is_scraped_as_the_file_says(self):
        self.assertEqual(self.finite("up"), [1.0])
        targets = self.prometheus.api("targets")["activeTargets"]
        self.assertEqual([(one["labels"]["job"], one["scrapeUrl"], one["lastError"]) for one in targets],
                         [("carom", f"http://127.0.0.1:{self.server.http_port}/metrics", "")])

    def test_every_panel_has_numbers(self):
        for title, expression in panels():
            with self.subTest(title, expression=expression):
                self.assertNotEqual(self.finite(expression), [], f"no numbers for the panel “{title}”")

    def test_every_alert_is_evaluated(self):
        self.finite("up")
        end = time.monotonic() + SECONDS_MAX
        while True:
            rules = [rule for group in self.prometheus.api("rules")["groups"] for rule in group["rules"]]
            if all(rule["health"] == "ok" for rule in rules):
                break
            self.assertLess(time.monotonic(), end, rules)
            time.sleep(0.5)
        self.assertEqual(sorted(rule["alert"] for rule in ALERTS), sorted(rule["name"] for rule in rules))
        self.assertEqual([], [rule["name"] for rule in rules if rule["state"] == "firing"])

    def test_numbers_are_those_of_the_server(self):
        self.assertEqual(self.finite('sum(carom_sessions{state="connected"})'), [1.0])
        self.assertGreater(self.finite('carom_world_bodies{world="demo"}')[0], 100)
        [rate] = self.finite('rate(carom_world_step_seconds_count{world="demo"}[1m])') or [0]
        self.assertGreater(rate, 1)

    def test_every_variable_has_values(self):
        self.finite("up")
        wanted = {"instance": [f"127.0.0.1:{self.server.http_port}"], "world": ["demo"]}
        for one in DASHBOARD["templating"]["list"]:
            series, label = labels_of(one)
            told = self.prometheus.api(f"label/{label}/values", **{"match[]": filled(series)})
            self.assertEqual(told, wanted[one["name"]])


@unittest.skipUnless(shutil.which("promtool"), "no promtool")
class Alerts(unittest.TestCase):
    """Series from which each alert follows, and such from which none does, for `promtool test rules`."""

    FIRE = {
        "CaromServerDown": {'up{job="carom", instance="a"}': "0x30"},
        "CaromWorldsNotServed": {'carom_worlds_not_served{instance="a"}': "1x30"},
        "CaromStorageFails": {'carom_storage_failures_total{instance="a"}': "0+1x30"},
        "CaromStorageBehind": {'carom_storage_queue_bytes{instance="a"}': "70000000x30"},
        "CaromTicksLate": {'carom_ticks_late_total{instance="a"}': "0+2x30", 'carom_ticks_total{instance="a"}': "0+100x30"},
        "CaromMemoryNearBound": {'carom_memory_used_bytes{instance="a"}': "95x30", 'carom_memory_bound_bytes{instance="a"}': "100x30"},
        "CaromNoEtcd": {'carom_fleet_store_unanswered{instance="a"}': "1x30"},
        "CaromFleetSmaller": {'carom_fleet_nodes{instance="a"}': "3x9 2x20"},
        "CaromFleetDisagrees": {'carom_fleet_nodes{instance="a"}': "3x30", 'carom_fleet_nodes{instance="b"}': "2x30"},
        "CaromWorldsChangeServers": {'carom_fleet_worlds_lost_total{instance="a"}': "0+10x30"},
        "CaromStandbyBehind": {'carom_fleet_standby_lag_seconds{instance="a"}': "2x30"},
        "CaromRelayCut": {'carom_relay_upstreams{instance="a"}': "2x30", 'carom_relay_connected{instance="a"}': "1x30"},
        "CaromNoAgones": {'carom_agones_unanswered{instance="a"}': "1x30"},
        "EtcdNoLeader": {'etcd_server_has_leader{instance="a"}': "0x30"},
        "EtcdNearlyFull": {'etcd_mvcc_db_total_size_in_bytes{instance="a"}': "80x30", 'etcd_server_quota_backend_bytes{instance="a"}': "100x30"},
        "EtcdSlowDisk": {'etcd_disk_wal_fsync_duration_seconds_bucket{instance="a", le="0.01"}': "0+1x30",
                         'etcd_disk_wal_fsync_duration_seconds_bucket{instance="a", le="0.1"}': "0+10x30",
                         'etcd_disk_wal_fsync_duration_seconds_bucket{instance="a", le="+Inf"}': "0+10x30"},
    }
    QUIET = {
        'up{job="carom", instance="a"}': "1x30", 'carom_worlds_not_served{instance="a"}': "0x30",
        'carom_storage_failures_total{instance="a"}': "5x30", 'carom_storage_queue_bytes{instance="a"}': "1000x30",
        'carom_ticks_late_total{instance="a"}': "0+1x30", 'carom_ticks_total{instance="a"}': "0+1000x30",
        'carom_memory_used_bytes{instance="a"}': "95x30", 'carom_memory_bound_bytes{instance="a"}': "0x30",  # without a bound
        'carom_fleet_store_unanswered{instance="a"}': "0x30", 'carom_fleet_nodes{instance="a"}': "3x30",
        'carom_fleet_nodes{instance="b"}': "3x30", 'carom_fleet_nodes{instance="alone"}': "0x30",
        'carom_fleet_standby_lag_seconds{instance="a"}': "0.02x30", 'carom_agones_unanswered{instance="a"}': "0x30",
        'carom_relay_upstreams{instance="a"}': "2x30", 'carom_relay_connected{instance="a"}': "2x30",
        'carom_fleet_worlds_lost_total{instance="a"}': "0+1x30", 'etcd_server_has_leader{instance="a"}': "1x30",
        'etcd_mvcc_db_total_size_in_bytes{instance="a"}': "50x30", 'etcd_server_quota_backend_bytes{instance="a"}': "100x30",
        'etcd_disk_wal_fsync_duration_seconds_bucket{instance="a", le="0.01"}': "0+10x30",
        'etcd_disk_wal_fsync_duration_seconds_bucket{instance="a", le="+Inf"}': "0+10x30",
    }

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copy(METRICS / "alerts.yaml", self.folder)

    def holds(self, series, condition):
        """Whether `condition`, an expression over ALERTS, is true for the series after 20 minutes."""
        test = {"rule_files": ["alerts.yaml"], "evaluation_interval": "1m", "tests": [
            {"interval": "1m", "input_series": [{"series": name, "values": values} for name, values in series.items()],
             "promql_expr_test": [{"expr": condition, "eval_time": "20m", "exp_samples": [{"labels": "{}", "value": 1}]}]}]}
        (self.folder / "test.yaml").write_text(json.dumps(test))
        told = subprocess.run(["promtool", "test", "rules", "test.yaml"], cwd=self.folder, capture_output=True, text=True,
                              timeout=SECONDS_MAX, check=False)
        self.assertEqual(0, told.returncode, told.stdout + told.stderr)

    def test_each_alert_follows_from_its_series_alone(self):
        for alert, series in self.FIRE.items():
            with self.subTest(alert):
                self.holds(series, f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) > bool 0')
                self.holds(series, f'count(absent(ALERTS{{alertname!="{alert}",alertstate="firing"}}))')

    def test_nothing_follows_from_a_healthy_fleet(self):
        self.holds(self.QUIET, 'count(absent(ALERTS{alertstate="firing"}))')

    def test_rules_are_as_prometheus_reads_them(self):
        told = subprocess.run(["promtool", "check", "rules", "alerts.yaml"], cwd=self.folder, capture_output=True, text=True,
                              timeout=SECONDS_MAX, check=False)
        self.assertEqual(0, told.returncode, told.stdout + told.stderr)


class Files(unittest.TestCase):
    """The dashboard and the alerts as files: these tests need no program."""

    def test_panels_use_the_dashboard_s_variables(self):
        self.assertGreater(len(panels()), 25)
        for title, expression in panels():
            self.assertNotIn("$", expression, f"{title}: a variable that Grafana does not know here")
        self.assertEqual({f"${one['name']}" for one in DASHBOARD["templating"]["list"]}, set(VARIABLES) - {"$__rate_interval"})
        for one in DASHBOARD["templating"]["list"]:
            self.assertEqual(one["name"], labels_of(one)[1])

    def test_each_alert_has_a_case_and_says_what_to_do(self):
        self.assertEqual([rule["alert"] for rule in ALERTS], list(Alerts.FIRE))
        for rule in ALERTS:
            self.assertEqual({"summary", "do"}, set(rule["annotations"]), rule["alert"])
            self.assertIn(rule["labels"]["severity"], ("critical", "warning"))


class Names(unittest.TestCase):
    @unittest.skipUnless(etcd.there(), "etcd is not installed")
    def test_alerts_ask_for_metrics_of_etcd_that_are_there(self):
        store = etcd.Etcd()
        self.addCleanup(store.stop)
        with urllib.request.urlopen(f"{store.url}/metrics", timeout=SECONDS_MAX) as answer:
            told = set(re.findall(r"^# TYPE (\S+) ", answer.read().decode(), re.MULTILINE))
        asked = {re.sub(r"_bucket$", "", name) for rule in ALERTS for name in re.findall(r"\betcd_\w+", rule["expr"])}
        self.assertEqual(4, len(asked))
        self.assertEqual(set(), asked - told)

    def test_dashboard_and_alerts_ask_for_metrics_that_are_there(self):
        with tempfile.TemporaryDirectory() as folder, Caromd(CAROMD, "--data", f"{folder}/worlds") as server:
            with urllib.request.urlopen(f"http://127.0.0.1:{server.http_port}/metrics", timeout=SECONDS_MAX) as answer:
                told = set(re.findall(r"^# TYPE (\S+) ", answer.read().decode(), re.MULTILINE))
        asked = {name for expression in [*(one for _, one in panels()), *(rule["expr"] for rule in ALERTS)]
                 for name in re.findall(r"\b(?:carom|process)_\w+", expression)}
        bare = {re.sub(r"_(bucket|count|sum)$", "", name) for name in asked}
        self.assertGreater(len(bare), 20)
        self.assertEqual(bare - told, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
