"""A process that takes over is lied to: every field of what the running server hands over is altered on the way. The
new process refuses with an error that says what is wrong, and the running server continues with everything.

A relay stands between the two, passes their messages on, and alters one of them.

Usage: test_wire_forged_takeover.py CAROMD
"""

import os
import signal
import socket
import struct
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_wire_takeover import BALL, CAROMD, SECONDS_MAX, TakeoverTest  # noqa: E402
from caromd import Caromd  # noqa: E402
from checksum import crc32c  # noqa: E402
from wire import Closed, RemoteError  # noqa: E402

MAGIC = b"\x89chand\n\x02"
HEAD = struct.Struct("<QQQQQQII")  # number, session, sequence, tick, hash, image bytes, kind, name bytes
BARE, LOGGED, UNSETTLED = 1, 2, 3


class World:
    """An entry of the file of worlds."""

    def __init__(self, fields, name, image):
        self.number, self.session, self.sequence, self.tick, self.hash, self.size, self.kind, self.name_size = fields
        self.name, self.image, self.sealed = name, image, True

    def pack(self):
        head = HEAD.pack(self.number, self.session, self.sequence, self.tick, self.hash, self.size, self.kind,
                         self.name_size)
        checksum = crc32c(head + self.name)
        return head + struct.pack("<I", checksum if self.sealed else checksum ^ 1) + self.name + self.image


def unpack(data):
    assert data[:8] == MAGIC
    at, worlds = 8, []
    while at < len(data):
        fields = HEAD.unpack_from(data, at)
        name_at = at + HEAD.size + 4
        image_at = name_at + fields[7]
        at = image_at + fields[5]
        worlds.append(World(fields, data[name_at:image_at], data[image_at:at]))
    assert worlds[-1].kind == 0 and worlds[-1].number == len(worlds) - 1
    return worlds  # the last one is the end


def memory_file(data):
    fd = os.memfd_create("handed")
    os.write(fd, data)
    return fd


class Relay:
    """Relays the messages of `server`, at its takeover socket, and of one new process. `alter(text, descriptors)` returns the
    message that the new process gets instead (None: the connection ends); `ready` is called before the server gets `ready`."""

    def __init__(self, path, server, alter, ready=lambda: None):
        self.alter, self.ready, self.server = alter, ready, server
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(str(path))
        self.listener.listen(1)
        self.listener.settimeout(SECONDS_MAX)
        self.fault = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            with self.listener.accept()[0] as new, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as old:
                old.connect(str(self.server))
                threads = [threading.Thread(target=self.forward, args=way, daemon=True) for way in ((new, old), (old, new))]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
        except BaseException as why:  # the test reports it
            self.fault = why

    def forward(self, source, to):
        try:
            while True:
                text, descriptors, _, _ = socket.recv_fds(source, 512, 8)
                if not text:
                    break
                if text == b"ready":
                    self.ready()
                passed = self.alter(text, descriptors) if text.startswith((b"listening", b"released")) else (text, descriptors)
                if passed is None:
                    break
                socket.send_fds(to, [passed[0]], passed[1])
                for descriptor in {*descriptors, *passed[1]}:
                    os.close(descriptor)
        except OSError:
            pass
        for end in (source, to):
            try:
                end.shutdown(socket.SHUT_RDWR)  # each learns that the other has ended
            except OSError:
                pass

    def close(self):
        self.thread.join(SECONDS_MAX)
        self.listener.close()
        if self.fault is not None:
            raise self.fault


class Relayed(TakeoverTest):
    def setUp(self):
        super().setUp()
        self.start("--http", "127.0.0.1:0")
        self.player = self.greet()

    def taken_over(self):
        return "[0-9]+"  # pid of the relay, where there is one

    def relay(self, alter, ready=lambda: None):
        path = self.folder / f"relay-{time.monotonic_ns()}"
        made = Relay(path, self.path, alter, ready)
        self.addCleanup(made.close)
        return path

    def state(self):
        return {w["world"]: (w["epoch"], w["tick"], w["hash"], w["bodies"]) for w in self.player.call("world.list")}


