#!/usr/bin/env python3
"""Seats: sessions join worlds of templates and leave them, alone, in floods, over lost connections, restarts and
takeovers. Called with the path of caromd."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402
from wire import RemoteError  # noqa: E402
from wire_case import BALL, CAROMD, WireTest  # noqa: E402

SECRET = Secret()
ARENA = {"scene": "billiards", "seats": 2, "idle_s": 1, "hz": 120}


def seat_events(client):
    return [e for s in client.snapshots() for e in s.get("events", []) if e["kind"] in ("join", "leave")]


class SeatsTest(WireTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.keys = str(self.folder / "keys.json")
        write_keys(self.keys, SECRET)
        self.addCleanup(self.stop)

    def template(self, name, **content):
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        return ["--template", f"{name}={path}"]

    def start(self, *options, template=None):
        self.server = Caromd(CAROMD, *options, *self.template("arena", **(ARENA if template is None else template)))

    def player(self, **how):
        """A client and its session's number."""
        client = self.connect()
        return client, client.call("hello", **how)["session"]

    def bearer(self, role="player", subject="ada", **more):
        return self.player(token=SECRET.sign(claims(subject, role, **more)))

    def told(self, client, count):
        client.read_until(lambda: len(seat_events(client)) >= count)
        return seat_events(client)

    def info(self, client, world):
        return client.call("world.info", world=world)

    def worlds(self, client):
        return {w["world"]: w for w in client.call("world.list")}


