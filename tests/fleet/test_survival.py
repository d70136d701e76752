#!/usr/bin/env python3
"""survival.py and long_run.py in short. Called with the path of caromd; skipped where etcd is not installed."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
import network  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402

CAROMD = sys.argv[1]
CAROMD_BYTES = Path(CAROMD).read_bytes()


@unittest.skipUnless(etcd.there(), "etcd is not installed (docker/install.sh test)")
class SurvivalTest(unittest.TestCase):
    def test_short_run_is_clean(self):
        ran = subprocess.run([sys.executable, "-B", Path(__file__).with_name("survival.py"), CAROMD, "--kills", "4", "--hangs", "2",
                              "--hang", "1", "3", "--calm", "2", "--bodies", "100"], capture_output=True, text=True,
                             timeout=6 * SECONDS_MAX, check=False)
        sys.stderr.write(ran.stdout)
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertRegex(ran.stdout, r"(?m)^4 kills, to the next shown tick: p50 ")
        self.assertRegex(ran.stdout, r"(?m)^2 hangs, to the next shown tick: p50 ")
        answered, ticks = re.search(r"(?m)^(\d+) answered commands, each done once; (\d+) ticks shown", ran.stdout).groups()
        self.assertGreater(int(answered), 20)
        self.assertGreater(int(ticks), 60)

    def test_each_kind_of_fault_is_survived(self):
        if why := network.missing():
            self.skipTest(why)
        # A preloaded library must not come before that of a sanitizer.
        without = ["--without", "clock"] if b"__asan_init" in CAROMD_BYTES or b"__tsan_init" in CAROMD_BYTES else []
        ran = subprocess.run([sys.executable, "-B", Path(__file__).with_name("long_run.py"), CAROMD, "--rounds", "1", *without],
                             capture_output=True, text=True, timeout=6 * SECONDS_MAX, check=False)
        sys.stderr.write(ran.stdout)
        self.assertEqual(0, ran.returncode, ran.stderr)
        faults = re.search(r"(?m)^faults: (.*); \d+ moves were refused$", ran.stdout).group(1).split(", ")
        self.assertEqual(10 - len(without) // 2, len(faults))
        self.assertTrue(all(fault.startswith("1 ") for fault in faults), faults)
        self.assertRegex(ran.stdout, r"(?m)^\d+ answered commands, each done once; \d+ ticks shown, one hash each; term ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