class Forged(Relayed):
    def setUp(self):
        super().setUp()
        for world, settings in (("bare", {"durability": "none"}), ("logged", {}), ("mine", {"lifetime": "session"})):
            self.player.call("world.create", world=world, paused=True, **settings)
            self.player.call("body.spawn", world=world, shapes=[BALL])
            self.player.call("world.step", world=world, ticks=3)
        self.before = self.state()

    def lied_to(self, alter, words):
        """Checks that a new process that gets altered messages ends with an error that has these words, and that the old one
        continues."""
        log = self.refused("--takeover", str(self.relay(alter)), "--data", str(self.data), "--http", "off")
        self.assertRegex(log, r" error .*(" + words + ")")
        self.assertNotRegex(log, "assertion|Sanitizer|listening on")
        self.assertIsNone(self.server.process.poll())
        end = time.monotonic() + SECONDS_MAX
        while True:  # it takes a moment to find out
            try:
                self.player = self.resume(self.player)
                break
            except (OSError, RemoteError):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
        self.assertEqual(self.state(), self.before)

    def file_of(self, change):
        """Alters the file of worlds: `change(worlds)` may alter the list, or give the bytes themselves."""
        def alter(text, descriptors):
            if text != b"released":
                return text, descriptors
            size = os.fstat(descriptors[0]).st_size
            worlds = unpack(os.pread(descriptors[0], size, 0))
            data = change(worlds)
            if data is None:
                data = MAGIC + b"".join(w.pack() for w in worlds)
            return text, [memory_file(data)]
        return alter

    def test_altered_files_of_worlds_are_refused(self):
        def of(world, **values):
            def change(worlds):
                for w in worlds:
                    if w.name == world.encode():
                        vars(w).update({k: v(w) if callable(v) else v for k, v in values.items()})
            return change

        def image(at, mask):
            def changed(w):
                place = at % len(w.image)
                return w.image[:place] + bytes([w.image[place] ^ mask]) + w.image[place + 1:]
            return changed

        def renamed(name):
            return {"name": name, "name_size": len(name)}

        altered = "cut short or altered at byte"
        cases = [(f"{k}={v!r:.40} of {n}", of(n, **{k: v}), words) for n, k, v, words in (
            ("bare", "number", 0, altered), ("bare", "number", 1 << 63, altered),
            ("logged", "number", 12345, "the data directory does not have it"),
            ("bare", "session", 1 << 60, altered),
            ("logged", "sequence", lambda w: w.sequence + 1, "handed over with record"),
            ("logged", "sequence", 1 << 63, "handed over with record"),
            ("logged", "tick", 4, "handed over with record"), ("bare", "tick", 4, "leads to tick 3"),
            ("bare", "tick", (1 << 64) - 1, "leads to tick 3"),
            ("bare", "hash", lambda w: w.hash ^ 1, "gives the hash"), ("logged", "hash", 0, "gives the hash"),
            ("bare", "size", 0, altered), ("bare", "size", 1 << 63, altered), ("bare", "size", lambda w: w.size - 1, altered),
            ("mine", "size", lambda w: w.size + 1, altered),
            ("bare", "kind", LOGGED, "the data directory does not have it"), ("logged", "kind", BARE, "has a log"),
            ("bare", "kind", UNSETTLED, altered), ("logged", "kind", 4, altered), ("logged", "kind", 1 << 31, altered),
            ("mine", "kind", 0, altered),
            ("bare", "name_size", 0, altered), ("bare", "name_size", 65, altered), ("bare", "name_size", 1 << 31, altered),
            ("logged", "sealed", False, altered),
            ("bare", "image", image(0, 1), "its image of tick 3"), ("bare", "image", image(-1, 1), "image of tick 3|gives the hash"),
            ("logged", "image", image(40, 128), "image of tick 3|gives the hash"))]
        cases += [(f"name {name!r}", of("bare", **renamed(name)), words) for name, words in (
            (b"", altered), (b"a/b", altered), (b"a\0b", altered), (b"\xff\xfe", altered), (b"x" * 65, altered),
            (b"logged", "was handed over twice"))]
        cases += [
            ("log's name", of("logged", **renamed(b"other")), "its log is that of world 'logged'"),
            ("another magic", lambda worlds: b"\x89chand\n\x03" + worlds[-1].pack(), "of another version"),
            ("empty", lambda worlds: b"", "of another version"),
            ("no end", lambda worlds: worlds.pop() and None, altered),
            ("count", lambda worlds: setattr(worlds[-1], "number", 2), altered),
            ("twice", lambda worlds: worlds.insert(0, worlds[0]), altered),
            ("one missing", lambda worlds: [worlds.remove(w) for w in list(worlds) if w.name == b"logged"] and
                setattr(worlds[-1], "number", 2), "had ended when the others were handed over"),
            ("more", lambda worlds: MAGIC + b"".join(w.pack() for w in worlds) + b"\0", altered)]
        for part in (9, 60, 70, 500):
            cases.append((f"cut by {part}", lambda worlds, part=part:
                          (MAGIC + b"".join(w.pack() for w in worlds))[:-part], altered))
        for name, change, words in cases:
            with self.subTest(name):
                self.lied_to(self.file_of(change), words)

    def test_session_that_is_not_there_ends_no_world_of_another(self):
        def change(worlds):
            for w in worlds:
                if w.name == b"bare":
                    w.session = 4711
        path, self.path = self.path, self.relay(self.file_of(change))
        self.take_over("--http", "off")
        self.path = path
        self.player = self.resume(self.player)
        self.assertEqual(self.player.call("world.info", world="mine")["bodies"], 1)

    def test_descriptors_that_are_no_files_of_worlds_are_refused(self):
        def released(make):
            def alter(text, descriptors):
                return (text, make()) if text == b"released" else (text, descriptors)
            return alter

        def pipe():
            ends = os.pipe()
            return [ends[0], ends[1]]

        for name, make in (("none", list), ("two", lambda: [os.memfd_create("a"), os.memfd_create("b")]), ("a pipe", pipe), ("a folder", lambda: [os.open(self.folder, os.O_RDONLY)]),
                           ("one to be written", lambda: [os.open(self.folder / "x", os.O_WRONLY | os.O_CREAT)]),
                           ("a socket", lambda: [socket.socket().detach()]),
                           ("a device", lambda: [os.open("/dev/zero", os.O_RDONLY)])):
            with self.subTest(name):
                self.lied_to(released(make), "worlds handed over|did not pass its worlds")

    def test_size_without_bytes_takes_no_memory(self):
        def change(worlds):
            for w in worlds:
                if w.name == b"bare":
                    w.size = 1 << 41

        def alter(text, descriptors):
            text, made = self.file_of(change)(text, descriptors)
            if text == b"released":
                os.truncate(made[0], 1 << 42)
            return text, made
        self.lied_to(alter, "cut short or altered at byte")

    def test_sockets_that_are_none_are_refused(self):
        def listening(make):
            def alter(text, descriptors):
                return make(text, descriptors) if text.startswith(b"listening") else (text, descriptors)
            return alter

        def unbound():
            return socket.socket().detach()

        for name, make, words in (
                ("too few", lambda t, d: (t, d[:1]), "did not arrive as announced"),
                ("none", lambda t, d: (t, []), "did not arrive as announced"),
                ("count of 0", lambda t, d: (b"listening 0 1", d[:1]), "did not arrive as announced"),
                ("count below 0", lambda t, d: (b"listening 3 -1", d), "did not arrive as announced"),
                ("large count", lambda t, d: (b"listening 2147483647 3", d), "did not arrive as announced"),
                ("no count", lambda t, d: (b"listening ", d), "did not arrive as announced"),
                ("another word", lambda t, d: (b"hello", d), "speaks another version"),
                ("files", lambda t, d: (t, [os.open(self.folder, os.O_RDONLY) for _ in d]), "socket|listen"),
                ("sockets that do not listen", lambda t, d: (t, [unbound() for _ in d]), "socket|listen|bound"),
                ("an end", lambda t, d: None, "has not answered")):
            with self.subTest(name):
                self.lied_to(listening(make), words)


