"""Which rooms may include which: reads every include line and fails on an arrow that is not allowed.

A file belongs to the room (folder) of ROOMS that is the longest prefix of its path. Project includes
are written from the project root, so a line says by itself which arrow it is. Four things are checked:

  direct      a line may only lead to a room, or to a library, that its own room's row names;
  transitive  a room that must not know a library may not reach its header through other files;
  private     only the folders that PRIVATE names for a header may include it;
  circles     no header may include itself, directly or through other headers.

Files that proto/generate.py writes belong to the rooms that their paths name, and are read like the others.

Usage: test_arrows.py [PROJECT_ROOT]
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# base <- geometry <- physics <- world <- proto <- { server, client }
BASE = ["common/base"]
GEOMETRY = BASE + ["common/geometry"]
PHYSICS = GEOMETRY + ["common/physics"]
WORLD = PHYSICS + ["common/world"]
PROTO = WORLD + ["proto"]

# Shared by every room of the server: encoded bytes, the clock, limits, counters and timings, queues between threads.
SHARED = ["server/base", "server/process/crash.h", "server/schedule"]

# A served world, each folder above those before it: its state beside its bodies; requests and replies; its snapshots
# and its log, which do not know each other; its ticks.
WORLD_STATE = ["server/world/state"]
WORLD_MESSAGE = WORLD_STATE + ["server/world/message"]
SERVED_WORLD = WORLD_MESSAGE + ["server/world/history", "server/world/snapshots", "server/world/log", "server/world/tick"]

# room: (rooms or single files it may include, libraries it may include). A room may always include
# itself.
ROOMS = {
    "common/base": ([], []),
    # Command lines, of the server as of its clients.
    "common/args": (BASE, []),
    "common/geometry": (BASE, []),
    "common/physics": (GEOMETRY, []),
    # Commands as plain structs, and the code that applies them: no bytes.
    "common/world": (PHYSICS, []),
    "proto": (WORLD, ["msgpack", "jansson"]),
    # The base of all rooms of the server: clock, bytes, queues, limits, memory, metrics, audit.
    "server/base": (PROTO, []),
    # Shares a thread's time among subjects, without knowing its use.
    "server/schedule": (BASE, []),
    # How the process is started, watched and replaced: knows listening sockets, no sessions.
    "server/process": (PHYSICS + ["server/base", "server/net"], ["uv", "openssl"]),
    # The command line and files of settings, and their check before a start.
    "server/config": (PROTO + ["common/args", "server/base", "server/auth", "server/net", "server/http", "server/fleet",
                               "server/session/placement/scenes.h", "server/session/placement/templates.h",
                               "server/session/relay/targets.h", "server/world/state/replay.h"], ["jansson"]),
    # net moves bytes: it may know the protocol's framing, and knows no physics.
    "server/net": (BASE + ["proto"] + SHARED, ["uv", "openssl"]),
    # HTTP and WebSocket stand between net and session: they know neither sessions nor messages.
    "server/http": (BASE + ["proto/wire/buffer.h", "server/net"] + SHARED,
                    ["uv", "openssl"]),
    # A served world and its storage know commands as plain structs, not how they travel.
    "server/world/state": (PROTO, []),
    "server/world/message": (PROTO + SHARED + ["server/storage"] + WORLD_STATE, []),
    "server/world/history": (PROTO + SHARED, []),
    "server/world/snapshots": (PROTO + SHARED + WORLD_MESSAGE, []),
    "server/world/log": (PROTO + SHARED + ["server/storage"] + WORLD_MESSAGE, []),
    "server/world/tick": (PROTO + SHARED + ["server/storage"] + SERVED_WORLD, []),
    "server/storage": (PROTO + SHARED + ["server/include"], []),
    # The identity and the rights that a token gives: knows neither sessions nor sockets.
    "server/auth": (PROTO + SHARED, ["jansson", "openssl"]),
    # The store that a fleet of servers shares, and its records: knows neither sessions nor worlds.
    "server/fleet": (BASE + SHARED + ["server/net/acceptor.h", "server/net/tls_pipe.h"], ["uv", "jansson", "curl", "openssl"]),
    "server/session": (PROTO + SHARED + SERVED_WORLD + ["server/auth", "server/net", "server/http",
                                                        "server/storage", "server/fleet"],
                       ["uv", "msgpack"]),
    "server": (PROTO + SHARED + SERVED_WORLD + ["server/process", "server/config", "server/auth", "server/net", "server/http", "server/storage",
                        "server/session", "server/fleet"],
               ["uv", "msgpack", "jansson"]),
    # The public headers include nothing else: a user's project has no other header of carom.
    "client/include": ([], []),
    "client/lib": (PROTO + ["client/include"], ["msgpack", "openssl"]),
    # Referees, a part of libcarom, call it by its public headers alone.
    "client/referee": (["client/include"], []),
    # libcarom-scene calls libcarom by its public headers alone.
    "client/scene": (PROTO + ["client/include"], ["msgpack"]),
    # The core of prediction: the engine and the log, without sockets and clocks.
    "client/prediction": (PROTO, []),
    # libcarom-replica is the engine and its log; values of libcarom-scene convert to and from bytes.
    "client/replica": (PROTO + ["client/include", "client/prediction/prediction.h", "client/scene/values.h"], ["msgpack"]),
    # The server's public headers: backups, for tools.
    "server/include": ([], []),
    # The base of carom and carom-load: the command line, its options, errors, the connection, the relay.
    "client/tool": (["common/args", "client/include"], []),
    # The load test. carom knows only its options.
    "client/load": (["common/args", "client/include", "client/tool"], []),
    "client/cli": (["common/args", "client/include", "client/tool", "client/load/command.h", "server/include"], ["openssl"]),
    "client/examples": (["client/include"], []),
    # The npm package: the table of methods, and the engine for browsers.
    "client/web": (PROTO + ["client/prediction/prediction.h"], ["msgpack"]),
    "client/web/test": (PROTO + ["client/web", "tests"], []),
    "tests": (PROTO + ["common/args"] + SHARED + SERVED_WORLD + ["server", "server/process", "server/config", "server/auth", "server/net", "server/http",
                       "server/storage", "server/session", "server/fleet", "client/include", "client/lib", "client/referee", "client/prediction", "client/scene", "client/cli",
                       "client/tool", "client/load"],
              ["uv", "msgpack", "jansson", "openssl", "cmocka", "chipmunk", "box2d"]),
}

LIBRARIES = {
    "uv": r"uv(\.h|/.*)",
    "msgpack": r"msgpack(\.h|/.*|_.*)",
    "jansson": r"jansson.*\.h",
    "cmocka": r"cmocka.*\.h",
    "chipmunk": r"chipmunk(\.h|/.*)",
    "box2d": r"(box2d|Box2D)(\.h|/.*)",
    "openssl": r"openssl/.*\.h",
    "curl": r"curl/.*\.h",
    "sockets": r"(sys/(socket|un|epoll|select)|poll|netdb|netinet/.*|arpa/.*)\.h",
    "threads": r"(pthread|threads|semaphore)\.h",
    "clock": r"(time|sys/time|sys/timerfd)\.h",
}

# What a room must not reach even through other files. System headers are only checked where the project itself includes
# them.
UNREACHABLE = {
    "common/base": ["uv", "msgpack", "jansson", "openssl", "sockets", "threads"],
    "common/args": ["uv", "msgpack", "jansson", "openssl", "sockets", "threads", "clock"],
    "common/geometry": ["uv", "msgpack", "jansson", "openssl", "sockets", "threads", "clock"],
    "common/physics": ["uv", "msgpack", "jansson", "openssl", "sockets", "threads", "clock"],
    "common/world": ["uv", "msgpack", "jansson", "openssl", "sockets", "threads", "clock"],
    "proto": ["uv", "openssl", "sockets", "threads"],
    "server/net": ["jansson"],
    **{folder: ["uv", "msgpack", "openssl"] for folder in SERVED_WORLD},
    "server/storage": ["uv", "msgpack", "openssl"],
    "client/include": ["uv", "msgpack", "jansson", "openssl"],
    "client/lib": ["uv", "jansson"],
    "client/scene": ["uv", "jansson", "sockets"],
    "client/tool": ["uv", "msgpack", "openssl"],
    "client/load": ["uv", "msgpack", "openssl"],
    "client/cli": ["uv", "msgpack"],
}

# header: the folders that may include it, although others of its room may not.
PRIVATE = {
    # Working memory of a step: state must not depend on it, nor may hashes, images or queries.
    # world.c only makes and frees it.
    "common/physics/step/step_scratch.h": ["common/physics/step", "common/physics/world.c"],
    "common/physics/step/solver/solver_scratch.h": ["common/physics/step", "common/physics/world.c"],
}

# The folders of the engine from the bottom up: each knows only folders before it, so there is no circle.
PHYSICS_FOLDERS = ["lanes", "parallel", "state", "step", "image", "queries"]

# Within a room: pairs of folders, of which the first must not include files of the second.
FORBIDDEN = [
    ("common/physics/" + below, "common/physics/" + above)
    for place, below in enumerate(PHYSICS_FOLDERS) for above in PHYSICS_FOLDERS[place + 1:]
] + [("common/physics/queries", "common/physics/" + other) for other in ("step", "image")] + [
    # A step knows its solver, and the solver the kinds of joints; neither looks back.
    ("common/physics/step/joints", "common/physics/step/solver"),
] + [
    (f"common/physics/step/{folder}", f"common/physics/step/{header}")
    for folder in ("joints", "solver")
    for header in sorted(path.name for path in (ROOT / "common/physics/step").glob("*.h"))
] + [
    # A client's identity does not depend on the placement of worlds; resuming and placing meet in calls.
    ("server/session/identity", "server/session/placement"),
    ("server/session/identity", "server/session/resume"),
    ("server/session/resume", "server/session/placement"),
    ("server/session/placement", "server/session/resume"),
]

# The system's headers that only UNREACHABLE names; rooms not named there may include them.
SYSTEM = {"sockets", "threads", "clock"}

# Public headers of the server; every other one of <carom/...> is the client's.
SERVER_PUBLIC = {"carom/backup.h"}

SOURCES = {".c", ".h", ".cc", ".cpp", ".hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def room_of(path):
    """The longest room that holds this path, or None."""
    holding = [room for room in ROOMS if path == room or path.startswith(room + "/")]
    return max(holding, key=len, default=None)


def within(path, folder):
    """Whether the path is the folder, or the file, or lies below it."""
    return path == folder or path.startswith(folder + "/")


def library_of(header):
    for name, pattern in LIBRARIES.items():
        if re.fullmatch(pattern, header):
            return name
    return None


class Tree:
    """The include lines of a source tree."""

    def __init__(self, root):
        self.files = {}
        self.add(pathlib.Path(root))

    def add(self, root):
        for top in sorted(p for p in root.iterdir() if p.is_dir() and p.name[0] != "."):
            for file in sorted(top.rglob("*")):
                if file.suffix in SOURCES and file.is_file():
                    self.files[file.relative_to(root).as_posix()] = self.includes(file)

    def includes(self, file):
        """(the included path, whether it is a file of the project) for every include line."""
        lines = []
        for quoted, angled in INCLUDE.findall(file.read_text(encoding="utf-8")):
            if quoted:
                lines.append((quoted, True))
            elif angled in SERVER_PUBLIC:
                lines.append(("server/include/" + angled, True))
            elif angled.startswith("carom/"):
                lines.append(("client/include/" + angled, True))
            else:
                lines.append((angled, False))
        return lines

    def direct_faults(self):
        for file, lines in self.files.items():
            room = room_of(file)
            if room is None:
                yield f"{file}: its folder has no row in the table of rooms"
                continue
            for target, ours in lines:
                fault = self.own_fault(room, target) if ours else self.library_fault(room, target)
                if fault:
                    yield f"{file}: {fault}"

    def own_fault(self, room, target):
        if target not in self.files:
            return f'"{target}" is not a file of ours, written from the project root'
        to = room_of(target)
        rooms = ROOMS[room][0]
        if to == room or to in rooms or target in rooms:
            return None
        return f'"{target}": {room} may not include {to}'

    @staticmethod
    def library_fault(room, target):
        library = library_of(target)
        if library is None or library in SYSTEM or library in ROOMS[room][1]:
            return None
        return f"<{target}>: {room} may not include {library}"

    def transitive_faults(self):
        for file in self.files:
            banned = UNREACHABLE.get(room_of(file), [])
            for library, path in self.reach(file).items():
                if library in banned:
                    yield f"{' -> '.join(path)}: {room_of(file)} must not know {library}"

    def reach(self, start):
        """The libraries that a file reaches, each with the way there."""
        found, seen, todo = {}, {start}, [[start]]
        while todo:
            path = todo.pop(0)
            for target, ours in self.files.get(path[-1], []):
                if not ours:
                    library = library_of(target)
                    if library:
                        found.setdefault(library, path + [f"<{target}>"])
                elif target not in seen:
                    seen.add(target)
                    todo.append(path + [target])
        return found

    def inner_faults(self):
        for file, lines in self.files.items():
            for target, _ in lines:
                for below, above in FORBIDDEN:
                    if within(file, below) and within(target, above):
                        yield f'{file}: "{target}": {below} may not include {above}'

    def private_faults(self):
        for file, lines in self.files.items():
            for target, _ in lines:
                folders = PRIVATE.get(target)
                if folders and not any(within(file, folder) for folder in folders):
                    yield f'{file}: only {" and ".join(folders)} may include "{target}"'

    def circle_faults(self):
        """Returns a fault for each circle that a depth-first walk over the headers closes."""
        done = set()

        def walk(file, path):
            if file in path:
                yield "circle: " + " -> ".join(path[path.index(file):] + [file])
            elif file in self.files and file not in done:
                for target, ours in self.files[file]:
                    if ours:
                        yield from walk(target, path + [file])
                done.add(file)

        for file in self.files:
            yield from walk(file, [])

    def faults(self):
        return (list(self.direct_faults()) + list(self.transitive_faults())
                + list(self.inner_faults()) + list(self.private_faults())
                + list(self.circle_faults()))


class Project(unittest.TestCase):
    maxDiff = None

    def test_project_every_arrow_is_allowed(self):
        tree = Tree(ROOT)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "proto" / "generate.py", "--into", folder], check=True)
            tree.add(pathlib.Path(folder))
        self.assertIn("proto/method_table.c", tree.files)
        self.assertGreater(len(tree.files), 20, "the sources were not found")
        self.assertEqual([], tree.faults())


class Checker(unittest.TestCase):
    """The check itself: each kind of fault, in a small tree of its own, is found."""

    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return Tree(folder).faults()

    def assert_fault(self, files, *words):
        faults = self.faults(files)
        self.assertEqual(1, len(faults), faults)
        for word in words:
            self.assertIn(word, faults[0])

    def test_arrow_downward_is_allowed(self):
        self.assertEqual([], self.faults({
            "common/base/a.h": "#include <stdint.h>\n",
            "common/geometry/b.h": '#include "common/base/a.h"\n',
            "server/net/c.c": '#include <uv.h>\n#include "common/base/a.h"\n',
        }))

    def test_arrow_upward_is_found(self):
        self.assert_fault({
            "common/geometry/b.h": "",
            "common/base/a.h": '  #  include "common/geometry/b.h"\n',
        }, "common/base/a.h", "may not include common/geometry")

    def test_arrow_from_net_to_physics_is_found(self):
        self.assert_fault({
            "common/physics/p.h": "",
            "server/net/c.c": '#include "common/physics/p.h"\n',
        }, "server/net may not include common/physics")

    def test_cli_that_includes_the_library_inside_is_found(self):
        self.assert_fault({
            "client/lib/inside.h": "",
            "client/include/carom/carom.h": "",
            "client/cli/main.c": "#include <carom/carom.h>\n#include \"client/lib/inside.h\"\n",
        }, "client/cli may not include client/lib")

    def test_cli_that_includes_the_server_inside_is_found(self):
        self.assert_fault({
            "server/storage/storage.h": "",
            "server/include/carom/backup.h": "",
            "client/cli/b.c": '#include <carom/backup.h>\n#include "server/storage/storage.h"\n',
        }, "client/cli may not include server/storage")

    def test_tool_that_includes_the_command_line_is_found(self):
        self.assert_fault({
            "client/cli/commands.h": "",
            "client/tool/help.c": '#include "client/cli/commands.h"\n',
        }, "client/tool may not include client/cli")

    def test_include_of_the_tests_is_found(self):
        self.assert_fault({
            "tests/support/t.h": "",
            "server/main.c": '#include "tests/support/t.h"\n',
        }, "server may not include tests")

    def test_include_not_from_the_root_is_found(self):
        self.assert_fault({
            "common/base/a.h": "",
            "common/base/a.c": '#include "a.h"\n',
        }, "not a file of ours")

    def test_library_in_the_wrong_room_is_found(self):
        self.assertEqual(2, len(self.faults({"server/world/log/w.c": "#include <uv.h>\n"})))

    def test_library_reached_through_another_file_is_found(self):
        self.assert_fault({
            "proto/wire.h": "#include <msgpack.h>\n",
            "proto/command.h": '#include "proto/wire.h"\n',
            "server/world/log/w.c": '#include "proto/command.h"\n',
        }, "server/world/log/w.c -> proto/command.h -> proto/wire.h -> <msgpack.h>")

    def test_log_that_includes_the_tick_is_found(self):
        self.assert_fault({"server/world/tick/t.h": "",
                           "server/world/log/l.c": '#include "server/world/tick/t.h"\n'},
                          "server/world/log may not include server/world/tick")

    def test_session_folder_that_includes_another_is_found(self):
        self.assert_fault({"server/session/placement/p.h": "",
                           "server/session/identity/i.c": '#include "server/session/placement/p.h"\n'},
                          "server/session/identity may not include server/session/placement")

    def test_clock_in_the_engine_is_found(self):
        self.assert_fault({"common/physics/p.c": "#include <time.h>\n"}, "must not know clock")

    def test_scratch_outside_the_step_is_found(self):
        scratch = "common/physics/step/step_scratch.h"
        self.assert_fault({
            scratch: "",
            "common/physics/step/s.c": f'#include "{scratch}"\n',
            "common/physics/world.c": f'#include "{scratch}"\n',
            "common/physics/image/b.c": f'#include "{scratch}"\n',
        }, "common/physics/image/b.c", "only common/physics/step and common/physics/world.c")

    def test_state_that_includes_the_step_is_found(self):
        self.assert_fault({"common/physics/state/a.c": '#include "common/physics/step/s.h"\n',
                           "common/physics/step/s.h": ""},
                          "common/physics/state may not include common/physics/step")

    def test_lanes_or_ranges_that_include_the_state_are_found(self):
        for folder in ("lanes", "parallel"):
            self.assert_fault({f"common/physics/{folder}/a.h": '#include "common/physics/state/s.h"\n',
                               "common/physics/state/s.h": ""},
                              f"common/physics/{folder} may not include common/physics/state")

    def test_state_that_includes_the_image_is_found(self):
        self.assert_fault({"common/physics/state/a.c": '#include "common/physics/image/i.h"\n',
                           "common/physics/image/i.h": ""},
                          "common/physics/state may not include common/physics/image")

    def test_solver_that_includes_the_step_is_found(self):
        self.assert_fault({"common/physics/step/solver/a.c": '#include "common/physics/step/step_scratch.h"\n',
                           "common/physics/step/step_scratch.h": ""},
                          "common/physics/step/solver may not include common/physics/step/step_scratch.h")

    def test_every_folder_of_the_engine_has_its_place(self):
        folders = {path.name for path in (ROOT / "common/physics").iterdir() if path.is_dir()}
        self.assertEqual(folders, set(PHYSICS_FOLDERS))

    def test_circle_of_headers_is_found(self):
        self.assert_fault({
            "common/base/a.h": '#include "common/base/b.h"\n',
            "common/base/b.h": '#include "common/base/c.h"\n',
            "common/base/c.h": '#include "common/base/b.h"\n',
        }, "circle: common/base/b.h -> common/base/c.h -> common/base/b.h")

    def test_header_reached_twice_is_no_circle(self):
        self.assertEqual([], self.faults({
            "common/base/a.c": '#include "common/base/a.h"\n#include "common/base/b.h"\n',
            "common/base/a.h": '#include "common/base/b.h"\n',
            "common/base/b.h": "",
        }))

    def test_folder_without_a_row_is_found(self):
        self.assert_fault({"common/sound/s.c": ""}, "no row in the table")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        ROOT = pathlib.Path(sys.argv.pop(1))
    unittest.main()
