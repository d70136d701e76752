// Listeners, pairs of sockets and the poll loop; see relay.h.
#include "client/tool/relay/relay.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/tool/cli.h"
#include "client/tool/relay/pipe.h"

typedef struct route {
    int listener;
    struct sockaddr_storage server;
    socklen_t server_size;
} route;

// A client's connection, and the relay's connection to the server for it.
typedef struct pair {
    int client, server;
    bool connecting; // a connection to the server is being made
    bool broken;     // must be closed
    relay_pipe to_server, to_client;
} pair;

struct relay {
    distance_options options;
    relay_limits limits;
    route routes[RELAY_ROUTES_MAX];
    size_t route_count;
    pair **pairs;
    size_t pair_count, pair_room;
    struct pollfd *polled; // wake, listeners, then two for each pair
    relay_counts counts;   // without the counts of open pairs
};

relay *relay_create(const distance_options *options, const relay_limits *limits)
{
    relay *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return NULL;
    }
    r->options = *options;
    r->limits = limits != NULL ? *limits : (relay_limits){RELAY_CONNECTIONS_MAX, PIPE_BYTES_MAX};
    r->polled = calloc(1 + RELAY_ROUTES_MAX + 2 * r->limits.connections, sizeof *r->polled);
    r->pairs = calloc(r->limits.connections, sizeof *r->pairs);
    if (r->polled == NULL || r->pairs == NULL) {
        relay_destroy(r);
        return NULL;
    }
    return r;
}

static void count_in(relay_counts *counts, const pair *p)
{
    counts->bytes_to_server += p->to_server.bytes;
    counts->bytes_to_clients += p->to_client.bytes;
    counts->stalls += p->to_server.distance.stalls + p->to_client.distance.stalls;
}

static void close_pair(relay *r, pair *p)
{
    count_in(&r->counts, p);
    (void)close(p->client);
    (void)close(p->server);
    pipe_deinit(&p->to_server);
    pipe_deinit(&p->to_client);
    free(p);
}

void relay_destroy(relay *r)
{
    if (r == NULL) {
        return;
    }
    for (size_t i = 0; i < r->pair_count; i++) {
        close_pair(r, r->pairs[i]);
    }
    for (size_t i = 0; i < r->route_count; i++) {
        (void)close(r->routes[i].listener);
    }
    free(r->pairs);
    free(r->polled);
    free(r);
}

relay_counts relay_counted(const relay *r)
{
    relay_counts counts = r->counts;
    for (size_t i = 0; i < r->pair_count; i++) {
        count_in(&counts, r->pairs[i]);
    }
    return counts;
}

// ---- addresses

// Resolves "HOST:PORT", "[HOST]:PORT". The caller frees the list with freeaddrinfo.
static struct addrinfo *resolve(const char *address, bool listen, char error[RELAY_ERROR_MAX])
{
    char host[RELAY_ADDRESS_MAX];
    const char *colon = strrchr(address, ':');
    if (colon == NULL || colon == address || colon[1] == '\0' || strlen(address) >= sizeof host) {
        (void)snprintf(error, RELAY_ERROR_MAX, "'%.200s' is not HOST:PORT, such as 127.0.0.1:22776",
                       address);
        return NULL;
    }
    size_t length = (size_t)(colon - address);
    bool bracketed = address[0] == '[' && address[length - 1] == ']';
    (void)snprintf(host, sizeof host, "%.*s", (int)(bracketed ? length - 2 : length),
                   address + (bracketed ? 1 : 0));
    const bool local = strcasecmp(host, "localhost") == 0; // even without /etc/hosts
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICSERV | (listen && !local ? AI_PASSIVE : 0)};
    struct addrinfo *found = NULL;
    int result = getaddrinfo(local ? NULL : host, colon + 1, &hints, &found);
    if (result != 0) {
        (void)snprintf(error, RELAY_ERROR_MAX, "'%.200s': %s", address, gai_strerror(result));
        return NULL;
    }
    return found;
}

