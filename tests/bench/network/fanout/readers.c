// See readers.h.
#include "tests/bench/network/fanout/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proto/wire/scanner.h"
#include "tests/bench/clock.h"

enum {
    EVENTS = 512,
    PAUSE_NS = 1000000,
    DROP_BYTES = 1 << 20,  // at once
    PROBE_BYTES = 1 << 16, // bytes read at once from the first connection
    SPARE_DESCRIPTORS = 64
};

void readers_give_up(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

int readers_fit_descriptors(int connections)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        readers_give_up("no limit of descriptors");
    }
    rlim_t wanted = (rlim_t)connections + SPARE_DESCRIPTORS;
    if (files.rlim_cur < wanted) {
        files.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
        (void)getrlimit(RLIMIT_NOFILE, &files);
    }
    rlim_t fit = files.rlim_cur - SPARE_DESCRIPTORS;
    return fit < (rlim_t)connections ? (int)fit : connections;
}

// ---- the process of the subscribers

typedef struct subscriber {
    int fd;
    bool heard, probe;
} subscriber;

static void open_one(subscriber *s, uint16_t port, const void *ask, size_t size, int epoll)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->fd < 0 || connect(s->fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        send(s->fd, ask, size, MSG_NOSIGNAL) != (ssize_t)size) {
        fprintf(stderr, "%s: no connection: %s\n", program_invocation_short_name, strerror(errno));
        _exit(1);
    }
    (void)fcntl(s->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = s};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, s->fd, &event) != 0) {
        _exit(1);
    }
}

static void scan(scanner *probe, readers_figures *figures, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        size_t used = 0;
        error err;
        scan_verdict verdict = scanner_feed(probe, bytes, size, &used, &err);
        bytes += used;
        size -= used;
        if (verdict == SCAN_REFUSED) {
            return; // the peer does not speak MessagePack
        }
        if (verdict == SCAN_MESSAGE) {
            atomic_fetch_add(&figures->probe_messages, 1);
            atomic_fetch_add(&figures->probe_bytes, probe->position);
        }
    }
}

static void take(subscriber *s, scanner *probe, readers_figures *figures)
{
    static uint8_t bytes[PROBE_BYTES];
    ssize_t got =
        s->probe ? recv(s->fd, bytes, sizeof bytes, 0) : recv(s->fd, NULL, DROP_BYTES, MSG_TRUNC);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        atomic_fetch_add(&figures->lost, 1);
        close(s->fd);
        return;
    }
    if (got > 0) {
        atomic_fetch_add_explicit(&figures->bytes, (uint64_t)got, memory_order_relaxed);
        if (!s->heard) {
            s->heard = true;
            atomic_fetch_add(&figures->heard, 1);
        }
        if (s->probe) {
            scan(probe, figures, bytes, (size_t)got);
        }
    }
}

static _Noreturn void run(readers_figures *figures, uint16_t port, int count, const void *ask,
                          size_t size)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    readers_fit_descriptors(count);
    subscriber *all = calloc((size_t)count, sizeof *all);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (all == NULL || epoll < 0) {
        _exit(1);
    }
    for (int i = 0; i < count; i++) {
        all[i].probe = i == 0;
        open_one(&all[i], port, ask, size, epoll);
        atomic_fetch_add(&figures->connected, 1);
    }
    scanner probe;
    scanner_limits limits = scanner_limits_reply();
    scanner_init(&probe, &limits);
    for (;;) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(epoll, events, EVENTS, 0);
        for (int i = 0; i < ready; i++) {
            take(events[i].data.ptr, &probe, figures);
        }
        if (ready < EVENTS) {
            const struct timespec pause = {.tv_nsec = PAUSE_NS};
            nanosleep(&pause, NULL);
        }
    }
}

// ---- the benchmark's process

static void wait_for(const readers *r, const atomic_uint_fast64_t *figure, double seconds,
                     const char *what)
{
    double begin = clock_seconds(CLOCK_WALL);
    while (atomic_load(figure) < (uint64_t)r->count) {
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
        if (waitpid(r->pid, NULL, WNOHANG) != 0 || atomic_load(&r->figures->lost) > 0 ||
            clock_seconds(CLOCK_WALL) - begin > seconds) {
            readers_give_up(what);
        }
    }
}

void readers_start(readers *r, uint16_t port, int count, const void *ask, size_t size)
{
    r->count = count;
    r->figures =
        mmap(NULL, sizeof *r->figures, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r->figures == MAP_FAILED) {
        readers_give_up("no memory");
    }
    r->pid = fork();
    if (r->pid == 0) {
        run(r->figures, port, count, ask, size);
    }
    wait_for(r, &r->figures->connected, 60.0, "subscribers cannot connect");
}

void readers_await(const readers *r, double seconds)
{
    wait_for(r, &r->figures->heard, seconds, "nothing came to some subscriber");
}

void readers_stop(readers *r)
{
    kill(r->pid, SIGKILL);
    (void)waitpid(r->pid, NULL, 0);
    munmap(r->figures, sizeof *r->figures);
    *r = (readers){0};
}
