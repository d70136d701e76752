// Relays connections to a server as if it were far away, for `carom relay` and `carom bench
// --relay`.
//
// Each route has a listener here and an address of the server. Bytes are passed unchanged both
// ways, so TCP, WebSocket and TLS all work. One poll loop; one thread at a time.
#ifndef CAROM_CLIENT_TOOL_RELAY_RELAY_H
#define CAROM_CLIENT_TOOL_RELAY_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/tool/relay/distance.h"

enum {
    RELAY_ROUTES_MAX = 2,         // one for the protocol, one for HTTP
    RELAY_CONNECTIONS_MAX = 4096, // open at a time; further clients wait in the listener
    RELAY_ADDRESS_MAX = 300,      // bytes of "HOST:PORT", terminated
    RELAY_ERROR_MAX = 400
};

typedef struct relay relay;

// The maxima of one relay; tests use smaller ones, to reach them.
typedef struct relay_limits {
    size_t connections; // open at once, 1 to RELAY_CONNECTIONS_MAX
    size_t pipe_bytes;  // bytes in flight in one direction of a connection, 1 to PIPE_BYTES_MAX
} relay_limits;

// Totals since the beginning.
typedef struct relay_counts {
    uint64_t connections;
    uint64_t failed; // connections for which the server could not be reached
    uint64_t bytes_to_server, bytes_to_clients;
    uint64_t stalls;
} relay_counts;

// Makes a relay. `limits` NULL: RELAY_CONNECTIONS_MAX and PIPE_BYTES_MAX. Returns NULL when memory
// has run out. The caller destroys it, which ends all connections.
relay *relay_create(const distance_options *options, const relay_limits *limits);
void relay_destroy(relay *r);

// Listens on `listen` ("HOST:PORT", port 0: any) for connections to `server`. `bound` is where it
// listens. False with a text for a person in `error`.
bool relay_add_route(relay *r, const char *listen, const char *server,
                     char bound[RELAY_ADDRESS_MAX], char error[RELAY_ERROR_MAX]);

// Relays until something has happened, `wake` can be read (-1: none), or the time `until` [s, of
// cli_now()] is reached. False with a text when the machine lacks the descriptors or the memory to
// continue.
bool relay_run(relay *r, double until, int wake, char error[RELAY_ERROR_MAX]);

relay_counts relay_counted(const relay *r);

#endif
