#!/usr/bin/env python3
"""The methods that each role may call, alone and inside world.apply; worlds and areas of tokens.
Called with the path of caromd."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "proto")]
from generate import schema  # noqa: E402
from keyed_case import SECRET, KeyedTest  # noqa: E402
from tokens import claims  # noqa: E402
from wire import Client, RemoteError  # noqa: E402

BALL = {"kind": "circle", "radius": 0.5}
ROLES = ["none", "viewer", "player", "referee", "admin"]

# The least role of each method, repeated here to detect slips in proto/schema.
LEAST = {
    "none": "hello ping goodbye",
    "viewer": "server.info server.stats world.list world.info world.state world.contacts world.subscribe "
              "world.unsubscribe world.view body.get joint.get joint.list query.ray query.overlap query.cast "
              "query.nearest data.get",
    "player": "world.apply body.spawn body.remove body.set body.impulse body.angular_impulse body.force body.torque "
              "shape.add shape.set shape.remove joint.create joint.set joint.remove data.set data.remove message.send "
              "world.join world.leave",
    "referee": "world.pause world.resume world.step world.set",
    "admin": "server.sessions server.kick server.fleet world.create world.destroy world.fork world.image world.move",
}
ROLE_OF = {method: role for role, methods in LEAST.items() for method in methods.split()}

# Arguments with which a command of world.apply can be decoded.
BATCH = {
    "world.set": {"gravity": [0, 0]}, "body.spawn": {"shapes": [BALL]}, "body.remove": {"body": 1},
    "body.get": {"body": 1}, "body.set": {"body": 1, "angle": 1}, "body.impulse": {"body": 1, "impulse": [0, 0]},
    "body.angular_impulse": {"body": 1, "impulse": 0}, "body.force": {"body": 1, "force": [0, 0]},
    "body.torque": {"body": 1, "torque": 0}, "shape.add": {"body": 1, "shape": BALL},
    "shape.set": {"shape": 1, "friction": 1}, "shape.remove": {"shape": 1},
    "joint.create": {"kind": "weld", "a": 1, "b": 2, "anchor": [0, 0]}, "joint.set": {"joint": 1, "hertz": 1},
    "joint.remove": {"joint": 1}, "joint.get": {"joint": 1},
    "data.set": {"key": "player/ada/k", "value": 1}, "data.remove": {"key": "player/ada/k"}, "data.get": {},
    "message.send": {"name": "chat"},
}


def rows():
    """(method, allowed in a batch) for every method of the schema."""
    return [(method.name, method.batch) for method in schema.load(ROOT / "proto" / "schema", ROOT).methods]


class RightsTest(KeyedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.admin = cls.greet("root", "admin")

    @classmethod
    def tearDownClass(cls):
        cls.admin.socket.close()
        super().tearDownClass()

    def client(self, role, subject="ada", **more):
        client = Client(self.server.port)
        self.addCleanup(client.__exit__)
        if role != "none":
            self.assertEqual(client.call("hello", token=SECRET.sign(claims(subject, role, **more)))["role"], role)
        return client

    def world(self, name, **settings):
        self.admin.call("world.create", world=name, gravity=[0, 0], **settings)
        self.addCleanup(lambda: self.admin.call("world.destroy", world=name))
        return name

    def code(self, client, method, /, **arguments):
        """Calls; returns the error's code, or None."""
        try:
            client.call(method, **arguments)
            return None
        except RemoteError as error:
            return str(error).split(":")[0]

    def refusals(self):
        """The refusals counted by the server, including those of notifications, which get no answer."""
        counters = self.admin.call("server.stats")["counters"]
        return counters["refused_unauthenticated"] + counters["refused_permission"]

    def refused(self, text, client, method, /, **arguments):
        with self.assertRaises(RemoteError) as caught:
            client.call(method, **arguments)
        self.assertRegex(str(caught.exception), f"^permission_denied: .*{text}")


