// Received bytes that are not handled yet, split into messages.
//
// Memory is allocated for received bytes, never for a declared length, and counted in the account
// (server/base/memory.h); the scanner refuses a message as soon as it declares a length over a
// limit. Network thread only.
#ifndef CAROM_SERVER_SESSION_CALLS_INPUT_H
#define CAROM_SERVER_SESSION_CALLS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/wire/scanner.h"

typedef struct input {
    scanner scanner;
    uint8_t *data;
    size_t size, capacity;
    size_t begin;   // offset of the next message
    size_t scanned; // bytes of it that the scanner has seen
    size_t fence;   // up to where input_whole has found whole messages
} input;

// The operator sets `message_bytes_max`; the protocol fixes the other maxima.
void input_init(input *in, uint32_t message_bytes_max);
void input_deinit(input *in);

// The memory that `size` more bytes would take beyond the amount that each connection may have
// uncounted.
size_t input_growth(const input *in, size_t size);
void input_append(input *in, const uint8_t *data, size_t size);

// Returns the next whole message, valid until the next call. SCAN_MORE when there is none yet;
// SCAN_REFUSED, with the reason, when there will never be one: then `message` and `size` are its
// bytes so far.
scan_verdict input_next(input *in, const uint8_t **message, size_t *size, error *err);

// Gives away the memory of the message that input_next has returned, unless other bytes are in it
// too: then returns NULL. The caller frees it, and accounts for its `capacity` bytes.
uint8_t *input_take(input *in, const uint8_t *message, size_t *capacity);

// Whether there are bytes that input_next has not seen.
bool input_unscanned(const input *in);

// Whether a message has begun and is not whole.
bool input_partial(const input *in);

// Whether the received bytes end on a message boundary, including messages that wait. Bytes that
// the scanner will refuse count as whole: input_next reports why.
bool input_whole(input *in);

// Gives up memory that is not needed now. To be called when input_next has said SCAN_MORE or the
// rest is to wait; the last message is gone then.
void input_settle(input *in);

#endif
