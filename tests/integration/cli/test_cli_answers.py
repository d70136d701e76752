"""The display of answers that a real server gives only in rare states: they come from a fake server."""

import json
import time
import unittest

import msgpack

from cli import OK, REFUSED, carom, main
from listener import Listener

HELLO = {"protocol": 1, "server": "caromd", "version": "9.9.9", "session": 1, "role": "viewer", "limits": {}}
CONTACTS = [{"a": 1, "b": 3, "shape_a": 1, "shape_b": 4, "normal": [0.0, 1.0],
             "points": [{"point": [0.5, 0.0], "depth": 0.001, "impulse": 2.0, "tangent_impulse": 0.25},
                        {"point": [1.5, 0.0], "depth": 0.0, "impulse": 1.0, "tangent_impulse": 0.0}]}]
BODY = {"body": 3, "type": "dynamic", "position": [1.0, 0.5], "velocity": [0.0, 0.0], "angular_velocity": 0.0,
        "awake": False, "enabled": True, "gravity_scale": 1.0, "shapes": [{"shape": 4}, {"shape": 9}]}


class Answers(Listener):
    """Answers each method from a table: a value, or a text "code: why" as an error. Records the requests. Snapshots
    follow the answer to world.subscribe."""

    def __init__(self, snapshots=(), **answers):
        self.snapshots = snapshots
        self.answers = {"hello": HELLO, **{name.replace("_", ".", 1): value for name, value in answers.items()}}
        self.asked = []
        super().__init__()

    def serve(self, connection):
        with connection:
            unpacker = msgpack.Unpacker()
            while data := connection.recv(65536):
                unpacker.feed(data)
                for message in unpacker:
                    connection.sendall(self.answer(message))

    def answer(self, message):
        _, number, method, params = message
        if method != "hello":
            self.asked.append((method, params[0] if params else {}))
        found = self.answers.get(method, f"unknown_method: {method}")
        error, result = (found, None) if isinstance(found, str) else (None, found)
        follow = self.snapshots if method == "world.subscribe" else ()
        return b"".join(map(msgpack.packb, [[1, number, error, result], *([2, "snapshot", [one]] for one in follow)]))


class Slow(Answers):
    """Its world runs at 60 Hz; it takes long for every second question of a kind, whichever that is."""

    LATE_S = 1.5

    def __init__(self, late):
        self.late = late
        self.began = time.monotonic()
        super().__init__(server_info={"version": "9.9.9", "uptime": 9.0}, server_stats={"counters": {"requests": 0}})

    def answer(self, message):
        if message[2] == self.late and [method for method, _ in self.asked].count(self.late) % 2 == 1:
            time.sleep(self.LATE_S)
        ticks = int((time.monotonic() - self.began) * 60)
        self.answers["world.list"] = [{"world": "w", "epoch": 1, "tick": ticks, "hz": 60.0, "rate": 60.0, "paused": False,
                                       "bodies": 0, "awake": 0, "step_ms": 0.1, "ticks_late": 0}]
        self.answers["server.stats"] = {"counters": {"requests": int((time.monotonic() - self.began) * 1000)}}
        return super().answer(message)


