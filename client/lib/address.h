// Addresses of servers: parses texts, resolves names, begins connections. All non-blocking except
// for resolving names, which may take the system any time. Any thread.
#ifndef CAROM_CLIENT_LIB_ADDRESS_H
#define CAROM_CLIENT_LIB_ADDRESS_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

#include "client/lib/fault.h"

enum { ADDRESSES_MAX = 8 }; // most addresses of one host that are tried; further ones are ignored

typedef struct address_list {
    struct sockaddr_storage addresses[ADDRESSES_MAX];
    socklen_t sizes[ADDRESSES_MAX];
    int count;
} address_list;

// Errors: CAROM_UNAVAILABLE if the host cannot be resolved, CAROM_OUT_OF_MEMORY.
carom_status address_resolve(const char *host, uint16_t port, address_list *out, carom_error *err);

// Returns a non-blocking socket that is connecting to address `i`, or -1 with errno.
int address_connect(const address_list *list, int i);

// Returns 0 when the socket is connected, EINPROGRESS while it is connecting, else the errno of its
// failure. Does not wait.
int address_connected(int fd);

#endif