class Seats(SeatsTest):
    def test_players_meet_and_the_next_ones_get_a_new_world(self):
        self.start()
        (ada, a), (bob, _), (eve, _) = (self.player() for _ in range(3))
        first = ada.call("world.join", template="arena")
        self.assertEqual((first["world"], first["seat"], first["created"]), ("arena-1", 1, True))
        second = bob.call("world.join", template="arena")
        self.assertEqual((second["world"], second["seat"], second["created"]), ("arena-1", 2, False))
        third = eve.call("world.join", template="arena")
        self.assertEqual((third["world"], third["seat"], third["created"]), ("arena-2", 1, True))
        info = self.info(ada, "arena-1")
        self.assertEqual((info["template"], info["seats"], info["seats_taken"], info["hz"]), ("arena", 2, 2, 120))
        self.assertEqual([row["seat"] for row in info["seated"]], [1, 2])
        self.assertEqual(info["seated"][0], {"seat": 1, "session": a})
        self.assertEqual(info["bodies"], 17, "the scene's")
        rows = self.worlds(ada)
        self.assertEqual([rows[w]["seats_taken"] for w in ("arena-1", "arena-2")], [2, 1])
        self.assertNotIn("seated", rows["arena-1"])
        again = ada.call("world.join", template="arena")
        self.assertEqual((again["world"], again["seat"], again["created"]), ("arena-1", 1, False))
        ada.call("world.leave", world="arena-1")
        eve.call("world.leave", world="arena-2")
        self.assertEqual(eve.call("world.join", template="arena")["world"], "arena-1", "the fullest")

    def test_joins_sent_together_share_a_world_that_is_being_made(self):
        self.start(template=ARENA | {"seats": 8})
        players = [self.player()[0] for _ in range(8)]
        requests = [p.request("world.join", template="arena") for p in players]
        answers = [p.answer(r) for p, r in zip(players, requests)]
        self.assertEqual({a["world"] for a in answers}, {"arena-1"})
        self.assertEqual(sorted(a["seat"] for a in answers), list(range(1, 9)))
        self.assertEqual(sum(a["created"] for a in answers), 1)

    def test_join_sent_twice_at_once_takes_one_seat(self):
        self.start()
        ada, _ = self.player()
        first, second = (ada.request("world.join", template="arena") for _ in range(2))
        self.assertEqual({ada.answer(first)["seat"], ada.answer(second)["seat"]}, {1})
        self.assertEqual(self.info(ada, "arena-1")["seats_taken"], 1)
        last = [ada.request("world.leave", world="arena-1"), ada.request("world.join", template="arena")]
        ada.answer(last[0])
        self.assertEqual(self.info(ada, ada.answer(last[1])["world"])["seats_taken"], 1)

    def test_events_stand_in_the_order_of_the_world_with_data_and_subject(self):
        self.start("--keys", self.keys)
        ada, a = self.bearer()
        bob, b = self.bearer(subject="bob")
        ada.call("world.join", template="arena", data={"name": "Ada"})
        plain, _ = (ada.call("world.subscribe", world="arena-1", events=["join", "leave", "message"],
                             encoding=encoding)["subscription"] for encoding in ("plain", "packed"))
        joined = bob.call("world.join", template="arena", data=[1, None])
        bob.call("message.send", world="arena-1", name="hi")
        left = bob.call("world.leave", world="arena-1")
        events = self.told(ada, 4)
        self.assertEqual(events[0], {"kind": "join", "tick": joined["tick"], "seat": 2, "session": b, "subject": "bob",
                                     "data": [1, None]})
        self.assertEqual(events.count(events[0]), 2, "one for each subscription")
        gone = {"kind": "leave", "tick": left["tick"], "seat": 2, "session": b, "subject": "bob"}
        self.assertEqual(events.count(gone), 2)
        kinds = [e["kind"] for s in ada.snapshots() if s["subscription"] == plain for e in s["events"]]
        self.assertEqual(kinds, ["join", "message", "leave"])
        self.assertNotEqual(a, b)

    def test_what_cannot_be_is_refused_by_name(self):
        self.start(*self.template("duel", seats=1))
        client, own = self.player()
        client.call("world.create", world="plain")
        client.call("world.join", template="arena")
        other, _ = self.player()
        refused = lambda code, text, method, **args: self.refused(code, text, other, method, **args)
        refused("not_found", "template 'hall' does not exist: the server has duel, arena", "world.join", template="hall")
        refused("not_found", "template 'arenna' does not exist: the server has duel, arena; did you mean 'arena'\\?", "world.join", template="arenna")
        self.assertEqual(client.call("server.info")["templates"], [{"template": "duel", "seats": 1}, {"template": "arena", "seats": 2}])
        refused("not_found", "world 'no' does not exist", "world.join", template="arena", world="no")
        refused("invalid_argument", "'plain' has no seats", "world.join", template="arena", world="plain")
        refused("invalid_argument", "'arena-1' is of template 'arena', not 'duel'", "world.join", template="duel", world="arena-1")
        refused("invalid_argument", "template is missing", "world.join")
        for key, value in ("seat", 1), ("session", own), ("subject", "ada"):
            refused("invalid_argument", f"{key}: allowed in logs only", "world.join", template="arena", **{key: value})
        refused("invalid_argument", "seat: allowed in logs only", "world.leave", world="arena-1", seat=1)
        refused("not_found", "session .* has no seat in world 'arena-1'", "world.leave", world="arena-1")
        refused("not_found", "session .* has no seat in world 'plain'", "world.leave", world="plain")
        refused("not_found", "world 'no' does not exist", "world.leave", world="no")
        refused("limit_exceeded", "message_data_bytes", "world.join", template="arena", data="x" * 5000)
        refused("invalid_argument", "data .at most 16", "world.join", template="arena", data=json.loads("[" * 17 + "]" * 17))
        refused("invalid_argument", "world.join.*world.apply", "world.apply", world="arena-1",
                commands=[["world.join", {"template": "arena"}]])
        self.assertEqual(self.info(other, "arena-1")["seats_taken"], 1, "a join that was refused takes no seat")
        other.call("world.join", template="arena", world="arena-1")
        third, _ = self.player()
        self.refused("limit_exceeded", "seats: all 2 of world 'arena-1' are taken", third, "world.join", template="arena",
                     world="arena-1")

    def test_server_without_templates_says_so(self):
        self.server = Caromd(CAROMD)
        self.refused("not_found", "has none .caromd --template", self.player()[0], "world.join", template="arena")

    def test_a_session_has_so_many_seats_and_no_more(self):
        self.start(template=ARENA | {"seats": 1, "idle_s": 60})
        greedy, _ = self.player()
        others = [self.player()[0] for _ in range(17)]
        for other in others:
            other.call("world.join", template="arena")
        for i, other in enumerate(others):
            other.call("world.leave", world=f"arena-{i + 1}")
        for i in range(16):
            greedy.call("world.join", template="arena", world=f"arena-{i + 1}")
        self.refused("limit_exceeded", "seats: a session has at most 16", greedy, "world.join", template="arena", world="arena-17")

    def test_worlds_that_joins_make_are_bounded_by_the_server(self):
        self.start("--limit", "worlds=3", template=ARENA | {"seats": 1})
        for _ in range(3):
            self.player()[0].call("world.join", template="arena")
        late, _ = self.player()
        self.refused("limit_exceeded", "worlds: there are 3", late, "world.join", template="arena")
        self.assertEqual(len(self.worlds(late)), 3)

    def test_joins_of_one_subject_make_a_share_of_the_worlds(self):
        self.start("--keys", self.keys, "--limit", "worlds=8", "--limit", "owner_share=25", template=ARENA | {"seats": 1})
        for _ in range(2):
            self.bearer()[0].call("world.join", template="arena")
        self.refused("limit_exceeded", "owner_share: .*2 worlds", self.bearer()[0], "world.join", template="arena")
        self.bearer(subject="bob")[0].call("world.join", template="arena")
        self.bearer(role="referee", subject="ada")[0].call("world.join", template="arena")

    def test_subject_that_was_away_has_its_share_still(self):
        self.start("--keys", self.keys, "--limit", "worlds=8", template=ARENA | {"seats": 1, "idle_s": 3600})
        ada, _ = self.bearer()
        for k in range(4):
            world = ada.call("world.join", template="arena")["world"]
            ada.call("world.leave", world=world)
            self.bearer(subject=f"friend-{k}")[0].call("world.join", template="arena", world=world)
        ada.call("goodbye")
        ada.socket.close()
        for k in range(100):  # the server forgets subjects that nobody has used for a while
            self.bearer(subject=f"other-{k}")[0].socket.close()
        self.refused("limit_exceeded", "owner_share: .*made 4 worlds", self.bearer()[0], "world.join", template="arena")

    def test_two_subjects_leave_worlds_for_others(self):
        self.start("--keys", self.keys, "--limit", "worlds=8", template=ARENA | {"seats": 1})
        for subject, most in ("ada", 4), ("bob", 2), ("eve", 1), ("kim", 1):
            for _ in range(most):
                self.bearer(subject=subject)[0].call("world.join", template="arena")
            self.refused("limit_exceeded", f"(owner_share: .*at most {most} )|(worlds: there are 8)", self.bearer(subject=subject)[0],
                         "world.join", template="arena")

    def test_flood_of_joins_and_leaves_makes_one_world(self):
        self.start(template=ARENA | {"idle_s": 60})
        client, _ = self.player()
        for _ in range(300):
            client.notify("world.join", template="arena")
            client.notify("world.leave", world="arena-1")
        last = client.call("world.join", template="arena")
        self.assertEqual((last["world"], last["seat"]), ("arena-1", 1))
        self.assertEqual(list(self.worlds(client)), ["arena-1"])
        joins = client.call("server.stats")["counters"]["joins"]
        self.assertGreaterEqual(joins, 1)

    def test_world_ends_when_its_seats_have_been_free(self):
        self.start()
        ada, _ = self.player()
        ada.call("world.join", template="arena")
        ada.call("world.subscribe", world="arena-1", events=[])
        ada.call("world.leave", world="arena-1")
        ada.read_until(lambda: any(m == "closed" or m == "subscription_closed" or "arena-1" in str(p) and "reason" in str(p)
                                   for m, p in ada.notifications))
        self.eventually(lambda: not self.worlds(ada))
        self.assertEqual(ada.call("world.join", template="arena")["created"], True)

    def test_join_again_at_once_answers_a_tick_that_has_the_seat(self):
        self.start()
        ada, _ = self.player()
        answers = [ada.answer(r) for r in [ada.request("world.join", template="arena") for _ in range(20)]]
        self.assertEqual({(a["world"], a["seat"]) for a in answers}, {("arena-1", 1)})
        first = next(a["tick"] for a in answers if a["created"])
        self.assertGreaterEqual(min(a["tick"] for a in answers), first)

    def test_template_s_players_push_their_own_bodies_and_nothing_else(self):
        self.start("--keys", self.keys, template={"seats": 2})
        ada, _ = self.bearer()
        referee, _ = self.bearer(role="referee", subject="judge")
        world = ada.call("world.join", template="arena")["world"]
        page = (Path(__file__).resolve().parents[2] / "proto" / "PROTOCOL.md").read_text()
        printed = re.search(r"The bounds of a world that `world.join` made .*?```\n(.*?)```", page, re.S).group(1)
        self.assertEqual(self.info(ada, world)["players"], json.loads(printed))
        self.refused("permission_denied", "body.spawn", ada, "body.spawn", world=world, shapes=[BALL])
        body = referee.call("body.spawn", world=world, shapes=[BALL], owner="ada")["body"]
        ada.call("body.impulse", world=world, body=body, impulse=[1, 0])
        self.refused("permission_denied", "body.set", ada, "body.set", world=world, body=body, position=[5, 5])
        ada.call("message.send", world=world, name="hi")
        ada.call("world.leave", world=world)
        self.stop()
        self.start(template={"seats": 2, "players": {}})
        self.assertNotIn("players", self.info(self.player()[0], self.player()[0].call("world.join", template="arena")["world"]))

    def test_metrics_count_joins_and_seats(self):
        self.start()
        ada, _ = self.player()
        ada.call("world.join", template="arena")
        metrics = self.eventually(lambda: (text := self.scrape()) and "carom_world_seats_taken{world=\"arena-1\"} 1" in text and text)
        self.assertIn("carom_world_seats{world=\"arena-1\"} 2", metrics)
        self.assertRegex(metrics, r"(?m)^carom_joins_total 1$")

    def scrape(self):
        import urllib.request
        with urllib.request.urlopen(f"http://127.0.0.1:{self.server.http_port}/metrics") as answer:
            return answer.read().decode()


