#!/usr/bin/env python3
"""scale.py measures and computes: a small run of it. Called with the path of caromd; skipped where etcd is not installed."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402

CAROMD = sys.argv[1]


@unittest.skipUnless(etcd.there(), "etcd is not installed (docker/install.sh test)")
class Scale(unittest.TestCase):
    def test_small_run_loses_no_event_and_balances(self):
        ran = subprocess.run([sys.executable, "-B", Path(__file__).with_name("scale.py"), CAROMD, "--records", "200", "--watches", "6",
                              "--seconds", "1"], capture_output=True, text=True, timeout=3 * SECONDS_MAX, check=False)
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertRegex(ran.stdout, r"(?m)^200 records of worlds \(1\d\d bytes\)")
        came, wanted = re.search(r"(\d+) of (\d+) events came", ran.stdout).groups()
        self.assertEqual(("600", "600"), (came, wanted))
        spread = {name: int(most) - int(least) for name, least, most in
                  re.findall(r"(?m)^  (one|the fewer) .*, 100 new worlds/s: (\d+) to (\d+) worlds", ran.stdout)}
        self.assertLess(4 * spread["the fewer"], spread["one"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
