#!/usr/bin/env python3
"""Worlds as images, forks and logs over the wire. Called with the path of caromd."""

import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import Client  # noqa: E402
from wire_case import BALL, CAROMD, ServerTest  # noqa: E402


class WorldTest(ServerTest):
    OPTIONS = ["--limit", "message_bytes=16777216"]

    def info(self, world=None):
        return self.client.call("world.info", world=world or self.world)


def slots_at(image):
    """The offset of an image's body slots, behind its settings (world_fields in common/physics/image/image.c)."""
    at = 8

    def skip_varint():
        nonlocal at
        while image[at] & 0x80:
            at += 1
        at += 1

    skip_varint()  # version
    skip_varint()  # behaviour
    at += 24  # gravity, hz
    for _ in range(4):  # substeps, sleep, continuous, bodies_max
        skip_varint()
    at += 24  # thresholds, sleep_speed
    for _ in range(3):  # tick, frozen, event mask
        skip_varint()
    return at


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def memory_most(server):
    """The peak memory of the process [KB]."""
    lines = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


class Images(WorldTest):
    def test_image_that_claims_more_than_may_be_is_refused_before_memory_is_taken(self):
        """An image of a million bytes claims a million bodies, existing or removed; then the same for shapes and
        joints."""
        self.call("world.create", paused=True)
        empty = self.call("world.image")["image"]
        at, count = slots_at(empty), 1_000_000
        self.assertEqual(empty[at:at + 3], b"\0\0\0")
        with Caromd(CAROMD, "--limit", "message_bytes=16777216", "--limit", "shapes_per_world=900000") as server:
            self.client = Client(server.port)
            self.addCleanup(self.client.__exit__)
            self.client.call("world.create", world="v", image=empty)
            sent = [("bodies", 0, 262144), ("shapes", 1, 900000), ("joints", 2, 262144)]
            before = None
            for kind, i, most in sent:
                for word, text in ((b"\1", f"it has {count} {kind}; at most {most}"),
                                   (b"\0", f"it has places for {count} {kind}, as it had so many once; at most {most}")):
                    forged = empty[:at] + b"\0" * i + varint(count) + word * count + empty[at + 1 + i:]
                    self.refused("limit_exceeded", f"image: {kind}_per_world: {text}", self.client, "world.create",
                                 world="w", image=forged)
                    before = before or memory_most(server)  # memory with one such message
            self.assertLess(memory_most(server) - before, 64 << 10)  # a sanitizer keeps freed memory
            self.assertEqual([w["world"] for w in self.client.call("world.list")], ["v"])

    def test_image_that_carries_more_than_it_claims_is_refused(self):
        self.call("world.create", paused=True)
        for _ in range(20):
            self.call("body.spawn", shapes=[BALL])
        image = self.call("world.image")["image"]
        at = slots_at(image)
        self.assertEqual(image[at], 20)
        for few in (bytes([1]) + image[at + 1:at + 2], bytes([20]) + b"\0" * 19 + image[at + 1:at + 2]):
            self.refused("invalid_argument", "image", self.client, "world.create", world="few",
                         image=image[:at] + few + image[at + 21:])
        self.refused("not_found", "few", self.client, "world.info", world="few")

    def test_image_that_was_altered_where_the_hash_does_not_look_is_refused(self):
        """Tags are not in the state's hash, and bytes that are not UTF-8 would break every client that reads them."""
        self.call("world.create", paused=True)
        self.call("body.spawn", shapes=[BALL], tag="corner")
        image = self.call("world.image")["image"]
        self.assertEqual(image.count(b"corner"), 1)
        for text, altered in (("byte .*: the bytes do not have the checksum that follows them", b"cornet"),
                              ("byte .*: a tag that is not UTF-8", b"c\xc3rner")):
            self.refused("invalid_argument", "image: world image, " + text, self.client, "world.create",
                         world="altered", image=image.replace(b"corner", altered))
        self.refused("not_found", "altered", self.client, "world.info", world="altered")
        self.client.call("world.create", world="altered", image=image)
        self.client.call("world.destroy", world="altered")

    def test_world_of_an_image_is_held_to_the_bodies_of_this_server(self):
        """The image comes from a server that allows a million, and contains that limit."""
        self.call("world.create", paused=True)
        for i in range(2):
            self.call("body.spawn", position=[3 * i, 0], shapes=[BALL])
        image = self.call("world.image")["image"]
        with Caromd(CAROMD, "--limit", "bodies_per_world=3") as server:
            self.client = Client(server.port)
            self.addCleanup(self.client.__exit__)
            self.client.call("world.create", world="w", image=image, paused=True)
            self.client.call("body.spawn", world="w", shapes=[])
            self.refused("limit_exceeded", "bodies_per_world: the world has 3 bodies, and 1 would be added; at most 3",
                         self.client, "body.spawn", world="w", shapes=[])

    def test_world_of_an_image_goes_on_as_the_first(self):
        self.call("world.create", scene="heap", paused=True)
        self.call("world.step", ticks=120)
        image = self.call("world.image")
        self.assertEqual((image["tick"], image["hash"]), (120, self.info()["hash"]))
        self.client.call("world.create", world="again", image=image["image"], paused=True)
        self.assertEqual(self.info("again")["hash"], image["hash"])
        self.assertNotEqual(self.info("again")["epoch"], self.info()["epoch"])
        for world in (self.world, "again"):
            self.client.call("world.step", world=world, ticks=200)
        self.assertEqual(self.info("again")["hash"], self.info()["hash"])

    def test_image_and_fork_of_what_holds_too_much_are_refused(self):
        """The forked world is older than the limit: its log restores it completely."""
        strict = {"bodies": "it has 2 bodies; at most 1", "shapes": "it has 4 shapes; at most 3", "joints": "it has 2 joints; at most 1"}
        with tempfile.TemporaryDirectory() as folder:
            with Caromd(CAROMD, "--data", folder) as server, Client(server.port) as client:
                client.call("world.create", world="w", paused=True)
                bodies = [client.call("body.spawn", world="w", shapes=[BALL, BALL])["body"] for _ in range(2)]
                for _ in range(2):
                    client.call("joint.create", world="w", kind="weld", a=bodies[0], b=bodies[1])
                image = client.call("world.image", world="w")["image"]
            for kind, text in strict.items():
                limit = f"{kind}_per_world={text[-1]}"
                with Caromd(CAROMD, "--data", folder, "--limit", limit) as server:
                    self.client = Client(server.port)
                    self.addCleanup(self.client.__exit__)
                    self.refused("limit_exceeded", f"image: {kind}_per_world: {text}", self.client, "world.create",
                                 world="v", image=image)
                    self.refused("limit_exceeded", f"{kind}_per_world: {text}", self.client, "world.fork",
                                 world="w", **{"as": "v"})
                    self.refused("limit_exceeded", f"{kind}_per_world: the world has", self.client, "world.apply",
                                 world="w", commands=[["body.spawn", {"shapes": [BALL]}], ["joint.create", {
                                     "kind": "weld", "a": bodies[0], "b": bodies[1]}]])
                    self.assertEqual(self.client.call("world.info", world="w")["bodies"], 2)
                    self.client.call("world.create", world="v")
                    self.client.call("world.destroy", world="v")

    def test_bad_images_are_refused(self):
        self.call("world.create", paused=True)
        self.call("body.spawn", shapes=[BALL])
        good = self.call("world.image")["image"]
        for bad in (b"", b"x", good[:-1], good + b"x", good[:40] + b"\x55" + good[41:]):
            self.refused("invalid_argument", "image", self.client, "world.create", world="bad", image=bad)
        self.refused("invalid_argument", "image", self.client, "world.create", world="bad", image="text")
        self.refused("invalid_argument", "settings", self.client, "world.create", world="bad", image=good, hz=30)
        self.refused("not_found", "bad", self.client, "world.info", world="bad")


