#!/usr/bin/env python3
"""Several servers share the names of worlds, by etcd. Called with the path of caromd; skipped where etcd is not
installed."""

import re
import signal
import socket
import subprocess
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import certificates  # noqa: E402
import etcd  # noqa: E402
from caromd import Caromd  # noqa: E402
from fleet_case import FleetCase  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import RemoteError  # noqa: E402
from websocket import WebClient  # noqa: E402
from wire_case import BALL, CAROMD  # noqa: E402


class FleetTest(FleetCase):
    def options(self, node, data=None, **more):
        options = {"fleet": self.etcd.url, "fleet-prefix": self.prefix, "node": node,
                   "advertise": f"{node}.example:22766,{node}.example:22767", **more}
        if data:
            options["data"] = str(self.folder / data)
        return [word for name, value in options.items() for word in ("--" + name, value)]

    def start(self, node, data=None, *more, **options):
        return self.started(*self.options(node, data, **options), *more)

    def ended(self, server, code):
        self.assertEqual(code, server.await_end())

    def nodes(self):
        return {key.rsplit("/", 1)[-1]: value for key, value in self.etcd.keys(f"{self.prefix}/node/").items()}

    def cannot_join(self, words, *options):
        """Starts a server that cannot join the fleet and says why; a busy machine's etcd may be silent at first."""
        with subprocess.Popen([CAROMD, "--listen", "127.0.0.1:0", "--http", "off", *options], text=True, stderr=subprocess.PIPE) as process:
            said = []
            for line in process.stderr:
                if (" warn " in line or " error " in line) and re.search(words, line):
                    break
                said.append(line)
            else:
                self.fail(f"no line with '{words}':\n" + "".join(said))
            process.kill()

    # ---- names

    def test_name_is_one_server_s(self):
        a, b = self.client(self.start("a")), self.client(self.start("b"))
        a.call("world.create", world="arena", hz=30)
        record = self.world("arena")
        self.assertEqual((1, "a", None, 30, "a.example:22766", "a.example:22767"),
                         tuple(record[key] for key in ("term", "primary", "standby", "hz", "address", "http")))
        self.refused("already_exists", "world 'arena' exists: a.example:22766 serves it", b, "world.create",
                     world="arena")
        self.assertEqual("moved: a.example:22766 world 'arena' is served there",
                         self.refused("moved", "", b, "world.create", world="arena", if_absent=True))
        info = a.call("world.info", world="arena")
        self.assertEqual((1, "a.example:22766", None), tuple(info.get(key) for key in ("term", "primary", "standby")))
        a.call("world.destroy", world="arena")
        self.eventually(lambda: self.world("arena") is None)
        # b learns of it by its watch, or by its transaction.
        self.eventually(lambda: self.works(b, "world.create", world="arena"))
        self.assertEqual("b", self.world("arena")["primary"])

    def works(self, client, method, /, **arguments):
        try:
            client.call(method, **arguments)
            return True
        except RemoteError:
            return False

    def test_calls_are_sent_to_the_server_that_serves_the_world(self):
        a, b = self.client(self.start("a")), self.client(self.start("b"))
        a.call("world.create", world="arena")
        self.eventually(lambda: self.moved(b, "world.info", world="arena"))
        for method, arguments in (("world.info", {}), ("world.state", {}), ("world.pause", {}), ("world.subscribe", {}),
                                  ("world.destroy", {}), ("world.fork", {"as": "other"}), ("world.image", {}),
                                  ("body.spawn", {"shapes": [BALL]}), ("world.info", {"epoch": 5}),
                                  ("query.ray", {"from": [0, 0], "to": [1, 1]})):
            with self.subTest(method):
                text = self.refused("moved", "", b, method, world="arena", **arguments)
                self.assertEqual("moved: a.example:22766 world 'arena' is served there", text)
        self.refused("not_found", "world 'nowhere' does not exist", b, "world.info", world="nowhere")
        self.refused("already_exists", "a.example:22766 serves it", b, "world.create", world="arena")
        counters = b.call("server.stats")["counters"]
        self.assertGreaterEqual(counters["fleet_moved"], 10)

    def test_clients_over_websocket_are_sent_to_the_address_for_http(self):
        a, b, c = self.start("a"), self.start("b", None, "--http", "127.0.0.1:0"), self.start("c", advertise="c.example:9")
        self.client(a).call("world.create", world="arena")
        self.client(c).call("world.create", world="plain")
        web = WebClient(b.http_port)
        self.addCleanup(web.__exit__)
        for world in ("arena", "plain"):
            self.eventually(lambda name=world: self.moved(self.client(b), "world.info", world=name))
        web.call("world.create", world="mine")
        self.assertEqual("b.example:22767", web.call("world.info", world="mine")["primary"])
        self.assertEqual("b.example:22766", self.client(b).call("world.info", world="mine")["primary"])
        for method, arguments in (("world.info", {}), ("world.subscribe", {}), ("world.create", {"if_absent": True}),
                                  ("world.destroy", {}), ("world.leave", {}), ("world.info", {"epoch": 5})):
            with self.subTest(method):
                self.assertEqual("moved: a.example:22767 world 'arena' is served there",
                                 self.refused("moved", "", web, method, world="arena", **arguments))
                self.refused("unavailable", "world 'plain' is served at c.example:9, over TCP alone", web, method,
                             world="plain", **arguments)

    def moved(self, client, method, /, **arguments):
        try:
            client.call(method, **arguments)
            return False
        except RemoteError as error:
            return str(error).startswith("moved: ")

    def test_of_two_that_create_at_once_one_wins(self):
        servers = [self.start(name) for name in "abc"]
        clients = [self.client(server) for server in servers]
        for i in range(20):
            outcomes = [None] * 3

            def create(which, name=f"w{i}", outcomes=outcomes):
                outcomes[which] = self.works(clients[which], "world.create", world=name)
            threads = [threading.Thread(target=create, args=(which,)) for which in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(1, outcomes.count(True), outcomes)
            self.assertEqual("abc"[outcomes.index(True)], self.world(f"w{i}")["primary"])

    def test_fork_claims_its_name(self):
        a, b = self.client(self.start("a")), self.client(self.start("b"))
        a.call("world.create", world="arena")
        a.call("world.fork", world="arena", **{"as": "copy"})
        self.assertEqual("a", self.world("copy")["primary"])
        b.call("world.create", world="mine")
        self.refused("already_exists", "a.example:22766 serves it", b, "world.fork", world="mine", **{"as": "copy"})

    def test_joins_make_worlds_of_names_that_are_free_in_the_fleet(self):
        template = self.folder / "duel.json"
        template.write_text('{"seats": 2}')
        clients = [self.client(self.start(name, None, "--template", f"duel={template}")) for name in "ab"]
        first = clients[0].call("world.join", template="duel")["world"]
        self.eventually(lambda: self.moved(clients[1], "world.info", world=first))
        second = clients[1].call("world.join", template="duel")["world"]
        self.assertEqual({"a": first, "b": second}, {self.world(name)["primary"]: name for name in (first, second)})
        self.refused("moved", "a.example:22766 world", clients[1], "world.join", template="duel", world=first)

    def test_world_that_cannot_be_made_leaves_its_name(self):
        a = self.client(self.start("a"))
        self.refused("not_found", "scene", a, "world.create", world="arena", scene="nosuch")
        self.eventually(lambda: self.world("arena") is None)
        a.call("world.create", world="arena")
        self.assertEqual("a", self.world("arena")["primary"])

    def test_world_that_is_destroyed_while_its_name_is_claimed(self):
        """Each request is answered, the name is free at last, and the server ends."""
        server = self.start("a", "a")
        client = self.client(server)
        for durability in ("none", "normal"):
            requests = [client.request(method, world="arena", **more) for method, more in
                        (("world.create", {"durability": durability}), ("world.destroy", {})) * 5]
            client.read_until(lambda: client.responses.keys() >= set(requests))
            for request in requests[-2:]:  # the last that is made is not in the way of another
                client.answer(request)
            self.eventually(lambda: self.world("arena") is None)
        owner = self.client(server)
        owner.request("world.create", world="bound", lifetime="session", durability="none")
        owner.socket.close()
        self.eventually(lambda: self.world("bound") is None and client.call("server.info")["worlds"] == 0)
        client.call("world.create", world="arena")
        client.call("world.info", world="arena")
        self.assertEqual("a", self.world("arena")["primary"])
        server.process.send_signal(signal.SIGTERM)
        self.ended(server, 0)

    # ---- servers

    def test_server_writes_its_record_while_it_lives(self):
        server = self.start("a")
        self.client(server).call("world.create", world="arena")
        self.eventually(lambda: self.nodes()["a"]["worlds"] == 1 and self.nodes()["a"]["sessions"] == 1)
        self.assertEqual("a.example:22766", self.nodes()["a"]["address"])
        self.assertGreater(self.nodes()["a"]["free_memory"], 0)
        self.assertFalse(self.nodes()["a"]["draining"])
        server.__exit__()
        self.assertEqual({}, self.nodes())
        self.assertIsNone(self.world("arena"))  # it had no log

    def test_name_of_a_server_is_one_process_s(self):
        self.start("a")
        self.cannot_join(r"another process is server 'a', at a\.example:22766: each server needs a name of its own \(--node\)",
                         *self.options("a"))

    def test_lease_of_a_killed_server_ends(self):
        server = self.start("a")
        server.kill()
        self.assertIn("a", self.nodes())
        again = self.start("a")  # waits for the end of the lease
        self.assertIn("a", self.nodes())
        self.client(again).call("ping")

    def test_server_that_was_paused_for_longer_than_its_lease_is_there_again(self):
        server = self.start("a")
        client = self.client(server)
        client.call("world.create", world="arena")
        server.process.send_signal(signal.SIGSTOP)
        self.eventually(lambda: self.nodes() == {})
        server.process.send_signal(signal.SIGCONT)
        self.eventually(lambda: "a" in self.nodes())
        self.assertEqual("arena", client.call("world.info", world="arena")["world"])

    # ---- restarts

    def test_restarted_server_claims_its_worlds_with_a_new_term(self):
        for how in ("term", "kill"):
            with self.subTest(how):
                server = self.start("a", "data")
                client = self.client(server)
                client.call("world.create", world="arena-" + how, paused=True)
                client.call("body.spawn", world="arena-" + how, shapes=[BALL])
                before = client.call("world.info", world="arena-" + how)
                server.kill() if how == "kill" else server.__exit__()
                self.assertEqual(1, self.world("arena-" + how)["term"])
                server = self.start("a", "data")
                self.assertEqual(2, self.world("arena-" + how)["term"])
                after = self.client(server).call("world.info", world="arena-" + how)
                self.assertEqual((before["epoch"], before["hash"]), (after["epoch"], after["hash"]))
                server.__exit__()

    def test_stale_copy_is_not_served(self):
        server = self.start("a", "data")
        self.client(server).call("world.create", world="arena")
        server.__exit__()
        self.etcd.remove(f"{self.prefix}/world/arena")
        b = self.start("b")
        self.client(b).call("world.create", world="arena")
        server = self.start("a", "data")
        server.await_log("world 'arena' exists: b.example:22766 serves it: keeping the stale copy in")
        self.assertEqual("moved: b.example:22766 world 'arena' is served there",
                         self.refused("moved", "", self.client(server), "world.info", world="arena"))
        self.assertTrue(list((self.folder / "data").rglob("*")))

    # ---- the view

    def test_every_server_lists_the_fleet(self):
        a, b = self.client(self.start("a", "data")), self.client(self.start("b", advertise="b.example:9"))
        for name in ("w1", "w2"):
            a.call("world.create", world=name, hz=30)
        b.call("world.create", world="w3")
        told = {}

        def listed():
            told.update({"store_error": None, **b.call("server.fleet")})
            return told["store_error"] is None and [node["worlds"] for node in told["nodes"]] == [2, 1]
        self.eventually(listed)
        self.assertEqual((self.prefix, 3), (told["prefix"], told["total"]))
        self.assertEqual([("a", False, "a.example:22766", "a.example:22767"), ("b", True, "b.example:9", None)],
                         [(n["node"], n["self"], n["address"], n.get("http")) for n in told["nodes"]])
        self.assertEqual([("w1", "a", 1, 30), ("w2", "a", 1, 30), ("w3", "b", 1, 60)],
                         [(w["world"], w["node"], w["term"], w["hz"]) for w in told["worlds"]])
        page = a.call("server.fleet", after="w1", count=1)
        self.assertEqual((["w2"], 3), ([w["world"] for w in page["worlds"]], page["total"]))
        self.assertEqual([], a.call("server.fleet", after="w3")["worlds"])
        counters = a.call("server.stats")["counters"]
        self.assertEqual((2, 3, 0), tuple(counters["fleet_" + key] for key in ("nodes", "worlds", "store_unanswered")))

    def test_fleet_says_that_etcd_is_away(self):
        client = self.client(self.start("a"))
        self.etcd.kill()
        try:
            self.eventually(lambda: self.etcd.url in client.call("server.fleet").get("store_error", ""))
        finally:
            self.assertTrue(self.etcd.start())
        self.eventually(lambda: "store_error" not in client.call("server.fleet"))

    def test_server_that_is_alone_has_no_fleet(self):
        alone = Caromd(CAROMD)
        self.addCleanup(alone.__exit__)
        client = self.client(alone)
        self.refused("unavailable", "this server is alone: caromd --fleet makes it one of several", client, "server.fleet")
        self.assertNotIn("fleet_nodes", client.call("server.stats")["counters"])

    # ---- a world that is lost: rule 5

    def lose(self, name):
        """A record of another server replaces that of the world."""
        self.etcd.put(f"{self.prefix}/world/{name}", {**self.world(name), "term": 2, "primary": "z", "run": "f" * 16,
                                                      "address": "z.example:1", "http": "z.example:2"})

    def notification(self, client, method):
        """The client's next notification of the method; earlier ones are skipped."""
        while True:
            client.read_until(lambda: client.notifications)
            found, params = client.notifications.pop(0)
            if found == method:
                return params[0]

    def test_server_that_loses_a_world_drops_that_one_alone(self):
        server = self.start("a", "data", "--http", "127.0.0.1:0")
        client, player, other = (self.client(server) for _ in range(3))
        for name in ("arena", "lab"):
            client.call("world.create", world=name)
        subscriptions = {client.call("world.subscribe", world="arena")["subscription"] for _ in range(2)}
        player.call("body.spawn", world="arena", shapes=[BALL])  # neither a subscription nor a seat
        other.call("world.subscribe", world="lab", rate=1)
        page = WebClient(server.http_port)
        self.addCleanup(page.__exit__)
        page.call("world.subscribe", world="arena", rate=1)
        tick = client.call("world.info", world="arena")["tick"]
        late = client.request("world.apply", world="arena", at=tick + 100000, commands=[])
        self.lose("arena")
        server.await_log("world 'arena' of this server is server z now")
        moved = self.notification(client, "moved")
        self.assertEqual({"world": "arena", "address": "z.example:1", "http": "z.example:2", "term": 2},
                         {key: value for key, value in moved.items() if key != "tick"})
        self.assertGreaterEqual(moved["tick"], tick)
        text = "z.example:1 world 'arena' is served there"
        for _ in range(2):
            closed = self.notification(client, "world_closed")
            subscriptions.remove(closed["subscription"])
            self.assertEqual(("arena", "moved", text), tuple(closed[key] for key in ("world", "code", "reason")))
        with self.assertRaises(RemoteError) as caught:
            client.answer(late)
        self.assertEqual("moved: " + text, str(caught.exception))
        for each in (client, player, other):
            self.assertEqual("moved: " + text, self.refused("moved", "", each, "world.info", world="arena"))
            self.assertEqual("lab", each.call("world.info", world="lab")["world"])
        self.assertNotIn("moved", [name for name, _ in other.notifications])
        self.assertEqual("z.example:2 world 'arena' is served there", self.notification(page, "world_closed")["reason"])
        self.assertEqual(1, client.call("server.stats")["counters"]["fleet_worlds_lost"])
        self.assertEqual(["lab"], [row["world"] for row in client.call("world.list")])
        # Its log stays, and a restart says that it is stale.
        self.lose("arena")
        server.__exit__()
        server = self.start("a", "data")
        server.await_log("world 'arena' exists: z.example:1 serves it: keeping the stale copy in")

    def test_player_with_a_seat_is_told_that_its_world_moved(self):
        template = self.folder / "duel.json"
        template.write_text('{"seats": 2}')
        client = self.client(self.start("a", None, "--template", f"duel={template}"))
        name = client.call("world.join", template="duel")["world"]
        self.lose(name)
        self.assertEqual(name, self.notification(client, "moved")["world"])
        self.refused("moved", "z.example:1 world", client, "world.leave", world=name)

    def test_world_whose_record_was_removed_is_no_server_s(self):
        server = self.start("a")
        client = self.client(server)
        client.call("world.create", world="arena")
        client.call("world.subscribe", world="arena", rate=1)
        self.etcd.remove(f"{self.prefix}/world/arena")
        server.await_log("world 'arena' of this server is nobody's now")
        closed = self.notification(client, "world_closed")
        self.assertEqual(("unavailable", "world 'arena' is no server's: its record in the fleet was removed"),
                         (closed["code"], closed["reason"]))
        self.assertNotIn("moved", [name for name, _ in client.notifications])
        client.call("world.create", world="arena")  # the name is free
        self.assertEqual(1, self.world("arena")["term"])

    # ---- etcd is away, or is none

    def test_worlds_run_on_while_etcd_is_away(self):
        server = self.start("a")
        client = self.client(server)
        client.call("world.create", world="arena")
        tick = client.call("world.info", world="arena")["tick"]
        self.etcd.kill()
        try:
            text = self.refused("unavailable", "world 'late' cannot be claimed: ", client, "world.create", world="late")
            self.assertIn(self.etcd.url, text)
            self.assertGreater(client.call("world.info", world="arena")["tick"], tick + 60)
        finally:
            self.assertTrue(self.etcd.start())
        self.eventually(lambda: self.works(client, "world.create", world="late"))
        for world in ("late", "arena"):  # a new lease of the server writes them again
            self.eventually(lambda world=world: (self.world(world) or {}).get("primary") == "a")

    def test_server_without_etcd_ends_in_time_although_a_claim_waits(self):
        server = self.start("a")
        client = self.client(server)
        self.etcd.process.send_signal(signal.SIGSTOP)
        try:
            request = client.request("world.create", world="arena")
            client.call("ping")
            server.process.send_signal(signal.SIGTERM)
            with self.assertRaises(RemoteError) as caught:
                client.answer(request)
            self.assertRegex(str(caught.exception), "^unavailable: ")
            self.ended(server, 0)
        finally:
            self.etcd.process.send_signal(signal.SIGCONT)

    def test_unreachable_or_wrong_etcd_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as unused:
            nobody = f"http://127.0.0.1:{unused.getsockname()[1]}"
        ended = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", "--http", "off", *self.options("a", fleet=nobody)], timeout=SECONDS_MAX,
                               capture_output=True, text=True, check=False)
        self.assertEqual(1, ended.returncode, ended.stderr)
        self.assertIn(f" error fleet: {nobody}: ", ended.stderr)
        other = Caromd(CAROMD, "--http", "127.0.0.1:0")
        self.addCleanup(other.__exit__)
        wrong = f"http://127.0.0.1:{other.http_port}"
        self.cannot_join(wrong + " answers HTTP [0-9]+, and not as etcd does", *self.options("a", fleet=wrong))

    def test_trouble_is_told_while_the_server_tries_on(self):
        with socket.create_server(("127.0.0.1", 0)) as unused:
            nobody = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with socket.create_server(("127.0.0.1", 0)) as silent:
            mute = f"http://127.0.0.1:{silent.getsockname()[1]}"
            self.start("a")
            for words, node, url in (("Failed to connect|Could ?n.t connect", "b", nobody), ("etcd has not answered yet", "b", mute),
                                     ("another process is server 'a'", "a", self.etcd.url)):
                with self.subTest(words), subprocess.Popen(
                        [CAROMD, "--listen", "127.0.0.1:0", "--http", "off", *self.options(node, fleet=url)], text=True,
                        stderr=subprocess.PIPE) as process:
                    told = next(line for line in process.stderr if " warn " in line or " error " in line)
                    self.assertRegex(told, f" warn  fleet: .*({words}).*; trying again for [0-9]+ s")
                    process.kill()

    def test_etcd_with_client_certificates(self):
        keys = certificates.Folder(self.folder / "keys")
        ours, theirs = keys.authority("ours"), keys.authority("theirs")
        keys.signed("etcd", ours, "127.0.0.1")
        keys.signed("a", ours)
        keys.signed("stranger", theirs)
        secured = etcd.Etcd(keys)
        self.addCleanup(secured.stop)

        def options(ca, name):
            more = {"fleet-ca": keys.certificate(ca)}
            if name:
                more.update({"fleet-cert": keys.certificate(name), "fleet-key": keys.key(name)})
            return self.options("a", fleet=secured.url, **more)
        for ca, name, text in (("ours", None, r"certificate.*\(--fleet-cert\)"), ("ours", "stranger", r"certificate.*\(--fleet-cert\)"),
                               ("theirs", "a", "certificate.*--fleet-ca names the authorities")):
            with self.subTest(ca=ca, name=name):
                self.cannot_join(f"(?i){secured.url}.*({text})", *options(ca, name))
        plain = secured.url.replace("https:", "http:")
        self.cannot_join(plain + r".*wants? https:// \(--fleet\)", *self.options("a", fleet=plain))
        tls = self.etcd.url.replace("http:", "https:")
        self.cannot_join(tls + r": it does not speak TLS there: it may want http:// \(--fleet\)", *self.options("a", fleet=tls))
        server = Caromd(CAROMD, *options("ours", "a"))
        self.addCleanup(server.__exit__)
        self.client(server).call("world.create", world="arena")
        self.assertEqual("a", secured.keys(f"{self.prefix}/world/")[f"{self.prefix}/world/arena"]["primary"])

    def test_foreign_records_are_told_and_left_alone(self):
        self.etcd.put(f"{self.prefix}/world/theirs", '"nonsense"')
        self.etcd.put(f"{self.prefix}/world/newer", {"format": 2})
        self.etcd.put(f"{self.prefix}/other", "1")
        server = self.start("a")
        server.await_log(f"the record '{self.prefix}/world/theirs' is ignored: ")
        server.await_log(f"the record '{self.prefix}/world/newer' is ignored: format: 2; this server knows 1")
        server.await_log(f"'{self.prefix}/other' is not a key of a fleet")
        client = self.client(server)
        self.refused("already_exists", r"has a record that this server cannot read \(.*\): a newer server or another program wrote "
                     rf"'{self.prefix}/world/newer' in etcd", client, "world.create", world="newer")
        self.assertEqual({"format": 2}, self.world("newer"))
        client.call("world.create", world="fine")

    def test_fleets_of_other_prefixes_do_not_meet(self):
        a = self.client(self.start("a"))
        a.call("world.create", world="arena")
        elsewhere = self.start("a", None, **{"fleet-prefix": self.prefix + "-2"})
        self.client(elsewhere).call("world.create", world="arena")
        self.assertEqual("a", self.world("arena")["primary"])


