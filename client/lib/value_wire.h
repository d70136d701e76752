// Values to MessagePack and back. Any thread.
#ifndef CAROM_CLIENT_LIB_VALUE_WIRE_H
#define CAROM_CLIENT_LIB_VALUE_WIRE_H

#include <msgpack.h>

#include <carom/value.h>

#include "client/lib/fault.h"
#include "client/lib/reader.h"

// Appends the value. On failure the message must not be sent; it may be incomplete:
// CAROM_OUT_OF_MEMORY for a value that could not be built for lack of memory,
// CAROM_INVALID_ARGUMENT for one that was built wrongly or has more than `depth_max` containers
// within each other. Whether everything fitted is recorded by the buffer behind the packer.
carom_status value_pack(msgpack_packer *packer, const carom_value *value, int depth_max,
                        carom_error *err);

// Reads one value. NULL, with r->failed, for anything that a carom_value cannot be (an ext, a key
// that is no string, nesting beyond CAROM_VALUE_DEPTH_MAX); also when memory has run out, and then
// r->starved is set. Duplicate keys are not detected: message_check does that.
carom_value *value_unpack(reader *r);

#endif
