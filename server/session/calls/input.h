// Received bytes that were not handled yet, cut into messages.
//
// Memory is taken for bytes that have come, never for a length that a header promises, and counted
// in the account (server/base/memory.h); the scanner refuses a message that is over a limit as soon
// as it declares so. Network thread only.
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
    size_t begin;   // of the message that comes next
    size_t scanned; // bytes of it that the scanner has seen
    size_t fence;   // up to where input_whole has found whole messages
} input;

// `message_bytes_max` is the operator's; the protocol's other maxima are not to be set.
void input_init(input *in, uint32_t message_bytes_max);
void input_deinit(input *in);

// Memory that so many bytes more would take; what each connection may keep is not counted.
size_t input_growth(const input *in, size_t size);
void input_append(input *in, const uint8_t *data, size_t size);

// The next whole message, valid until the next call. SCAN_MORE when there is none yet;
// SCAN_REFUSED, with the reason, when there will never be one: then `message` and `size` are what
// had come of it.
scan_verdict input_next(input *in, const uint8_t **message, size_t *size, error *err);

// Whether bytes have come that input_next has not looked at.
bool input_unscanned(const input *in);

// Whether a message has begun and is not whole.
bool input_partial(const input *in);

// Whether everything that has come is whole messages, those that wait included. Bytes that the
// scanner will refuse count as whole: input_next tells why.
bool input_whole(input *in);

// Gives up memory that is not needed now. To be called when input_next has said SCAN_MORE or the
// rest is to wait; the last message is gone then.
void input_settle(input *in);

#endif
