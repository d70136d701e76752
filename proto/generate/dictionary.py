"""tests/fuzz/protocol.dict: the protocol's words for libFuzzer and AFL++, in their JSON and MessagePack forms."""

HEAD = "# Generated from proto/schema by proto/generate/dictionary.py: do not edit.\n"


def words(schema):
    """Methods, arguments, words of choices and kinds of shapes, each once."""
    lists = [m.args for m in schema.methods] + [s.args for s in [*schema.shapes, *schema.structs.values()]]
    found = dict.fromkeys(m.name for m in schema.methods)
    for args in lists:
        found |= dict.fromkeys(a.name for a in args) | dict.fromkeys(w for a in args for w in a.words)
    return list(found)


def entry(data):
    return '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def message_pack(word):
    """A str of at most 31 bytes, or of at most 255."""
    data = word.encode()
    return (bytes([0xa0 | len(data)]) if len(data) < 32 else bytes([0xd9, len(data)])) + data


def write(schema):
    out = HEAD
    for word in words(schema):
        out += f'"\\"{word}\\""\n{entry(message_pack(word))}\n'
    return out
