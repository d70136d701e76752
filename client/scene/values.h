// Values of libcarom to MessagePack and back. It calls only public functions, because
// libcarom-scene links to any libcarom of its version. Any thread.
#ifndef CAROM_CLIENT_SCENE_VALUES_H
#define CAROM_CLIENT_SCENE_VALUES_H

#include <msgpack.h>

#include <carom/status.h>
#include <carom/value.h>

#include "common/base/status.h"
#include "proto/wire/buffer.h"

// Appends the value to `out`. Errors: CAROM_OUT_OF_MEMORY; CAROM_INVALID_ARGUMENT for a broken
// value or one that is nested deeper than CAROM_VALUE_DEPTH_MAX; CAROM_LIMIT_EXCEEDED when it does
// not fit.
carom_status values_pack(const carom_value *value, buffer *out);

// The value of bytes that this library encoded. NULL with *outcome CAROM_INVALID_ARGUMENT for bytes
// that no carom_value can represent (an ext, a key that is no string), or CAROM_OUT_OF_MEMORY.
carom_value *values_unpack(const buffer *bytes, carom_status *outcome);

// Converts an internal error to a public one; STATUS_INTERNAL from scenes and JSON means out of
// memory. `err` may be NULL.
carom_status values_fault(carom_error *err, const struct error *from);

#endif