class Roles(RightsTest):
    def test_each_method_has_the_role_that_is_said_here(self):
        self.assertEqual(sorted(name for name, _ in rows()), sorted(ROLE_OF), "a new method? add it to LEAST")
        self.assertEqual(sorted(name for name, batch in rows() if batch), sorted(BATCH))

    def test_each_method_by_each_role(self):
        for method, least in ROLE_OF.items():
            for role in ROLES:
                with self.subTest(method=method, role=role):
                    client = self.client(role)
                    code = self.code(client, method)
                    if ROLES.index(role) >= ROLES.index(least):
                        self.assertNotIn(code, ("permission_denied", "unauthenticated"))
                    else:
                        self.assertEqual(code, "unauthenticated" if role == "none" else "permission_denied")
                    client.socket.close()

    def test_each_method_by_each_role_is_refused_as_a_notification(self):
        for method, least in ROLE_OF.items():
            for role in ROLES:
                with self.subTest(method=method, role=role):
                    client = self.client(role)
                    before = self.refusals()
                    client.notify(method)
                    if method != "goodbye":
                        client.call("ping")
                    allowed = ROLES.index(role) >= ROLES.index(least)
                    self.assertEqual(self.refusals() - before, 0 if allowed else 1)
                    client.socket.close()

    def test_each_command_of_a_batch_by_each_role_is_refused_in_a_notification(self):
        world = self.world("quiet", paused=True)
        for role in ROLES[:-1]:
            client = self.client(role)
            for method, arguments in BATCH.items():
                if ROLES.index(role) < max(ROLES.index(ROLE_OF[m]) for m in (method, "world.apply")):
                    with self.subTest(method=method, role=role):
                        client.notify("world.apply", world=world, commands=[
                            ["body.spawn", {"shapes": [BALL]}], [method, arguments]])
                        client.call("ping")
                        self.assertEqual(self.admin.call("world.info", world=world)["bodies"], 0)

    def test_notification_that_is_refused_changes_nothing(self):
        world = self.world("notified", paused=True)
        body = self.admin.call("body.spawn", world=world, shapes=[BALL])["body"]
        for role in ("none", "viewer"):
            client = self.client(role)
            client.notify("body.remove", world=world, body=body)
            client.notify("world.destroy", world=world)
            client.notify("world.resume", world=world)
            client.call("ping")
        client = self.client("player", subject="root")
        client.notify("world.destroy", world=world)
        client.notify("world.set", world=world, gravity=[1, 1])
        client.call("ping")
        info = self.admin.call("world.info", world=world)
        self.assertEqual((info["bodies"], info["paused"], info["gravity"]), (1, True, [0, 0]))

    def test_each_command_of_a_batch_by_each_role(self):
        world = self.world("batches", paused=True)
        for role in ROLES:
            client = self.client(role)
            for method, arguments in BATCH.items():
                with self.subTest(method=method, role=role):
                    # The command follows an allowed one, so that all commands are checked.
                    code = self.code(client, "world.apply", world=world,
                                     commands=[["body.get", {"body": 10**9}], [method, arguments]])
                    allowed = ROLES.index(role) >= max(ROLES.index(ROLE_OF[m]) for m in (method, "world.apply"))
                    if allowed:
                        self.assertEqual(code, "not_found")
                    else:
                        self.assertEqual(code, "unauthenticated" if role == "none" else "permission_denied")

    def test_batch_that_is_refused_changes_nothing(self):
        world = self.world("nothing", paused=True)
        client = self.client("player")
        self.refused(r"commands\[1\]: world.set needs the role referee", client, "world.apply", world=world,
                     commands=[["body.spawn", {"shapes": [BALL]}], ["world.set", {"gravity": [9, 9]}]])
        self.assertEqual(self.admin.call("world.info", world=world)["bodies"], 0)

    def test_kicked_by_an_admin_alone(self):
        victim = self.client("admin")
        number = victim.call("hello")["session"]
        for role in ("viewer", "player"):
            self.refused("needs the role admin", self.client(role), "server.kick", session=number)
        victim.call("ping")