class Forks(WorldTest):
    def test_fork_is_the_same_and_goes_its_own_way(self):
        self.call("world.create", scene="pyramid", paused=True)
        self.call("world.step", ticks=50)
        made = self.call("world.fork", **{"as": "other"})
        self.assertEqual((made["world"], made["tick"]), ("other", 50))
        self.assertEqual(self.info("other")["hash"], self.info()["hash"])
        self.assertTrue(self.info("other")["paused"])
        self.client.call("body.spawn", world="other", shapes=[BALL], position=[0, 40])
        self.assertNotEqual(self.info("other")["hash"], self.info()["hash"])
        self.client.call("world.step", world="other", ticks=5)
        self.assertEqual(self.info()["tick"], 50)

    def test_fork_that_cannot_be(self):
        self.call("world.create")
        self.refused("already_exists", self.world, self.client, "world.fork", world=self.world,
                     **{"as": self.world})
        self.refused("not_found", "nowhere", self.client, "world.fork", world="nowhere", **{"as": "b"})
        self.refused("unavailable", "data", self.client, "world.fork", world=self.world, durability="full",
                     **{"as": "b"})
        self.refused("not_found", "b", self.client, "world.info", world="b")

    def test_commands_for_a_fork_wait_for_it(self):
        self.call("world.create", scene="drum")
        fork = self.client.request("world.fork", world=self.world, **{"as": "early"})
        spawn = self.client.request("body.spawn", world="early", shapes=[BALL])
        gone = self.client.request("world.destroy", world="early")
        self.assertEqual(self.client.answer(fork)["world"], "early")
        self.assertIn("body", self.client.answer(spawn))
        self.client.answer(gone)
        self.refused("not_found", "early", self.client, "world.info", world="early")


