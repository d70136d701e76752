// Checks the contents of a message that the scanner has passed, which is whole and within the
// limits: strings are UTF-8, numbers are finite, no map has a key twice. A message that fails is
// answered with invalid_argument, and the connection stays.
//
// Linear in the bytes except for sorting the keys of maps; without recursion. Any thread.
#ifndef CAROM_PROTO_WIRE_CHECK_H
#define CAROM_PROTO_WIRE_CHECK_H

#include <stddef.h>

#include "common/base/status.h"

// `bytes` is one whole message that a scanner has passed. STATUS_INVALID_ARGUMENT with the byte's
// place, STATUS_INTERNAL when memory has run out, or STATUS_OK. Keys are the same when their str or
// bin bytes are, when they are the same integer in any width, or, for keys of other types, when
// their encodings are. So a value has no key twice in its canonical form either.
status message_check(const void *bytes, size_t size, error *err);

#endif
