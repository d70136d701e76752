// Listening sockets from the service manager, by the protocol of sd_listen_fds(3): LISTEN_FDS
// descriptors from 3 on, if LISTEN_PID is this process, with names in LISTEN_FDNAMES: "rpc" for
// clients, "http" for HTTP and WebSocket. A single one without a known name is for clients.
//
// Main thread, before any other descriptor is opened.
#ifndef CAROM_SERVER_PROCESS_ACTIVATION_H
#define CAROM_SERVER_PROCESS_ACTIVATION_H

#include "common/base/status.h"
#include "server/net/network.h"

typedef struct given_sockets {
    listen_sockets rpc, http; // count 0: none
} given_sockets;

// Takes the sockets. Errors, after which no descriptor is taken: STATUS_INVALID_ARGUMENT for names
// and descriptors that do not match, with what is allowed.
status activation_take(given_sockets *out, error *err);

#endif
