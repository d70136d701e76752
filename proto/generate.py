#!/usr/bin/env python3
"""Writes what follows from the description in proto/schema.

    generate.py --into FOLDER    the files of the build, each under its path from the project's root
    generate.py --write          renews the files that are checked in
    generate.py --check          compares them; says which are old, and fails
    generate.py --list           the files of the build, one a line
    generate.py --headers        the headers whose constants the description takes, one a line

A file that would not change is not touched, so that nothing is built again. Python's standard library is enough.
The folder generate/ has a file for each target; schema/README.md describes the format, and how to add a method.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the tree

from generate import (c_answers, c_arguments, c_calls, c_facts, c_methods, c_options, c_results, c_table, cpp, csharp, csharp_native, dictionary, headers,
                      javascript, protocol, public_headers, python, python_native, schema, typescript)

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Paths from the project's root. C is written at build time; JavaScript runs from source and is
# checked in, and so are the pages that people read. In those pages, and in headers that are
# otherwise written by hand, only blocks are written: their function receives the present text.
BUILT = {
    "client/cli/method_options.h": c_options.write,
    "client/lib/answers.h": c_answers.write,
    "client/lib/calls_typed.c": c_calls.write_source,
    "common/base/status_list.h": c_facts.write_status,
    "common/world/method_args.h": c_arguments.write_args,
    "common/world/method_list.h": c_methods.write,
    "common/world/method_results.h": c_results.write_world,
    "proto/commands/decode_plain.c": c_arguments.write_source,
    "proto/commands/decode_plain.h": c_arguments.write_header,
    "proto/encode/encode_event.c": c_facts.write_encode_event,
    "proto/encode/encode_results.c": c_results.write_source,
    "proto/encode/results.h": c_results.write_header,
    "proto/event_list.h": c_facts.write_events,
    "proto/method_table.c": c_table.write,
    "server/base/limit_list.h": c_facts.write_limits,
    "server/base/metric_list.h": c_facts.write_metrics,
    "tests/fuzz/protocol.dict": dictionary.write,
}
CHECKED_IN = {
    "client/include/carom/arguments.h": c_calls.write_header,
    "client/include/carom/methods.hpp": cpp.write,
    "client/csharp/Carom/Methods.cs": csharp.write,
    "client/csharp/Carom/Native.cs": csharp_native.write,
    "client/python/carom/_methods.py": python.write,
    "client/python/carom/_native.py": python_native.write,
    "client/web/src/methods.js": javascript.write_methods,
    "client/web/src/table.js": javascript.write_table,
    "client/web/src/methods.d.ts": typescript.write,
}
RENEWED = {
    "client/include/carom/snapshot.h": public_headers.renew,
    "client/include/carom/status.h": public_headers.renew,
    "client/web/src/results.d.ts": typescript.renew,
    "proto/PROTOCOL.md": protocol.renew,
    "server/http/README.md": protocol.renew,
}


def read(path):
    return path.read_text(encoding="utf-8") if path.exists() else None


def put(path, text):
    """Writes the file unless it says so already."""
    if read(path) != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def checked_in(description):
    """(path from the root, expected text) of every checked-in file."""
    for name, write in CHECKED_IN.items():
        yield name, write(description)
    for name, renew in RENEWED.items():
        yield name, renew(description, read(ROOT / name))


def built(description):
    for name, write in BUILT.items():
        yield name, write(description)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--into", metavar="FOLDER", type=pathlib.Path)
    what.add_argument("--write", action="store_true")
    what.add_argument("--check", action="store_true")
    what.add_argument("--list", action="store_true")
    what.add_argument("--headers", action="store_true")
    return parser.parse_args()


def run(options):
    if options.list:
        print(*BUILT, sep="\n")
        return 0
    if options.headers:
        print(*schema.headers(ROOT / "proto" / "schema"), sep="\n")
        return 0
    description = schema.load(ROOT / "proto" / "schema", ROOT)
    if not options.into:
        description.interface = headers.load(ROOT)  # for the bindings, which the build does not generate
    if options.check:
        old = [name for name, text in checked_in(description) if read(ROOT / name) != text]
        for name in old:
            print(f"{name}: is not what proto/schema says; proto/generate.py --write renews it", file=sys.stderr)
        return 1 if old else 0
    folder, files = (ROOT, checked_in) if options.write else (options.into, built)
    for name, text in files(description):
        put(folder / name, text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(run(parse()))
    except (schema.SchemaError, headers.HeaderError) as error:
        sys.exit(f"proto/generate.py: {error}")
