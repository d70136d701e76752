// See proxy_peers.h. Any thread.
#include "server/net/proxy_peers.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { MAPPED_BITS = 96, ADDRESS_BITS = 128, BITS_CHARS_MAX = 3 };

static void map_four(const struct in_addr *four, struct in6_addr *out)
{
    *out = (struct in6_addr){0};
    out->s6_addr[10] = out->s6_addr[11] = 0xFF;
    memcpy(&out->s6_addr[12], four, sizeof *four);
}

static bool parse_address(const char *text, struct in6_addr *out, bool *four)
{
    struct in_addr short_form;
    *four = inet_pton(AF_INET, text, &short_form) == 1;
    if (*four) {
        map_four(&short_form, out);
        return true;
    }
    return inet_pton(AF_INET6, text, out) == 1;
}

// The number of bits after the slash; without one, all bits of the address family.
static bool parse_bits(const char *text, bool four, int *out)
{
    int most = four ? ADDRESS_BITS - MAPPED_BITS : ADDRESS_BITS;
    int bits = most;
    if (text != NULL) {
        size_t size = strlen(text);
        bool digits = size > 0 && size <= BITS_CHARS_MAX && strspn(text, "0123456789") == size;
        bits = digits ? (int)strtol(text, NULL, 10) : most + 1;
    }
    *out = four ? bits + MAPPED_BITS : bits;
    return bits <= most;
}

static bool bit_of(const struct in6_addr *address, int bit)
{
    return (address->s6_addr[bit / 8] >> (7 - bit % 8) & 1) != 0;
}

static bool is_clean(const proxy_network *n)
{
    for (int bit = n->bits; bit < ADDRESS_BITS; bit++) {
        if (bit_of(&n->address, bit)) {
            return false;
        }
    }
    return true;
}

static status add_one(proxy_peers *p, char *item, error *err)
{
    char whole[INET6_ADDRSTRLEN + 8];
    bool four = false;
    proxy_network made;
    memcpy(whole, item, strlen(item) + 1);
    char *slash = strchr(item, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    if (!parse_address(item, &made.address, &four) ||
        !parse_bits(slash != NULL ? slash + 1 : NULL, four, &made.bits)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s' is not an address or a network, as 10.0.0.5, 10.0.0.0/8 or fd00::/8",
                         whole);
    }
    if (!is_clean(&made)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%s': the address has bits set beyond its prefix", whole);
    }
    if (p->count == PROXY_PEERS_MAX) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "at most %d may be given", PROXY_PEERS_MAX);
    }
    p->networks[p->count++] = made;
    return STATUS_OK;
}

status proxy_peers_add(proxy_peers *p, const char *text, error *err)
{
    status s = STATUS_OK;
    const char *at = text;
    while (s == STATUS_OK && at != NULL) {
        char item[INET6_ADDRSTRLEN + 8];
        const char *comma = strchr(at, ',');
        size_t size = comma != NULL ? (size_t)(comma - at) : strlen(at);
        if (size >= sizeof item) {
            return error_set(err, STATUS_INVALID_ARGUMENT,
                             "'%.60s' is too long for an address or a network", at);
        }
        memcpy(item, at, size);
        item[size] = '\0';
        s = add_one(p, item, err);
        at = comma != NULL ? comma + 1 : NULL;
    }
    return s;
}

static bool has(const proxy_network *n, const struct in6_addr *address)
{
    for (int bit = 0; bit < n->bits; bit++) {
        if (bit_of(&n->address, bit) != bit_of(address, bit)) {
            return false;
        }
    }
    return true;
}

bool proxy_peers_have(const proxy_peers *p, const struct sockaddr *address)
{
    struct in6_addr six;
    if (address->sa_family == AF_INET6) {
        six = ((const struct sockaddr_in6 *)address)->sin6_addr;
    } else if (address->sa_family == AF_INET) {
        map_four(&((const struct sockaddr_in *)address)->sin_addr, &six);
    } else {
        return false;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (has(&p->networks[i], &six)) {
            return true;
        }
    }
    return false;
}
