#!/usr/bin/env python3
"""Relays: worlds of another server, served here to those who watch them. Called with the path of caromd."""

import json
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from relay_case import RelayTest, spawn  # noqa: E402
from tokens import Secret  # noqa: E402
from wire_case import BALL, CAROMD  # noqa: E402

REFUSED = "this server is a relay: worlds are served here for watching alone"


class Watching(RelayTest):
    def setUp(self):
        self.origin = self.start("--world", "lab:pyramid")
        self.relay(self.origin.port)
        self.near, self.far = self.connect(), self.client_of(self.origin)
        self.listed(self.near)

    def test_world_of_a_relay_has_the_bits_of_its_origin(self):
        self.follow_hashes(self.near)
        self.follow_hashes(self.far)
        self.compare(self.near, self.far, 10)
        bodies = [spawn(self.far, x * 2.0, velocity=[x, -1.0]) for x in range(8)]
        joint = self.far.call("joint.create", world="lab", kind="distance", a=bodies[0], b=bodies[1])["joint"]
        self.far.call("world.apply", world="lab", commands=[
            ["body.set", {"body": bodies[2], "position": [3.5, 40.25], "velocity": [0.1, 0.7]}],
            ["body.remove", {"body": bodies[3]}]])
        self.far.call("world.set", world="lab", gravity=[0.5, -7.25])
        self.compare(self.near, self.far, 10)
        self.far.call("joint.remove", world="lab", joint=joint)
        self.far.call("world.pause", world="lab")
        info = self.equal_when_paused(self.near, self.far)
        self.assertEqual((info["relay_of"], info["lag"]), (f"127.0.0.1:{self.origin.port}", 0))
        self.assertNotIn("relay_of", self.far.call("world.info", world="lab"))
        self.assertEqual(self.near.call("body.get", world="lab", body=bodies[2])["position"],
                         self.far.call("body.get", world="lab", body=bodies[2])["position"])
        self.assertEqual(self.stats(self.near, "relay_faults"), 0)

    def test_time_of_the_origin_is_the_time_of_the_relay(self):
        """Pauses, single steps, commands to a paused world, and going on."""
        self.near.call("world.subscribe", world="lab")
        self.far.call("world.pause", world="lab")
        self.equal_when_paused(self.near, self.far)
        spawn(self.far, 1.0)
        self.equal_when_paused(self.near, self.far)
        self.far.call("world.step", world="lab", ticks=7)
        self.equal_when_paused(self.near, self.far)
        self.far.call("world.resume", world="lab")
        self.eventually(lambda: not self.near.call("world.info", world="lab")["paused"])
        self.far.call("world.pause", world="lab")
        self.equal_when_paused(self.near, self.far)

    def test_new_watcher_of_a_paused_world_gets_it_at_once(self):
        self.far.call("world.pause", world="lab")
        self.near.call("world.subscribe", world="lab")
        first = self.near.read_until(lambda: self.near.snapshots())[0]
        self.assertTrue(first["full"])
        self.equal_when_paused(self.near, self.far)

    def test_snapshots_events_data_and_messages_come_as_at_the_origin(self):
        made = {}
        for client in (self.near, self.far):
            client.call("world.subscribe", world="lab", events=["spawn", "remove", "message"], data=True)
        self.near.read_until(lambda: self.near.snapshots())
        body = spawn(self.far, 5.0)
        self.far.call("data.set", world="lab", key="score/red", value={"points": 3})
        self.far.call("message.send", world="lab", name="goal", data=[1, 2])
        self.far.call("body.remove", world="lab", body=body)
        for name, client in (("near", self.near), ("far", self.far)):
            client.read_until(lambda c=client: c.events("message") and c.events("remove"))
            data = {}
            for snapshot in client.snapshots():
                data.update(snapshot.get("data", {}))
            made[name] = ([(e["tick"], e["a"]) for kind in ("spawn", "remove") for e in client.events(kind)],
                          [(e["tick"], e["name"], e["data"]) for e in client.events("message")], data)
        self.assertEqual(made["near"], made["far"])
        self.assertEqual(made["near"][2], {"score/red": {"points": 3}})
        self.assertEqual([a for _, a in made["near"][0]], [body, body])

    def test_queries_are_answered_at_the_relay(self):
        self.far.call("world.pause", world="lab")
        self.equal_when_paused(self.near, self.far)
        ray = {"world": "lab", "from": [-30.0, 3.0], "to": [30.0, 3.0]}
        hits = self.near.call("query.ray", **ray)
        self.assertEqual(hits, self.far.call("query.ray", **ray))
        self.assertTrue(hits)
        self.assertEqual(self.near.call("world.image", world="lab"), self.far.call("world.image", world="lab"))

    def test_commands_are_refused(self):
        calls = [("body.spawn", {"shapes": [BALL]}), ("world.apply", {"commands": []}), ("world.pause", {}),
                 ("world.step", {}), ("world.resume", {}), ("world.set", {"gravity": [0, 0]}), ("world.destroy", {}),
                 ("world.create", {}), ("world.fork", {"as": "other"}), ("world.join", {"template": "t"}), ("world.leave", {}),
                 ("data.set", {"key": "a", "value": 1}), ("message.send", {"name": "hi"})]
        for method, arguments in calls:
            self.refused("permission_denied", REFUSED, self.near, method, world="lab", **arguments)
        self.near.notify("body.spawn", world="lab", shapes=[BALL])
        self.far.call("world.pause", world="lab")
        self.equal_when_paused(self.near, self.far)

    def test_many_watchers_cost_the_origin_one_log(self):
        watchers = [self.connect() for _ in range(20)]
        for client in watchers:
            client.call("world.subscribe", world="lab", encoding="packed")
        for client in watchers:
            client.read_until(lambda c=client: len([m for m, _ in c.notifications if m in ("packed", "snapshot")]) >= 3)
        self.assertEqual(self.far.call("world.info", world="lab")["subscribers"], 1)
        self.assertEqual(self.near.call("world.info", world="lab")["subscribers"], 20)


