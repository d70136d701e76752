"""Damaged files: data directories (log, image), world images, recordings, backups; each cut off, altered, of a newer
version, of another engine, and with a header that claims 100 GB (or the most that its field holds).

Every program that reads such a file reports what is wrong, where, and what to do; it changes no byte of the file and
allocates no memory for false claims."""

import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import msgpack

from cli import CAROM, CAROMD, Caromd, SECONDS_MAX, ServerTest, environment, main
from checksum import crc32c  # cli.py has put tests/support on the path

SANITIZED = any(word in Path(CAROMD).read_bytes() for word in (b"__asan_init", b"__tsan_init"))
ADDRESSES_MAX = 3 << 30  # below the 4 GiB that a field of 32 bits can claim; a sanitizer needs more for itself
RESIDENT_MAX = (1024 if SANITIZED else 128) << 20
HUGE = 100 << 30

SEGMENT, GROUP = 40, 48        # bytes of a segment's and a group's header (server/storage/README.md)
IMAGE, PIECE = 80, 256 << 10   # bytes of an image file's header; of its pieces
WORLD_VERSION, WORLD_ENGINE = 8, 9  # places in a world image, each a byte while its number is small
LOG_MAGIC = b"\x89clog\r\n\x1a"


# ---- damages: bytes to bytes

def put(form, at, value):
    return lambda data: data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form):]


def flip(at):
    return lambda data: data[:at] + bytes([data[at] ^ 16]) + data[at + 1:]


def cut(share):
    return lambda data: data[:int(len(data) * share)]


def sealed(damage, begin, end):
    """The damage, with the checksum of bytes [begin, end) corrected, which follows them."""
    def work(data):
        data = damage(data)
        return put("<I", end, crc32c(data[begin:end]))(data)
    return work


def image_of_other_engine(data):
    """A stored image: its one piece has the checksum of the header, of the piece's number and of its bytes."""
    assert len(data) < IMAGE + PIECE
    at = data.index(b"caromWLD") + WORLD_ENGINE
    data = put("B", at, data[at] + 1)(data)
    begun = crc32c(struct.pack("<Q", 0), struct.unpack_from("<I", data, IMAGE - 4)[0])
    return data[:-4] + struct.pack("<I", crc32c(data[IMAGE:-4], begun))


def bodies_claimed(count):
    """A world image that claims `count` slots of bodies instead of its 41, each used once."""
    written = bytearray()
    while count > 0x7F:
        written.append(count & 0x7F | 0x80)
        count >>= 7
    written.append(count)

    def work(data):
        at = data.index(b"\x29" + b"\x01" * 41)
        return data[:at] + bytes(written) + data[at + 1:]
    return work


def frames(log):
    at = len(LOG_MAGIC)
    while at < len(log):
        size, = struct.unpack_from("<I", log, at)
        yield log[at + 8:at + 8 + size]
        at += 8 + size


def recording_with(**changed):
    """A recording whose header has other values."""
    def work(data):
        header, *rest = frames(data)
        out = LOG_MAGIC
        for payload in [msgpack.packb({**msgpack.unpackb(header), **changed}), *rest]:
            size = struct.pack("<I", len(payload))
            out += size + struct.pack("<I", crc32c(size + payload)) + payload
        return out
    return work


def frame_of_4_gb(data):
    first = len(LOG_MAGIC) + 8 + len(next(frames(data)))
    return put("<I", first, 0xFFFFFFF0)(data)


def entry_of_100_gb(data):
    """A backup's first entry: u32 1, u32 length of the name, u64 size, the name, a checksum."""
    name, = struct.unpack_from("<I", data, 20)
    return sealed(put("<Q", 24, HUGE), 16, 32 + name)(data)


# ---- the table: for each kind of file, the damage and the exact message of each reader

