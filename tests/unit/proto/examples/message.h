// Messages of an example of PROTOCOL.md, as they go over the wire. An invalid message ends the
// program.
#ifndef CAROM_TESTS_UNIT_PROTO_EXAMPLES_MESSAGE_H
#define CAROM_TESTS_UNIT_PROTO_EXAMPLES_MESSAGE_H

#include "common/world/command.h"
#include "proto/wire/buffer.h"

// For any message of an example; hashes depend on the engine's internals, so all examples show this
// one.
enum { EXAMPLE_BYTES_MAX = 1 << 20 };
#define EXAMPLE_HASH UINT64_C(0x9f8e7d6c5b4a3928)

// Prints the one message in `bytes` as a line of JSON, {"name", "from", "value", "hex"}, and frees
// it. `from`: "client" or "server".
void message_print(const char *name, const char *from, buffer *bytes);

// Appends the JSON value as MessagePack.
void message_append(buffer *out, const char *json);

// Decodes the message to the command that a server would apply, or to the error that it would
// answer.
status message_decode(const buffer *bytes, command *out, error *err);

// Prints a request of that method and returns it decoded; the next answer has its id.
command message_request(const char *name, method m, const char *arguments);

// The id of the next request, until an answer takes it.
uint32_t message_request_id(void);
uint32_t message_take_request_id(void);

// An answer without its result, which is to be appended.
void message_begin_response(buffer *bytes);

#endif
