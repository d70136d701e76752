"""READMEs and guides hold what they promise: links lead somewhere, programs, commands and scenes run as
they are printed, against a server on another port.

Usage: test_readme.py CAROMD CAROM NVIM
"""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "client/README.md", "client/guides/first-world.md", "client/guides/game-in-c.md",
         "client/guides/any-language.md", "client/load/README.md", "client/web/examples/knockout/README.md", "client/web/README.md", "server/README.md", "tests/README.md",
         "tests/bench/README.md", "common/physics/README.md"]
TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
README = "\n".join(TEXTS.values())
CAROMD, CAROM, NVIM = sys.argv[1:4]


def blocks(language, text=None):
    return re.findall(rf"^```{language}\n(.*?)^```", text or README, re.DOTALL | re.MULTILINE)


def shape_of(text):
    """The printed text without numbers, their prefixes and spaces."""
    numbers = re.sub(r"\b[0-9a-f]{16}\b|-?\b\d+(?:\.\d+)?(?: [munk]?(?:s|B)\b)?", "N", text)
    return re.sub(r"\s+", " ", numbers).strip()


class Readme(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Caromd(CAROMD, "--world", "demo:demo"))
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def snippet(self, language, name, page=None):
        """The only block of the language (in all pages, or in one), as a file; its port is the server's."""
        found = blocks(language, TEXTS.get(page))
        self.assertEqual(1, len(found))
        self.assertIn("22766", found[0] if language != "json" else "22766")
        path = self.folder / name
        path.write_text(found[0].replace("22766", str(self.server.port)), encoding="utf-8")
        return str(path)

    def run_program(self, *command):
        environment = dict(os.environ, CAROM_SERVER=f"127.0.0.1:{self.server.port}")
        result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=SECONDS_MAX)
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout + result.stderr

    def test_links_lead_to_files(self):
        links = [(page, link) for page, text in TEXTS.items()
                 for link in re.findall(r"\]\(([^)#]+)[^)]*\)|<img src=\"([^\"]+)\"", text)
                 for link in link if link and not link.startswith("https://")]
        self.assertGreater(len(links), 20)
        for page, link in links:
            with self.subTest(link):
                self.assertTrue((ROOT / page).parent.joinpath(link).exists(), f"{page}: {link}")

    def test_readme_shows_the_example_as_it_is(self):
        example = (ROOT / "client/examples/hello.c").read_text(encoding="utf-8")
        self.assertIn(blocks("c")[0], example)

    def test_picture_is_drawn_of_a_world(self):
        self.run_program(CAROM, "create", "drawn", "--scene", "cradle")
        svg = self.run_program(sys.executable, str(ROOT / "client/examples/picture.py"),
                               f"127.0.0.1:{self.server.port}", "drawn")
        self.assertIn("<polygon", svg)
        self.assertTrue(svg.rstrip().endswith("</svg>"))
        for wrong, words in ((["drawn", "127.0.0.1:1"], "picture.py [HOST:PORT] [WORLD]"),
                             (["127.0.0.1:1", "drawn"], "127.0.0.1:1: "), (["--help"], "picture.py [")):
            result = subprocess.run([sys.executable, str(ROOT / "client/examples/picture.py"), *wrong],
                                    capture_output=True, text=True, timeout=SECONDS_MAX)
            self.assertEqual((1, ""), (result.returncode, result.stdout))
            self.assertIn(words, result.stderr)
            self.assertNotIn("Traceback", result.stderr)

    def test_moving_picture_shows_the_demo_as_this_engine_steps_it(self):
        again = subprocess.run([ROOT / "docs/pictures/moving.py", CAROMD, CAROM], stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, check=True, timeout=SECONDS_MAX).stdout
        self.assertGreater(again.count("<animateTransform"), 2 * 130)
        self.assertNotIn("<script", again)
        self.assertLess(len(again), 300_000)
        kept = (ROOT / "docs/pictures/demo.svg").read_text(encoding="utf-8")
        self.assertTrue(again == kept, "docs/pictures/moving.py CAROMD CAROM > docs/pictures/demo.svg renews the picture")

    def test_python_strikes_a_ball(self):
        sample = self.snippet("python", "ball.py")
        self.assertRegex(self.run_program(sys.executable, sample), r"^\[1\.27\d*, -\d")
        # The world is there now; the second ball meets the first.
        self.assertRegex(self.run_program(sys.executable, sample), r"^\[-?\d")

    def test_node_strikes_a_ball(self):
        sample = self.snippet("js", "ball.mjs", "client/guides/any-language.md")
        if shutil.which("node") is None:
            self.skipTest("there is no Node")
        self.assertRegex(self.run_program("node", sample), r"(?s)^\[ 1\.27\d*, -\d.*body 2 is at \d")

    def test_commands_of_the_guide_print_what_is_printed(self):
        build = str(pathlib.Path(CAROM).resolve().parents[2])
        path = os.environ["PATH"]
        typed = 0
        for block in blocks("console"):
            for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                if command.startswith("export PATH="):
                    path = command.removeprefix("export PATH=").replace("$PWD/.build/release", build).replace("$PATH", path)
                    continue
                done = subprocess.run(["sh", "-c", command], cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                                      capture_output=True, timeout=SECONDS_MAX,
                                      env=dict(os.environ, PATH=path, CAROM_SERVER=f"127.0.0.1:{self.server.port}"))
                with self.subTest(command):
                    said = re.sub(r"^ *\d+ snapshots were merged because .*\n", "", done.stderr) # a busy machine
                    self.assertEqual((0, ""), (done.returncode, said))
                    if "WORLD  STATE" not in printed: # of this server's worlds, which other tests make
                        self.assertEqual(shape_of(printed), shape_of(done.stdout))
                    typed += 1
        self.assertGreater(typed, 15)

    def test_neovim_strikes_a_ball(self):
        velocity = self.run_program(NVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n",
                                    "-S", self.snippet("lua", "ball.lua"), "+qa")
        self.assertRegex(velocity, r"\{ 1\.27\d*, ")

    def test_scene_builds_a_wall(self):
        told = self.run_program(CAROM, "apply", self.snippet("json", "wall.json", "client/README.md"))
        self.assertIn("151 bodies", told)

    def compile(self, text, port):
        source = self.folder / "hello.c"
        source.write_text(text.replace("22766", str(port)), encoding="utf-8")
        library = pathlib.Path(CAROM).resolve().parents[1] / "lib"
        # A program must bring the sanitizer that its library was built with.
        linked = (library / "libcarom.so").read_bytes()
        sanitizers = [flag for name, flag in ((b"libasan.so", "-fsanitize=address,undefined"),
                                              (b"libtsan.so", "-fsanitize=thread"))
                      if name in linked]
        command = ["cc", *sanitizers, "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'client/include'}", str(source),
                   "-o", str(self.folder / "hello"), f"-L{library}", "-lcarom",
                   f"-Wl,-rpath,{library}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX)
        # A library with sanitizers makes the linker warn of its own; what counts is the program.
        told = [line for line in done.stderr.splitlines() if "hello.c" in line]
        self.assertEqual((0, []), (done.returncode, told), done.stderr)
        return str(self.folder / "hello")

    def test_c_programs_are_whole_and_run(self):
        # A block that is only a piece of a program is read, not run.
        programs = [block for block in blocks("c") if "int main(" in block]
        programs.append((ROOT / "client/examples/hello.c").read_text(encoding="utf-8"))
        self.run_program(CAROM, "create", "rest") # a world at rest sends one snapshot
        self.run_program(CAROM, "spawn", "rest", "--box", "20x1", "--at", "3,4", "--type", "static")
        for text in programs:
            with self.subTest(text.partition("\n")[0]):
                hello = self.compile(text, self.server.port)
                self.assertIn(" is at ", self.run_program(hello))
                self.assertEqual("body 1 is at 3.00, 4.00\n", self.run_program(hello, "rest"))
                with socket.socket() as taken: # bound, and nobody listens
                    taken.bind(("127.0.0.1", 0))
                    alone = subprocess.run([self.compile(text, taken.getsockname()[1])],
                                           capture_output=True, text=True, timeout=SECONDS_MAX)
                self.assertEqual(1, alone.returncode)
                self.assertIn("caromd", alone.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
