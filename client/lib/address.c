// Addresses as texts, their resolution, and sockets that are connecting. Any thread.
#include "client/lib/address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <carom/client.h>

// ---- texts

static carom_status bad_address(const char *text, carom_error *err)
{
    return fault_set(
        err, CAROM_INVALID_ARGUMENT,
        "'%.100s' is no address: expected host, host:port or [address]:port, with tcp:// "
        "or caroms:// (TLS) before it if at all",
        text);
}

static carom_status bad_port(const char *text, const char *after_host, carom_error *err)
{
    return fault_set(err, CAROM_INVALID_ARGUMENT,
                     "'%.100s' is no address: behind the host, '%.20s' is no port: expected : and "
                     "a number from 1 to 65535",
                     text, after_host);
}

static bool parse_port(const char *text, uint16_t *port)
{
    unsigned long value = 0;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits] != '\0') {
        return false;
    }
    value = strtoul(text, NULL, 10);
    if (value == 0 || value > UINT16_MAX) {
        return false;
    }
    *port = (uint16_t)value;
    return true;
}

// Finds where the host begins and ends and what follows it. An IPv6 address contains colons: it is
// in brackets, or has no port.
static bool split_host(const char *text, const char **begin, size_t *size, const char **rest)
{
    if (*text == '[') {
        const char *close = strchr(text, ']');
        *begin = text + 1;
        *size = close == NULL ? 0 : (size_t)(close - text - 1);
        *rest = close == NULL ? "" : close + 1;
        return *size > 0;
    }
    const char *colon = strchr(text, ':');
    bool bare_v6 = colon != NULL && strchr(colon + 1, ':') != NULL;
    *begin = text;
    *size = colon == NULL || bare_v6 ? strlen(text) : (size_t)(colon - text);
    *rest = text + *size;
    return true;
}

// Skips the scheme, if there is one.
static const char *skip_scheme(const char *text, bool *tls)
{
    static const struct {
        const char *text;
        bool tls;
    } SCHEMES[] = {{"tcp://", false}, {"carom://", false}, {"tls://", true}, {"caroms://", true}};
    *tls = false;
    for (size_t i = 0; i < sizeof SCHEMES / sizeof *SCHEMES; i++) {
        size_t size = strlen(SCHEMES[i].text);
        if (strncmp(text, SCHEMES[i].text, size) == 0) {
            *tls = SCHEMES[i].tls;
            return text + size;
        }
    }
    return text;
}

carom_status carom_address_parse(const char *text, char *host, size_t host_size, uint16_t *port,
                                 carom_error *err)
{
    bool tls = false;
    carom_status s = carom_url_parse(text, host, host_size, port, &tls, err);
    if (s == CAROM_OK && tls) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "'%.100s' asks for TLS, which is not spoken here", text);
    }
    return s;
}

carom_status carom_url_parse(const char *text, char *host, size_t host_size, uint16_t *port,
                             bool *tls, carom_error *err)
{
    if (host == NULL || port == NULL || tls == NULL) {
        return fault_missing(err, host == NULL ? "host" : port == NULL ? "port" : "tls");
    }
    const char *whole = text == NULL ? "" : text;
    const char *rest = skip_scheme(whole, tls);
    const char *begin;
    size_t size;
    // A slash belongs to a page's address, or to a scheme that is not supported here.
    if (strchr(rest, '/') != NULL || !split_host(rest, &begin, &size, &rest)) {
        return bad_address(whole, err);
    }
    uint16_t number = CAROM_PORT_DEFAULT;
    if (*rest != '\0' && (*rest != ':' || !parse_port(rest + 1, &number))) {
        return bad_port(whole, rest, err);
    }
    if (size == 0) {
        begin = CAROM_HOST_DEFAULT;
        size = strlen(begin);
    }
    if (size >= host_size) {
        return bad_address(whole, err);
    }
    memcpy(host, begin, size);
    host[size] = '\0';
    *port = number;
    return CAROM_OK;
}

// ---- sockets

carom_status address_resolve(const char *host, uint16_t port, address_list *out, carom_error *err)
{
    char service[8];
    snprintf(service, sizeof service, "%u", (unsigned)port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    // RFC 6761, section 6.3: this name is the machine itself, even where no /etc/hosts says so.
    const char *node = strcasecmp(host, "localhost") == 0 ? NULL : host;
    int failure = getaddrinfo(node, service, &hints, &found);
    if (failure == EAI_MEMORY) {
        return fault_memory(err);
    }
    if (failure != 0) {
        return fault_set(err, CAROM_UNAVAILABLE, "cannot find the host '%.100s': %s", host,
                         failure == EAI_SYSTEM ? strerror(errno) : gai_strerror(failure));
    }
    out->count = 0;
    for (struct addrinfo *a = found; a != NULL && out->count < ADDRESSES_MAX; a = a->ai_next) {
        if (a->ai_addrlen <= sizeof out->addresses[0]) {
            memcpy(&out->addresses[out->count], a->ai_addr, a->ai_addrlen);
            out->sizes[out->count++] = a->ai_addrlen;
        }
    }
    freeaddrinfo(found);
    return CAROM_OK;
}

int address_connect(const address_list *list, int i)
{
    const struct sockaddr *where = (const struct sockaddr *)&list->addresses[i];
    int fd = socket(where->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    // Commands are small: none of them should wait for the acknowledgement of the one before.
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    if (connect(fd, where, list->sizes[i]) != 0 && errno != EINPROGRESS && errno != EINTR) {
        int failure = errno;
        close(fd);
        errno = failure;
        return -1;
    }
    return fd;
}

int address_connected(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) <= 0) {
        return EINPROGRESS;
    }
    int failure = 0;
    socklen_t size = sizeof failure;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) != 0) {
        return errno;
    }
    return failure;
}
