#!/usr/bin/env python3
"""Guests: sessions without a token (--guests). Called with the path of caromd."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402
from wire_case import BALL, CAROMD, WireTest  # noqa: E402

SECRET = Secret()


class GuestTest(WireTest):
    OPTIONS = []

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.keys = os.path.join(self.folder, "keys.json")
        write_keys(self.keys, SECRET)

    def start(self, *options):
        self.server = Caromd(CAROMD, *options)
        self.addCleanup(self.server.__exit__)

    def hello(self, **how):
        client = self.connect()
        return client, client.call("hello", **how)

    def admin(self):
        return self.hello(token=SECRET.sign(claims("root", "admin")))[0]


class Guests(GuestTest):
    def test_each_guest_has_its_role_and_a_subject_of_its_own(self):
        self.start("--keys", self.keys, "--guests", "player")
        self.admin().call("world.create", world="arena", gravity=[0, 0])
        one, first = self.hello()
        two, second = self.hello()
        for hello in first, second:
            self.assertEqual(hello["role"], "player")
            self.assertRegex(hello["subject"], r"^guest-[0-9a-f]{32}$")
            self.assertNotIn("expires", hello)
        self.assertNotEqual(first["subject"], second["subject"])
        self.assertEqual(one.call("hello")["subject"], first["subject"], "a second hello changes nothing")
        body = one.call("body.spawn", world="arena", shapes=[BALL])["body"]
        self.assertEqual(one.call("body.get", world="arena", body=body)["owner"], first["subject"])
        self.refused("permission_denied", "", two, "body.remove", world="arena", body=body)
        one.call("data.set", world="arena", key=f"player/{first['subject']}/name", value="Ada")
        self.refused("permission_denied", "player/guest-", two, "data.set", world="arena",
                     key=f"player/{first['subject']}/name", value="Bob")
        self.refused("permission_denied", "role admin", one, "world.create", world="mine")
        two.call("world.subscribe", world="arena", events=["message"])
        one.call("message.send", world="arena", name="hi", to=second["subject"])
        two.read_until(lambda: two.events("message"))
        self.assertEqual(two.events("message")[0]["subject"], first["subject"])

    def test_guest_viewer_changes_nothing(self):
        self.start("--keys", self.keys, "--guests", "viewer")
        self.admin().call("world.create", world="arena")
        guest, hello = self.hello()
        self.assertEqual(hello["role"], "viewer")
        guest.call("world.info", world="arena")
        self.refused("permission_denied", "role player", guest, "body.spawn", world="arena", shapes=[BALL])

    def test_token_still_gives_its_rights_and_a_bad_one_none(self):
        self.start("--keys", self.keys, "--guests", "player")
        self.assertEqual(self.hello(token=SECRET.sign(claims("ada", "referee")))[1]["subject"], "ada")
        client = self.connect()
        self.refused("unauthenticated", "", client, "hello", token="no.token.this")
        silent = self.connect()
        self.refused("unauthenticated", "say hello", silent, "world.list")
        guest, _ = self.hello()
        self.refused("permission_denied", "a guest's: connect again", guest, "hello", token=SECRET.sign(claims("ada", "player")))
        self.assertEqual(guest.call("hello")["role"], "player")

    def test_guest_keeps_its_subject_over_a_lost_connection(self):
        self.start("--keys", self.keys, "--guests", "player")
        guest, hello = self.hello()
        guest.socket.close()
        again, resumed = self.hello(resume=hello["resume"])
        self.assertEqual((resumed["subject"], resumed["role"]), (hello["subject"], "player"))
        self.refused("not_found", "", self.connect(), "hello", resume=hello["resume"][:-1] + "x")

    def test_guest_keeps_its_subject_over_a_restart_if_there_still_are_guests(self):
        data = os.path.join(self.folder, "data")
        self.server = Caromd(CAROMD, "--keys", self.keys, "--guests", "player", "--data", data)
        self.admin().call("world.create", world="arena", gravity=[0, 0])
        guest, hello = self.hello()
        body = guest.call("body.spawn", world="arena", shapes=[BALL])["body"]
        other, second = self.hello()
        self.server.kill()
        self.server = Caromd(CAROMD, "--keys", self.keys, "--guests", "player", "--data", data)
        again, resumed = self.hello(resume=hello["resume"])
        self.assertEqual((resumed["subject"], resumed["role"]), (hello["subject"], "player"))
        again.call("body.set", world="arena", body=body, velocity=[1, 0])
        self.server.kill()
        self.start("--keys", self.keys, "--data", data)
        self.assertEqual(self.hello(resume=second["resume"])[1]["role"], "none")

    def test_without_keys_everyone_is_a_guest_and_nobody_an_admin(self):
        self.start("--guests", "player", "--world", "arena")
        guest, hello = self.hello()
        self.assertEqual(hello["role"], "player")
        guest.call("body.spawn", world="arena", shapes=[BALL])
        self.refused("permission_denied", "role admin", guest, "world.destroy", world="arena")

    def test_bad_role_is_refused_at_the_start(self):
        for role in "admin", "referee", "none", "", "Player":
            ended = subprocess.run([CAROMD, "--check-config", "--guests", role], capture_output=True, text=True, timeout=SECONDS_MAX)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("must be viewer or player", ended.stderr)

    def test_guests_make_other_addresses_safe(self):
        for options, allowed in (["--guests", "viewer"], True), ([], False):
            ended = subprocess.run([CAROMD, "--check-config", "--listen", "0.0.0.0:0", "--http", "off", *options], capture_output=True,
                                   text=True, timeout=SECONDS_MAX)
            self.assertEqual(ended.returncode == 0, allowed, ended.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