class Tree(RelayTest):
    def test_relay_of_a_relay_has_the_bits_of_the_origin(self):
        origin = self.start("--world", "lab:pyramid")
        middle = self.relay(origin.port)
        self.relay(middle.port)
        near, far = self.connect(), self.client_of(origin)
        self.listed(near)
        self.follow_hashes(near)
        self.follow_hashes(far)
        self.compare(near, far, 5)
        spawn(far, 2.0, velocity=[3.0, 0.0])
        far.call("data.set", world="lab", key="k", value=[1])
        self.compare(near, far, 5)
        far.call("world.pause", world="lab")
        spawn(far, 7.0)
        far.call("world.step", world="lab", ticks=3)
        info = self.equal_when_paused(near, far)
        self.assertEqual(info["relay_of"], f"127.0.0.1:{middle.port}")
        far.call("world.destroy", world="lab")
        near.read_until(lambda: [p for m, p in near.notifications if m == "world_closed"])


class Rights(RelayTest):
    def keys(self, folder, name):
        secret = Secret(name)
        path = Path(folder) / f"{name}.json"
        path.write_text(json.dumps({"keys": [secret.jwk()]}), encoding="ascii")
        return secret, str(path)

    def test_relay_brings_its_token_and_asks_for_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            far_key, far_keys = self.keys(folder, "far")
            near_key, near_keys = self.keys(folder, "near")
            soon = time.time() + 3600
            token = Path(folder) / "token"
            token.write_text(far_key.sign({"sub": "relay", "role": "viewer", "exp": soon}) + "\n", encoding="ascii")
            origin = self.start("--world", "lab", "--keys", far_keys)
            self.relay(origin.port, "--relay-token", str(token), "--keys", near_keys)
            near = self.connect()
            self.refused("unauthenticated", "", near, "world.list")
            near.call("hello", token=near_key.sign({"sub": "fan", "role": "viewer", "worlds": ["lab"], "exp": soon}))
            self.listed(near)
            near.call("world.subscribe", world="lab")
            near.read_until(lambda: near.snapshots())
            other = self.connect()
            other.call("hello", token=near_key.sign({"sub": "fan", "role": "viewer", "worlds": ["x"], "exp": soon}))
            self.assertEqual(other.call("world.list"), [])
            self.refused("permission_denied", "", other, "world.subscribe", world="lab")

    def test_token_that_the_upstream_refuses_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            far_key, far_keys = self.keys(folder, "far")
            wrong, _ = self.keys(folder, "wrong")
            token = Path(folder) / "token"
            soon = time.time() + 3600
            token.write_text(wrong.sign({"sub": "relay", "role": "viewer", "exp": soon}), encoding="ascii")
            origin = self.start("--world", "lab", "--keys", far_keys)
            self.relay(origin.port, "--relay-token", str(token))
            self.server.await_log("hello: ")
            near = self.connect()
            self.refused("unavailable", "does not answer", near, "world.subscribe", world="lab")
            token.write_text(far_key.sign({"sub": "relay", "role": "viewer", "exp": soon}), encoding="ascii")
            self.listed(near)  # the file is read again

    def test_commands_are_sent_to_the_origin_where_it_is_named(self):
        origin = self.start("--world", "lab")
        self.relay(origin.port, "--relay-origin", f"127.0.0.1:{origin.port}")
        near = self.connect()
        self.listed(near)
        text = self.refused("moved", "world 'lab' is served there", near, "body.spawn", world="lab", shapes=[BALL])
        self.assertEqual(text.split()[1], f"127.0.0.1:{origin.port}")
        near.call("world.subscribe", world="lab")
        near.read_until(lambda: near.snapshots())


