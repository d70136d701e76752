// The header of the PROXY protocol, version 2: a proxy that ends a client's connection says with
// it, before any byte of the client, where that connection comes from.
// https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt
//
//     signature (12) | version and command | family and protocol | length (2) | address | TLVs
//
// Strict: a header that breaks a rule ends the connection, since the bytes after it could be read
// in two ways. Version 1, which is a line of text, is recognised and refused.
//
// Pure functions; any thread.
#ifndef CAROM_SERVER_NET_PROXY_HEADER_H
#define CAROM_SERVER_NET_PROXY_HEADER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PROXY_HEADER_BEGIN = 16,      // bytes up to and including the length
    PROXY_HEADER_BYTES_MAX = 4096 // largest header: addresses, and TLVs that name a certificate
};

typedef union proxy_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} proxy_address;

typedef struct proxy_header {
    size_t size; // bytes of the whole header
    bool told;   // `source` is the client's address; false: the proxy speaks for itself (a health
                 // check)
    proxy_address source;
} proxy_header;

typedef enum proxy_result {
    PROXY_MORE, // incomplete: `size` is the number of bytes needed to continue
    PROXY_DONE,
    PROXY_BROKEN // *why is a constant text that says how
} proxy_result;

// Reads the bytes received so far, perhaps only a part. Never asks for a byte after the header.
proxy_result proxy_header_read(const uint8_t *data, size_t size, proxy_header *out,
                               const char **why);

#endif
