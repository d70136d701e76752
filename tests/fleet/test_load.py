#!/usr/bin/env python3
"""carom bench goes on while its world changes servers, and counts what it lost. Called with the paths of caromd and carom;
skipped where etcd is not installed."""

import functools
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from fleet import Fleet, creates  # noqa: E402
from patience import SECONDS_MAX, eventually  # noqa: E402

CAROMD, CAROM = (os.path.abspath(path) for path in sys.argv[1:3])
CLIENTS = 4


def undisturbed(scene):
    """Plays a scene in which the world's term goes from 1 to `terms_max` again if it went further: without a processor for
    250 ms a server is given up, and then answers may be lost that the scene expects."""
    @functools.wraps(scene)
    def played(self):
        for _ in range(9):
            self.terms_max = 2
            try:
                return scene(self)
            except AssertionError:
                if self.fleet.record("arena")["term"] <= self.terms_max:
                    raise
            self.doCleanups()
            self.setUp()
        return scene(self)
    return played


@unittest.skipUnless(etcd.there(), "etcd is not installed (docker/install.sh test)")
class LoadCase(unittest.TestCase):
    eventually = staticmethod(eventually)
    resume_s = 60  # a server keeps a session without a connection for that long

    def setUp(self):
        self.fleet = Fleet(CAROMD, pairs=True)
        self.addCleanup(self.fleet.stop)
        for node in "abc":
            self.fleet.start(node, "--limit", f"resume_ms={self.resume_s * 1000}")
        with self.fleet.client("a") as client:
            self.eventually(lambda: creates(client, gravity=[0, 0]))
        self.standby = self.eventually(lambda: self.fleet.record("arena")["standby"])
        self.third = next(node for node in "bc" if node != self.standby)

    def start(self, node, *more):
        """Starts a load at that server, and returns when its clients strike their bodies."""
        self.load = subprocess.Popen(
            [CAROM, "--server", f"127.0.0.1:{self.fleet.servers[node].port}", "bench", "--world", "arena", "--connections",
             str(CLIENTS), *([] if "--scenario" in more else ["--rate", "20"]), "--time", "10m", "--threads", "2", "--timeout", f"{SECONDS_MAX}s", "--json", *more],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)

        def acts():
            if self.load.poll() is not None:
                self.fail(f"the load has ended: {self.load.communicate()}")
            return self.struck()
        self.eventually(acts)

    def end(self):
        self.load.kill()
        self.load.communicate()

    def bodies(self):
        """The load's bodies, as the world's server has them."""
        where = f"127.0.0.1:{self.fleet.servers[self.fleet.record('arena')['primary']].port}"
        done = subprocess.run([CAROM, "--server", where, "bodies", "arena", "--tag", "load", "--json"], timeout=SECONDS_MAX,
                              capture_output=True, text=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return json.loads(done.stdout)

    def struck(self):
        bodies = self.bodies()
        return len(bodies) == CLIENTS and all(one["position"][0] % 4 for one in bodies)  # they begin at multiples of 4 m

    def moves_on(self):
        """Waits until a command has struck every body of the load: until then they keep their velocities."""
        before = {one["body"]: one["velocity"] for one in self.bodies()}
        self.assertEqual(CLIENTS, len(before))
        left = set(before)

        def struck():
            left.difference_update([one["body"] for one in self.bodies() if before[one["body"]] != one["velocity"]])
            return not left
        self.eventually(struck)

    def report(self, codes=(0,)):
        """Ends the load; returns its report."""
        if self.load.poll() is None:
            self.load.send_signal(signal.SIGINT)
        out, err = self.load.communicate(timeout=SECONDS_MAX)
        result = json.loads(out)
        told = {name: result[name] for name in ("errors", "error_texts", "lost", "dropped", "resumed")}
        self.assertEqual("", err)
        self.assertIn(self.load.returncode, codes, told)
        for name in ("dropped", "resumed", "lost"):
            self.assertEqual(result[name], sum(row[name] for row in result["time"]["slices"]), name)
        return result

    def assert_whole(self, result):
        """Checks that no client was lost, and that each command was answered."""
        self.assertEqual(({}, 0, 0), (result["errors"], result["lost"], result["refused"]), result["error_texts"])
        self.assertEqual(result["commands_sent"], result["commands"])
        self.assertEqual(CLIENTS, result["connections"])
        self.assertGreater(result["server"]["ticks"], 0)  # the world's server was asked, not the first one

    def connected(self, node):
        """The number of connections of the load to that server."""
        with self.fleet.client(node) as client:
            sessions = client.call("server.sessions")["sessions"]
        return sum(one["connected"] and one["client"].startswith("carom/") for one in sessions)


class MovedTest(LoadCase):
    resume_s = 5

    @undisturbed
    def test_load_goes_on_when_its_world_moves(self):
        self.start("a")
        with self.fleet.client("a") as client:
            client.call("world.move", world="arena", to=self.standby)
        self.moves_on()
        time.sleep(self.resume_s + 2)  # its bodies would end with a session that was left at the new server
        self.moves_on()
        result = self.report()
        self.assert_whole(result)
        self.assertEqual((0, 0), (result["dropped"], result["resumed"]))

    @undisturbed
    def test_load_goes_on_when_its_world_comes_back(self):
        self.terms_max = 3
        self.start("a")
        with self.fleet.client("a") as client:
            client.call("world.move", world="arena", to=self.standby)
        self.moves_on()
        with self.fleet.client(self.standby) as client:
            client.call("world.move", world="arena", to="a")
        self.moves_on()
        time.sleep(self.resume_s + 2)  # the bodies would end with sessions that were left behind
        self.moves_on()
        result = self.report()
        self.assert_whole(result)
        self.assertEqual((0, 0), (result["dropped"], result["resumed"]))

    @undisturbed
    def test_bodies_of_the_clients_stay_when_their_world_moves(self):
        scenario = Path(self.fleet.folder.name) / "owners.json"
        ball = {"tag": "load", "shapes": [{"kind": "circle", "radius": 0.5}]}
        scenario.write_text(json.dumps({"clients": [{"name": "owner", "pause": 20, "actions": [["body.spawn", ball]]}]}), encoding="ascii")
        self.struck = self.bodies  # there is one
        self.start("a", "--scenario", str(scenario))
        made = {one["body"] for one in self.bodies()}
        with self.fleet.client("a") as client:
            client.call("world.move", world="arena", to=self.standby)
        time.sleep(self.resume_s + 2)  # they would end with sessions that were left behind
        self.assertEqual(set(), made - {one["body"] for one in self.bodies()})
        result = self.report()
        self.assertEqual(({}, 0), (result["errors"], result["lost"]))

    @undisturbed
    def test_load_goes_on_when_its_world_has_moved_and_its_first_server_ends(self):
        self.start("a")
        with self.fleet.client("a") as client:
            client.call("world.move", world="arena", to=self.standby)
        self.moves_on()
        self.fleet.servers["a"].kill()
        self.moves_on()
        time.sleep(self.resume_s + 2)  # the bodies would end with sessions that were left behind
        self.moves_on()
        result = self.report()
        self.assert_whole(result)
        self.assertEqual((CLIENTS, CLIENTS), (result["dropped"], result["resumed"]))


class LoadTest(LoadCase):
    @undisturbed
    def test_load_follows_its_world_from_another_server(self):
        self.start(self.third)
        self.moves_on()
        result = self.report()
        self.assert_whole(result)
        self.assertEqual((0, 0), (result["dropped"], result["resumed"]))

    def kill(self):
        """Kills the world's server once the clients know the standby; returns when they have their sessions there."""
        self.eventually(lambda: self.connected(self.standby) == CLIENTS + 1)  # and the load's own connection
        self.fleet.servers["a"].kill()
        self.eventually(lambda: self.fleet.record("arena")["primary"] == self.standby)
        self.resumed()

    def resumed(self):
        self.eventually(lambda: self.connected(self.standby) == 2 * (CLIENTS + 1))

    @undisturbed
    def test_load_goes_on_at_the_standby_when_its_server_is_killed(self):
        self.start("a")
        self.kill()
        self.moves_on()
        result = self.report()
        self.assert_whole(result)
        self.assertEqual((CLIENTS, CLIENTS), (result["dropped"], result["resumed"]))
        print(f"the load's longest wait for an answer: {result['latency']['max'] * 1e3:.0f} ms, for a snapshot: "
              f"{result['metrics']['age']['max'] * 1e3:.0f} ms", file=sys.stderr)

    @undisturbed
    def test_load_goes_on_when_its_server_hangs_and_counts_the_gap(self):
        self.start("a")
        self.eventually(lambda: self.connected(self.standby) == CLIENTS + 1)
        hung = self.fleet.servers["a"].process
        hung.send_signal(signal.SIGSTOP)
        try:
            begun = time.monotonic()
            self.eventually(lambda: self.fleet.record("arena")["primary"] == self.standby)
            least = time.monotonic() - begun
            self.resumed()
            self.moves_on()
        finally:
            hung.send_signal(signal.SIGCONT)
        result = self.report()
        self.assert_whole(result)
        self.assertEqual((CLIENTS, CLIENTS), (result["dropped"], result["resumed"]))
        for metric in ("ack", "seen", "age"):
            self.assertGreater(result["metrics"][metric]["max"], least / 2, metric)
        # The ages also count the snapshots that each client should have had during the gap.
        self.assertGreater(result["metrics"]["age"]["count"], result["snapshots"] + CLIENTS * least * 60 / 2)

    @undisturbed
    def test_load_follows_from_a_server_that_hung_and_goes_on(self):
        self.start("a")
        hung = self.fleet.servers["a"].process
        hung.send_signal(signal.SIGSTOP)
        try:
            self.eventually(lambda: self.fleet.record("arena")["primary"] == self.standby)
        finally:
            hung.send_signal(signal.SIGCONT)
        for _ in range(3):  # the first strikes may be those that were on their way
            self.moves_on()
            time.sleep(0.5)
        result = self.report(codes=(0, 1))
        self.assertEqual((0, 0, 0), (result["lost"], result["dropped"], result["refused"]))
        unknown = result["errors"].pop("unavailable", 0)  # commands that were on their way to it
        self.assertEqual(({}, result["commands_sent"]), (result["errors"], result["commands"] + unknown))
        self.assertIn("the world went to another server before this was answered",
                      result["error_texts"].get("unavailable", "the world went to another server before this was answered"))

    @undisturbed
    def test_connections_are_lost_if_wanted(self):
        self.start("a", "--no-reconnect")
        self.fleet.servers["a"].kill()
        result = self.report_of_lost()
        self.assertEqual((CLIENTS, 0, 0), (result["lost"], result["dropped"], result["resumed"]))

    def report_of_lost(self):
        out, _ = self.load.communicate(timeout=SECONDS_MAX)
        self.assertEqual(3, self.load.returncode)
        return json.loads(out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
