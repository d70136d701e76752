"""All that the engine can do, from the command line: every kind of shape, option of a body, kind of joint, event
and query, and all of it shown in carom watch. The effect of each is tested in test_wire_engine_*.py; here the
tests check that each can be requested."""

import json
import re
import subprocess

from cli import CAROM, SECONDS_MAX, ServerTest, carom, environment, main

JOINT_COLOUR, SENSOR_COLOUR = "38;5;43m", "38;5;134m"
BRAILLE = re.compile("[\u2801-\u28ff]")


class EngineTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.world = self.world[:60]
        self.json("create", self.world, "--paused", "--gravity", "0,-10")

    def frame(self, *words):
        return self.ok("watch", self.world, "--frames", 1, "--color", "always", *words).out


class Shapes(EngineTest):
    KINDS = [
        (["--circle", "0.5"], ["circle"]),
        (["--box", "1x0.5"], ["polygon"]),
        (["--box", "1x0.5", "--rounding", "0.1"], ["polygon"]),
        (["--polygon", "-0.5,-0.5 0.5,-0.5 0,0.5"], ["polygon"]),
        (["--capsule", "-0.5,0,0.5,0,0.25"], ["capsule"]),
        (["--segment", "-2,0,2,0", "--type", "static"], ["segment"]),
        (["--chain", "3,0 1,0.5 -1,0.5 -3,0", "--type", "static"], ["chain"]),
        (["--loop", "1,-1 1,1 -1,1 -1,-1", "--type", "static"], ["chain"]),
        (["--circle", "0.3", "--box", "2x0.1", "--shape", '{"kind":"circle","radius":0.2,"center":[1,0]}'],
         ["circle", "polygon", "circle"]),
    ]

    def test_each_kind_is_made_and_seen(self):
        for words, kinds in self.KINDS:
            with self.subTest(words[0]):
                body = self.spawn(*words, "--at", "0,3")
                self.assertEqual(kinds, [shape["kind"] for shape in self.get(body)["shapes"]])
                self.assertRegex(self.frame(), BRAILLE)
                self.assertEqual([body], self.json("overlap", self.world, "--area", "-9,-9,9,9"))
                self.ok("remove", self.world, body)

    def test_matter_is_what_the_options_say(self):
        body = self.spawn("--box", "1x1", "--density", 2, "--friction", 0.25, "--restitution", 0.5,
                          "--rolling-resistance", 0.125, "--tangent-speed", 3, "--rounding", 0.25, "--events",
                          "contact,hit", "--category", 4, "--mask", 6, "--group", -3)
        shape = self.get(body)["shapes"][0]
        self.assertEqual((2, 0.25, 0.5, 0.125, 3, 0.25, ["contact", "hit"], {"category": 4, "mask": 6, "group": -3}),
                         tuple(shape[key] for key in ("density", "friction", "restitution", "rolling_resistance",
                                                      "tangent_speed", "radius", "events", "filter")))
        self.assertNotIn(SENSOR_COLOUR, self.frame())
        self.spawn("--circle", 2, "--sensor", "--type", "static")
        self.assertIn(SENSOR_COLOUR, self.frame())

    def test_shapes_are_added_and_taken_away(self):
        body = self.spawn("--circle", 1)
        added = self.json("shape", "add", self.world, body, "--box", "4x1", "--density", 3)["shape"]
        self.assertAlmostEqual(12 + 3.1416, self.get(body)["mass"], places=2)
        self.assertRegex(self.ok("shape", "add", self.world, body, "--circle", 0.1, "--segment", "0,0,1,0").out,
                         r"\Ashape \d+ added \(tick 0\)\nshape \d+ added \(tick 0\)\n\Z")
        self.ok("shape", "remove", self.world, added)
        self.assertAlmostEqual(3.14 + 0.0314, self.get(body)["mass"], places=2)
        self.fails(1, "shape", "remove", self.world, added)


class Bodies(EngineTest):
    def test_options_are_set_and_told(self):
        body = self.spawn("--circle", 1)
        for pair, wanted in (("mass=7", 7), ("fixed_rotation=true", True), ("gravity_scale=0.5", 0.5),
                             ("linear_damping=0.25", 0.25), ("angular_damping=0.5", 0.5), ("bullet=true", True),
                             ("allow_sleep=false", False), ("enabled=false", False), ("enabled=true", True),
                             ("type=kinematic", "kinematic"), ("type=static", "static"), ("type=dynamic", "dynamic"),
                             ("position=3,4", [3, 4]), ("angle=0", 0), ("velocity=1,2", [1, 2]), ("tag=12", "12")):
            with self.subTest(pair):
                self.ok("set", self.world, body, pair)
                self.assertEqual(wanted, self.get(body)[pair.split("=")[0]])
        made = self.spawn("--circle", 1, "--bullet", "--fixed-rotation", "--mass", 3, "gravity_scale=0", "enabled=false")
        told = self.get(made)
        self.assertEqual((True, True, 3, 0, False), tuple(told[key] for key in ("bullet", "fixed_rotation", "mass",
                                                                               "gravity_scale", "enabled")))