class Worlds(RightsTest):
    def setUp(self):
        for name in ("arena", "lobby-1", "lobby-2", "secret"):
            self.world(name)

    def test_list_shows_those_of_the_token(self):
        client = self.client("viewer", worlds=["arena", "lobby-*"])
        self.assertEqual([w["world"] for w in client.call("world.list")], ["arena", "lobby-1", "lobby-2"])
        self.assertEqual(self.client("viewer", worlds=[]).call("world.list"), [])
        self.assertEqual(len(self.client("viewer").call("world.list")), 4)

    def test_other_worlds_cannot_be_named(self):
        client = self.client("admin", worlds=["arena", "lobby-*"])
        body = self.admin.call("body.spawn", world="secret", shapes=[BALL])["body"]
        for method, arguments in {
                **BATCH, "world.info": {}, "world.state": {}, "world.contacts": {}, "world.subscribe": {},
                "world.apply": {"commands": []}, "world.pause": {}, "world.resume": {}, "world.step": {},
                "world.destroy": {}, "world.create": {}, "world.image": {}, "world.fork": {"as": "arena-2"}, "joint.list": {}, "query.ray": {"from": [0, 0], "to": [1, 1]},
                "query.overlap": {"point": [0, 0]}, "query.nearest": {"point": [0, 0]},
                "query.cast": {"shape": {"kind": "circle", "radius": 1}, "from": [0, 0], "to": [1, 1]}}.items():
            with self.subTest(method):
                self.refused("world 'secret' is none of those of the token", client, method, world="secret",
                             **arguments)
        self.refused("world 'lobby' is none", client, "world.create", world="lobby")
        self.refused("world 'lobby' is none", client, "world.fork", world="arena", **{"as": "lobby"})
        self.admin.call("body.get", world="secret", body=body)

    def test_own_worlds_can_be_made_and_ended(self):
        client = self.client("admin", worlds=["mine-*"])
        client.call("world.create", world="mine-1")
        client.call("world.destroy", world="mine-1")
        self.refused("world 'mine' is none", client, "world.create", world="mine", if_absent=True)

    def test_notification_that_names_another_world_is_refused_and_changes_nothing(self):
        body = self.admin.call("body.spawn", world="secret", shapes=[BALL])["body"]
        victim = self.client("viewer", subject="eve")
        client = self.client("admin", worlds=["arena"])
        secret = {"world": "secret"}
        sent = [("body.spawn", {**secret, "shapes": [BALL]}), ("body.remove", {**secret, "body": body}),
                ("world.set", {**secret, "gravity": [1, 1]}), ("world.pause", secret), ("world.destroy", secret),
                ("world.apply", {**secret, "commands": [["body.remove", {"body": body}]]}),
                ("world.create", {"world": "lobby-3"}), ("world.fork", {"world": "arena", "as": "lobby-3"}),
                ("server.kick", {"session": victim.call("hello")["session"]})]
        before = self.refusals()
        for method, arguments in sent:
            client.notify(method, **arguments)
        client.call("ping")
        self.assertEqual(self.refusals() - before, len(sent))
        info = self.admin.call("world.info", **secret)
        self.assertEqual((info["bodies"], info["paused"], info["gravity"]), (1, False, [0, 0]))
        self.assertNotIn("lobby-3", [w["world"] for w in self.admin.call("world.list")])
        victim.call("ping")

    def test_sessions_are_for_admins_of_all_worlds(self):
        client = self.client("admin", worlds=["arena"])
        self.refused("needs an admin of all worlds", client, "server.sessions")
        self.refused("needs an admin of all worlds", client, "server.kick", session=1)


