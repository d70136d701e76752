// The servers that a relay follows (caromd --relay).
#ifndef CAROM_SERVER_SESSION_RELAY_TARGETS_H
#define CAROM_SERVER_SESSION_RELAY_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/net/tls_trust.h"

enum { RELAY_TARGETS_MAX = 64 };

// A server to follow. The texts outlive the relay.
typedef struct relay_target {
    const char *address; // HOST:PORT
    bool tls;
    const char *origin;      // HOST:PORT where clients send commands to its worlds; NULL: nowhere
    const char *origin_http; // the same for HTTP and WebSocket; NULL: none
} relay_target;

typedef struct relay_options {
    const relay_target *targets;
    uint32_t count;       // RELAY_TARGETS_MAX at most; 0: the server is no relay
    const char *token;    // file of the token for them; NULL: none
    const tls_trust *tls; // trusted authorities; NULL if no target has `tls`
} relay_options;

#endif
