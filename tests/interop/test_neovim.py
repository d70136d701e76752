"""Starts caromd and lets Neovim run test_neovim.lua against it.

Usage: test_neovim.py CAROMD NVIM
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402

SCRIPT = pathlib.Path(__file__).with_name("test_neovim.lua")


def main():
    caromd, nvim = sys.argv[1:]
    with Caromd(caromd) as server:
        environment = dict(os.environ, CAROM_PORT=str(server.port))
        command = [nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(SCRIPT)]
        result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, timeout=SECONDS_MAX)
    if result.returncode != 0:
        sys.exit(f"Neovim ended with {result.returncode}; the server said:\n" + "".join(server.log))


if __name__ == "__main__":
    main()
