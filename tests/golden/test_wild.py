"""Worlds that break physics have the same bits with every width of vectors and on every processor.

    test_wild.py NAME=PROGRAM [ARGUMENT ...] -- NAME=PROGRAM ... [-- ...]

Each program prints the hashes of seeds for `FIRST COUNT` (golden --wild, wild_wasm.mjs); NAME "base"
and "avx2" choose that kernel. The first one is the measure. A program that emulates gets a part of
the seeds, by its name's share below. CAROM_WILD_SEEDS (300; 1000 with CAROM_THOROUGH)
sets how many, CAROM_WILD_FIRST where they begin: `CAROM_WILD_SEEDS=200000 ctest -R golden_wild --timeout 9999`.
"""
import os
import subprocess
import sys
import unittest

SEEDS = int(os.environ.get("CAROM_WILD_SEEDS", "1000" if "CAROM_THOROUGH" in os.environ else "300"))
FIRST = int(os.environ.get("CAROM_WILD_FIRST", "1"))
SHARES = {"arm64": 12}  # runs a twelfth of the seeds; other builds run all


def split(arguments):
    programs, command = [], []
    for word in [*arguments, "--"]:
        if word != "--":
            command.append(word)
        elif command:
            name, _, program = command[0].partition("=")
            if not program:
                raise SystemExit(f"test_wild.py: {name} has no program")
            programs.append((name, [program, *command[1:]]))
            command = []
    return programs


PROGRAMS = split(sys.argv[1:])
del sys.argv[1:]


def start(name, command, count):
    env = dict(os.environ)
    if name in ("base", "avx2"):
        env["CAROM_SIMD"] = name
    return subprocess.Popen([*command, str(FIRST), str(count)], env=env, text=True,
                            stdout=subprocess.PIPE)


class Wild(unittest.TestCase):
    def test_every_program_has_the_same_hashes(self):
        running = []
        for name, command in PROGRAMS:
            count = max(1, SEEDS // SHARES.get(name, 1))
            running.append((name, count, start(name, command, count)))
        results = {}
        for name, count, process in running:
            results[name] = process.communicate()[0].split("\n")[:-1]
            self.assertEqual(0, process.returncode, name)
            self.assertEqual(count, len(results[name]), name)
        measure = results[PROGRAMS[0][0]]
        self.assertEqual(len(measure), len(set(measure)), "each seed is a world of its own")
        for name, lines in results.items():
            wrong = [line.split()[0] for line, right in zip(lines, measure) if line != right]
            self.assertEqual([], wrong[:10], f"seeds whose hash {PROGRAMS[0][0]} and {name} do not share")


if __name__ == "__main__":
    unittest.main()
