#!/usr/bin/env python3
"""Tokens over the wire: who is admitted, with which identity, for how long; answers to forgers. Called with the path of
caromd."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from tokens import Ed25519, Secret, b64, by_hand, claims, write_keys  # noqa: E402
from wire import Client, Closed, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD, WireTest  # noqa: E402

CROWD = 300  # connections that want one session
SECRET, PAIR = Secret(), Ed25519()
SHORT_SECONDS = 3  # life of a token that must expire in the test: long enough for the steps before that


class TokenTest(WireTest):
    OPTIONS = []
    KEYS = [SECRET, PAIR]

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.keys = os.path.join(cls.folder.name, "keys.json")
        write_keys(cls.keys, *cls.KEYS)
        cls.server = Caromd(CAROMD, "--keys", cls.keys, "--log", "debug", *cls.OPTIONS)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()
        log = "".join(cls.server.log)
        for secret in (b64(SECRET.bytes), SECRET.bytes.hex()):
            assert secret not in log, "a secret stands in the log"

    def connect(self, token=None, **more):
        client = super().connect()
        if token is not None:
            self.hello = client.call("hello", token=token, **more)
        return client

    def farewell(self, client):
        with self.assertRaises(Closed):
            client.read_until(lambda: False)
        method, params = client.notifications[-1]
        self.assertEqual(method, "closing")
        return params[0]["code"], params[0]["reason"]

    def await_expiry(self):
        """Waits until the existing tokens of SHORT_SECONDS have expired: until one more, made later, ends its
        session."""
        last = self.connect(SECRET.sign(claims("mark", seconds=SHORT_SECONDS)))
        self.assertEqual(self.farewell(last)[1], "the token has expired")

    def refused_token(self, text, token):
        client = self.connect()
        message = self.refused("unauthenticated", text, client, "hello", token=token)
        if len(token) > 60:
            self.assertNotIn(token[-20:], message)
            self.assertNotIn(token[-20:], "".join(self.server.log))
        self.refused("unauthenticated", "token", client, "world.list")  # the client still has no identity
        return client


class Hello(TokenTest):
    def test_session_begins_as_nobody(self):
        client = self.connect()
        self.assertEqual(client.call("hello")["role"], "none")
        client.call("ping")
        for method in ("server.info", "server.stats", "world.list", "server.sessions"):
            self.refused("unauthenticated", f"{method} needs the role .*: say hello with a token", client, method)
        client.call("goodbye")

    def test_token_gives_role_and_subject(self):
        for key in (SECRET, PAIR):
            for role in ("viewer", "player", "admin"):
                with self.subTest(role=role, key=key.kid):
                    made = claims("ada", role)
                    self.connect(key.sign(made))
                    self.assertEqual((self.hello["role"], self.hello["subject"]), (role, "ada"))
                    self.assertEqual(self.hello["expires"], made["exp"])

    def test_token_without_role_is_a_viewer(self):
        self.connect(SECRET.sign(claims()))
        self.assertEqual(self.hello["role"], "viewer")

    def test_sessions_show_the_subject(self):
        admin = self.connect(PAIR.sign(claims("root", "admin")))
        self.connect(PAIR.sign(claims("bob", "player")))
        rows = {(s["subject"], s["role"]) for s in admin.call("server.sessions")["sessions"]}
        self.assertLessEqual({("root", "admin"), ("bob", "player")}, rows)

    def test_secrets_are_nowhere_in_the_process_list(self):
        shown = Path(f"/proc/{self.server.process.pid}/cmdline").read_bytes()
        self.assertNotIn(b64(SECRET.bytes).encode(), shown)

    def test_limits_are_lowered_and_never_raised(self):
        token = SECRET.sign(claims(limits={"subscriptions_per_connection": 2, "commands_per_connection": 10**9}))
        self.connect(token)
        limits = self.hello["limits"]
        self.assertEqual((limits["subscriptions_per_connection"], limits["commands_per_connection"]), (2, 4096))


class Forged(TokenTest):
    def test_signature_of_another_key(self):
        self.refused_token("signature", Secret().sign(claims()))
        self.refused_token("signature", Ed25519().sign(claims()))

    def test_changed_claims(self):
        head, body, signature = SECRET.sign(claims(role="viewer")).split(".")
        other = SECRET.sign(claims(role="admin")).split(".")[1]
        self.refused_token("signature", f"{head}.{other}.{signature}")
        for flipped in (signature[:-2] + ("AA" if signature[-2:] != "AA" else "BA"), signature[:-4], ""):
            self.refused_token("signature", f"{head}.{body}.{flipped}")

    def test_alg_none(self):
        for alg in ("none", "None", "NONE", "nOnE", ""):
            with self.subTest(alg):
                self.refused_token("is for HS256", by_hand({"alg": alg, "kid": "secret"}, claims(), None))
                self.refused_token("is for EdDSA", by_hand({"alg": alg, "kid": "pair"}, claims(), None))

    def test_public_key_as_secret(self):
        # Algorithm confusion: the public half of a pair, which anyone may know, as an HMAC secret.
        for secret in (PAIR.public, b64(PAIR.public).encode(), json.dumps(PAIR.jwk()).encode()):
            self.refused_token("is for EdDSA", by_hand({"alg": "HS256", "kid": "pair"}, claims(), secret))

    def test_other_algorithms(self):
        for alg in ("HS384", "HS512", "RS256", "ES256", "hs256", "EdDSA"):
            self.refused_token("is for HS256", by_hand({"alg": alg, "kid": "secret"}, claims(), SECRET.bytes))

    def test_kid_is_looked_up_and_opened_nowhere(self):
        for kid in ("../../../../etc/passwd", "/dev/stdin", "nobody", "", "http://127.0.0.1/keys", "x' OR 1=1--",
                    "\u0000secret", "secret\u0000"):
            self.refused_token("kid|header", by_hand({"alg": "HS256", "kid": kid}, claims(), b""))
        for header in ({"alg": "HS256"}, {"alg": "HS256", "kid": 7}, {"kid": "secret"}, {"alg": 5, "kid": "secret"}):
            self.refused_token("header must have alg and kid", by_hand(header, claims(), SECRET.bytes))

    def test_key_that_the_token_brings_along(self):
        own = Secret("own")
        for more in ({"jwk": own.jwk()}, {"jku": "http://127.0.0.1:1/keys"}, {"x5u": "file:///etc/passwd"}):
            self.refused_token("signature", by_hand({"alg": "HS256", "kid": "secret", **more}, claims(), own.bytes))

    def test_crit_and_typ(self):
        head = {"alg": "HS256", "kid": "secret"}
        self.refused_token("crit", by_hand({**head, "crit": ["exp"]}, claims(), SECRET.bytes))
        self.refused_token("typ", by_hand({**head, "typ": "at+jwt"}, claims(), SECRET.bytes))

    def test_no_token_at_all(self):
        for token in ("", ".", "..", "...", "a.b", "a.b.c", "a.b.c.d", "é.é.é", "=.=.=", "eyJ9.eyJ9.eyJ9",
                      by_hand([], claims(), SECRET.bytes), by_hand(b"{", claims(), SECRET.bytes),
                      by_hand(b"[" * 3000, claims(), SECRET.bytes)):
            self.refused_token("token: ", token)

    def test_claims_that_are_none(self):
        head = {"alg": "HS256", "kid": "secret"}
        for payload in (b"", b"nil", b"[]", b"{", b'{"sub":"a","sub":"b","exp":9e9}', b"\xff\xfe", b"[" * 2900):
            self.refused_token("claims", by_hand(head, payload, SECRET.bytes))

    def test_padding_is_no_other_way_to_write_it(self):
        self.refused_token("token: ", SECRET.sign(claims()) + "=")

    def test_token_of_a_megabyte(self):
        client = self.connect()
        self.refused("limit_exceeded", "token: must have at most 4096 bytes", client, "hello", token="a" * 10000)
        client.call("ping")
        self.refused("limit_exceeded", "stranger_bytes: before a token: .* the limit is 16384", client, "hello",
                     token="a" * 1000000)
        with self.assertRaises(Closed):
            client.read_until(lambda: False)
        self.refused_token("token: ", "a" * 4096)

    def test_stranger_sends_few_values_and_whoever_has_a_token_many(self):
        client = self.connect()
        many = [[[1]]] * 1000
        self.refused("limit_exceeded", "stranger_bytes: before a token: .*; the limit is 1024", client, "ping", any=many)
        client = self.connect()
        client.call("hello", token=SECRET.sign(claims()))
        client.call("ping", any=many)
        client.call("ping", any="a" * 60000)

    def test_three_wrong_tokens_close_the_connection(self):
        client = self.refused_token("token: ", "a.b.c")
        for _ in range(2):
            self.refused("unauthenticated", "token: ", client, "hello", token="a.b.c")
        with self.assertRaises(Closed):
            client.read_until(lambda: False)
        code, reason = (client.notifications[-1][1][0][k] for k in ("code", "reason"))
        self.assertEqual((code, reason), ("unauthenticated", "too many tokens were refused"))


class Claims(TokenTest):
    def check(self, text, **changes):
        made = {k: v for k, v in {**claims(), **changes}.items() if v is not None}
        self.refused_token(text, by_hand({"alg": "HS256", "kid": "secret"}, made, SECRET.bytes))

    def test_expired(self):
        self.check("exp: it expired [0-9]+ s ago", exp=int(time.time()) - 1)
        self.check("exp: it expired", exp=0)
        self.check("exp: it expired", exp=-1e300)

    def test_without_expiry(self):
        self.check("exp: must be given", exp=None)
        self.check("exp: must be given", exp="tomorrow")

    def test_not_yet_valid(self):
        self.check("nbf: it is not valid for another", nbf=int(time.time()) + 60)
        self.check("nbf: must be seconds", nbf="now")

    def test_not_before_with_a_clock_slightly_ahead(self):
        self.connect(SECRET.sign(claims(nbf=int(time.time()) + 2)))

    def test_wrong_audience(self):
        self.check('aud: is for others, and not for "carom"', aud="chess")
        self.check("aud: is for others", aud=["chess", "go"])
        self.check("aud: is for others", aud=[])
        self.check("aud: is for others", aud={"carom": 1})
        self.check("aud: may have 16", aud=["x"] * 17)

    def test_right_audience(self):
        for aud in ("carom", ["chess", "carom"]):
            self.connect(SECRET.sign(claims(aud=aud)))

    def test_subject(self):
        for subject in (None, "", 7, "x" * 65, "a\nb", ["ada"]):
            self.check("sub: must", sub=subject)
        self.connect(SECRET.sign(claims("é" * 32)))
        self.assertEqual(self.hello["subject"], "é" * 32)

    def test_role(self):
        for role in ("root", "none", "Admin", 3, ["admin"]):
            self.check("role: must be viewer, player, referee or admin", role=role)

    def test_worlds(self):
        self.check("worlds: must be an array", worlds="arena")
        self.check("worlds: must be an array of at most 32", worlds=["w"] * 33)
        for world in ("", "a*b", "a b", "**", 3, "x" * 65):
            self.check(r"worlds\[1\]: ", worlds=["arena", world])

    def test_areas(self):
        self.check("areas: must be an array", areas=[])
        self.check("areas: must be an array", areas=[[0, 0, 1, 1]] * 17)
        for area in ([0, 0, 1], [1, 0, 0, 1], ["0", 0, 1, 1], 3, [0, 0, 1, 1e300]):
            self.check(r"areas\[0\]: must be \[x0", areas=[area])

    def test_limits(self):
        self.check("limits: must be an object", limits=[1])
        self.check("no limit of a session is called 'worlds'", limits={"worlds": 1})
        for value in (0, -1, 1.5, "3", None):
            self.check("subscriptions_per_connection must be a whole number",
                       limits={"subscriptions_per_connection": value})


class Expiry(TokenTest):
    OPTIONS = ["--limit", "token_ms=1500"]

    def test_session_ends_with_its_token(self):
        client = self.connect(SECRET.sign(claims(seconds=SHORT_SECONDS)))
        secret = self.hello["resume"]
        self.assertEqual(self.farewell(client), ("unauthenticated", "the token has expired"))
        self.refused("not_found", "no such session", self.connect(), "hello", resume=secret)

    def test_new_token_prolongs(self):
        client = self.connect(SECRET.sign(claims(seconds=SHORT_SECONDS)))
        again = client.call("hello", token=PAIR.sign(claims(seconds=600)))
        self.assertEqual(again["session"], self.hello["session"])
        self.await_expiry()
        client.call("world.list")

    def test_new_token_of_another_subject_is_refused(self):
        client = self.connect(SECRET.sign(claims("ada")))
        self.refused("permission_denied", "its sub differs", client, "hello", token=SECRET.sign(claims("eve", "admin")))
        self.assertEqual(client.call("hello")["subject"], "ada")

    def test_new_token_changes_role_and_ends_what_it_does_not_allow(self):
        admin = self.connect(SECRET.sign(claims("root", "admin")))
        for world in ("red", "blue"):
            admin.call("world.create", world=world)
        client = self.connect(SECRET.sign(claims("ada", "player")))
        kept = client.call("world.subscribe", world="red")["subscription"]
        lost = client.call("world.subscribe", world="blue")["subscription"]
        self.assertEqual(client.call("hello", token=SECRET.sign(claims("ada", worlds=["red"])))["role"], "viewer")
        told = client.read_until(lambda: [n[1][0] for n in client.notifications if n[0] == "world_closed"])
        self.assertEqual([(t["subscription"], t["code"]) for t in told], [(lost, "permission_denied")])
        client.notifications.clear()
        client.read_until(lambda: [s for s in client.snapshots() if s["subscription"] == kept])
        self.refused("permission_denied", "needs the role player", client, "body.spawn", world="red", shapes=[])
        self.refused("permission_denied", "world 'blue' is none", client, "world.info", world="blue")
        for world in ("red", "blue"):
            admin.call("world.destroy", world=world)

    def test_connection_without_a_token_is_closed(self):
        client = self.connect()
        client.call("ping")
        self.assertEqual(self.farewell(client), ("limit_exceeded", "no token within token_ms"))


class WhileAsked(TokenTest):
    """A token that arrives while the session's request is being answered, on a server without other requests."""

    def test_answer_of_world_list_is_what_the_new_token_may_see(self):
        admin = self.connect(SECRET.sign(claims("root", "admin")))
        admin.call("world.create", world="field")
        everywhere, within = claims("ada", "player"), claims("ada", "player", areas=[[0, 0, 1, 1]])
        client = self.connect(SECRET.sign(everywhere))
        for became, confined in ((within, True), (everywhere, False)):
            asked, said = client.last_id + 1, client.last_id + 2
            client.last_id = said
            client.send(msgpack.packb([0, asked, "world.list", [{}]])
                        + msgpack.packb([0, said, "hello", [{"token": SECRET.sign(became)}]]))
            client.answer(said)
            row, = client.answer(asked)
            self.assertEqual("bodies" not in row, confined)


