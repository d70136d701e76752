// Sockets that listen already: from the service manager, or from a running server that this one
// takes over; see process.h.
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/main/process.h"

static int copy_descriptor(int fd)
{
    int copy = fd > 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : 0;
    return copy > 0 ? copy : 0;
}

listen_sockets sockets_copy(const listen_sockets *from)
{
    listen_sockets copies = {0};
    for (int i = 0; i < from->count; i++) {
        int copy = copy_descriptor(from->fd[i]);
        if (copy > 0) {
            copies.fd[copies.count++] = copy;
        }
    }
    return copies;
}

void sockets_close(given_sockets *given)
{
    for (int i = 0; i < given->rpc.count; i++) {
        (void)close(given->rpc.fd[i]);
    }
    for (int i = 0; i < given->http.count; i++) {
        (void)close(given->http.fd[i]);
    }
    *given = (given_sockets){0};
}

// Whether one of the sockets is bound to this address.
static bool is_bound_to(const listen_sockets *given, const char *host, uint16_t port)
{
    for (int i = 0; i < given->count; i++) {
        struct sockaddr_storage bound;
        socklen_t size = sizeof bound;
        char name[NI_MAXHOST];
        char service[NI_MAXSERV];
        if (getsockname(given->fd[i], (struct sockaddr *)&bound, &size) == 0 &&
            getnameinfo((struct sockaddr *)&bound, size, name, sizeof name, service, sizeof service,
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0 &&
            strtoul(service, NULL, 10) == port &&
            (strcmp(name, host) == 0 || strcasecmp(host, "localhost") == 0)) {
            return true;
        }
    }
    return false;
}

// Warns of an address in the settings which does not count, because a listening socket was given.
static void warn_of_address(const char *name, const char *host, uint16_t port,
                            const listen_sockets *given, const char *instead)
{
    if (given->count > 0 && port != 0 && !is_bound_to(given, host, port)) {
        log_warn("%s: %s:%u has no effect: %s", name, host, port, instead);
    }
}

// Closes a socket for HTTP that nobody would answer on, and warns of addresses without effect.
static void compare_sockets(process *p, const char *rpc_instead, const char *http_instead)
{
    const config *c = p->config;
    if (*c->http_host == '\0' && p->given.http.count > 0) {
        given_sockets unused = {.http = p->given.http};
        sockets_close(&unused);
        p->given.http = (listen_sockets){0};
        if (*c->takeover == '\0') {
            log_warn("http: off leaves browsers without an answer: the service manager listens for "
                     "them (systemctl disable --now caromd-http.socket)");
        }
    }
    if (c->listen_given) {
        warn_of_address("listen", c->host, c->port, &p->given.rpc, rpc_instead);
    }
    if (c->http_given) {
        warn_of_address("http", c->http_host, c->http_port, &p->given.http, http_instead);
    }
}

status process_take_sockets(process *p, error *err)
{
    const config *c = p->config;
    status s = activation_take(&p->given, err);
    if (s == STATUS_OK && *c->takeover == '\0') {
        compare_sockets(p, "the service manager listens (systemctl edit caromd.socket)",
                        "the service manager listens (systemctl edit caromd-http.socket)");
    }
    if (s != STATUS_OK || *c->takeover == '\0') {
        return s;
    }
    ASSERT(*c->data != '\0'); // checked with the settings
    s = takeover_ask(c->takeover, c->data, &p->gift, err);
    if (s == STATUS_OK) {
        s = takeover_ready(&p->gift, err);
    }
    if (s == STATUS_OK) {
        p->given = (given_sockets){.rpc = p->gift.rpc, .http = p->gift.http};
        p->worlds = p->gift.worlds;
        const char *instead = "a takeover keeps the sockets of the running server";
        compare_sockets(p, instead, instead);
    }
    return s;
}
