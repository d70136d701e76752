"""Compiles the C# assembly by mono's compiler and runs its tests (Tests.cs) against caromd.

The environment has CAROM_LIBRARY (folders of the libraries), CAROMD and CC.   Usage: test_csharp.py [NAME OF A TEST]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "proto")]

from caromd import Caromd  # noqa: E402
from generate import headers  # noqa: E402

ASSEMBLY = ROOT / "client" / "csharp" / "Carom"
OPTIONS = ["-langversion:7.2", "-unsafe", "-warnaserror", "-nologo"]


def run(*command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command[:3]))} … ended with {done.returncode}")
    return done


def layout(folder, folders):
    """The structs as C has them, in a file."""
    (folder / "layout.c").write_text(headers.layout(headers.load(ROOT)))
    links = [option for place in folders for option in (f"-L{place}", f"-Wl,-rpath,{place}")]
    run(os.environ.get("CC", "cc"), f"-I{ROOT / 'client' / 'include'}", folder / "layout.c", "-o", folder / "layout", *links,
        "-lcarom-replica", "-lcarom")
    text = run(folder / "layout", capture_output=True, text=True).stdout
    (folder / "layout.txt").write_text(text)
    return folder / "layout.txt"


def main():
    if not shutil.which("mcs") or not shutil.which("mono"):
        print("skipped: mono is missing (Debian: mono-mcs, mono-runtime)")
        return
    folders = os.environ["CAROM_LIBRARY"].split(os.pathsep)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run("mcs", *OPTIONS, "-nowarn:1591", "-target:library", f"-out:{folder / 'Carom.dll'}", *sorted(ASSEMBLY.glob("*.cs")))
        shutil.copy(ASSEMBLY / "Carom.dll.config", folder)
        run("mcs", *OPTIONS, f"-out:{folder / 'Carom.Tests.exe'}", f"-r:{folder / 'Carom.dll'}",
            pathlib.Path(__file__).with_name("Tests.cs"), ASSEMBLY.parent / "sample" / "Ship.cs")
        with Caromd(os.environ["CAROMD"]) as server:
            run("mono", "--debug", folder / "Carom.Tests.exe", str(server.port), str(server.http_port), layout(folder, folders), *sys.argv[1:],
                env=os.environ | {"LD_LIBRARY_PATH": os.environ["CAROM_LIBRARY"]})


if __name__ == "__main__":
    main()