class Logs(WorldTest):
    def notes(self, client):
        return [s for s in client.snapshots() if "from" in s]

    def test_first_bears_the_image_and_the_rest_what_was_commanded(self):
        self.call("world.create", scene="demo", paused=True)
        self.call("world.step", ticks=10)
        reader = self.connect()
        reader.call("world.subscribe", world=self.world, encoding="log")
        first = reader.read_until(lambda: self.notes(reader))[0]
        self.assertEqual((first["from"], first["tick"], first["full"]), (10, 10, True))
        self.assertEqual([c[2] for c in first["commands"]], ["world.pause"])
        self.assertEqual(first["hash"], self.info()["hash"])
        body = self.call("body.spawn", position=[1, 2], shapes=[BALL])["body"]
        self.call("body.impulse", body=body, impulse=[1, 2])
        self.call("world.step", ticks=3)
        self.call("world.resume")
        end = time.monotonic() + SECONDS_MAX
        while not any(c[2] == "world.resume" for n in self.notes(reader) for c in n["commands"]):
            self.assertLess(time.monotonic(), end)
            reader.read()
        notes = self.notes(reader)
        rows = [c for n in notes[1:] for c in n["commands"]]
        self.assertEqual([r[2] for r in rows], ["body.spawn", "body.impulse", "world.resume"])
        self.assertEqual([r[0] for r in rows], [10, 10, 13])
        self.assertEqual(rows[1][3]["impulse"], [1.0, 2.0])
        for before, after in zip(notes, notes[1:]):
            self.assertEqual(before["tick"], after["from"])
            self.assertNotIn("image", after)

    def test_ticks_follow_each_other_at_any_rate(self):
        self.call("world.create", scene="demo")
        for rate, least in ((None, 30), (20, 10)):
            reader = self.connect()
            arguments = {} if rate is None else {"rate": rate}
            reader.call("world.subscribe", world=self.world, encoding="log", **arguments)
            reader.read_until(lambda: len(self.notes(reader)) > least)  # noqa: B023
            notes = self.notes(reader)
            for before, after in zip(notes, notes[1:]):
                self.assertEqual(before["tick"], after["from"])
            reader.call("world.unsubscribe", subscription=notes[0]["subscription"])

    def test_compact_form_is_sent_to_whoever_has_the_tables(self):
        """Read by PROTOCOL.md alone: the ticks, the hash, and a row of body.remove."""
        number = self.client.call("hello")["compact"]
        self.call("world.create", paused=True)
        body = self.call("body.spawn", shapes=[BALL])["body"]
        readers = [self.connect() for _ in range(3)]
        asked = [{"compact": number}, {"compact": number ^ 1}, {}]
        for reader, arguments in zip(readers, asked):
            reader.call("world.subscribe", world=self.world, encoding="log", **arguments)
            reader.read_until(lambda: self.notes(reader))  # noqa: B023
        self.call("world.step", ticks=2)
        self.call("body.remove", body=body)
        hash_ = self.info()["hash"]
        compact = bytearray()

        def is_told():
            compact[:] = b""
            for method, params in readers[0].notifications:
                if method == "log":
                    compact.extend(params[0]["data"])
            return bytes(compact).endswith(bytes([1 << 1, 2 * body]))
        readers[0].read_until(is_told)
        self.assertIn(hash_, bytes(compact))
        self.assertEqual(len(self.notes(readers[0])), 1, "all but the image is compact")
        for reader in readers[1:]:
            reader.read_until(lambda: any(n["commands"] for n in self.notes(reader)[1:]))  # noqa: B023
            self.assertEqual([m for m, _ in reader.notifications if m == "log"], [])

    def test_log_tells_of_the_whole_world(self):
        self.call("world.create")
        self.refused("invalid_argument", "area", self.client, "world.subscribe", world=self.world,
                     encoding="log", area=[0, 0, 1, 1])

    def test_log_ends_with_the_world(self):
        self.call("world.create")
        self.call("world.subscribe", encoding="log")
        self.call("world.destroy")
        self.client.read_until(
            lambda: [n for n in self.client.notifications if n[0] == "world_closed"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
