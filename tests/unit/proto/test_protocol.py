#!/usr/bin/env python3
"""proto/PROTOCOL.md against the code that it describes.

    test_protocol.py GENERATOR PROTOCOL.md              compares
    test_protocol.py GENERATOR PROTOCOL.md --write      renews the generated blocks
    test_protocol.py GENERATOR --corpus FOLDER          writes the clients' messages as fuzzing seeds

The tables of arguments are proto/generate.py's. Other generated blocks stand between `<!-- KIND NAME -->` and `<!-- end -->`. What the generator prints
(examples/) was decoded, applied and encoded by the real code; that its bytes and its JSON
are the same value is checked once more here, with python3-msgpack, which shares nothing with it.
"""
import json
import re
import sys
import subprocess
import textwrap
from pathlib import Path

import msgpack

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "proto"))
from generate import protocol, schema  # noqa: E402

BLOCK = re.compile(r"(<!-- (\w+) ?(.*?) -->\n)(.*?)(<!-- end -->)", re.S)
HEX_LINE = re.compile(r"^ *([0-9a-f]{2}( [0-9a-f]{2})*)$")
WIDTH = 100
HEX_BYTES = 30


def run(generator, what):
    return subprocess.run([generator, what], check=True, capture_output=True, text=True).stdout


def load_examples(generator):
    """{name: [message …]} in the order of the document's conversation."""
    examples = {}
    for line in run(generator, "examples").splitlines():
        message = json.loads(line)
        examples.setdefault(message["name"], []).append(message)
    return examples


def load_bytes(generator):
    """{name: [piece ...]}: bytes outside of messages, in the document's order."""
    pieces = {}
    for line in run(generator, "bytes").splitlines():
        piece = json.loads(line)
        pieces.setdefault(piece["name"], []).append(piece)
    return pieces


def load_reference(generator):
    """{section: Markdown}: the reference from proto/schema, and the parts that only the code knows."""
    sections = protocol.reference(schema.load(ROOT / "proto" / "schema", ROOT))
    del sections["metrics"]  # it is in server/http/README.md
    for part in re.split(r"^## ", run(generator, "reference"), flags=re.M)[1:]:
        title, body = part.split("\n", 1)
        sections[title] = body.strip()
    return sections


# ---- values: JSON as proto/wire/json.h writes it, and MessagePack


def plain(value):
    """The JSON's value, in a form that can be compared with msgpack's result."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        if list(value) == ["$bin"]:
            return bytes.fromhex(value["$bin"])
        if list(value) == ["$map"]:
            return {plain(k): plain(v) for k, v in value["$map"]}
        return {k: plain(v) for k, v in value.items()}
    return value


def unpack(hexadecimal):
    return msgpack.unpackb(bytes.fromhex(hexadecimal), raw=False, strict_map_key=False)


# ---- the generated blocks


def hex_rows(hexadecimal):
    pairs = [hexadecimal[i:i + 2] for i in range(0, len(hexadecimal), 2)]
    return [" ".join(pairs[i:i + HEX_BYTES]) for i in range(0, len(pairs), HEX_BYTES)]


def show_message(message):
    value = json.dumps(message["value"], ensure_ascii=False)
    wrapped = textwrap.wrap(value, WIDTH - 8, break_long_words=False, break_on_hyphens=False)
    rows = hex_rows(message["hex"])
    lines = [f"{message['from']:7} {wrapped[0]}"]
    lines += ["        " + row for row in wrapped[1:] + rows]
    return "\n".join(lines)


def show_example(messages):
    return "```\n" + "\n".join(show_message(m) for m in messages) + "\n```\n"


def show_bytes(pieces):
    lines = []
    for piece in pieces:
        lines += [piece["meaning"], *("        " + row for row in hex_rows(piece["hex"]))]
    return "```\n" + "\n".join(lines) + "\n```\n"


def expected_block(kind, name, examples, reference):
    if kind == "bytes":
        return show_bytes(examples["bytes"][name])
    if kind == "method":
        return reference[name] + "\n\n" + show_example(examples[name])
    if kind == "example":
        return show_example(examples[name])
    if kind == "reference":
        return reference[name] + "\n"
    raise SystemExit(f"PROTOCOL.md: a block of unknown kind: {kind} {name}")


def renew(text, examples, reference):
    def block(match):
        return match[1] + expected_block(match[2], match[3], examples, reference) + match[5]

    return BLOCK.sub(block, text)


# ---- the checks


def check_blocks(text, examples, reference):
    for match in BLOCK.finditer(text):
        if match[4] != expected_block(match[2], match[3], examples, reference):
            yield f"{match[2]} {match[3]}: is not what the code says (renew it with --write)"


def check_complete(text, examples, reference):
    shown = {(match[2], match[3]) for match in BLOCK.finditer(text)}
    for name in reference:
        kind = "method" if name in examples else "reference"
        if (kind, name) not in shown:
            yield f"{kind} {name}: is missing"
    for name in examples["bytes"]:
        if ("bytes", name) not in shown:
            yield f"bytes {name}: is shown nowhere"
    for name in examples:
        if name != "bytes" and not {("method", name), ("example", name)} & shown:
            yield f"example {name}: is shown nowhere"


def parse_messages(text):
    """(JSON, bytes as hexadecimal) of every message shown in the document."""
    for language, fence in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M):
        if language or not re.match(r"(client|server) ", fence):
            continue
        for message in re.split(r"^(?:client|server) ", fence, flags=re.M)[1:]:
            lines = [line.strip() for line in message.splitlines()]
            rows = [line for line in lines if HEX_LINE.match(line)]
            yield " ".join(line for line in lines if line not in rows), "".join(rows)


def check_messages(text):
    count = 0
    for value, hexadecimal in parse_messages(text):
        count += 1
        if unpack(hexadecimal) != plain(json.loads(value)):
            yield f"not what its bytes say: {value[:80]}"
    if count < 70:
        yield f"only {count} messages are shown"


def check_numbers(text, generator):
    """Limits are written as `NAME` (VALUE), digits in groups of three."""
    for line in run(generator, "limits").splitlines():
        name, value = line.split()
        for shown in re.findall(rf"`{name}` \(([0-9 ]+)\)", text):
            if shown.replace(" ", "") != value:
                yield f"{name}: is {value}, not {shown}"
        if not re.search(rf"`{name}` \([0-9 ]+\)", text):
            yield f"{name}: is not told"


def write_corpus(generator, folder):
    """Writes each request by itself, and all that do not concern sessions as one conversation."""
    folder.mkdir(parents=True, exist_ok=True)
    conversation = b""
    for name, messages in load_examples(generator).items():
        sent = b"".join(bytes.fromhex(m["hex"]) for m in messages if m["from"] == "client")
        if sent:
            (folder / name.replace(" ", "_")).write_bytes(sent)
            conversation += sent
    (folder / "conversation").write_bytes(conversation)


def main():
    generator, path = sys.argv[1], Path(sys.argv[2])
    if sys.argv[2] == "--corpus":
        write_corpus(generator, Path(sys.argv[3]))
        return
    examples, reference = load_examples(generator), load_reference(generator)
    examples["bytes"] = load_bytes(generator)
    text = path.read_text()
    if sys.argv[3:] == ["--write"]:
        path.write_text(renew(text, examples, reference))
        return
    faults = [*check_blocks(text, examples, reference),
              *check_complete(text, examples, reference),
              *check_messages(text),
              *check_numbers(text, generator)]
    for fault in faults:
        print(f"PROTOCOL.md: {fault}", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
