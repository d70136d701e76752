// See bare.h.
#include "tests/bench/network/fanout/bare.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000, EVENTS = 256 };

typedef struct bare_socket {
    int fd;
    size_t owed; // unsent bytes of messages that are begun or due
    bool waits;  // waits until the socket accepts more
} bare_socket;

typedef struct bare {
    int epoll;
    int count;
    bare_socket *sockets;
    uint8_t *bytes;
    size_t size;
} bare;

static void watch(const bare *b, bare_socket *s, bool wanted)
{
    struct epoll_event event = {.events = wanted ? EPOLLOUT : 0, .data.ptr = s};
    (void)epoll_ctl(b->epoll, EPOLL_CTL_MOD, s->fd, &event);
    s->waits = wanted;
}

static void write_owed(const bare *b, bare_socket *s)
{
    while (s->owed > 0) {
        size_t part = s->owed % b->size == 0 ? b->size : s->owed % b->size;
        ssize_t sent = send(s->fd, b->bytes + (b->size - part), part, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            break;
        }
        if (sent < 0) {
            _exit(1);
        }
        s->owed -= (size_t)sent;
    }
    if (s->waits != (s->owed > 0)) {
        watch(b, s, s->owed > 0);
    }
}

static void accept_all(bare *b, int listener)
{
    for (int i = 0; i < b->count; i++) {
        bare_socket *s = &b->sockets[i];
        int on = 1;
        char ask[16];
        s->fd = accept(listener, NULL, NULL);
        struct epoll_event event = {.data.ptr = s};
        if (s->fd < 0 || recv(s->fd, ask, sizeof ask, 0) <= 0 ||
            fcntl(s->fd, F_SETFL, O_NONBLOCK) != 0 ||
            setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
            epoll_ctl(b->epoll, EPOLL_CTL_ADD, s->fd, &event) != 0) {
            _exit(1);
        }
    }
}

void bare_serve(int listener, int count, double rate, size_t size)
{
    bare b = {.epoll = epoll_create1(EPOLL_CLOEXEC), .count = count, .size = size};
    b.sockets = calloc((size_t)count, sizeof *b.sockets);
    b.bytes = calloc(1, size);
    if (b.epoll < 0 || b.sockets == NULL || b.bytes == NULL) {
        _exit(1);
    }
    accept_all(&b, listener);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t due = (int64_t)now.tv_sec * NS + now.tv_nsec;
    for (;;) {
        for (int i = 0; i < count; i++) {
            b.sockets[i].owed += size;
            write_owed(&b, &b.sockets[i]);
        }
        due += (int64_t)(1e9 / rate);
        int64_t left = 1;
        while (left > 0) {
            clock_gettime(CLOCK_MONOTONIC, &now);
            left = due - ((int64_t)now.tv_sec * NS + now.tv_nsec);
            struct epoll_event events[EVENTS];
            int wait_ms = left > 0 ? (int)((left + 999999) / 1000000) : 0;
            int ready = epoll_wait(b.epoll, events, EVENTS, wait_ms);
            for (int i = 0; i < ready; i++) {
                write_owed(&b, events[i].data.ptr);
            }
        }
    }
}