class Rights(SeatsTest):
    def test_worlds_of_a_token_bound_where_its_bearer_joins(self):
        self.start("--keys", self.keys)
        other, _ = self.bearer(subject="bob", worlds=["hall*"])
        self.refused("permission_denied", r"worlds: .*'arena-\*' would", other, "world.join", template="arena")
        named, _ = self.bearer(worlds=["arena-2"])
        self.refused("permission_denied", "", named, "world.join", template="arena")
        (any_, _), (more, _), (last, _) = (self.bearer(subject=f"s{i}", worlds=["arena-*"]) for i in range(3))
        self.assertEqual(any_.call("world.join", template="arena")["world"], "arena-1")
        self.assertEqual(more.call("world.join", template="arena")["world"], "arena-1")
        self.assertEqual(named.call("world.join", template="arena")["world"], "arena-2", "arena-1 is full, so its name is free")
        self.refused("permission_denied", "none of those of the token", named, "world.join", template="arena", world="arena-1")
        self.assertEqual(last.call("world.join", template="arena")["world"], "arena-2")

    def test_viewer_does_not_join_and_a_referee_frees_the_seat_of_another(self):
        self.start("--keys", self.keys)
        viewer, _ = self.bearer(role="viewer", subject="eve")
        self.refused("permission_denied", "role player", viewer, "world.join", template="arena")
        self.refused("permission_denied", "role player", viewer, "world.leave", world="arena-1")
        ada, a = self.bearer()
        bob, _ = self.bearer(subject="bob")
        judge, _ = self.bearer(role="referee", subject="judge")
        ada.call("world.join", template="arena")
        self.refused("permission_denied", "session: only a referee", bob, "world.leave", world="arena-1", session=a)
        ada.call("world.subscribe", world="arena-1", events=["leave"])
        judge.call("world.leave", world="arena-1", session=a)
        self.assertEqual(self.told(ada, 1)[0]["session"], a)
        self.refused("not_found", "no seat", judge, "world.leave", world="arena-1", session=a)

    def test_guest_joins_and_an_area_of_a_token_hides_who_sits(self):
        self.start("--keys", self.keys, "--guests", "player")
        guest, _ = self.player()
        self.assertEqual(guest.call("world.join", template="arena")["seat"], 1)
        confined, _ = self.bearer(areas=[[-1, -1, 1, 1]])
        confined.call("world.join", template="arena")
        info = self.info(confined, "arena-1")
        self.assertEqual(info["seats_taken"], 2)
        self.assertNotIn("seated", info)