class Shown(unittest.TestCase):
    def run_carom(self, server, *words, code=OK):
        result = carom(*words, port=server.port)
        self.assertEqual(code, result.code, result.err)
        return result

    def test_contacts(self):
        with Answers(world_contacts={"world": "w", "tick": 7, "contacts": CONTACTS}) as server:
            lines = self.run_carom(server, "contacts", "w", 3).lines()
            self.assertEqual(("world.contacts", {"world": "w", "body": 3}), server.asked[0])
            self.assertRegex(lines[0], r"\A *A +B +SHAPE A +SHAPE B +NORMAL +POINT +DEPTH \[m\] +IMPULSE \[N s\] +TANGENT\Z")
            self.assertRegex(lines[1], r"\A *1 +3 +1 +4 +0, 1 +0\.5, 0 +0\.001 +2 +0\.25\Z")
            self.assertRegex(lines[2], r"\A +1\.5, 0 +0 +1 +0\Z")
            self.assertEqual(CONTACTS, self.run_carom(server, "contacts", "w", "--json").json()["contacts"])
        with Answers(world_contacts={"world": "w", "tick": 7, "contacts": []}) as server:
            self.assertEqual("nothing touches\n", self.run_carom(server, "contacts", "w").out)

    def test_rates_are_right_however_late_the_answers_are(self):
        for late in ("server.info", "server.stats", "world.list"):
            with Slow(late) as server:
                told = [json.loads(line) for line in
                        self.run_carom(server, "top", "-n", 4, "-i", "600ms", "--json").out.splitlines()]
            for sample in told[1:]:
                [world] = sample["worlds"]
                # By the time of the question it were 17 or 210; a busy machine adds some tenths of a second.
                self.assertTrue(35 < world["rate"] < 110, (late, world["rate"]))

    def test_explain_takes_contacts_and_joints_into_account(self):
        with Answers(body_get=BODY, world_info={"world": "w", "paused": False, "gravity": [0.0, -10.0]},
                     joint_list={"joints": [{"joint": 5, "kind": "weld", "a": 3, "b": 8}]},
                     world_contacts={"contacts": CONTACTS}) as server:
            why = self.run_carom(server, "get", "w", 3, "--explain", "--json").json()
            self.assertEqual(["asleep", "supported", "held"], [reason["reason"] for reason in why["reasons"]])
            out = self.run_carom(server, "get", "w", 3, "--explain").out
            self.assertIn("body 3 (dynamic) at 1.000, 0.500 does not move:\n", out)
            self.assertIn("joint 5 (weld) ties it to body 8", out)
            self.assertIn("body 1 touches it and pushes towards 0.000, 1.000 with 3.000 N s a tick", out)

    def test_explain_does_without_what_the_server_cannot_tell(self):
        with Answers(body_get=BODY, world_info={"world": "w", "paused": False, "gravity": [0.0, -10.0]}) as server:
            self.assertIn("it sleeps", self.run_carom(server, "get", "w", 3, "--explain").out)

    def test_floats_are_read_in_the_fewest_digits_that_give_them_again(self):
        floats = {"shape": 4, "friction": 0.6000000238418579, "density": 1.1920928955078125e-07, "radius": 0.1,
                  "restitution": 0.30000001192092896, "time": 20000000.0}
        with Answers(body_get={**BODY, "shapes": [floats]}) as server:
            told = self.run_carom(server, "get", "w", 3, "--field", "shapes").json()[0]
            self.assertEqual({**floats, "friction": 0.6, "density": 1.1920929e-07, "restitution": 0.3}, told)
            self.assertIn('"friction":0.6,', self.run_carom(server, "get", "w", 3).out)
            self.assertEqual(floats, self.run_carom(server, "get", "w", 3, "--json").json()["shapes"][0])

    def test_refused_image_is_told_with_its_file_and_nothing_else_is(self):
        hint = f"image: the content of {__file__}"
        for error, code in ("invalid_argument: image: too short", True), ("already_exists: world 'w' exists", False):
            with Answers(world_create=error) as server:
                self.assertEqual(code, hint in self.run_carom(server, "load", __file__, "w", code=REFUSED).err, error)

    def test_bench_measures_nothing_against_a_server_that_answers_nonsense(self):
        world = {"world": "w", "tick": 1, "hz": 60.0}
        for hz in ({}, {"hz": 0.0}, {"hz": -1.0}, {"hz": 1e300}, {"hz": "x"}):
            with Answers(world_info=hz, world_apply={"results": [{"body": 5}]}, world_list=[]) as server:
                refused = self.run_carom(server, "bench", "--world", "w", "-c", 1, "-d", "1s", code=REFUSED)
                self.assertIn("the server's answer to world.info is not one of caromd's: hz: must be from 1 to 1000", refused.err)
        for results in ([], [{}], [{"body": 0}], [{"body": "x"}], 7):
            with Answers(world_info=world, world_apply={"results": results}) as server:
                refused = self.run_carom(server, "bench", "--world", "w", "-c", 1, "-d", "1s", code=REFUSED)
                self.assertIn("world.apply is not one of caromd's: results: must be the id of each spawned body", refused.err)

    def test_shape_set(self):
        with Answers(body_get=BODY, shape_set={"tick": 8}) as server:
            out = self.run_carom(server, "shape", "set", "w", 4, 9, "friction=0.4", "--restitution", 0.5).out
            self.assertEqual("shape 4 changed (tick 8)\nshape 9 changed (tick 8)\n", out)
            self.assertEqual([("shape.set", {"world": "w", "shape": shape, "friction": 0.4, "restitution": 0.5})
                              for shape in (4, 9)], server.asked)
            server.asked.clear()
            self.run_carom(server, "shape", "set", "w", "--body", 3, "friction=0")
            self.assertEqual(["body.get", "shape.set", "shape.set"], [method for method, _ in server.asked])
        with Answers(body_get={**BODY, "shapes": []}) as server:
            result = self.run_carom(server, "shape", "set", "w", "--body", 3, "friction=0", code=REFUSED)
            self.assertIn("body 3 has no shapes", result.err)

    def test_scenes_of_the_server_come_before_those_built_in(self):
        with Answers(server_info={"scenes": ["pyramid", "mine"]}) as server:
            scenes = self.run_carom(server, "scenes", "--json").json()
            self.assertEqual(["pyramid", "mine"], [scene["scene"] for scene in scenes])
            self.assertIn("5050", scenes[0]["description"])

    def test_doctor_warns(self):
        stats = {"counters": {"ticks": 1000, "ticks_late": 500, "snapshots_sent": 10, "snapshots_skipped": 90,
                              "messages_malformed": 3, "events_lost": 12}}
        world = {"world": "slow", "hz": 60.0, "rate": 20.0, "time": 100.0, "paused": False, "step_ms": 40.0, "frozen": 2}
        with Answers(ping={"time": 1.0, "any": None}, server_stats=stats, world_list=[world],
                     server_info={"sessions": 90, "limits": {"connections": 100}}) as server:
            found = self.run_carom(server, "doctor", "--json").json()
            warned = [one["check"] for one in found if one["verdict"] == "warning"]
            self.assertEqual(["version", "role", "sessions", "ticks", "readers", "events", "messages", "world", "world"], warned)
            self.assertIn("12 were lost", next(one["text"] for one in found if one["check"] == "events"))

    def test_fleet(self):
        nodes = [{"node": "a", "self": True, "address": "a.example:1", "worlds": 2, "sessions": 17, "lateness_ms": 0.25,
                  "free_memory": 3e9, "draining": False},
                 {"node": "c", "self": False, "address": "c.example:1", "worlds": 0, "sessions": 0, "lateness_ms": 0.0,
                  "free_memory": 1e9, "draining": True}]
        worlds = [{"world": "arena", "term": 3, "node": "a", "standby": "c", "standby_tick": 900, "lag_s": 0.017,
                   "lag_bytes": 1200, "hz": 60.0},
                  {"world": "lab", "term": 1, "node": "b", "hz": 30.0}]
        told = {"prefix": "/carom", "store_error": "http://e:2379: refused", "nodes": nodes, "worlds": worlds, "total": 2}
        with Answers(server_fleet=told) as server:
            lines = self.run_carom(server, "fleet").lines()
            self.assertRegex(lines[0], r"\ASERVER +ADDRESS +WORLDS +SESSIONS +LATENESS +FREE +STATE\Z")
            self.assertRegex(lines[1], r"\Aa +a\.example:1 +2 +17 +250 us +3\.00 GB +serves, answers this\Z")
            self.assertRegex(lines[2], r"\Ac +c\.example:1 +0 +0 +0\.00 us +1\.00 GB +drains\Z")
            self.assertRegex(lines[4], r"\AWORLD +SERVER +TERM +STANDBY +BEHIND +HZ +STATE\Z")
            self.assertRegex(lines[5], r"\Aarena +a +3 +c +17\.0 ms, 1\.20 kB +60 +served\Z")
            self.assertRegex(lines[6], r"\Alab +b +1 +- +- +30 +waits for its server\Z")
            self.assertEqual("etcd does not answer, so this may be old: http://e:2379: refused", lines[-1])
            self.assertEqual(told, self.run_carom(server, "fleet", "--json").json())

    def test_move(self):
        with Answers(world_move={"world": "arena", "node": "b", "term": 4}) as server:
            for words in (("arena",), ("arena", "b")):
                self.assertEqual("world arena is served by b, term 4\n", self.run_carom(server, "move", *words).out)

    def test_fleet_asks_for_all_pages(self):
        class Pages(Answers):
            def answer(self, message):
                names = [name for name in "pqr" if message[2] == "server.fleet" and name > message[3][0]["after"]]
                self.answers["server.fleet"] = {"prefix": "/carom", "nodes": [], "total": 3, "worlds": [
                    {"world": name, "term": 1, "node": "a", "hz": 60.0} for name in names[:1]]}
                return super().answer(message)
        with Pages() as server:
            self.assertEqual(["p", "q", "r"], [one["world"] for one in self.run_carom(server, "fleet", "--json").json()["worlds"]])

    def test_doctor_tells_of_the_fleet(self):
        for unanswered, verdict, text in ((0, "ok", "3 servers, 1 world; etcd answers"), (1, "warning", "etcd does not answer")):
            stats = {"counters": {"ticks": 1, "fleet_nodes": 3, "fleet_worlds": 1, "fleet_store_unanswered": unanswered}}
            with self.subTest(text), Answers(ping={"time": 1.0, "any": None}, server_stats=stats, world_list=[],
                                             server_info={}) as server:
                found = self.run_carom(server, "doctor", "--json").json()
                line = next(one for one in found if one["check"] == "fleet")
                self.assertEqual(verdict, line["verdict"])
                self.assertIn(text, line["text"])

    def findings(self, counters, worlds):
        """{check: [(verdict, text)]} of carom doctor."""
        found = {}
        with Answers(ping={"time": 1.0, "any": None}, server_stats={"counters": {"ticks": 1, **counters}}, world_list=worlds,
                     server_info={}) as server:
            for one in self.run_carom(server, "doctor", "--json").json():
                found.setdefault(one["check"], []).append((one["verdict"], one["text"]))
        return found

    def test_doctor_tells_of_standbys(self):
        world = {"hz": 60.0, "rate": 60.0, "time": 9.0, "durability": "replicated"}
        fleet = {"fleet_nodes": 3, "fleet_worlds": 2, "fleet_standbys": 1, "fleet_standby_lag_ms": 17.0}
        rows = [{"world": "good", "standby": "b:22766", **world}, {"world": "bare", **world},
                {"world": "other", **world, "durability": "normal"}]
        found = self.findings(fleet, rows)
        self.assertEqual([("ok", "1 world has one; the farthest is 17 ms behind")], found["standbys"])
        self.assertEqual([("warning", "bare is replicated and has no standby: nothing takes over from this server")], found["standby"])
        behind = self.findings({**fleet, "fleet_standbys": 2, "fleet_standby_lag_ms": 1500.0}, rows[:1])
        self.assertEqual([("warning", "2 worlds have one; the farthest is 1500 ms behind")], behind["standbys"])
        self.assertNotIn("standby", behind)
        self.assertNotIn("standbys", self.findings({}, [rows[2]]))

    def test_doctor_tells_of_a_relay(self):
        world = {"world": "arena", "hz": 60.0, "rate": 60.0, "time": 9.0, "relay_of": "10.0.0.7:22766", "lag": 0.02}
        good = self.findings({"relay_upstreams": 1, "relay_connected": 1, "relay_worlds": 1}, [world])
        self.assertEqual([("ok", "1 of 1 upstream answers")], good["relay"])
        cut = self.findings({"relay_upstreams": 2, "relay_connected": 1, "relay_worlds": 1}, [{**world, "lag": 4.2}])
        self.assertEqual([("warning", "1 of 2 upstreams answer"), ("warning", "arena: nothing came from 10.0.0.7:22766 for 4.2 s")],
                         cut["relay"])
        self.assertNotIn("relay", self.findings({}, [{**world, "lag": 4.2}]))

    def test_top_tells_of_fleet_and_relay(self):
        counters = {"fleet_nodes": 3, "fleet_worlds": 7, "fleet_standbys": 2, "fleet_standby_lag_ms": 17.0, "fleet_standby_lag_bytes": 2048,
                    "fleet_followed": 4, "relay_upstreams": 2, "relay_connected": 1, "relay_worlds": 5}
        rows = [{"world": name, "hz": 60.0, "lag": lag} for name, lag in (("p", 0.5), ("q", 2.0), ("r", 0.0))]
        for told, lines in ((counters, 2), ({**counters, "fleet_store_unanswered": 1}, 2), ({}, 0)):
            with self.subTest(told), Answers(server_info={}, server_stats={"counters": told}, world_list=rows) as server:
                shown = self.run_carom(server, "top", "--count", "1").out
            away = "  etcd does not answer" if "fleet_store_unanswered" in told else ""
            self.assertEqual(lines, sum(line.startswith(("fleet: ", "relay: ")) for line in shown.splitlines()))
            if lines:
                self.assertRegex(shown, rf"(?m)^fleet: servers 3  worlds 7{away}  with a standby 2, behind 17 ms and 2\.05 kB  standby of 4$")
                self.assertRegex(shown, r"(?m)^relay: upstreams 1 of 2  worlds 5, behind 2\.00 s  records 0/s$")

    def test_messages_are_a_line_without_control_characters(self):
        told = [{"kind": "message", "tick": 9, "name": "chat", "data": "good\x1b[2J game", "session": 7, "subject": "ada"},
                {"kind": "message", "tick": 9, "name": "go", "data": {"round": 2}, "session": 8}]
        one = {"subscription": 3, "world": "w", "epoch": 1, "tick": 9, "time": 0.1, "full": True, "bodies": [], "events": told}
        with Answers([one], world_subscribe={"subscription": 3, "tick": 8}) as server:
            lines = self.run_carom(server, "events", "w", "--count", "2").out.splitlines()
        self.assertRegex(lines[0], r"\A +9  message +ada: chat good\?\[2J game\Z")
        self.assertRegex(lines[1], r"\A +9  message +session 8: go \{\"round\":2\}\Z")

    def test_seats_are_a_line_without_control_characters(self):
        told = [{"kind": "join", "tick": 9, "seat": 2, "session": 7, "subject": "a\x1bda", "data": {"n": 1}},
                {"kind": "leave", "tick": 9, "seat": 2, "session": 8}]
        one = {"subscription": 3, "world": "w", "epoch": 1, "tick": 9, "time": 0.1, "full": True, "bodies": [], "events": told}
        with Answers([one], world_subscribe={"subscription": 3, "tick": 8}) as server:
            lines = self.run_carom(server, "events", "w", "--count", "2").out.splitlines()
        self.assertRegex(lines[0], r"\A +9  join +a\?da takes seat 2 \{\"n\":1\}\Z")
        self.assertRegex(lines[1], r"\A +9  leave +session 8 leaves seat 2\Z")

    def test_events_that_were_lost_are_a_line_among_the_others(self):
        first = {"subscription": 3, "world": "w", "epoch": 1, "tick": 8, "time": 0.1, "full": True, "bodies": []}
        more = {**first, "tick": 9, "full": False, "events_lost": 40,
                "events": [{"kind": "spawn", "tick": 9, "a": 5}, {"kind": "remove", "tick": 9, "a": 5}]}
        for words in ((), ("--json",)):
            with self.subTest(words), Answers([first, more], world_subscribe={"subscription": 3, "tick": 8}) as server:
                result = self.run_carom(server, "events", "w", "--count", "2", *words)
                lines = result.lines()
                self.assertEqual(3, len(lines), result.out)
                self.assertRegex(lines[0], r'"events_lost".*40' if words else r"\A +9  events_lost +40 events\Z")
                self.assertIn("spawn", lines[1])
                self.assertEqual(not words, "40 events were lost" in result.err)
        one = {**more, "events_lost": 1}
        with Answers([first, one], world_subscribe={"subscription": 3, "tick": 8}) as server:
            result = self.run_carom(server, "events", "w", "--count", "2")
            self.assertRegex(result.lines()[0], r"\A +9  events_lost +1 event\Z")
            self.assertIn("1 event was lost", result.err)

    def test_rights_are_told_as_rights(self):
        with Answers(server_sessions="permission_denied: needs role admin") as server:
            result = self.run_carom(server, "sessions", code=REFUSED)
            self.assertIn("permission_denied: needs role admin", result.err)
            self.assertIn("a token with more rights: --token-file FILE", result.err)
            self.assertIn("CAROM_TOKEN", result.err)


if __name__ == "__main__":
    main()