class Joints(EngineTest):
    KINDS = {  # arguments of create, changes of set
        "revolute": (["anchor=0,0", "lower=-1", "upper=1"], ["motor_speed=2", "max_torque=50"]),
        "prismatic": (["axis=1,0", "lower=-1", "upper=1"], ["motor_speed=2", "max_force=50"]),
        "distance": (["length=3"], ["hertz=4", "damping_ratio=0.5"]),
        "weld": (["hertz=5"], ["angular_hertz=5"]),
        "wheel": (["axis=0,1", "hertz=4"], ["motor_speed=2", "max_torque=50"]),
        "motor": (["target=1,1", "max_force=50"], ["target=2,2"]),
        "mouse": (["target=2,5", "max_force=50"], ["target=2,6"]),
        "filter": ([], None),
        "gear": (["ratio=2"], ["break_torque=5"]),
        "pulley": (["ground_a=0,5", "ground_b=3,5"], ["length=20"]),
    }

    def test_each_kind_is_made_changed_listed_seen_and_removed(self):
        a = self.spawn("--box", "1x1", "--type", "static")
        b = self.spawn("--circle", 0.5, "--at", "3,0")
        for kind, (create, change) in self.KINDS.items():
            with self.subTest(kind):
                bodies = [b] if kind == "mouse" else [a, b]
                joint = self.json("joint", "create", self.world, kind, *bodies, *create)["joint"]
                if change:
                    self.ok("joint", "set", self.world, joint, *change)
                    told = self.json("joint", "get", self.world, joint)
                    for pair in change:
                        name, value = pair.split("=")
                        wanted = [float(v) for v in value.split(",")] if "," in value else float(value)
                        self.assertEqual(wanted, told[name])
                self.assertEqual([(joint, kind)], [(j["joint"], j["kind"])
                                                   for j in self.json("joint", "list", self.world)])
                self.assertRegex(self.ok("joint", "list", self.world).out, rf"{joint}  +{kind}")
                self.assertRegex(self.ok("joint", "get", self.world, joint).out, rf"(?m)^kind +{kind}$")
                self.assertIn(JOINT_COLOUR, self.frame())
                self.step(2)
                self.ok("joint", "remove", self.world, joint)
                self.assertNotIn(JOINT_COLOUR, self.frame())

    def test_gear_on_two_joints(self):
        a, b, c = self.spawn("--box", "1x1", "--type", "static"), *(self.spawn("--circle", 1, "--at", f"{x},0")
                                                                    for x in (3, 6))
        one, two = (self.json("joint", "create", self.world, "revolute", a, body, f"anchor={x},0")["joint"]
                    for body, x in ((b, 3), (c, 6)))
        gear = self.json("joint", "create", self.world, "gear", f"joint_a={one}", f"joint_b={two}")["joint"]
        self.assertEqual(3, len(self.json("joint", "list", self.world)))
        self.assertEqual(two, self.json("joint", "get", self.world, gear)["joint_b"])