class Lives(SeatsTest):
    def test_seat_outlives_a_lost_connection_as_long_as_its_session(self):
        self.start("--limit", "resume_ms=600")
        watcher, _ = self.player()
        ada = self.connect()
        hello = ada.call("hello")
        ada.call("world.join", template="arena")
        watcher.call("world.join", template="arena")
        watcher.call("world.subscribe", world="arena-1", events=["leave"])
        ada.socket.close()
        back = self.connect()
        self.assertEqual(back.call("hello", resume=hello["resume"])["session"], hello["session"])
        self.assertEqual(back.call("world.join", template="arena")["seat"], 1)
        back.socket.close()
        self.assertEqual(self.told(watcher, 1)[0]["session"], hello["session"], "the session ended")
        self.assertEqual(self.info(watcher, "arena-1")["seats_taken"], 1)

    def test_goodbye_and_kick_free_the_seat_at_once(self):
        self.start("--limit", "resume_ms=60000")
        watcher, _ = self.player()
        (ada, a), (bob, b) = self.player(), self.player()
        ada.call("world.join", template="arena")
        watcher.call("world.subscribe", world="arena-1", events=["leave"])
        ada.call("goodbye")
        ada.socket.close()
        self.assertEqual(self.told(watcher, 1)[0]["session"], a)
        self.assertEqual(bob.call("world.join", template="arena")["seat"], 1)
        watcher.call("server.kick", session=b)
        self.assertEqual(self.told(watcher, 2)[1]["session"], b)

    def survive(self, end):
        data = ["--data", str(self.folder / "data"), "--keys", self.keys]
        self.start(*data, "--limit", "resume_ms=60000", template=ARENA | {"seats": 3, "idle_s": 60})
        ada, bob = self.connect(), self.connect()
        hello = ada.call("hello", token=SECRET.sign(claims("ada", "player")))
        bob.call("hello", token=SECRET.sign(claims("bob", "player")))
        ada.call("world.join", template="arena", data="a")
        bob.call("world.join", template="arena")
        bob.call("world.leave", world="arena-1")
        bob.call("world.join", template="arena", data="b")
        before = self.info(ada, "arena-1")
        end(data)
        back = self.connect()
        self.assertEqual(back.call("hello", resume=hello["resume"])["session"], hello["session"])
        after = self.info(back, "arena-1")
        self.assertEqual(after["seated"], before["seated"])
        self.assertEqual((after["epoch"], after["template"], after["seats"]), (before["epoch"], "arena", 3))
        again = back.call("world.join", template="arena")
        self.assertEqual((again["world"], again["seat"], again["created"]), ("arena-1", 1, False))
        new, _ = self.bearer(subject="eve")
        self.assertEqual(new.call("world.join", template="arena")["seat"], 3)

    def test_seats_survive_a_killed_server(self):
        def end(data):
            self.kill()
            self.start(*data, template=ARENA | {"seats": 3, "idle_s": 60})
            self.server.await_log("listening")
            self.restored()
        self.survive(end)

    def test_seats_survive_a_server_that_stopped(self):
        def end(data):
            self.stop()
            self.start(*data, template=ARENA | {"seats": 3, "idle_s": 60})
            self.restored()
        self.survive(end)

    def test_seats_survive_a_takeover(self):
        def end(data):
            old = self.server
            self.server = Caromd(CAROMD, *data, "--takeover", str(self.folder / "data" / "takeover"), "--limit", "resume_ms=60000",
                                 *self.template("arena", **ARENA | {"seats": 3, "idle_s": 60}))
            self.assertEqual(old.await_end(), 0, "".join(old.log))
            self.restored()
        self.survive(end)

    def restored(self):
        """Waits until no world is being brought back."""
        probe, _ = self.bearer(role="admin", subject="root")

        def whole():
            try:
                probe.call("world.join", template="none of this name")
            except RemoteError as error:
                return str(error).startswith("not_found")
        self.eventually(whole)

    def test_seats_of_sessions_that_cannot_come_back_become_free(self):
        data = ["--data", str(self.folder / "data"), "--keys", self.keys]
        self.start(*data, "--limit", "resume_ms=0")
        ada, a = self.bearer()
        ada.call("world.join", template="arena")
        self.stop()
        self.start(*data, template=ARENA | {"idle_s": 600})
        self.restored()
        watcher, _ = self.bearer(subject="bob")
        self.assertEqual(watcher.call("world.join", template="arena", world="arena-1")["created"], False)
        self.eventually(lambda: self.info(watcher, "arena-1")["seats_taken"] == 1)
        self.assertEqual(self.info(watcher, "arena-1")["seated"][0]["subject"], "bob")
        self.server.await_log(f"session {a} is gone: seat 1 of world 'arena-1'")

    def test_fork_of_a_joined_world_has_no_seats_and_stays(self):
        self.start(template=ARENA | {"idle_s": 1})
        ada, _ = self.player()
        ada.call("world.join", template="arena")
        ada.call("world.fork", **{"world": "arena-1", "as": "copy"})
        image = ada.call("world.image", world="arena-1")["image"]
        ada.call("world.create", world="image", image=image)
        for world in "copy", "image":
            self.assertNotIn("template", self.info(ada, world))
            self.refused("not_found", "no seat", ada, "world.leave", world=world)
        ada.call("world.leave", world="arena-1")
        self.eventually(lambda: sorted(self.worlds(ada)) == ["copy", "image"])


