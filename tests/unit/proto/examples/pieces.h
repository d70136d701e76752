// Bytes of an example outside of messages, as lines of JSON.
#ifndef CAROM_TESTS_UNIT_PROTO_EXAMPLES_PIECES_H
#define CAROM_TESTS_UNIT_PROTO_EXAMPLES_PIECES_H

#include <stddef.h>
#include <stdint.h>

// Prints {"name", "meaning", "hex"}.
void piece_print(const char *name, const uint8_t *bytes, size_t size, const char *meaning);

#endif
