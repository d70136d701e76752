"""The wheel that pip makes here: it has the package, and works in another place with the libraries beside it."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import support

PROGRAM = """
import pathlib, carom
world = carom.LocalWorld()
world.body.spawn([carom.circle(1)])
print(pathlib.Path(carom.__file__).parent, len(world.bodies), carom.library_version())
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        source = cls.folder / "source"
        shutil.copytree(support.PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", "test"))
        done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-q", "-w",
                               cls.folder, source], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"})
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        cls.wheel = next(cls.folder.glob("*.whl"))

    def unpacked(self, name):
        place = self.folder / name
        with zipfile.ZipFile(self.wheel) as wheel:
            wheel.extractall(place)
        return place

    def run_in(self, place, **environment):
        inherited = {k: v for k, v in os.environ.items() if k not in ("CAROM_LIBRARY", "PYTHONPATH", "LD_LIBRARY_PATH")}
        return subprocess.run([sys.executable, "-B", "-c", PROGRAM], cwd=place, capture_output=True, text=True,
                              env=inherited | environment)

    def test_wheel_has_the_package_and_its_types(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
        self.assertTrue(self.wheel.name.startswith("carom-0.1.0-py3"), self.wheel.name)
        self.assertLess({"carom/__init__.py", "carom/_methods.py", "carom/_native.py", "carom/py.typed"}, set(names))
        self.assertFalse([name for name in names if "test" in name])

    def test_library_beside_the_package_is_found(self):
        place = self.unpacked("beside")
        for folder in os.environ["CAROM_LIBRARY"].split(os.pathsep):
            for library in pathlib.Path(folder).glob("lib*.so.0"):
                shutil.copy(library, place / "carom")
        done = self.run_in(place)
        self.assertEqual((f"{place / 'carom'} 1 0.1.0\n", ""), (done.stdout, done.stderr))

    def test_library_is_named_by_the_environment(self):
        place = self.unpacked("named")
        done = self.run_in(place, CAROM_LIBRARY=os.environ["CAROM_LIBRARY"])
        self.assertEqual((f"{place / 'carom'} 1 0.1.0\n", ""), (done.stdout, done.stderr))

    def test_missing_library_is_named(self):
        done = self.run_in(self.unpacked("missing"), CAROM_LIBRARY=str(self.folder))
        if done.returncode == 0:
            self.skipTest("libcarom is installed on this machine")
        self.assertIn("libcarom was not found: install it, or set CAROM_LIBRARY to its folder", done.stderr)


if __name__ == "__main__":
    unittest.main()
