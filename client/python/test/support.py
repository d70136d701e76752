"""For the tests of the Python package: where it, its libraries and caromd are.

The environment has CAROM_LIBRARY, CAROMD (the server's program) and CC (a C compiler).
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "client" / "python"
sys.dont_write_bytecode = True
sys.path[:0] = [str(PACKAGE), str(ROOT / "tests" / "support"), str(PACKAGE / "examples"), str(ROOT / "proto")]

try:
    import numpy
except ImportError:
    numpy = None

WHY_NOT = "skipped: numpy is missing (Debian: python3-numpy)"


def caromd(*options):
    """A server for a `with` block."""
    from caromd import Caromd
    return Caromd(os.environ["CAROMD"], *options)
