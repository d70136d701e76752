"""Completion in real shells: the test types into each on a terminal, and the completed words reach the server."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from cli import CAROM, CAROMD, SECONDS_MAX, ServerTest, environment, main
from terminal import Terminal

PROMPT = "ready> "
BUILD = Path(CAROM).parents[2]

# The command that starts each shell, and its first input: the folder of the installed scripts.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "for f in carom caromd carom-load; do source {share}/bash-completion/completions/$f; done; PS1='rea''dy> '"),
    "zsh": (["zsh", "-f", "-i"],
            "fpath=({share}/zsh/vendor-completions $fpath); autoload -Uz compinit; compinit -u -d {share}/dump; "
            "PROMPT='rea''dy> '"),
    "fish": (["fish", "--no-config", "--interactive"],
             "set fish_complete_path {share}/fish/vendor_completions.d; "
             "function fish_prompt; printf 'rea''dy> '; end"),
}


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, name, folder, port):
        """`folder` has the installation."""
        command, setup = SHELLS[name]
        self.terminal = Terminal(command, cwd=folder, env=environment(
            CAROM_SERVER=f"127.0.0.1:{port}", HOME=str(folder), XDG_CONFIG_HOME=str(folder), fish_greeting="",
            PATH=f"{Path(CAROM).parent}:{Path(CAROMD).parent}:{os.environ['PATH']}"))
        self.run(setup.format(share=folder / "share"))

    def run(self, line):
        """Types a line, with tabs in it, and waits for the prompt after it."""
        self.terminal.keys(line + "\n")
        self.terminal.wait_for(PROMPT, SECONDS_MAX)

    def close(self):
        self.terminal.close()


class Completion(ServerTest):
    options = ("--world", "first", "--world", "second")

    def complete_in(self, name):
        if shutil.which(name) is None:
            self.skipTest(f"there is no {name}")
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for component in ("carom", "caromd"):
            subprocess.run(["cmake", "--install", BUILD, "--prefix", folder, "--component", component], check=True,
                           stdout=subprocess.DEVNULL)
        shell = Shell(name, folder, self.server.port)
        self.addCleanup(shell.close)
        world = f"{name}-world"
        # A command, a scene, a world, a kind, an id, the name of an argument: each is typed in part
        # and completed.
        shell.run(f"carom crea\t{world} --scene crad\t --hz 30")
        self.assertEqual((6, 30), tuple(self.json("info", world)[key] for key in ("bodies", "hz")))
        shell.run(f"carom pause {name}-\t")
        self.assertTrue(self.json("info", world)["paused"])
        shell.run(f"carom joint create {world} rev\t 1 2 anchor=0,0 max_tor\t5")
        self.assertIn("revolute", {joint["kind"] for joint in self.json("joints", world)})
        shell.run(f"carom remo\t{world} 1 2 3 4 5")
        shell.run(f"carom remo\t{world} \t")  # there is one body left, so only one id
        self.assertEqual([], self.json("bodies", world))
        shell.run(f"carom spawn {world} --circle 1 --type kin\t")
        self.assertEqual(["kinematic"], [body["type"] for body in self.json("bodies", world)])
        shell.terminal.keys("carom-load --scen\t nothing.json --che\t\n")
        shell.terminal.wait_for("carom-load: cannot read nothing.json", SECONDS_MAX)
        shell.terminal.keys("caromd --limit connections_per\t7 --check-c\t --log-f\t te\t\n")
        shell.terminal.wait_for("the options: sound", SECONDS_MAX)

    def test_bash(self):
        self.complete_in("bash")

    def test_zsh(self):
        self.complete_in("zsh")

    def test_fish(self):
        self.complete_in("fish")


if __name__ == "__main__":
    main()
