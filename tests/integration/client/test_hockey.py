"""The example game, played like people do: two terminals, keys and a mouse, one server; also with tokens.

Usage: test_hockey.py CAROMD HOCKEY
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from terminal import Terminal  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402
from wire import Client  # noqa: E402

CAROMD, HOCKEY = (os.path.abspath(path) for path in sys.argv[1:3])
TEXT_MAX = 1 << 18  # characters of output that are searched
GOALS_TO_WIN = 7


class HockeyTest(unittest.TestCase):
    def setUp(self):
        self.players = []

    def serve(self, *options):
        self.server = self.enterContext(Caromd(CAROMD, "--http", "off", *options))

    def sit(self, name, **env):
        player = Terminal([HOCKEY, f"127.0.0.1:{self.server.port}", name],
                          {**os.environ, "TERM": "xterm-256color", **env})
        self.addCleanup(player.close)
        self.players.append(player)
        return player

    def draw(self):
        """Reads the games' output: a game whose terminal is full stops."""
        for player in self.players:
            if player.process.poll() is None:
                player.read(0.02)
            player.text = player.text[-TEXT_MAX:]

    def see(self, player, pattern):
        """Waits until the player's terminal shows the pattern, and drops all output up to its end."""
        end = time.monotonic() + SECONDS_MAX
        while not (found := re.search(pattern, player.text)):
            self.assertLess(time.monotonic(), end, pattern)
            self.draw()
        player.text = player.text[found.end():]

    def referee(self, **hello):
        client = self.enterContext(Client(self.server.port))
        client.call("hello", **hello)
        return client

    def bodies(self):
        """The bodies by the first words of their tags: "puck", "left Ada"."""
        found = self.watcher.call("world.state", world="hockey")["bodies"]
        return {re.sub(r" \d+$", "", body["tag"]): body for body in found}

    def until(self, told, player=None, keys=None):
        """Waits until the condition holds for the bodies; the player presses the keys meanwhile."""
        end = time.monotonic() + SECONDS_MAX
        while not told(bodies := self.bodies()):
            self.assertLess(time.monotonic(), end, bodies)
            if keys:
                player.keys(keys)
            self.draw()
        return bodies

    def test_two_play_and_a_third_takes_the_seat_of_one_who_leaves(self):
        self.serve()
        self.watcher = self.referee()
        ada = self.sit("Ada")
        self.see(ada, "Ada 0 : 0 \\(nobody\\)")
        self.see(ada, "left: arrow keys")
        self.see(ada, r"\d+ ticks ahead, \d+ % right, \d+ ms")
        ben = self.sit("Ben")
        self.see(ben, "Ada 0 : 0 Ben")
        self.see(ben, "right: arrow keys")
        cid = self.sit("Cid")
        self.see(cid, "You look on: p predicts, q leaves")
        # Ben plays without prediction, until he turns it on again.
        ben.keys("p")
        self.see(ben, "not predicted")
        self.until(lambda b: b["right Ben"]["position"][1] < -1, ben, keys="\x1b[B")
        ben.keys("p")
        self.see(ben, "ticks ahead")
        # Ben moves out of the way with the up arrow; Ada strikes the puck with the key for right.
        self.until(lambda b: b["right Ben"]["position"][1] > 2.5, ben, keys="\x1b[A")
        self.until(lambda b: "puck" in b)
        ada.keys("d" * 8)
        for player in (ada, ben, cid):
            self.see(player, "Ada 1 : 0 Ben.*Goal for Ada!")
        # No paddle crosses the middle, however far the hand moves.
        self.assertLess(self.until(lambda b: "puck" in b)["left Ada"]["position"][0], -0.5)
        # The mouse, near the upper edge: the paddle stays on the table.
        ada.keys("\x1b[<35;20;3M")
        paddle = self.until(lambda b: b["left Ada"]["position"][1] > 3.2)["left Ada"]
        self.assertLess(paddle["position"][1], 3.4)
        # The rest of the game: a hand from above puts the puck into the goal.
        scored = 0
        for score in range(2, GOALS_TO_WIN + 1):
            puck = self.until(lambda b: b.get("puck", {}).get("body", scored) != scored)["puck"]
            scored = puck["body"]
            self.watcher.call("body.set", world="hockey", body=scored, position=[9, 0])
            self.see(ada, f"Ada {score} : 0 Ben")
        self.see(ben, "Ada wins!")
        for player in (ada, ben):
            self.see(player, "Ada 0 : 0 Ben")
        ada.keys("q")
        self.assertEqual(0, ada.end())
        self.see(cid, "Cid 0 : 0 Ben")
        self.see(cid, "left: arrow keys")
        self.until(lambda b: "left Ada" not in b and "left Cid" in b)
        ben.process.terminate()
        self.assertEqual(0, ben.end())
        self.see(cid, "Cid 0 : 0 \\(nobody\\)")

    def test_small_terminal_has_as_many_lines_as_it_has_rows(self):
        self.serve()
        ada = self.sit("Ada")
        self.see(ada, re.escape("\x1b[?7l"))  # the rest of a longer line is cut, and begins no other one
        for columns, rows in ((20, 3), (30, 10)):
            ada.resize(columns, rows)
            self.see(ada, rf"\x1b\[H(?:[^\r\n]*[\r\n]+){{{rows - 1}}}[^\r\n]*q leaves")
        ada.keys("q")
        self.assertEqual(0, ada.end())
        self.assertIn("\x1b[?7h", ada.text)

    def test_tokens_keep_each_paddle_to_its_player(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        secret = Secret()
        write_keys(folder / "keys.json", secret)
        self.serve("--keys", str(folder / "keys.json"))
        tokens = {name: secret.sign(claims(name, role)) for name, role in
                  (("ada", "player"), ("ben", "player"), ("root", "admin"), ("cid", "viewer"))}
        early = self.sit("Ada", CAROM_TOKEN=tokens["ada"])
        self.assertEqual(1, early.end())
        self.assertIn("somebody whose token may make worlds has to play first", early.text)
        root = self.sit("Root", CAROM_TOKEN=tokens["root"])
        self.see(root, "Root 0 : 0")
        root.keys("q")
        self.assertEqual(0, root.end())
        ada, ben = (self.sit(name, CAROM_TOKEN=tokens[name.lower()]) for name in ("Ada", "Ben"))
        for player in (ada, ben):
            self.see(player, "(Ada 0 : 0 Ben|Ben 0 : 0 Ada)")
        cid = self.sit("Cid", CAROM_TOKEN=tokens["cid"])
        self.see(cid, "You look on")
        self.watcher = self.referee(token=tokens["cid"])
        owners = {tag.split()[1]: body["owner"] for tag, body in self.bodies().items()
                  if tag.split()[0] in ("left", "right")}
        self.assertEqual({"Ada": "ada", "Ben": "ben"}, owners)
        self.until(lambda b: next(body for tag, body in b.items() if tag.endswith("Ada"))["position"][1] > 1,
                   ada, keys="w")

    def test_what_cannot_be_played_is_told(self):
        done = subprocess.run([HOCKEY, "127.0.0.1:1"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(1, done.returncode)
        self.assertIn("hockey: cannot connect to 127.0.0.1:1", done.stderr)
        self.serve()
        done = subprocess.run([HOCKEY, f"127.0.0.1:{self.server.port}"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)
        self.assertEqual((1, "hockey is played in a terminal\n"), (done.returncode, done.stderr))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
