// Parts of a world's log that more than one example shows.
#ifndef CAROM_TESTS_UNIT_PROTO_EXAMPLES_RECORDS_H
#define CAROM_TESTS_UNIT_PROTO_EXAMPLES_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "proto/wire/buffer.h"

// The first bytes of an image; a real one is longer.
enum { SHORT_IMAGE_BYTES = 3 };
extern const uint8_t SHORT_IMAGE[SHORT_IMAGE_BYTES];

// Appends a record in compact form: three ticks, of which two bring a force on body 7 of world
// "lab": [8, -0.5], then [8, -0.25]. Returns its size.
size_t record_append_compact(buffer *out);

#endif
