"""No object of the engine bears a fused multiply-add: it rounds once where others round twice.

    test_fused.py --objdump OBJDUMP --compiler CC --source ROOT [--arm64 OBJDUMP PROGRAM NAMES] PROGRAM ...

Looks at programs of this build, and at the objects of a build for x86-64-v4, whose AVX-512 gcc 12.2
uses to fuse against -ffp-contract=off and -mno-fma (its PR 107647). Of that build, geometry is compiled,
at -O2 and -O3: gcc fuses in it if nothing forbids. CAROM_FUSED_ALL=1 compiles all of the engine.
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

X86 = re.compile(r"\tv?f[cn]?m(add|sub)\w*")
ARM = re.compile(r"\t(fn?m(add|sub)|fml[as]\w*|fcmla|bfmla\w*)\b")
LABEL = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
ROOMS = ("common/base/", "common/geometry/", "common/physics/")
COMPILED = ROOMS if os.environ.get("CAROM_FUSED_ALL") else ("common/geometry/",)


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}:\n{done.stdout}{done.stderr}"
    return done.stdout


def fused(objdump, path, pattern):
    """(function, instruction) of each fused one."""
    function, found = "", []
    for line in run(objdump, "-d", "--no-show-raw-insn", path).splitlines():
        label = LABEL.match(line)
        if label:
            function = label.group(1)
        elif pattern.search(line):
            found.append((function.split(".")[0], line.split("\t", 1)[1].strip()))
    return found


class Fused(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_fused_instructions_are_seen(self):
        source = self.folder / "fused.c"
        source.write_text("float f(float a, float b, float c) { return a * b + c; }\n"
                          "void g(float *a, const float *b) { for (int i = 0; i < 64; i++)"
                          " a[i] = i % 2 ? b[i] * 3 + a[i] : b[i] * 3 - a[i]; }\n")
        out = self.folder / "fused.o"
        run(ARGS.compiler, "-O3", "-mfma", "-ffp-contract=fast", "-c", source, "-o", out)
        self.assertNotEqual([], fused(ARGS.objdump, out, X86))

    def test_programs_bear_none(self):
        for program in ARGS.programs:
            with self.subTest(program):
                self.assertEqual([], fused(ARGS.objdump, program, X86)[:5])

    def test_arm_program_bears_none_of_ours(self):
        if not ARGS.arm64:
            self.skipTest("no compiler for ARM")
        objdump, program, names = ARGS.arm64
        ours = {line.split()[-1].split(".")[0] for line in run("nm", names).splitlines()}
        self.assertIn("world_step", ours)
        found = [f for f in fused(objdump, program, ARM) if f[0] in ours]
        self.assertEqual([], found[:5])

    def commands(self):
        """The compiler's words for each source, as a user's build with -march=x86-64-v4 has them."""
        run("cmake", "-S", ARGS.source, "-B", self.folder, "-DCMAKE_C_FLAGS=-march=x86-64-v4",
            f"-DCMAKE_C_COMPILER={ARGS.compiler}", "-DCAROM_TESTS=OFF", "-DCAROM_BENCH=OFF",
            "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", self.folder, "--target", "carom_schema")  # the headers that are generated
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            source = os.path.relpath(entry["file"], ARGS.source)
            if source.startswith(ROOMS):
                words = shlex.split(entry["command"])
                yield source, entry["directory"], words[:words.index("-o")]

    def test_build_for_avx512_bears_none(self):
        compiled, waiting, features = 0, [], {}
        for source, folder, words in self.commands():
            self.assertIn("-march=x86-64-v4", words)
            machine = tuple(word for word in words if word.startswith("-m"))
            if machine not in features:
                features[machine] = run(ARGS.compiler, *machine, "-dM", "-E", "-x", "c", os.devnull)
            for feature in ("__FMA__", "__FMA4__", "__AVX512F__"):
                self.assertFalse(f"{feature} " in features[machine], f"{source}: {feature}")
            if not source.startswith(COMPILED):
                continue
            for level in ("-O2", "-O3"):
                out = self.folder / f"{compiled}.o"
                compiled += 1
                command = [*words, level, "-c", str(pathlib.Path(ARGS.source) / source), "-o", out]
                waiting.append((source, level, out, subprocess.Popen(command, cwd=folder)))
                if len(waiting) >= 2:
                    self.look(*waiting.pop(0))
        for left in waiting:
            self.look(*left)
        self.assertGreater(compiled, 20)

    def look(self, source, level, out, process):
        self.assertEqual(0, process.wait(), source)
        self.assertEqual([], fused(ARGS.objdump, out, X86)[:5], f"{source} {level}")
        out.unlink()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--objdump", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--arm64", nargs=3)
    parser.add_argument("programs", nargs="*")
    ARGS = parser.parse_args()
    unittest.main(argv=["test_fused"])
