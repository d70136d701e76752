// Finds where a MessagePack message ends in a stream that may be cut anywhere, and refuses one that
// is over a limit as soon as its header says so, before any memory is allocated for it.
//
// msgpack-c trusts declared lengths: five bytes make it reserve gigabytes. So every byte from a
// socket passes here first, and only whole messages are unpacked.
//
// Invariants: each byte is scanned once; the state is a fixed number of bytes; nothing recurses.
// `owed` is the number of values still to come in open containers. A value takes a byte at least,
// so `position + owed <= bytes_max` always holds, and a container that declares more than the limit
// can hold is refused at its header. The verdict and the byte at which it is reached depend only on
// the stream, never on how it was cut.
//
// Any thread, one at a time.
#ifndef CAROM_PROTO_WIRE_SCANNER_H
#define CAROM_PROTO_WIRE_SCANNER_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/limits.h"

typedef struct scanner_limits {
    uint32_t bytes_max;  // largest message, 1 to UINT32_MAX / 2
    uint32_t depth_max;  // containers within containers, 1 to WIRE_DEPTH_MAX
    uint32_t values_max; // most values in a message, 1 or more
    // The setting that bytes_max is, for error texts; static, or NULL: it is none.
    const char *bytes_name;
} scanner_limits;

// The limits of a server for its clients: WIRE_MESSAGE_BYTES_DEFAULT, WIRE_DEPTH_MAX,
// WIRE_VALUES_MAX.
scanner_limits scanner_limits_default(void);

// The limits of a client for its server: WIRE_REPLY_BYTES_MAX, WIRE_DEPTH_MAX,
// WIRE_REPLY_VALUES_MAX.
scanner_limits scanner_limits_reply(void);

typedef enum scan_verdict {
    SCAN_MORE,    // all bytes are used up; the message continues
    SCAN_MESSAGE, // the message ends after the `used` bytes of this feed; the next feed begins a
                  // new one
    SCAN_REFUSED  // over a limit or not MessagePack; until scanner_reset
} scan_verdict;

// The fields are private, except `position`, which may be read.
typedef struct scanner {
    scanner_limits limits;
    uint32_t position;  // bytes of the current message that were seen; after SCAN_MESSAGE, its size
    uint32_t values;    // values whose header was scanned
    uint32_t owed;      // values that open containers still want
    uint32_t body_left; // bytes of a string's body still to come
    uint32_t length;    // big-endian length in the current header, as far as it was read
    uint8_t tag;        // first byte of the current header
    uint8_t header_left;           // bytes of the length still to come
    uint8_t depth;                 // open containers
    uint8_t verdict;               // the last one
    uint32_t left[WIRE_DEPTH_MAX]; // values that each open container still wants, keys counted
    error refusal;
} scanner;

// `limits` in their ranges (asserted: they come from our own configuration).
void scanner_init(scanner *s, const scanner_limits *limits);

// Forgets the current message and a refusal.
void scanner_reset(scanner *s);

// Looks at up to `size` bytes that follow those of the last feed. `used` (not NULL) is set to how
// many of them belong to the current message; those after them are to be fed again once the message
// is dealt with. On SCAN_REFUSED `err` says why: STATUS_LIMIT_EXCEEDED, or STATUS_INVALID_ARGUMENT
// for the reserved byte 0xc1; `used` then ends with the refused header.
scan_verdict scanner_feed(scanner *s, const void *bytes, size_t size, size_t *used, error *err);

// Whether the bytes are one whole message of at most WIRE_VALUES_MAX values: msgpack-c may see it.
bool scanner_passes(const void *bytes, size_t size);

#endif
