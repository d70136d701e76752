// Values of libcarom to MessagePack and back, through the public functions alone: libcarom-scene is
// linked to any libcarom of its version. Any thread.
#ifndef CAROM_CLIENT_SCENE_VALUES_H
#define CAROM_CLIENT_SCENE_VALUES_H

#include <msgpack.h>

#include <carom/status.h>
#include <carom/value.h>

#include "common/base/status.h"
#include "proto/wire/buffer.h"

// Appends the value to `out`. CAROM_OUT_OF_MEMORY; CAROM_INVALID_ARGUMENT for a broken value or one
// that is nested deeper than CAROM_VALUE_DEPTH_MAX; CAROM_LIMIT_EXCEEDED when it does not fit.
carom_status values_pack(const carom_value *value, buffer *out);

// The value of these bytes, which our own code has made. NULL with *outcome CAROM_INVALID_ARGUMENT
// for anything that a carom_value cannot be (an ext, a key that is no string), or
// CAROM_OUT_OF_MEMORY.
carom_value *values_unpack(const buffer *bytes, carom_status *outcome);

// An error of the house as a public one; STATUS_INTERNAL, of scenes and JSON, is memory that has
// run out. `err` may be NULL.
carom_status values_fault(carom_error *err, const struct error *from);

#endif
