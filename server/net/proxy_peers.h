// The trusted proxies, whose statement of a connection's origin (proxy_header.h) is believed: only
// addresses and networks that the operator names.
//
// Pure functions over the struct; any thread.
#ifndef CAROM_SERVER_NET_PROXY_PEERS_H
#define CAROM_SERVER_NET_PROXY_PEERS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

enum { PROXY_PEERS_MAX = 64 };

// IPv4 as ::ffff:a.b.c.d, so that a proxy that comes over IPv6's socket is the same.
typedef struct proxy_network {
    struct in6_addr address;
    int bits; // number of leading bits that count
} proxy_network;

typedef struct proxy_peers {
    uint32_t count;
    proxy_network networks[PROXY_PEERS_MAX];
} proxy_peers;

// Adds the networks in a text: ADDRESS or ADDRESS/BITS, separated by commas. Errors:
// STATUS_INVALID_ARGUMENT for anything else, for address bits beyond BITS that are not zero, and
// for too many networks.
status proxy_peers_add(proxy_peers *p, const char *text, error *err);

// Whether a socket's address belongs to one of the networks.
bool proxy_peers_have(const proxy_peers *p, const struct sockaddr *address);

#endif