AT_START = r"data directory '.*/data': "
WORLD = r"world 'w\.\d+': "
LOG = {
    "cut off": (cut(0.4), r"the log was closed at byte \d+ of log-0000000001 and ends elsewhere: it was cut off; restore a backup"),
    "altered": (flip(SEGMENT + GROUP + 20), r"log-0000000001: group 1 at byte 40: a record's checksum differs, and group \d+ "
                r"behind it says that it was on the disk: the file is damaged; restore a backup"),
    "newer": (sealed(put("<I", 8, 2), 0, SEGMENT - 4), r"log-0000000001 is of format version 2, this program reads version 1: "
              r"use the newer program that wrote it; nothing was changed"),
    "huge": (sealed(put("<I", SEGMENT + 4, 0xFFFFFFF0), SEGMENT, SEGMENT + GROUP - 4), r"log-0000000001: group 1 at byte 40: its "
             r"header was altered, or claims more than a group may, and group \d+ behind it says that it was on the disk: the "
             r"file is damaged; restore a backup"),
}
STORED_IMAGE = {
    "cut off": (cut(0.7), r"image-1-\d+ is damaged: its length is not that which its header tells; restore a backup"),
    "altered": (flip(IMAGE + 20), r"image-1-\d+ is damaged: the checksum of bytes 0 to \d+ differs; restore a backup"),
    "newer": (sealed(put("<I", 8, 2), 0, IMAGE - 4), r"image-1-\d+ is of format version 2, this program reads version 1: "
              r"use the newer program that wrote it; nothing was changed"),
    "huge": (sealed(put("<Q", 56, HUGE), 0, IMAGE - 4), r"image-1-\d+ is damaged: it is not the image that the log "
             r"names; restore a backup"),
}
ANOTHER_COPY = "; it was cut off or altered: use another copy"
WORLD_IMAGE = {
    "cut off": (cut(0.5), r"world image, byte \d+: the image ends early" + ANOTHER_COPY),
    "altered": (flip(-6), r"world image, byte \d+: the state does not have the hash that the image names" + ANOTHER_COPY),
    "newer": (put("B", WORLD_VERSION, 99), r"world image, byte 9: version 99, this program reads \d+ to \d+: use one of the version that "
              r"wrote it"),
    "another engine": (put("B", WORLD_ENGINE, 99), r"world image, byte 10: made by an engine of behaviour 99, this one's is \d+: "
                       r"use a program of that behaviour"),
    "huge": (bodies_claimed(0xFFFFFFFF), r"world image, byte \d+: slots is 4294967295, at most 1048576 is allowed" + ANOTHER_COPY),
    "large": (bodies_claimed(1 << 20), r"world image, byte \d+: (more slots than bytes|the image ends early)" + ANOTHER_COPY),
}
RECORDING = {
    "altered": (flip(500), r"byte \d+ of the log: the checksum differs: the frame's bytes were altered; use another copy"),
    "newer": (recording_with(format=2), r"byte 8 of the log: the log has format 2; this program reads format 1: use one of the "
              r"version that wrote it, or a newer one"),
    "another engine": (recording_with(engine=99), r"made by an engine of behaviour 99; this one has \d+ and would go on "
                       r"otherwise: use the version that recorded it"),
    "huge": (frame_of_4_gb, r"byte \d+ of the log: a frame of 4294967280 bytes, at most 335544320 are allowed: the bytes were "
             r"altered; use another copy"),
}
NO_BACKUP = r"'a\.bak' is no whole backup: "
BACKUP = {
    "cut off": (cut(0.5), NO_BACKUP + r"log-0000000001 is said to have \d+ bytes, and \d+ follow at byte \d+; use another one"),
    "altered": (flip(500), NO_BACKUP + r"a checksum differs at byte \d+; use another one"),
    "newer": (sealed(put("<I", 8, 2), 0, 12), r"'a\.bak' is of format version 2, this program reads version 1: use the newer "
              r"program that made it"),
    "huge": (entry_of_100_gb, NO_BACKUP + r"image-1-\d+ is said to have 107374182400 bytes, and \d+ follow at byte \d+; use "
             r"another one"),
}


class Ended:
    def __init__(self, code, err, resident):
        self.code, self.err, self.resident = code, err, resident


def bound():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES_MAX, ADDRESSES_MAX))


