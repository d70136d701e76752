"""Enums of libcarom's public headers: the text between `// generated: NAME` and `// end of generated`."""

import re

from .text import c_comment

BLOCK = re.compile(r"^(    // generated from proto/schema: (\w+)\n)(.*?)(    // end of generated\n)", re.S | re.M)


def enumerators(rows):
    """`rows` are (enumerator, doc): the doc comes above, so that a formatter moves nothing."""
    out = ""
    for c, doc in rows:
        out += "".join(f"    {line}\n" for line in c_comment(doc, 94)) + f"    {c},\n"
    return out


def renew(schema, text):
    blocks = {
        "errors": enumerators([(f"CAROM_{e.id}", e.doc) for e in schema.errors]),
        "events": enumerators([(f"CAROM_EVENT_{e.id}", e.doc) for e in schema.events]),
    }
    return BLOCK.sub(lambda match: match[1] + blocks[match[2]] + match[4], text)