class Files(SeatsTest):
    def refuse(self, text, content, name="arena"):
        path = self.folder / "bad.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        for more in [], ["--check-config"]:
            run = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", "--http", "off", "--template", f"{name}={path}", *more],
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX, check=False)
            self.assertNotEqual(run.returncode, 0)
            self.assertRegex(run.stderr, f"template '{name}': .*bad.json: .*{text}")

    def test_bad_file_is_named_with_what_is_wrong_and_what_is_allowed(self):
        self.refuse("line 1", "{\"seats\": 2,")
        self.refuse("must be an object", "[]")
        self.refuse("seats: is missing: 1 to 1024", {})
        for seats in 0, 1025, -1, 1.5, "2", None:
            self.refuse("seats: must be a whole number, 1 to 1024", {"seats": seats})
        for idle in 0, 86401, "soon":
            self.refuse("idle_s: must be a number, 1 to 86400", {"seats": 2, "idle_s": idle})
        self.refuse("scene: .*'nowhere'", {"seats": 2, "scene": "nowhere"})
        self.refuse("hz", {"seats": 2, "hz": 0})
        self.refuse("gravitas", {"seats": 2, "gravitas": [0, 0]})
        self.refuse("players.*mass", {"seats": 2, "players": {"mass": -1}})
        self.refuse("lifetime: is not a template's to say", {"seats": 2, "lifetime": "session"})
        self.refuse("world: is not a template's", {"seats": 2, "world": "w"})
        for durability in "normal", "full", "replicated":
            self.refuse(r"durability: the server keeps no logs \(caromd --data DIR\); 'none' is possible", {"seats": 2, "durability": durability})

    def test_bad_option_is_refused(self):
        for value, text in (("arena", "is not NAME=FILE"), ("=x", "is not NAME=FILE"), ("a b=x", "is not NAME=FILE"),
                            ("n" * 49 + "=x", "is not NAME=FILE"), ("arena=", "is not NAME=FILE"), ("arena=/no/such", "cannot be read")):
            run = subprocess.run([CAROMD, "--listen", "127.0.0.1:0", "--http", "off", "--template", value], stdin=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX, check=False)
            self.assertNotEqual(run.returncode, 0)
            self.assertRegex(run.stderr, text)
        twice = self.template("arena", seats=1)
        run = subprocess.run([CAROMD, "--http", "off", *twice, *twice], stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX, check=False)
        self.assertRegex(run.stderr, "template 'arena' is named twice")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