class Options(unittest.TestCase):
    def refused(self, text, *options):
        ended = subprocess.run([CAROMD, *options], timeout=SECONDS_MAX, capture_output=True, text=True, check=False)
        self.assertEqual(2, ended.returncode, ended.stderr)
        self.assertIn(text, ended.stderr)

    def test_wrong_options_are_refused(self):
        good = {"--fleet": "http://a:1", "--node": "a", "--advertise": "a:1"}
        for option, value, text in (
                ("--fleet", "a:1", "--fleet: 'a:1' is not http://HOST:PORT or https://HOST:PORT"),
                ("--node", "a b", "--node: 'a b' is not a name of a server"),
                ("--advertise", "a", "--advertise: 'a' is not HOST:PORT"),
                ("--advertise", "a:0", "--advertise: 'a:0' is not HOST:PORT"),
                ("--advertise", "a:1,b", "--advertise: 'a:1,b' is not HOST:PORT"),
                ("--fleet-prefix", "carom", "--fleet-prefix: 'carom' is not a prefix like /carom"),
                ("--fleet-cert", "x", "--fleet-cert: needs --fleet-key, too"),
                ("--fleet-listen", "a", "--fleet-listen: 'a' is not HOST:PORT"),
                ("--fleet-listen", "0.0.0.0:1", "is no address where other servers reach this one"),
                ("--fleet-listen", "a:1", "--fleet-listen: needs --data, too"),
                ("--fleet-standby", "warm", "--fleet-standby: must be hot or log, not 'warm'"),
                ("--fleet-standby", "log", "--fleet-standby: needs --fleet-listen, too"),
                ("--fleet-secret", "x", "--fleet-secret: needs --fleet-listen, too"),
                ("--takeover", "x", "--takeover: not in a fleet"),
                ("--fleet", None, "--node: needs --fleet, too"),
                ("--node", None, "--fleet: needs --node, too"),
                ("--advertise", None, "--fleet: needs --advertise, too")):
            with self.subTest(option, value=value):
                options = {**good, option: value}
                self.refused(text, *[word for name, of in options.items() if of is not None for word in (name, of)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