def run(program, *words, port=1, until=None):
    """Runs the program with limited memory to its end, or until it writes the words `until`."""
    process = subprocess.Popen([program, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, preexec_fn=bound,
                               env=environment(CAROM_SERVER=f"127.0.0.1:{port}"))
    timer = threading.Timer(SECONDS_MAX, process.kill)
    timer.start()
    lines = []
    for line in process.stderr:
        lines.append(line)
        if until is not None and until in line:
            process.send_signal(signal.SIGTERM)
    process.stderr.close()
    _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    timer.cancel()
    return Ended(process.returncode, "".join(lines), used.ru_maxrss << 10)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and path.name != "lock"}


class DamageTest(ServerTest):
    """Valid files are made once; each test damages a copy."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.good = Path(folder.name)
        with Caromd(CAROMD, "--data", str(cls.good / "data")) as server:
            where = environment(CAROM_SERVER=f"127.0.0.1:{server.port}")

            def ok(*words):
                return subprocess.run([CAROM, *map(str, words)], check=True, capture_output=True, text=True, env=where).stdout
            ok("create", "w", "--paused")
            for i in range(40):
                ok("spawn", "w", "--circle", 0.5, "--at", f"{2 * i},0")
            recorder = subprocess.Popen([CAROM, "record", "w", cls.good / "a.caromlog", "--ticks", "60"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=where)
            while json.loads(ok("info", "w", "--json"))["subscribers"] == 0:
                time.sleep(0.01)
            ok("step", "w", 30)
            ok("spawn", "w", "--circle", 0.5, "--at", "0,9")
            ok("step", "w", 30)
            recorder.wait(SECONDS_MAX)
            ok("save", "w", cls.good / "a.caromimage")
        subprocess.run([CAROM, "backup", cls.good / "data", cls.good / "a.bak"], check=True, stdout=subprocess.DEVNULL)

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def damaged(self, name, damage):
        """A copy of all valid files with one damaged."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.good, self.folder)
        path, = self.folder.glob(name)
        before = path.read_bytes()
        path.write_bytes(damage(before))
        self.assertNotEqual(before, path.read_bytes())
        self.files = contents(self.folder)

    def says(self, code, text, *words, **more):
        """Ends with the code, prints the text and no other error, and leaves the files unchanged."""
        ended = run(*words, port=self.server.port, **more)
        self.assertEqual(code, ended.code, (words, ended.err))
        self.assertRegex(ended.err, re.compile(text, re.MULTILINE), words)
        self.assertEqual(self.files, contents(self.folder), words)
        self.assertLess(ended.resident, RESIDENT_MAX, words)

    def readers_of_data(self, text):
        data = self.folder / "data"
        self.says(1, f"error {AT_START}{text}$", CAROMD, "--listen", "127.0.0.1:0", "--data", data)
        self.readers_of_whole_data(text)

    def readers_of_whole_data(self, text):
        data = self.folder / "data"
        text = AT_START + text + "$"
        self.says(1, "^caromd: " + text, CAROMD, "--check-data", data)
        self.says(2, "^carom: " + text, CAROM, "backup", data, self.folder / "b.bak")

    def readers_of_recording(self, text):
        path = self.folder / "a.caromlog"
        for words in (["replay", path], ["replay", path, "--verify"], ["diff", path, self.good / "a.caromlog"]):
            self.says(2, f"^carom: {path}: {text}$", CAROM, *words)
        self.says(1, f"error --replay: '{path}'(: | was ){text}$", CAROMD, "--listen", "127.0.0.1:0", "--replay", path)


