// Checks that bytes are one whole MessagePack value, before they are kept or copied into a message:
// an ill-formed value would spoil everything that follows it there. Pure; any thread.
#ifndef CAROM_COMMON_BASE_PACKED_VALUE_H
#define CAROM_COMMON_BASE_PACKED_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

enum { PACKED_VALUE_DEPTH_MAX = 32 }; // the most that `depth_max` may be

// STATUS_INVALID_ARGUMENT, with the byte's place, unless the bytes are exactly one value whose
// strings are UTF-8, that has no extension types, and that nests at most `depth_max` containers.
// Numbers that are not finite and doubled keys are not looked for (proto/wire/check.h does).
// Linear, without recursion.
status packed_value_check(const uint8_t *bytes, size_t size, int depth_max, error *err);

#endif