class Watch(EngineTest):
    def test_new_joint_of_a_large_world_is_noticed(self):
        self.json("spawn", self.world, "--box", "0.5x0.5", "--count", 1000, "--step", "0.6,0")
        for _ in range(2):
            self.json("spawn", self.world, "--box", "0.5x0.5", "--at", "0,2", "--count", 1000, "--step", "0.6,0")
        process = subprocess.Popen(
            [CAROM, "watch", self.world, "--frames", "60", "-i", "100ms", "--color", "always", "--area", "-2,-2,6,4"],
            text=True, stdout=subprocess.PIPE, env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        self.assertIn("tick", process.stdout.readline())
        joint = self.json("joint", "create", self.world, "distance", 1, 3)["joint"]
        told = ""
        while JOINT_COLOUR not in told:
            line = process.stdout.readline()
            self.assertNotEqual("", line, "no joint in 6 s of frames")
            told += line
        self.ok("joint", "remove", self.world, joint)
        process.terminate()
        process.communicate(timeout=SECONDS_MAX)

    def test_gallery_shows_every_kind(self):
        world = self.world + "2"
        self.json("create", world, "--scene", "gallery", "--paused")
        joints = self.json("joint", "list", world)
        self.assertEqual(set(Joints.KINDS), {joint["kind"] for joint in joints})
        shapes = [shape for body in self.json("bodies", world) for shape in body["shapes"]]
        self.assertEqual({"circle", "polygon", "capsule", "segment", "chain"}, {shape["kind"] for shape in shapes})
        self.assertEqual({True, False}, {shape["loop"] for shape in shapes if shape["kind"] == "chain"})
        self.assertTrue(any(shape["kind"] == "polygon" and shape["radius"] > 0 for shape in shapes))
        frame = self.ok("watch", world, "--frames", 1, "--color", "always", "--size", "120x40").out
        for colour in (JOINT_COLOUR, SENSOR_COLOUR, "38;5;246m", "38;5;75m", "38;5;214m"):
            self.assertIn(colour, frame)
        self.json("step", world, 120)
        self.assertEqual(len(joints) - 1, len(self.json("joint", "list", world)))  # the rope has broken


class Events(EngineTest):
    """A world in which every kind happens."""

    def test_every_kind_is_told(self):
        kinds = ("begin end stay hit sensor_begin sensor_end sleep wake spawn remove joint_break freeze").split()
        process = subprocess.Popen(
            [CAROM, "events", self.world, "--json", "--kind", "all", "--for", f"{SECONDS_MAX}s"], text=True,
            stdout=subprocess.PIPE, env=environment(CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        while self.json("info", self.world)["subscribers"] == 0:
            pass
        self.spawn("--box", "40x1", "--at", "0,-0.5", "--type", "static")
        self.spawn("--box", "2x1", "--at", "8,2", "--type", "static", "--sensor")
        ball = self.spawn("--circle", 0.5, "--at", "0,2", "--events", "contact,hit")
        self.spawn("--circle", 0.3, "--at", "8,4")
        beam, weight = self.spawn("--circle", 0.2, "--at", "-8,6", "--type", "static"), self.spawn(
            "--circle", 0.5, "--at", "-8,4")
        self.json("joint", "create", self.world, "distance", beam, weight, "break_force=1")
        far = self.spawn("--circle", 0.5, "--at", "999999,0", "--velocity", "4000,0")
        self.step(240)
        self.ok("impulse", self.world, ball, "0,2")
        self.step(2)
        self.ok("remove", self.world, weight)
        self.step(2)
        self.assertTrue(self.get(far)["frozen"])
        self.assertEqual(1, self.json("info", self.world)["frozen"])
        told = {}
        while set(told) != set(kinds):
            event = json.loads(process.stdout.readline())
            told.setdefault(event["kind"], event)
        self.assertEqual((far, ball), (told["freeze"]["a"], told["hit"]["b"]))
        self.assertGreater(told["hit"]["speed"], 1)
        process.terminate()
        process.communicate(timeout=SECONDS_MAX)


class Queries(EngineTest):
    def test_each_query_with_its_options(self):
        one, two = (self.spawn("--circle", 0.5, "--at", f"{x},0", "--type", "static", "--category", bit)
                    for x, bit in ((0, 1), (3, 2)))
        sensor = self.spawn("--box", "1x1", "--at", "6,0", "--type", "static", "--sensor")
        path = ("-5,0", "9,0")
        for words, wanted in (((), [one]), (("--all",), [one, two]), (("--all", "--sensors"), [one, two, sensor]),
                              (("--ignore", one), [two]), (("--mask", 2), [two]), (("--mask", 4), [])):
            with self.subTest(words):
                self.assertEqual(wanted, [hit["body"] for hit in self.json("ray", self.world, *path, *words)])
                for form in (("--circle", 0.2), ("--box", "0.2x0.2"), ("--capsule", "-1,0,1,0,0.1"),
                             ("--polygon", "0,0 0.2,0 0,0.2"), ("--segment", "-1,0,1,0"),
                             ("--shape", '{"kind":"box","size":[0.2,0.2],"radius":0.1}')):
                    self.assertEqual(wanted, [hit["body"] for hit in
                                              self.json("cast", self.world, *path, *form, *words)], form)
        for words, wanted in ((("--area", "-1,-1,4,1"), [one, two]), (("--point", "3.1,0"), [two]),
                              (("--circle", 1, "--at", "1,0"), [one]), (("--capsule", "0,2,3,2,1.6"), [one, two]),
                              (("--point", "6,0", "--sensors"), [sensor]), (("--point", "6,0"), [])):
            with self.subTest(words):
                self.assertEqual(wanted, self.json("overlap", self.world, *words))
        for words, wanted in (((), one), (("--ignore", one), two), (("--mask", 2), two)):
            self.assertEqual(wanted, self.json("nearest", self.world, "1,0", *words)["body"])
        self.assertIsNone(self.json("nearest", self.world, "1,0", "--radius", 0.25))


class Help(EngineTest):
    """The examples of the topics do what they say."""

    def run_lines(self, text):
        script = re.sub(r"(?m)^  ", "", "\n".join(re.findall(r"(?m)^  (?:  --shape|carom ).*", text[text.index("Example"):])))
        done = subprocess.run(["bash", "-ec", 'carom() { "$CAROM" "$@"; }\n' + script.replace(" yard", " " + self.yard)],
                              capture_output=True, text=True, timeout=SECONDS_MAX,
                              env=environment(CAROM=CAROM, CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return done.stdout

    def test_examples_of_joints_and_shapes(self):
        for topic, told in (("joint-kinds", "revolute"), ("shapes", "body 5")):
            self.yard = "yard_" + topic.replace("-", "_")
            self.assertIn(told, self.run_lines(carom("help", topic).out))
        self.assertEqual(5, self.json("info", "yard_shapes")["bodies"])

    def test_example_of_a_scene(self):
        text = carom("help", "scene-files").out
        result = self.json("apply", "-", "--paused", input=text[text.index("\n  {\"name\""):])
        self.assertEqual(("rope", 9, 8), (result["world"], result["bodies"], result["joints"]))


if __name__ == "__main__":
    main()