class Options(RelayTest):
    def ends(self, text, *options):
        with self.assertRaises(RuntimeError) as caught:
            Caromd(CAROMD, *options)
        self.assertIn(text, str(caught.exception))

    def test_options_that_do_not_go_together_are_refused(self):
        relay = ["--relay", "127.0.0.1:1"]
        self.ends("relay: 'nowhere' is not HOST:PORT", "--relay", "nowhere")
        self.ends("--world: not with --relay: a relay serves another server's worlds alone", *relay, "--world", "a")
        with tempfile.TemporaryDirectory() as folder:
            self.ends("--data: not with --relay", *relay, "--data", folder)
            empty = Path(folder) / "empty"
            empty.write_text("", encoding="ascii")
            self.ends("must have a token alone: 1 to", *relay, "--relay-token", str(empty))
            self.ends("No such file", *relay, "--relay-token", str(Path(folder) / "none"))
        self.ends("--relay-token: needs --relay, too", "--relay-token", "x")
        self.ends("--relay-origin: needs --relay, too", "--relay-origin", "127.0.0.1:1")
        self.ends("--relay-origin: 'x' is not HOST:PORT", *relay, "--relay-origin", "x")
        self.ends("'127.0.0.1:1' is named twice", *relay, *relay)
        two = [*relay, "--relay", "127.0.0.1:2"]
        self.ends("--relay-origin: given 1 times, and --relay 2: one for each, in their order", *two,
                  "--relay-origin", "127.0.0.1:1")
        self.ends("--relay-origin-http: needs --relay-origin, too", *relay, "--relay-origin-http", "127.0.0.1:1")
        self.ends("at most 64 may be given", *(word for i in range(65) for word in ("--relay", f"h:{i + 1}")))
        self.ends("--relay-ca: needs --relay, too", "--relay-ca", "x")
        self.ends("--relay-ca: '/absent' holds no certificates in PEM, or cannot be read", *relay, "--relay-ca", "/absent")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