class Areas(RightsTest):
    AREAS = [[0, 0, 10, 10], [100, 0, 110, 10]]

    def setUp(self):
        self.name = self.world("field", paused=True)
        self.near = self.admin.call("body.spawn", world="field", position=[5, 5], shapes=[BALL])["body"]
        self.far = self.admin.call("body.spawn", world="field", position=[50, 5], shapes=[BALL])["body"]
        self.viewer = self.client("viewer", areas=self.AREAS)

    def test_subscription_lies_within_one_of_them(self):
        self.viewer.call("world.subscribe", world="field", area=[1, 1, 9, 9])
        for area in ([0, 0, 10, 11], [5, 5, 105, 6], [20, 0, 21, 1], [-1000, -1000, 1000, 1000]):
            self.refused("must lie within one of the 2 areas", self.viewer, "world.subscribe", world="field", area=area)
        self.refused("must be given", self.viewer, "world.subscribe", world="field")
        snapshot = self.viewer.read_until(self.viewer.snapshots)[0]
        self.assertEqual([row[0] for row in snapshot["bodies"]], [self.near])

    def test_view_does_not_leave_them(self):
        number = self.viewer.call("world.subscribe", world="field", area=[1, 1, 9, 9])["subscription"]
        self.viewer.call("world.view", subscription=number, area=[101, 1, 109, 9])
        self.refused("must lie within", self.viewer, "world.view", subscription=number, area=[0, 0, 60, 10])
        self.refused("must be given", self.viewer, "world.view", subscription=number)
        self.viewer.call("world.unsubscribe", subscription=number)

    def test_notification_does_not_leave_them(self):
        number = self.viewer.call("world.subscribe", world="field", area=[1, 1, 9, 9])["subscription"]
        self.viewer.read_until(self.viewer.snapshots)
        before = self.refusals()
        self.viewer.notify("world.view", subscription=number, area=[0, 0, 60, 10])
        self.viewer.notify("world.subscribe", world="field", area=[0, 0, 60, 10])
        self.viewer.call("ping")
        self.assertEqual(self.refusals() - before, 2)
        seen = len(self.viewer.snapshots())
        for body, x in ((self.far, 51), (self.near, 6)):
            self.admin.call("body.set", world="field", body=body, position=[x, 5])
        self.viewer.read_until(lambda: self.viewer.snapshots()[seen:])
        self.assertEqual({row[0] for s in self.viewer.snapshots() for row in s["bodies"]}, {self.near})
        self.assertEqual(self.admin.call("world.info", world="field")["subscribers"], 1)

    def test_only_area_is_filled_in(self):
        viewer = self.client("viewer", areas=[[0, 0, 10, 10]])
        number = viewer.call("world.subscribe", world="field", describe=True)["subscription"]
        snapshot = viewer.read_until(viewer.snapshots)[0]
        self.assertEqual([row[0] for row in snapshot["bodies"]], [self.near])
        self.assertEqual([body["body"] for body in snapshot["spawned"]], [self.near])
        viewer.call("world.view", subscription=number)
        self.admin.call("body.set", world="field", body=self.far, position=[60, 5])
        viewer.call("ping")
        self.assertFalse([s for s in viewer.snapshots() if self.far in [row[0] for row in s["bodies"]]])

    def test_followed_body_and_margin_show_no_more(self):
        with self.assertRaisesRegex(RemoteError, f"^not_found: follow: body {self.far} does not exist in the areas"):
            self.viewer.call("world.subscribe", world="field", area=[-5, -5, 5, 5], follow=self.far)
        other = self.admin.call("body.spawn", world="field", position=[9, 5], shapes=[BALL])["body"]
        number = self.viewer.call("world.subscribe", world="field", area=[-5, -5, 5, 5], follow=self.near,
                                  margin=50)["subscription"]

        def latest():
            return next((s for s in reversed(self.viewer.snapshots()) if s["subscription"] == number), None)
        first = self.viewer.read_until(latest)
        self.assertEqual([row[0] for row in first["bodies"]], [self.near, other])
        self.admin.call("body.set", world="field", body=self.near, position=[52, 5])  # beside the hidden area
        snapshot = self.viewer.read_until(lambda: latest() is not first and latest())
        self.assertEqual((snapshot["leave"], snapshot["bodies"]), ([self.near], []))
        self.admin.call("body.set", world="field", body=other, position=[12, 5])
        second = self.viewer.read_until(lambda: latest() is not snapshot and latest())
        self.assertEqual((second["leave"], second["bodies"]), ([other], []))

    def test_body_that_goes_where_nothing_is_seen_tells_nothing(self):
        player = self.client("player", areas=self.AREAS)
        own = player.call("body.spawn", world="field", position=[8, 5], shapes=[BALL])["body"]
        player.call("world.subscribe", world="field", area=[0, 0, 10, 10], contacts=True, describe=True,
                    events=["begin", "end", "stay"])

        def step():
            tick = self.admin.call("world.step", world="field")["tick"]
            return player.read_until(lambda: next((s for s in player.snapshots() if s["tick"] == tick), None))
        step()
        later = self.admin.call("body.spawn", world="field", position=[54, 5], shapes=[BALL])["body"]
        self.assertTrue(self.far < own < later)  # a pair names them in this order
        for x in (50.4, 54.4):  # into the hidden area, and back
            player.call("body.set", world="field", body=own, position=[x, 5])
            step()
            player.call("body.set", world="field", body=own, position=[8, 5])
            step()
        self.admin.call("joint.create", world="field", kind="distance", a=own, b=self.far)
        step()
        for snapshot in player.snapshots():
            self.assertEqual((snapshot["events"], snapshot["contacts"], snapshot["joints"]), ([], [], []))
        other = self.admin.call("body.spawn", world="field", position=[8.4, 5], shapes=[BALL])["body"]
        joint = self.admin.call("joint.create", world="field", kind="distance", a=own, b=other,
                                collide_connected=True)["joint"]
        snapshot = step()
        self.assertEqual([{e["a"], e["b"]} for e in snapshot["events"] if e["kind"] == "begin"], [{own, other}])
        self.assertEqual(len(snapshot["contacts"]), 1)
        self.assertEqual([j["joint"] for s in player.snapshots() for j in s["joints"]], [joint])

    def test_queries_lie_within(self):
        inside, outside = {"from": [1, 1], "to": [9, 9]}, {"from": [1, 5], "to": [60, 5]}
        ball = {"kind": "circle", "radius": 1}
        good = [("query.ray", inside), ("query.overlap", {"area": [0, 0, 10, 10]}),
                ("query.overlap", {"point": [5, 5]}), ("query.nearest", {"point": [5, 5], "radius": 2}),
                ("query.overlap", {"shape": {"kind": "circle", "radius": 2, "center": [5, 5]}}),
                ("query.cast", {"shape": ball, "from": [2, 2], "to": [8, 8]})]
        bad = [("query.ray", outside), ("query.overlap", {"area": [0, 0, 60, 10]}),
               ("query.overlap", {"point": [50, 5]}), ("query.nearest", {"point": [5, 5], "radius": 200}),
               ("query.nearest", {"point": [5, 5]}),
               ("query.overlap", {"shape": {"kind": "circle", "radius": 99, "center": [5, 5]}}),
               ("query.cast", {"shape": {"kind": "circle", "radius": 99}, "from": [5, 5], "to": [6, 6]}),
               ("query.cast", {"shape": ball, "from": [5, 5], "to": [50, 5]})]
        for method, arguments in good:
            self.assertIn(str(self.near), str(self.viewer.call(method, world="field", **arguments)))
        for method, arguments in bad:
            with self.subTest(method=method, arguments=arguments):
                self.refused("must lie within", self.viewer, method, world="field", **arguments)

    def test_past_shows_what_lay_within_then(self):
        self.admin.call("world.step", world="field")  # tick 1: one body is near, the other one far
        self.admin.call("body.set", world="field", body=self.near, position=[50, 5])
        self.admin.call("body.set", world="field", body=self.far, position=[5, 5])
        self.admin.call("world.step", world="field", ticks=4)
        self.admin.call("body.remove", world="field", body=self.far)
        self.admin.call("world.step", world="field")
        questions = [("query.ray", {"from": [1, 5], "to": [9, 5]}), ("query.overlap", {"area": [0, 0, 10, 10]}),
                     ("query.nearest", {"point": [5, 5], "radius": 2}),
                     ("query.cast", {"shape": {"kind": "circle", "radius": 1}, "from": [2, 5], "to": [8, 5]})]
        for method, arguments in questions:
            seen = {at: self.viewer.call(method, world="field", at=at, **arguments) for at in (0, 3, 4.5, 6)}
            found = {at: [body for body in (self.near, self.far) if f"'body': {body}" in str(told) or body in (told.get("bodies") or [])]
                     for at, told in seen.items()}
            with self.subTest(method=method):
                self.assertEqual({0: [self.near], 3: [self.far], 4.5: [self.far], 6: []}, found)
                self.refused("must lie within", self.viewer, method, world="field", at=0,
                             **{**arguments, **{key: [50, 5, 51, 6] if key == "area" else [50, 5]
                                                for key in ("to", "area", "point") if key in arguments}})
        for method, arguments in (("world.state", {}), ("world.contacts", {}), ("body.get", {"body": self.near})):
            self.refused("outside the token's areas", self.viewer, method, world="field", at=0, **arguments)

    def test_what_shows_everything_is_refused(self):
        for method, arguments in (("world.state", {}), ("world.contacts", {}), ("joint.list", {}),
                                  ("body.get", {"body": self.near}), ("joint.get", {"joint": 1}),
                                  ("world.contacts", {"body": self.near})):
            self.refused("outside the token's areas", self.viewer, method, world="field", **arguments)
        player = self.client("player", areas=self.AREAS)
        self.refused(r"commands\[0\]: body.get may show", player, "world.apply", world="field",
                     commands=[["body.get", {"body": self.far}]])
        self.refused("server.stats may show", self.viewer, "server.stats")

    def test_numbers_of_the_whole_world_are_not_told(self):
        hidden = {"bodies", "awake", "shapes", "joints", "contacts", "pairs", "frozen", "subscribers", "hash", "step_ms", "rate",
                  "ticks_late", "referee", "data_keys", "data_bytes"}
        whole = self.admin.call("world.info", world="field")
        for info in (self.viewer.call("world.info", world="field"),
                     next(w for w in self.viewer.call("world.list") if w["world"] == "field")):
            self.assertEqual(set(whole) - set(info), hidden)
            self.assertEqual(info["epoch"], whole["epoch"])
        for encoding in ("plain", "packed"):
            self.viewer.call("world.subscribe", world="field", area=[1, 1, 9, 9], encoding=encoding)
        snapshots = self.viewer.read_until(lambda: len(self.viewer.snapshots()) > 1 and self.viewer.snapshots())
        self.assertFalse([s for s in snapshots if "hash" in s])

    def test_what_is_hidden_and_what_does_not_exist_get_one_answer(self):
        player = self.client("player", areas=self.AREAS)
        floor = self.admin.call("body.spawn", world="field", type="static", owner="", position=[50, 0], shapes=[BALL])["body"]
        seen = self.admin.call("body.spawn", world="field", type="static", owner="", position=[5, 0], shapes=[BALL])["body"]
        joint = self.admin.call("joint.create", world="field", kind="distance", a=self.far, b=floor)["joint"]
        shape = self.admin.call("body.get", world="field", body=self.far)["shapes"][0]["shape"]
        own = player.call("body.spawn", world="field", position=[7, 5], shapes=[BALL])["body"]
        calls = {
            self.far: [("body.remove", "body", {}), ("body.set", "body", {"angle": 1}), ("body.impulse", "body", {"impulse": [1, 0]}),
                       ("body.force", "body", {"force": [1, 0]}), ("body.torque", "body", {"torque": 1}),
                       ("body.angular_impulse", "body", {"impulse": 1}), ("shape.add", "body", {"shape": BALL}),
                       ("joint.create", "b", {"kind": "distance", "a": own}), ("joint.create", "a", {"kind": "distance", "b": own})],
            floor: [("joint.create", "b", {"kind": "distance", "a": own}), ("body.remove", "body", {})],
            shape: [("shape.set", "shape", {"friction": 0}), ("shape.remove", "shape", {})],
            joint: [("joint.set", "joint", {"hertz": 1}), ("joint.remove", "joint", {}),
                    ("joint.create", "joint_a", {"kind": "gear", "a": own, "joint_b": 12345})],
        }
        for hidden, commands in calls.items():
            for method, key, more in commands:
                said = set()
                for number in (hidden, 12345):
                    with self.assertRaises(RemoteError) as caught:
                        player.call(method, world="field", **{key: number}, **more)
                    with self.assertRaises(RemoteError) as within:
                        player.call("world.apply", world="field", commands=[[method, {key: number, **more}]])
                    said.add(str(caught.exception).replace(str(number), "N"))
                    said.add(str(within.exception).replace(f"commands[0] ({method}): ", "").replace(str(number), "N"))
                self.assertEqual(len(said), 1, f"{method} {key}: {said}")
                self.assertRegex(said.pop(), "^not_found: .* N does not exist, or is not this session's$")
        player.call("joint.create", world="field", kind="distance", a=own, b=seen)
        # A body that its snapshots show is visible, even if queries do not see it.
        for unlike in ({"enabled": False}, {"shapes": [{**BALL, "sensor": True}]}, {"shapes": []}):
            floor = self.admin.call("body.spawn", world="field", type="static", owner="", position=[5, 0], **{"shapes": [BALL], **unlike})
            player.call("joint.create", world="field", kind="distance", a=own, b=floor["body"])

    def test_gear_is_told_where_the_bodies_of_its_joints_are_seen(self):
        def make(method, **arguments):
            return self.admin.call(method, world="field", **arguments)

        told = []
        for base in (50, 5):  # hidden, and not
            ground, *wheels = [make("body.spawn", type="static" if x == base else "dynamic", position=[x, 7], shapes=[BALL])["body"]
                               for x in (base, 2, 8)]
            joints = [make("joint.create", kind="revolute", a=ground, b=wheel, anchor=[x, 7])["joint"]
                      for wheel, x in zip(wheels, (2, 8))]
            joints.append(make("joint.create", kind="gear", joint_a=joints[0], joint_b=joints[1])["joint"])
            told += joints if base == 5 else []
        self.viewer.call("world.subscribe", world="field", area=[0, 0, 10, 10], describe=True)
        snapshot = self.viewer.read_until(self.viewer.snapshots)[0]
        self.assertEqual(sorted(joint["joint"] for joint in snapshot["joints"]), told)

    def test_limits_do_not_tell_what_is_hidden(self):
        world, crowd = "crowded", [BALL] * 8
        self.admin.call("world.create", world=world, gravity=[0, 0], hz=240)
        self.addCleanup(lambda: self.admin.call("world.destroy", world=world))
        hidden = [self.admin.call("body.spawn", world=world, position=[50, 5], shapes=crowd)["body"] for _ in range(2)][0]
        player = self.client("player", areas=self.AREAS)
        own, _ = [player.call("body.spawn", world=world, position=[x, 5], shapes=[BALL] * count)["body"]
                  for x, count in ((5, 181), (105, 14))]  # with nearly all pairs that it may have
        adds = ["shape.add", {"shape": BALL}]
        at = self.admin.call("world.info", world=world)["tick"] + 100000
        player.request("world.apply", world=world, at=at, commands=[["body.impulse", {"body": own, "impulse": [0, 0]}]] * 1000)
        with self.assertRaisesRegex(RemoteError, "^limit_exceeded: pairs_per_owner"):
            player.call("shape.add", world=world, body=own, shape=BALL)
        for method, arguments in (adds, ["body.set", {"position": [50, 6]}], ["body.set", {"angle": 1}]):
            texts, of_tick = set(), set()
            for body in (hidden, 12345):
                with self.assertRaises(RemoteError) as alone:
                    player.call(method, world=world, body=body, **arguments)
                with self.assertRaises(RemoteError) as batch:
                    player.call("world.apply", world=world, commands=[[method, {"body": body, **arguments}]])
                with self.assertRaises(RemoteError) as later:
                    player.call("world.apply", world=world, at=at, commands=[[method, {"body": body, **arguments}]])
                texts |= {str(e.exception).split("body ")[-1].replace(str(body), "N") for e in (alone, batch)}
                of_tick.add(str(later.exception))
            self.assertEqual(texts, {"N does not exist, or is not this session's"})
            self.assertEqual(len(of_tick), 1, of_tick)
            self.assertIn("would take 0.002 ms", of_tick.pop())
        for method in ("body.get", "body.remove"):  # their time grows with the shapes
            told = {str(self.refusal(player, method, body, world, at)) for body in (hidden, 12345)}
            self.assertEqual(len(told), 1, told)

    def refusal(self, player, method, body, world, at):
        with self.assertRaises(RemoteError) as refused:
            player.call("world.apply", world=world, at=at, commands=[[method, {"body": body}]])
        return refused.exception


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
