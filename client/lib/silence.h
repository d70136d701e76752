// A server that says nothing: it may have nothing to say, hang, or be behind a network that drops
// everything, in which case the socket never reports it. With options.reconnect the client asks it
// after half of silence_ms, and counts the connection as lost when no byte came by the end of it.
// Time counts from a look at the socket: a client that was not polled for long reads first, and
// asks. One thread at a time.
#ifndef CAROM_CLIENT_LIB_SILENCE_H
#define CAROM_CLIENT_LIB_SILENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <carom/client.h>

typedef struct silence {
    uint64_t bytes;   // received until heard_ns
    int64_t heard_ns; // 0: the connection has not been looked at
    int64_t asked_ns; // time of the question to the server; 0: none since heard_ns
} silence;

// Call after the connection was read: asks, or shuts it.
void silence_advance(carom_client *c);
// When there is something to do; INT64_MAX: never.
int64_t silence_deadline(const carom_client *c);

#endif
