#!/usr/bin/env python3
"""Builds the documentation as a static site: all Markdown of the tree, the reference of proto/schema, and search.

    docs/build.py --out FOLDER    writes the site; its first page is FOLDER/index.html
    docs/build.py --check         builds it in memory: reports broken links, anchors and pages that no section lists, writes nothing

cmark-gfm, the renderer that GitHub uses, turns Markdown into HTML; beside it Python's standard library is enough. Each
broken link or missing anchor is reported with its file, and fails the build. A page that no section lists fails the check;
the site is written without it.
docs/README.md describes the parts.
"""

import argparse
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the tree

from generator import site

ROOT = pathlib.Path(__file__).resolve().parents[1]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", metavar="FOLDER", type=pathlib.Path)
    what.add_argument("--check", action="store_true")
    parser.add_argument("--stamp", metavar="FILE", type=pathlib.Path, help="a file to touch; FILE.d lists what the site was made from")
    parser.add_argument("--root", metavar="FOLDER", type=pathlib.Path, default=ROOT, help="the tree (this one)")
    parser.add_argument("--cmark", metavar="FILE", default="cmark-gfm", help="the renderer (cmark-gfm)")
    return parser.parse_args()


def write_stamp(stamp, read):
    """The dependency file has the form of make, with a blank as "\\ "."""
    names = " ".join(str(path).replace(" ", "\\ ") for path in sorted(read))
    stamp.with_name(f"{stamp.name}.d").write_text(f"{stamp}: {names}\n", encoding="utf-8")
    stamp.touch()


def main():
    options = parse()
    if shutil.which(options.cmark) is None:
        sys.exit(f"docs/build.py: there is no program '{options.cmark}' (Debian: cmark-gfm)")
    files, problems, unlisted, read = site.build(options.root.resolve(), options.cmark)
    unlisted = [f"docs/pages.toml: no section lists {path}" for path in unlisted]
    if options.check:
        problems += unlisted
    else:
        print("".join(f"{line}: left out\n" for line in unlisted), end="", file=sys.stderr)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(f"docs/build.py: {len(problems)} faults; nothing was written")
    if options.out is not None:
        try:
            site.write(options.out, files)
        except site.FolderError as error:
            sys.exit(f"docs/build.py: {error}")
    if options.stamp is not None:
        write_stamp(options.stamp, read)
    pages = sum(name.endswith(".html") for name in files)
    print(f"{pages} pages, {sum(map(len, files.values())) // 1000} kB", "checked" if options.check else f"in {options.out}")


if __name__ == "__main__":
    main()
