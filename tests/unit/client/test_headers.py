"""Each public header of libcarom compiles alone, in C and in C++, of old and new standards, with warnings that a
careful user may enable.

Usage: test_headers.py INCLUDE_DIR C_COMPILER CXX_COMPILER
"""

import pathlib
import re
import subprocess
import sys
import unittest

INCLUDE, CC, CXX = (pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3])

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wundef", "-Werror"]
LANGUAGES = [
    (CC, ["-x", "c", "-std=c11", "-Wstrict-prototypes"]),
    (CC, ["-x", "c", "-std=c17", "-Wstrict-prototypes"]),
    (CXX, ["-x", "c++", "-std=c++11"]),
    (CXX, ["-x", "c++", "-std=c++20"]),
]


# The headers of libcarom-scene and libcarom-replica, which the umbrella of libcarom leaves out.
OF_OTHERS = {"json.h", "local.h", "many.h", "prediction.h", "scene.h", "replica.h"}


def headers():
    return sorted((INCLUDE / "carom").glob("*.h"))


class Headers(unittest.TestCase):
    def test_each_header_compiles_alone(self):
        for header in headers():
            for compiler, options in LANGUAGES:
                with self.subTest(header=header.name, options=options):
                    # Includes it twice, to test the guard, and declares something, for compilers that forbid empty
                    # files.
                    source = f"#include <carom/{header.name}>\n" * 2 + "typedef int not_empty;\n"
                    done = subprocess.run(
                        [compiler, *options, *WARNINGS, "-fsyntax-only", "-I", str(INCLUDE), "-"],
                        input=source, text=True, capture_output=True)
                    self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_each_wrapper_compiles_alone(self):
        for header in sorted((INCLUDE / "carom").glob("*.hpp")):
            for standard in ("c++17", "c++20"):
                with self.subTest(header=header.name, standard=standard):
                    done = subprocess.run(
                        [CXX, "-x", "c++", f"-std={standard}", *WARNINGS, "-fsyntax-only", "-I", str(INCLUDE), "-"],
                        input=f"#include <carom/{header.name}>\n" * 2, text=True, capture_output=True)
                    self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_umbrella_includes_every_header(self):
        text = (INCLUDE / "carom" / "carom.h").read_text()
        named = set(re.findall(r"#include <carom/(\w+\.h)>", text))
        self.assertEqual({h.name for h in headers()} - {"carom.h"} - OF_OTHERS, named)

    def test_no_header_shows_what_the_library_is_made_with(self):
        for header in headers():
            self.assertEqual([], re.findall(r"#include .*(?:msgpack|jansson|common/|proto/).*",
                                            header.read_text()), header.name)

    def test_every_function_is_marked(self):
        for header in headers():
            text = re.sub(r"//[^\n]*", "", header.read_text())
            for found in re.finditer(r"^([^\n#}/][^\n;{]*)\b(carom_\w+)\(", text, re.M):
                before = found.group(1).strip()
                if "(*" in before or before.startswith(("typedef", " ")):
                    continue
                self.assertTrue(before.startswith("CAROM_API"), f"{header.name}: {found.group(2)}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