static void name_address(const struct sockaddr *address, socklen_t size,
                         char out[RELAY_ADDRESS_MAX])
{
    char host[200], port[20];
    if (getnameinfo(address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        (void)snprintf(out, RELAY_ADDRESS_MAX, "?");
        return;
    }
    bool six = address->sa_family == AF_INET6;
    (void)snprintf(out, RELAY_ADDRESS_MAX, six ? "[%s]:%s" : "%s:%s", host, port);
}

static int open_listener(const struct addrinfo *at, char bound[RELAY_ADDRESS_MAX])
{
    int fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    struct sockaddr_storage here;
    socklen_t size = sizeof here;
    if (fd < 0) {
        return -1;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, at->ai_addr, at->ai_addrlen) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&here, &size) != 0) {
        int saved = errno;
        (void)close(fd);
        errno = saved;
        return -1;
    }
    name_address((struct sockaddr *)&here, size, bound);
    return fd;
}

bool relay_add_route(relay *r, const char *listen, const char *server,
                     char bound[RELAY_ADDRESS_MAX], char error[RELAY_ERROR_MAX])
{
    route *added = &r->routes[r->route_count];
    struct addrinfo *here = resolve(listen, true, error);
    struct addrinfo *there = here != NULL ? resolve(server, false, error) : NULL;
    bool good = there != NULL;
    if (good) {
        memcpy(&added->server, there->ai_addr, there->ai_addrlen);
        added->server_size = there->ai_addrlen;
        added->listener = open_listener(here, bound);
        good = added->listener >= 0;
        if (good) {
            r->route_count++;
        } else {
            (void)snprintf(error, RELAY_ERROR_MAX, "cannot listen on %.200s: %s", listen,
                           strerror(errno));
        }
    }
    if (here != NULL) {
        freeaddrinfo(here);
    }
    if (there != NULL) {
        freeaddrinfo(there);
    }
    return good;
}

// ---- pairs

