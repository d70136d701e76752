// Converts the whole state of a packed stream to bytes, and back. Internal to proto/packed.
#ifndef CAROM_PROTO_PACKED_PACKED_FULL_H
#define CAROM_PROTO_PACKED_PACKED_FULL_H

#include "proto/packed/packed_stream.h"

enum {
    PACKED_FLAG_FULL = 1,
    PACKED_FLAG_PART = 2, // in a change: bodies may be left out; in a full snapshot: some were
    PACKED_HEAD_BYTES = 1,
    // The last bits of a full snapshot. A truncated one, which the reader continues with zeros,
    // lacks them.
    PACKED_FULL_MARK = 0xca70,
    PACKED_FULL_MARK_BITS = 16
};

// Codes the stream in either direction; with `part`, also how late tracks are. When reading, `s`
// must be empty before; false with an error if the bytes are no stream, and `s` may then be partly
// filled.
bool code_full(range_coder *c, packed_stream *s, bool part, error *err);

#endif
