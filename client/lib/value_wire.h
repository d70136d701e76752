// Values to MessagePack and back.
#ifndef CAROM_CLIENT_LIB_VALUE_WIRE_H
#define CAROM_CLIENT_LIB_VALUE_WIRE_H

#include <msgpack.h>

#include <carom/value.h>

#include "client/lib/fault.h"
#include "client/lib/reader.h"

// Appends the value. Fails before anything useless is sent, but may have written a part by then:
// CAROM_INTERNAL for a broken value, CAROM_INVALID_ARGUMENT for one with more than `depth_max`
// containers within each other. What the buffer behind the packer could not take, it knows itself.
carom_status value_pack(msgpack_packer *packer, const carom_value *value, int depth_max,
                        carom_error *err);

// Reads one value. NULL, with r->failed, for what a carom_value cannot be (an ext, a key that is no
// string, nesting beyond CAROM_VALUE_DEPTH_MAX) and when memory has run out. Keys are not looked at
// for doubles: message_check does that.
carom_value *value_unpack(reader *r);

#endif