class Damages(DamageTest):
    def each(self, table, name, check):
        for damage, (work, text) in table.items():
            with self.subTest(damage):
                self.damaged(name, work)
                check(text)

    def test_log_of_a_data_directory(self):
        self.each(LOG, "data/log-0000000001", self.readers_of_data)

    def test_image_of_a_data_directory(self):
        def check(text):
            self.readers_of_whole_data(WORLD + text)
            self.starts_without_w("is set aside: " + text + r"\. Its files are kept: a start that can read them brings it back, "
                                  r"world\.destroy drops it")
        self.each(STORED_IMAGE, "data/image-*", check)

    def test_image_that_is_missing_is_its_worlds_alone(self):
        self.damaged("data/image-*", cut(0))
        path, = self.folder.glob("data/image-*")
        path.unlink()
        self.files = contents(self.folder)
        text = rf"cannot open {path.name}, which the log names: No such file or directory"
        self.readers_of_whole_data(WORLD + text)
        self.starts_without_w(f"is set aside: {text}")

    def test_image_that_is_put_back_brings_its_world_back(self):
        self.damaged("data/image-*", flip(IMAGE + 20))
        path, = self.folder.glob("data/image-*")
        self.starts_without_w("is set aside: ")
        shutil.copy(self.good / "data" / path.name, path)
        ended = run(CAROMD, "--listen", "127.0.0.1:0", "--data", self.folder / "data", until="1 world restored")
        self.assertEqual(0, ended.code)
        self.assertIn("world 'w' continues at tick 60 ", ended.err)

    def test_data_of_another_engine_is_kept_and_its_world_not_served(self):
        self.damaged("data/image-*", image_of_other_engine)
        self.starts_without_w(r"is not served: its image of tick \d+: world image, byte 10: made by an engine of behaviour \d+, "
                              r"this one's is \d+: use a program of that behaviour")

    def starts_without_w(self, text):
        """The server starts, reports the text for the world, and keeps its files."""
        before = dict(self.files)
        ended = run(CAROMD, "--listen", "127.0.0.1:0", "--data", self.folder / "data", until="listening on")
        self.assertEqual(0, ended.code, ended.err)
        self.assertRegex(ended.err, f"error world 'w' {text}")
        self.assertLess(ended.resident, RESIDENT_MAX)
        after = contents(self.folder)
        log = "data/log-0000000001"
        for name in before.keys() - {"data/closed", "data/sessions", log}:
            self.assertEqual(before[name], after[name], name)
        self.assertTrue(after[log].startswith(before[log].rstrip(b"\0")))  # only continues

    def test_world_image(self):
        path = self.folder / "a.caromimage"

        def check(text):
            self.says(1, f"^carom: invalid_argument: image: {text}\n.*\n  image: the content of {path}$", CAROM, "load", path, "x")
            self.says(2, f"^carom: {path}: the world's image: {text}$", CAROM, "diff", path, self.good / "a.caromimage")
        self.each(WORLD_IMAGE, "a.caromimage", check)

    def test_file_of_100_gb_is_not_read(self):
        path = self.folder / "a.caromimage"
        self.damaged("a.caromimage", cut(0))
        self.files.clear()
        os.truncate(path, HUGE)
        for words in (["load", path, "x"], ["diff", path, self.good / "a.caromimage"]):
            ended = run(CAROM, *words, port=self.server.port)
            self.assertEqual((2, f"carom: {path} is larger than 64 MiB\n"), (ended.code, ended.err))
            self.assertLess(ended.resident, RESIDENT_MAX)
        self.assertEqual(HUGE, path.stat().st_size)

    def test_recording(self):
        self.each(RECORDING, "a.caromlog", self.readers_of_recording)

    def test_recording_that_was_cut_off_is_taken_so_far(self):
        path = self.folder / "a.caromlog"
        self.damaged("a.caromlog", lambda data: data[:-40])
        whole = r"the log was cut off at byte \d+; it is whole up to tick \d+ \(\d+ records\)"
        self.says(0, f"^carom: note: {path}: {whole}; it is taken so far$", CAROM, "replay", path)
        self.says(2, rf"^carom: {path}: the recording was cut off; it is whole up to tick \d+$", CAROM, "replay", path, "--verify")
        self.says(0, f"warn  '{path}': {whole}$", CAROMD, "--listen", "127.0.0.1:0", "--replay", path, until="listening on")

    def test_backup(self):
        def check(text):
            self.says(2, f"^carom: {text}$", CAROM, "restore", self.folder / "a.bak", self.folder / "restored")
            self.assertFalse((self.folder / "restored").exists())
        self.each(BACKUP, "a.bak", check)


if __name__ == "__main__":
    main()