class Unfinished(Relayed):
    """Requests that a world has not carried out when its server stops."""

    def destroy_late(self, *more):
        """A takeover during whose stop `destroy` of world 'slow' waits for the world's next tick."""
        for name, durability in (("slow", "normal"), ("kept", "normal")):
            self.player.call("world.create", world=name, durability=durability, paused=True)
            self.player.call("body.spawn", world=name, shapes=[BALL])

        def ready():
            self.player.request("world.step", world="slow", ticks=100000)
            self.player.request("world.destroy", world="slow")
            for method, arguments in more:
                self.player.request(method, **arguments)
            self.player.request("ping")
            self.player.read_until(lambda: self.player.responses.get(self.player.last_id))
        path, self.path = self.path, self.relay(lambda *message: message, ready)
        self.take_over("--http", "127.0.0.1:0")
        self.path = path
        self.player = self.resume(self.player)

    def test_world_that_was_to_be_destroyed_is_no_obstacle(self):
        self.destroy_late()
        self.assertIn("kept", self.state())
        self.take_over("--http", "127.0.0.1:0")
        self.player = self.resume(self.player)
        self.assertIn("kept", self.state())

    def test_younger_world_of_its_name_goes_on(self):
        for durability in ("none", "normal"):
            with self.subTest(durability):
                self.destroy_late(("world.create", {"world": "slow", "durability": durability, "paused": True}))
                self.assertEqual({*self.state(), "slow"}, {"kept", "slow"})
                self.take_over("--http", "127.0.0.1:0")
                self.player = self.resume(self.player)
                for world in self.state():
                    self.player.call("world.destroy", world=world)

    def test_lists_of_worlds_that_are_asked_for_meanwhile_are_answered(self):
        """A world in a long step keeps one list waiting, and a second list behind it, while the server ends."""
        self.player.call("world.create", world="crowd", gravity=[0, 0])
        self.fill_until_slow("crowd")
        self.player.call("world.create", world="idle", paused=True)
        clients = [self.greet() for _ in range(4)]
        asked = [client.request("world.list") for client in clients]
        clients[0].call("body.spawn", world="idle", shapes=[])  # what the first list knows of this world is out of date
        self.server.process.send_signal(signal.SIGTERM)
        for client, number in zip(clients, asked):
            try:
                self.assertEqual([w["world"] for w in client.answer(number)], ["crowd", "idle"])
            except RemoteError as why:
                self.assertRegex(str(why), "^unavailable: the server is shutting down")
            except Closed:
                pass  # the step was longer than a shutdown may wait
        server, self.server = self.server, None
        self.assertEqual(server.await_end(), 0, "".join(server.log))

    def fill_until_slow(self, world):
        """Adds bodies that all overlap, until a step of the world takes a tenth of a second or the world has as many pairs as
        it may: how many depends on the build."""
        end = time.monotonic() + SECONDS_MAX
        crowd = [["body.spawn", {"allow_sleep": False, "linear_damping": 1e6, "shapes": [{"kind": "circle", "radius": 5}]}]] * 100
        while self.player.call("world.info", world=world)["step_ms"] < 100:
            self.assertLess(time.monotonic(), end)
            try:
                self.player.call("world.apply", world=world, commands=crowd)
            except RemoteError as full:
                self.assertRegex(str(full), "^limit_exceeded: pairs_per_world: ")
                return


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