class Batches(TokenTest):
    """Batches for a later tick are checked against the rights of their session at that tick."""

    def setUp(self):
        self.admin = self.connect(SECRET.sign(claims("root", "admin")))
        self.admin.call("world.create", world="later", paused=True)
        self.addCleanup(self.admin.call, "world.destroy", world="later")

    def player(self, seconds=600):
        player = self.connect(SECRET.sign(claims("ada", "player", seconds)))
        player.batch = player.request("world.apply", world="later", at=5, commands=[["body.spawn", {"shapes": [BALL]}]])
        player.call("world.info", world="later")
        return player

    def acted(self):
        self.admin.call("world.step", world="later", ticks=6)
        return self.admin.call("world.info", world="later")["bodies"]

    def test_kick_ends_them(self):
        for connected in (True, False):
            player = self.player()
            if not connected:
                player.socket.close()
                self.eventually(lambda: self.admin.call("server.stats")["counters"]["sessions_detached"])
            self.admin.call("server.kick", session=self.hello["session"])
            self.assertEqual(self.acted(), 0)
            self.admin.call("world.destroy", world="later")
            self.admin.call("world.create", world="later", paused=True)

    def test_expiry_ends_them(self):
        player = self.player(SHORT_SECONDS)
        self.assertEqual(self.farewell(player)[0], "unauthenticated")
        self.assertEqual(self.acted(), 0)

    def test_expiry_ends_those_of_a_session_that_said_goodbye(self):
        player = self.player(SHORT_SECONDS)
        player.call("goodbye")
        player.socket.close()
        self.await_expiry()
        self.assertEqual(self.acted(), 0)

    def test_goodbye_leaves_them(self):
        player = self.player()
        player.call("goodbye")
        player.socket.close()
        self.assertEqual(self.acted(), 1)

    def test_loss_of_the_connection_leaves_them(self):
        player = self.player()
        player.socket.close()
        again = self.connect()
        self.assertEqual(again.call("hello", resume=self.hello["resume"])["pending"], [player.batch])
        self.assertEqual(self.acted(), 1)
        self.assertEqual(again.answer(player.batch)["tick"], 5)

    def test_lesser_token_ends_them_and_says_so(self):
        for more in ({"role": "viewer"}, {"role": "player", "worlds": ["other"]}, {"role": "player", "areas": [[0, 0, 1, 1]]}):
            player = self.player()
            player.call("hello", token=SECRET.sign(claims("ada", **more)))
            self.assertEqual(self.acted(), 0)
            with self.assertRaisesRegex(RemoteError, "permission_denied: at: the rights of its session ended before that tick"):
                player.answer(player.batch)
            self.admin.call("world.destroy", world="later")
            self.admin.call("world.create", world="later", paused=True)

    def test_token_that_prolongs_keeps_them(self):
        player = self.player(SHORT_SECONDS)
        player.call("hello", token=PAIR.sign(claims("ada", "player")))
        self.await_expiry()
        self.assertEqual(self.acted(), 1)
        self.assertEqual(player.answer(player.batch)["tick"], 5)

    def stepping(self, seconds=600):
        """A referee whose step of many ticks is under way, and a player whose spawn waits behind it."""
        referee = self.connect(SECRET.sign(claims("bob", "referee", seconds)))
        referee.number = self.hello["session"]
        referee.step = referee.request("world.step", world="later", ticks=100_000)
        player = self.connect(SECRET.sign(claims("ada", "player")))
        player.number = self.hello["session"]
        self.eventually(self.tick)
        player.spawn = player.request("body.spawn", world="later", shapes=[BALL])
        player.call("ping")
        return referee, player

    def tick(self):
        return next(info["tick"] for info in self.admin.call("world.list") if info["world"] == "later")

    def slow(self):
        """Gives the world bodies that touch for ever: a hundred thousand ticks take minutes."""
        self.admin.call("world.apply", world="later", commands=[["body.spawn", {"position": [0.9 * (i % 20), 0.9 * (i // 20)], "gravity_scale": 0,
            "allow_sleep": False, "shapes": [{"kind": "box", "size": [1, 1]}]}] for i in range(400)])

    def test_what_waits_behind_a_step_ends_with_its_sender(self):
        self.slow()
        referee, player = self.stepping()
        self.admin.call("server.kick", session=player.number)
        self.admin.call("server.kick", session=referee.number)
        info = self.admin.call("world.info", world="later")
        self.assertLess(info["tick"], 100_000)
        self.assertEqual(info["bodies"], 400)
        self.assertEqual(self.admin.call("world.step", world="later")["tick"], info["tick"] + 1)

    def test_step_under_way_ends_with_rights(self):
        self.slow()
        for end in ("lesser token", "expiry"):
            referee, player = self.stepping(600 if end != "expiry" else SHORT_SECONDS)
            if end != "expiry":
                referee.call("hello", token=SECRET.sign(claims("bob", "player")))
                with self.assertRaisesRegex(RemoteError, "permission_denied: the rights of its session ended before the last step"):
                    referee.answer(referee.step)
            else:
                self.assertEqual(self.farewell(referee)[0], "unauthenticated")
            self.assertLess(player.answer(player.spawn)["tick"], 100_000)

    def test_step_under_way_goes_on_with_a_token_that_prolongs(self):
        referee, player = self.stepping(SHORT_SECONDS)
        referee.call("hello", token=SECRET.sign(claims("bob", "referee")))
        self.await_expiry()
        self.assertEqual(referee.answer(referee.step)["tick"], 100_000)
        self.assertEqual(player.answer(player.spawn)["tick"], 100_000)

    def test_place_of_one_that_waits_for_hours_is_given_back(self):
        self.admin.call("world.create", world="runs", hz=240)
        player = self.connect(SECRET.sign(claims("ada", "player")))
        waits = player.request("world.apply", world="runs", at=200000, commands=[["body.spawn", {"shapes": [BALL]}]])
        player.call("hello", token=SECRET.sign(claims("ada", "viewer")))
        with self.assertRaisesRegex(RemoteError, "permission_denied: at: the rights"):
            player.answer(waits)
        self.admin.call("world.destroy", world="runs")


class Resume(TokenTest):
    def test_role_and_subject_go_on(self):
        client = self.connect(SECRET.sign(claims("ada", "player")))
        first = self.hello
        client.socket.close()
        again = self.connect().call("hello", resume=first["resume"])
        self.assertEqual([again[k] for k in ("session", "role", "subject", "expires")],
                         [first[k] for k in ("session", "role", "subject", "expires")])

    def test_token_of_another_subject_does_not_resume(self):
        client = self.connect(SECRET.sign(claims("ada", "player")))
        secret = self.hello["resume"]
        thief = self.connect()
        self.refused("permission_denied", "its sub differs", thief, "hello", resume=secret,
                     token=SECRET.sign(claims("eve", "player")))
        self.assertEqual(client.call("hello")["subject"], "ada")

    def test_expired_session_needs_a_new_token(self):
        client = self.connect(SECRET.sign(claims("ada", seconds=SHORT_SECONDS)))
        first = self.hello
        client.socket.close()
        self.await_expiry()
        late = self.connect()
        self.refused("unauthenticated", "token has expired", late, "hello", resume=first["resume"])
        again = late.call("hello", resume=first["resume"], token=SECRET.sign(claims("ada")))
        self.assertEqual((again["session"], again["role"]), (first["session"], "viewer"))

    def test_stranger_is_not_kept(self):
        stranger = self.connect()
        self.assertEqual(stranger.call("hello")["resume"], "")
        number = stranger.call("hello")["session"]
        stranger.socket.close()
        admin = self.connect(SECRET.sign(claims("root", "admin")))
        self.eventually(lambda: number not in [s["session"] for s in admin.call("server.sessions")["sessions"]])
        late = self.connect()
        late.call("hello")
        self.assertNotEqual(late.call("hello", token=SECRET.sign(claims("ada")))["resume"], "")

    def test_resume_by_a_crowd_leaves_one(self):
        self.connect(SECRET.sign(claims("ada", "player")))
        secret, session = self.hello["resume"], self.hello["session"]
        crowd = [self.connect() for _ in range(CROWD)]
        ids = [client.request("hello", resume=secret) for client in crowd]
        outcomes = [self.outcome(client, request) for client, request in zip(crowd, ids)]
        self.assertEqual({o["session"] for o in outcomes if o is not None}, {session})
        holders = [c for c in crowd if (self.outcome(c, None) or {}).get("role") == "player"]
        self.assertEqual(len(holders), 1)

    @staticmethod
    def outcome(client, request):
        """Returns the answer to hello; None if the connection is over."""
        try:
            return client.answer(request if request is not None else client.request("hello"))
        except (RemoteError, Closed, ConnectionError):
            return None

    def test_guessed_secret(self):
        self.connect(SECRET.sign(claims("ada", "admin")))
        slot, number, secret = self.hello["resume"].split(".")
        guesser = self.connect()
        for guess in (f"{slot}.{number}.{'0' * 64}", f"{slot}.{number}.{secret[:-1]}0x", f"{slot}.{number}.",
                      f"{slot}.{number}", "../../x", secret):
            if guess != self.hello["resume"]:
                self.refused("not_found", "no such session", guesser, "hello", resume=guess)


class Crowded(TokenTest):
    OPTIONS = ["--limit", "detached_sessions=3"]

    def lose(self, subject):
        client = self.connect(SECRET.sign(claims(subject, "player")))
        greeting = self.hello
        number = greeting["session"]
        client.socket.close()
        admin = self.connect(SECRET.sign(claims("root", "admin")))
        self.eventually(lambda: number not in [
            s["session"] for s in admin.call("server.sessions")["sessions"] if s["connected"]])
        return greeting["resume"]

    def test_subject_with_most_detached_sessions_gives_way(self):
        first = self.lose("ada")
        crowd = [self.lose("eve") for _ in range(6)]
        self.assertEqual(self.connect().call("hello", resume=first)["subject"], "ada")
        self.refused("not_found", "no such session", self.connect(), "hello", resume=crowd[0])
        self.assertEqual(self.connect().call("hello", resume=crowd[5])["subject"], "eve")


class Rotation(TokenTest):
    def setUp(self):
        write_keys(self.keys, SECRET, PAIR)
        self.reload("2 keys were read")

    def reload(self, expected):
        before = len(self.server.log)
        self.server.process.send_signal(signal.SIGHUP)
        self.eventually(lambda: [line for line in self.server.log[before:] if expected in line])

    def test_new_key_is_taken_and_nobody_is_lost(self):
        new = Ed25519("new")
        client = self.connect(SECRET.sign(claims("ada", "player")))
        self.refused_token("no key has the kid 'new'", new.sign(claims()))
        write_keys(self.keys, SECRET, new)
        self.reload("2 keys were read")
        client.call("world.list")
        client.call("hello", token=new.sign(claims("ada", "player")))  # before its old key is removed
        write_keys(self.keys, new)
        self.reload("1 key was read")
        self.connect(new.sign(claims()))
        self.refused_token("no key has the kid 'secret'", SECRET.sign(claims()))
        client.call("world.list")

    def test_key_that_is_removed_or_changed_ends_its_sessions(self):
        admin = self.connect(PAIR.sign(claims("root", "admin")))
        admin.call("world.create", world="keys", paused=True)
        for kept in ([PAIR], [PAIR, Secret(SECRET.kid)]):  # the same kid with another secret
            write_keys(self.keys, SECRET, PAIR)
            self.reload("2 keys were read")
            client = self.connect(SECRET.sign(claims("ada", "player")))
            client.request("world.apply", world="keys", at=5, commands=[["body.spawn", {"shapes": [BALL]}]])
            client.call("world.info", world="keys")
            away = self.connect(SECRET.sign(claims("eve", "player")))
            secret = self.hello["resume"]
            away.socket.close()
            self.eventually(lambda: admin.call("server.stats")["counters"]["sessions_detached"])
            write_keys(self.keys, *kept)
            self.reload("were read" if len(kept) > 1 else "was read")
            self.assertEqual(self.farewell(client), ("unauthenticated", "the key of the session's token was removed"))
            self.refused("not_found", "no such session", self.connect(), "hello", resume=secret)
        admin.call("world.step", world="keys", ticks=6)
        self.assertEqual(admin.call("world.info", world="keys")["bodies"], 0)
        admin.call("world.destroy", world="keys")

    def test_key_that_is_removed_ends_thousands_of_sessions_over_many_turns(self):
        admin = self.connect(PAIR.sign(claims("root", "admin")))
        def sessions():
            return admin.call("server.sessions", count=1)["total"]
        before, secrets = sessions(), []
        for first in range(0, 3000, 100):
            clients = [Client(self.server.port) for _ in range(100)]
            for i, client in enumerate(clients):
                client.request("hello", token=SECRET.sign(claims(f"one-{first + i}", "player")))
            for client in clients:
                secrets.append(client.answer(1)["resume"])
                client.socket.close()
        self.assertEqual(sessions(), before + 3000)
        cut = admin.call("server.stats")["counters"]["network_turns_cut"]
        write_keys(self.keys, PAIR)
        self.reload("1 key was read")
        tried = secrets[::300] + secrets[-1:]
        for secret in tried:  # whether their turn has come or not
            self.refused("not_found", "no such session", self.connect(), "hello", resume=secret)
        self.eventually(lambda: sessions() <= before + len(tried))
        self.assertGreater(admin.call("server.stats")["counters"]["network_turns_cut"], cut)

    def test_session_whose_connection_is_closing_is_not_forgotten(self):
        admin = self.connect(PAIR.sign(claims("root", "admin")))
        process = self.server.process
        for end in ("kick", "key"):
            client = self.connect(SECRET.sign(claims("eve", "player")))
            secret, number = self.hello["resume"], self.hello["session"]
            process.send_signal(signal.SIGSTOP)  # it meets the client's end and the other in one turn
            os.waitpid(process.pid, os.WUNTRACED)
            client.socket.close()
            if end == "kick":
                kick = admin.request("server.kick", session=number, reason="enough")
                process.send_signal(signal.SIGCONT)
                admin.answer(kick)
            else:
                write_keys(self.keys, PAIR)
                before = len(self.server.log)
                process.send_signal(signal.SIGHUP)
                process.send_signal(signal.SIGCONT)
                self.eventually(lambda: [line for line in self.server.log[before:] if "1 key was read" in line])
            self.refused("not_found", "no such session", self.connect(), "hello", resume=secret)

    def test_key_that_is_removed_ends_batches_of_sessions_that_said_goodbye(self):
        admin = self.connect(PAIR.sign(claims("root", "admin")))
        admin.call("world.create", world="left", paused=True)
        new = Secret("new")
        write_keys(self.keys, SECRET, new, PAIR)
        self.reload("3 keys were read")
        left = []
        for signs in (SECRET, new):
            client = self.connect(SECRET.sign(claims("ada", "player")))
            left.append(client)
            client.request("world.apply", world="left", at=5, commands=[["body.spawn", {"shapes": [BALL]}]])
            client.call("world.info", world="left")
            if signs is not SECRET:
                client.call("hello", token=signs.sign(claims("ada", "player")))  # the batch rests on the new key from here on
            client.call("goodbye")
        write_keys(self.keys, new, PAIR)
        self.reload("2 keys were read")
        self.assertEqual(self.farewell(left[0]), ("unauthenticated", "the key of the session's token was removed"))
        left[1].call("ping")  # both had stayed connected
        admin.call("world.step", world="left", ticks=6)
        self.assertEqual(admin.call("world.info", world="left")["bodies"], 1)
        admin.call("world.destroy", world="left")

    def test_bad_file_does_not_replace_a_good_one(self):
        for text in ("", "{", "[]", '{"keys": []}', '{"keys": [{"kty": "oct", "kid": "a", "k": "c2hvcnQ"}]}',
                     '{"keys": [{"kty": "oct", "kid": "a", "k": "%s"}]}' % b64(b"very secret indeed " * 40),
                     json.dumps({"keys": [SECRET.jwk(), SECRET.jwk()]}), " " * 300000):
            with self.subTest(text[:60]):
                Path(self.keys).write_text(text, encoding="utf-8")
                self.reload("keeping the old keys")
                self.connect(SECRET.sign(claims()))
        os.unlink(self.keys)
        self.reload("keeping the old keys")
        self.connect(SECRET.sign(claims()))
        self.assertNotIn("very secret", "".join(self.server.log))
        self.assertNotIn(b64(b"very secret indeed ")[:20], "".join(self.server.log))


class Start(unittest.TestCase):
    def run_caromd(self, *options, **environment):
        return subprocess.run([CAROMD, *options], env={**os.environ, **environment}, capture_output=True, text=True,
                              timeout=SECONDS_MAX, check=False)

    def test_without_keys_other_addresses_are_refused(self):
        for address in ("0.0.0.0:0", "[::]:0"):
            done = self.run_caromd("--listen", address)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "anyone who reaches .* could do everything: give --keys FILE")

    def test_insecure_serves_them_all_the_same(self):
        for options, environment in ((["--insecure"], {}), ([], {"CAROM_INSECURE": "1"})):
            process = subprocess.Popen([CAROMD, "--listen", "0.0.0.0:0", *options], stderr=subprocess.PIPE,
                                       env={**os.environ, **environment}, text=True)
            for line in process.stderr:
                if "listening on" in line:
                    break
            else:
                self.fail("it did not listen")
            with Client(int(line.rsplit(":", 1)[1])) as client:
                self.assertEqual(client.call("hello")["role"], "admin")
            process.terminate()
            self.assertEqual(process.wait(SECONDS_MAX), 0)
            process.stderr.close()

    def test_switch_of_the_environment_is_0_or_1(self):
        self.assertEqual(self.run_caromd("--listen", "0.0.0.0:0", CAROM_INSECURE="0").returncode, 1)
        done = self.run_caromd(CAROM_INSECURE="yes")
        self.assertEqual(done.returncode, 2)
        self.assertIn("CAROM_INSECURE: must be 0 or 1", done.stderr)

    def test_keys_that_cannot_be_read_are_no_start(self):
        for path in ("/nowhere/keys.json", "/", "/dev/zero"):
            done = self.run_caromd("--listen", "127.0.0.1:0", "--keys", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(path, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
