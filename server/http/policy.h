// Header lines that restrict what the viewer's page may do in a browser, sent with every answer.
//
// The page runs only its own scripts, cannot be framed by another page, sends no Referer to other
// sites, and connects to its own server. A link may name another server (`?server=`); the operator
// decides which of those the page may reach (caromd --viewer-server). In a fleet it may reach the
// others, too, since worlds move there.
//
// Pure functions; any thread.
#ifndef CAROM_SERVER_HTTP_POLICY_H
#define CAROM_SERVER_HTTP_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

enum {
    POLICY_SERVERS_MAX = 16,
    POLICY_SERVER_BYTES_MAX = 255, // address of one server
    POLICY_PEERS_MAX = 32,         // servers of the fleet; further ones take --viewer-server
    POLICY_PEER_BYTES_MAX = 160,   // wss://HOST:PORT
    POLICY_BYTES_MAX = 1024 + POLICY_SERVERS_MAX * (POLICY_SERVER_BYTES_MAX + 1) +
                       POLICY_PEERS_MAX * (POLICY_PEER_BYTES_MAX + 1)
};

// Whether `text` is "*" (any server) or ws://HOST[:PORT][/PATH], or the same with wss.
status policy_check_server(const char *text, error *err);

// Servers of the fleet, HOST:PORT each; those that a policy cannot name (IPv6) are left out.
typedef struct policy_peers {
    const char *addresses[POLICY_PEERS_MAX];
    uint32_t count;
    bool secure; // by wss
} policy_peers;

// Writes the lines, each with CR LF, and a closing zero; returns their length. `servers` have
// passed policy_check_server and are POLICY_SERVERS_MAX at most. `peers` NULL: none.
size_t policy_write(char out[POLICY_BYTES_MAX], const char *const *servers, uint32_t count,
                    const policy_peers *peers);

#endif