static void send_at_once(int fd)
{
    int on = 1;
    // only the distance should delay bytes
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Begins the pair of an accepted client. Takes over `client`.
static bool add_pair(relay *r, const route *from, int client)
{
    pair *p = calloc(1, sizeof *p);
    int server = socket(from->server.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (p == NULL || server < 0) {
        free(p);
        (void)close(client);
        if (server >= 0) {
            (void)close(server);
        }
        return false;
    }
    uint64_t number = 2 * r->counts.connections++;
    *p = (pair){.client = client, .server = server, .connecting = true};
    pipe_init(&p->to_server, &r->options, number, r->limits.pipe_bytes);
    pipe_init(&p->to_client, &r->options, number + 1, r->limits.pipe_bytes);
    send_at_once(client);
    send_at_once(server);
    if (connect(server, (const struct sockaddr *)&from->server, from->server_size) == 0) {
        p->connecting = false;
    } else if (errno != EINPROGRESS) {
        p->broken = true;
        r->counts.failed++;
    }
    r->pairs[r->pair_count++] = p;
    return true;
}

static bool accept_some(relay *r, const route *from, char error[RELAY_ERROR_MAX])
{
    while (r->pair_count < r->limits.connections) {
        int client = accept4(from->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client < 0 &&
            (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
            (void)snprintf(error, RELAY_ERROR_MAX, "no more connections after %zu: %s",
                           r->pair_count, strerror(errno));
            return false;
        }
        if (client < 0) {
            return true; // no client is waiting, or it has left again
        }
        if (!add_pair(r, from, client)) {
            (void)snprintf(error, RELAY_ERROR_MAX, "no more connections after %zu: %s",
                           r->pair_count, strerror(errno));
            return false;
        }
    }
    return true;
}

static void finish_connecting(relay *r, pair *p)
{
    int result = 0;
    socklen_t size = sizeof result;
    p->connecting = false;
    if (getsockopt(p->server, SOL_SOCKET, SO_ERROR, &result, &size) != 0 || result != 0) {
        p->broken = true;
        r->counts.failed++;
    }
}

// Moves bytes as far as possible. `client` and `server`: poll's events for the two sockets.
static void serve_pair(relay *r, pair *p, short client, short server, double now)
{
    if (p->connecting && (server & (POLLOUT | POLLERR | POLLHUP)) != 0) {
        finish_connecting(r, p);
    }
    if (p->broken) {
        return;
    }
    bool good = true;
    if ((client & (POLLIN | POLLERR | POLLHUP)) != 0 && pipe_wants(&p->to_server)) {
        good = pipe_read(&p->to_server, p->client, now);
    }
    if (good && !p->connecting) {
        if ((server & (POLLIN | POLLERR | POLLHUP)) != 0 && pipe_wants(&p->to_client)) {
            good = pipe_read(&p->to_client, p->server, now);
        }
        good = good && pipe_write(&p->to_server, p->server, now);
        good = good && pipe_write(&p->to_client, p->client, now);
    }
    p->broken = !good || (p->to_server.ended && p->to_client.ended);
}

// ---- the loop

// The events that a socket is polled for: input for one pipe, room for the output of the other.
static short wanted(const relay_pipe *from, const relay_pipe *to, double now)
{
    return (short)((pipe_wants(from) ? POLLIN : 0) | (pipe_due(to) <= now ? POLLOUT : 0));
}

static double fill_polled(relay *r, int wake, double now, double until)
{
    r->polled[0] = (struct pollfd){.fd = wake, .events = POLLIN};
    for (size_t i = 0; i < r->route_count; i++) {
        bool room = r->pair_count < r->limits.connections;
        r->polled[1 + i] =
            (struct pollfd){.fd = r->routes[i].listener, .events = (short)(room ? POLLIN : 0)};
    }
    for (size_t i = 0; i < r->pair_count; i++) {
        const pair *p = r->pairs[i];
        struct pollfd *at = &r->polled[1 + r->route_count + 2 * i];
        short server = p->connecting ? POLLOUT : wanted(&p->to_client, &p->to_server, now);
        at[0] =
            (struct pollfd){.fd = p->client, .events = wanted(&p->to_server, &p->to_client, now)};
        at[1] = (struct pollfd){.fd = p->server, .events = server};
        // A socket with no wanted events would report its peer's end again and again.
        at[0].fd = at[0].events != 0 ? at[0].fd : -1;
        at[1].fd = at[1].events != 0 ? at[1].fd : -1;
        double due = fmin(pipe_due(&p->to_client),
                          p->connecting ? (double)INFINITY : pipe_due(&p->to_server));
        // a piece that is due already waits for space in the socket, which poll reports
        until = due > now ? fmin(until, due) : until;
    }
    return until;
}

static void drop_broken(relay *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->pair_count; i++) {
        if (r->pairs[i]->broken) {
            close_pair(r, r->pairs[i]);
        } else {
            r->pairs[kept++] = r->pairs[i];
        }
    }
    r->pair_count = kept;
}

bool relay_run(relay *r, double until, int wake, char error[RELAY_ERROR_MAX])
{
    double now = cli_now();
    double left = fmin(fmax(fill_polled(r, wake, now, until) - now, 0.0), 3600.0);
    struct timespec pause = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - floor(left)) * 1e9)};
    nfds_t count = 1 + r->route_count + 2 * r->pair_count;
    if (ppoll(r->polled, count, &pause, NULL) < 0) {
        if (errno == EINTR) {
            return true;
        }
        (void)snprintf(error, RELAY_ERROR_MAX, "poll: %s", strerror(errno));
        return false;
    }
    now = cli_now();
    const struct pollfd *at = &r->polled[1 + r->route_count];
    for (size_t i = 0, pairs = r->pair_count; i < pairs; i++, at += 2) {
        serve_pair(r, r->pairs[i], at[0].revents, at[1].revents, now);
    }
    drop_broken(r);
    bool good = true;
    for (size_t i = 0; i < r->route_count && good; i++) {
        good = (r->polled[1 + i].revents & POLLIN) == 0 || accept_some(r, &r->routes[i], error);
    }
    return good;
}
