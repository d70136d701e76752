// The worked example of PROTOCOL.md, "Packed snapshots".
#ifndef CAROM_TESTS_UNIT_PROTO_EXAMPLES_PACKED_EXAMPLE_H
#define CAROM_TESTS_UNIT_PROTO_EXAMPLES_PACKED_EXAMPLE_H

#include <stddef.h>
#include <stdint.h>

// Encodes the example's four snapshots, decodes them again, and passes each to `print` with the
// decoded values as text.
void packed_example(void (*print)(const char *name, const uint8_t *bytes, size_t size,
                                  const char *meaning));

#endif
