// Parses a whole message from the server: a response, a snapshot, or any other notification. The
// scanner has passed it, so it is complete and within the limits; its contents are still not
// trusted. Pure functions over bytes; any thread.
#ifndef CAROM_CLIENT_LIB_MESSAGE_H
#define CAROM_CLIENT_LIB_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/value.h>

#include "client/lib/fault.h"
#include "client/lib/reader.h"
#include "proto/limits.h"

typedef enum message_kind {
    MESSAGE_RESPONSE,
    MESSAGE_SNAPSHOT,
    MESSAGE_LOG, // a snapshot of encoding "log", in the compact form
    MESSAGE_NOTIFICATION
} message_kind;

typedef struct message {
    message_kind kind;
    uint32_t id;                            // id of a response
    char method[WIRE_METHOD_BYTES_MAX + 1]; // name of a notification
    bool has_params;                        // a notification has parameters
    // Position of a response's error, of a snapshot's or log's map, or of a notification's params
    reader at;
} message;

// Reads the envelope. Errors: CAROM_INTERNAL with the fault for a malformed message, and
// CAROM_OUT_OF_MEMORY.
carom_status message_open(const uint8_t *bytes, size_t size, message *out, carom_error *err);

// Reads the end of a response: sets *result, or *answer with *result NULL. CAROM_OUT_OF_MEMORY when
// there is no memory for the result.
carom_status message_outcome(const message *m, carom_value **result, carom_error *answer,
                             carom_error *err);

// Reads the named arguments of a notification.
carom_status message_params(const message *m, carom_value **params, carom_error *err);

#endif
