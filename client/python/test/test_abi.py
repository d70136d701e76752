"""The package's structs and constants are those of C, as a C compiler lays them out."""

import ctypes
import os
import pathlib
import subprocess
import tempfile
import unittest

import support
from generate import headers

from carom import _errors, _methods, _native


def compiled_layout():
    """{("size", "carom_body"): 56 …}, printed by a program in C that also checks the type of every function."""
    source = headers.layout(headers.load(support.ROOT))
    folders = os.environ["CAROM_LIBRARY"].split(os.pathsep)
    with tempfile.TemporaryDirectory() as folder:
        code, program = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        code.write_text(source)
        libraries = [option for place in folders for option in (f"-L{place}", f"-Wl,-rpath,{place}")]
        subprocess.run([os.environ.get("CC", "cc"), "-Wall", "-Wextra", "-Werror", f"-I{support.ROOT / 'client' / 'include'}", code,
                        "-o", program, *libraries, "-lcarom-replica", "-lcarom"], check=True)
        lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {(kind, name): int(value) for kind, name, value in (line.split() for line in lines)}


class Abi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.layout = compiled_layout()

    def test_sizes_and_offsets_are_those_of_c(self):
        checked = 0
        for (kind, name), value in self.layout.items():
            with self.subTest(name):
                if kind == "size":
                    self.assertEqual(value, ctypes.sizeof(getattr(_native, name)))
                elif kind in ("offset", "width"):
                    struct, field = name.split(".")
                    place = getattr(getattr(_native, struct), field)
                    self.assertEqual(value, place.offset if kind == "offset" else place.size, kind)
                checked += kind != "value"
        self.assertGreater(checked, 600)

    def test_structs_have_no_other_fields(self):
        for name in {name for kind, name in self.layout if kind == "size"}:
            fields = {field for field, _ in getattr(_native, name)._fields_}
            self.assertEqual({other.split(".")[1] for kind, other in self.layout if kind == "offset" and other.split(".")[0] == name},
                             fields, name)

    def test_constants_are_those_of_c(self):
        values = {name: value for (kind, name), value in self.layout.items() if kind == "value"}
        self.assertGreater(len(values), 90)
        for name, value in values.items():
            self.assertEqual(value, getattr(_native, name), name)

    def test_words_stand_at_the_numbers_of_c(self):
        for number, code in enumerate(_methods.ERROR_CODES):
            self.assertEqual(number, self.layout["value", "CAROM_" + code.upper()], code)
        for number, kind in enumerate(_methods.EVENT_KINDS):
            self.assertEqual(number, self.layout["value", "CAROM_EVENT_" + kind.upper()], kind)

    def test_every_code_has_its_exception(self):
        self.assertEqual(set(_methods.ERROR_CODES) - {"ok"}, set(_errors.CLASSES))
        for code in _errors.CLASSES:
            self.assertEqual(code, _errors.make(_methods.ERROR_CODES.index(code), "text").code)

    def test_every_function_is_exported(self):
        from carom._library import carom, replica
        for library, names in ((carom, _native.CAROM), (replica, _native.CAROM_REPLICA)):
            for name in names:
                self.assertTrue(getattr(library, name), name)


if __name__ == "__main__":
    unittest.main()
