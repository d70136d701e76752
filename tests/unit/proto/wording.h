// MessagePack written and read as JSON, so that the tests of commands and encoders are readable.
#ifndef CAROM_TESTS_UNIT_PROTO_WORDING_H
#define CAROM_TESTS_UNIT_PROTO_WORDING_H

#include "common/base/status.h"
#include "proto/wire/buffer.h"
#include "common/world/command.h"

// Decodes the arguments that the JSON stands for (proto/wire/json.h's dialect).
status wording_decode(method m, const char *json, command *out, error *err);

// The one MessagePack value of the buffer as compact JSON, in memory that is reused by the next
// call. Fails the test if it is not exactly one value.
const char *wording_of(const buffer *bytes);

#endif
