// Full maps of bodies and joints, as plain structs. A described body is one block of memory (the
// struct, its shapes, their vertices, its texts), freed with free(). One thread at a time.
#ifndef CAROM_CLIENT_LIB_DESCRIBE_H
#define CAROM_CLIENT_LIB_DESCRIBE_H

#include <carom/describe.h>

#include "client/lib/fault.h"

// Makes a body that the caller owns. CAROM_INTERNAL for a map that is no full body map (no id, an
// unknown type or kind of shape), CAROM_OUT_OF_MEMORY.
carom_status describe_body(const carom_value *map, carom_body_info **out, carom_error *err);
// Copies it to a block of its own; NULL when memory has run out.
carom_body_info *described_body_clone(const carom_body_info *info);

// Reads a full joint map. CAROM_INTERNAL for any other map (no id).
carom_status describe_joint(const carom_value *map, carom_joint_info *out, carom_error *err);

// Reads position and motion from a full body map.
carom_body read_body_value(const carom_value *map);

// Sets the settings' pairs, without `kind`, `a` and `b`. With `settable`, only those that joint.set
// accepts.
void set_joint_settings(carom_value *map, const carom_joint_settings *settings, bool settable);

#endif
