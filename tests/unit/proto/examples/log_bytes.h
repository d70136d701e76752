// The bytes of a log in PROTOCOL.md, piece by piece: a recording, and a record in compact form.
#ifndef CAROM_TESTS_UNIT_PROTO_EXAMPLES_LOG_BYTES_H
#define CAROM_TESTS_UNIT_PROTO_EXAMPLES_LOG_BYTES_H

// Each piece is a line of JSON: {"name", "meaning", "hex"}.
void log_bytes_print(void);

#endif
