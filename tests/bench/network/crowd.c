// See crowd.h.
#include "tests/bench/network/crowd.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/bench/clock.h"
#include "tests/bench/processor.h"
#include "tests/bench/storage/peer.h"

enum {
    EVENTS = 256,
    WAIT_MS = 1, // longest wait until a command may be due
    SPARE_FILES = 64,
    TRASH_BYTES = 1 << 18
};

struct crowd {
    crowd_plan plan;
    peer *peers;
    int count;
    int epoll;
    pthread_t thread;
    atomic_bool stopping;
    msgpack_sbuffer *strikes; // each player's two strikes: forth and back
    crowd_counts counted;     // counts; used by the thread until it has ended
};

static void allow_files(int count)
{
    struct rlimit files;
    const rlim_t wanted = (rlim_t)count + SPARE_FILES;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < wanted) {
        files.rlim_cur = wanted < files.rlim_max ? wanted : files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

crowd *crowd_open(const bench_server *s, const crowd_plan *plan)
{
    crowd *c = calloc(1, sizeof *c);
    const int count = plan->players + plan->watchers;
    msgpack_sbuffer nothing;
    if (c == NULL || (c->peers = calloc((size_t)count + 1, sizeof *c->peers)) == NULL) {
        give_up("no memory");
    }
    c->plan = *plan;
    c->epoll = epoll_create1(EPOLL_CLOEXEC);
    allow_files(count);
    msgpack_sbuffer_init(&nothing);
    map_begin(&nothing, 0);
    for (; c->count < count; c->count++) {
        peer *p = &c->peers[c->count];
        struct epoll_event event = {.events = EPOLLIN, .data.fd = -1};
        peer_open(p, s);
        peer_call(p, "ping", &nothing, NULL, NULL);
        event.data.fd = p->fd;
        if (epoll_ctl(c->epoll, EPOLL_CTL_ADD, p->fd, &event) != 0) {
            give_up("the connections cannot be watched");
        }
    }
    msgpack_sbuffer_destroy(&nothing);
    return c;
}

// `index` counts the clients of this arena.
static void subscribe(const crowd *c, peer *p, const arena *a, int index)
{
    const crowd_plan *plan = &c->plan;
    const carom_vec2 at = arena_place(a, index % a->balls);
    const bool has_area = plan->width > 0.0;
    const bool has_rate = plan->snapshots > 0.0;
    msgpack_sbuffer out;
    msgpack_packer k;
    msgpack_sbuffer_init(&out);
    map_begin(&out, 2u + has_area + has_rate);
    map_text(&out, "world", a->name);
    map_text(&out, "encoding", plan->encoding);
    if (has_rate) {
        map_number(&out, "rate", plan->snapshots);
    }
    if (has_area) {
        map_key(&out, "area");
        array_begin(&out, 4);
        msgpack_packer_init(&k, &out, msgpack_sbuffer_write);
        msgpack_pack_double(&k, at.x - 0.5 * plan->width);
        msgpack_pack_double(&k, at.y - 0.5 * plan->height);
        msgpack_pack_double(&k, at.x + 0.5 * plan->width);
        msgpack_pack_double(&k, at.y + 0.5 * plan->height);
    }
    peer_send(p, "world.subscribe", &out);
    msgpack_sbuffer_destroy(&out);
}

void crowd_subscribe(crowd *c, const arena *arenas, int count)
{
    for (int i = 0; i < c->count && !c->plan.without_snapshots; i++) {
        subscribe(c, &c->peers[i], &arenas[i % count], i / count);
    }
}

// ---- the thread

// Discards everything that has arrived.
static double drain(int fd)
{
    static uint8_t trash[TRASH_BYTES];
    const ssize_t got = recv(fd, trash, sizeof trash, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        give_up("the server has hung up on a client");
    }
    return got > 0 ? (double)got : 0.0;
}

// Sends the due commands, one after the other, players in turn.
static void strike(crowd *c, double begin, uint64_t *sent)
{
    const double all = c->plan.rate * c->plan.players;
    const uint64_t due = (uint64_t)((clock_seconds(CLOCK_WALL) - begin) * all);
    for (; *sent < due; ++*sent) {
        const uint64_t player = *sent % (uint64_t)c->plan.players;
        const uint64_t round = *sent / (uint64_t)c->plan.players;
        peer_send(&c->peers[player], "body.impulse", &c->strikes[2 * player + round % 2]);
    }
}

static void *work(void *argument)
{
    crowd *c = argument;
    struct epoll_event events[EVENTS];
    uint64_t sent = 0;
    if (c->plan.cpu >= 0) {
        (void)processor_pin(c->plan.cpu);
    }
    const double begin = clock_seconds(CLOCK_WALL);
    while (!atomic_load(&c->stopping)) {
        const int ready = epoll_wait(c->epoll, events, EVENTS, WAIT_MS);
        for (int i = 0; i < ready; i++) {
            c->counted.bytes += drain(events[i].data.fd);
        }
        strike(c, begin, &sent);
    }
    c->counted.commands = (double)sent;
    c->counted.cpu = clock_seconds(CLOCK_CPU);
    return NULL;
}

static void make_strikes(crowd *c, const arena *arenas, size_t count)
{
    const size_t players = (size_t)c->plan.players;
    c->strikes = calloc(2 * players + 1, sizeof *c->strikes);
    if (c->strikes == NULL) {
        give_up("no memory");
    }
    for (size_t i = 0; i < 2 * players; i++) {
        msgpack_sbuffer *out = &c->strikes[i];
        const arena *a = &arenas[i / 2 % count];
        map_begin(out, 3);
        map_text(out, "world", a->name);
        map_uint(out, "body", a->ids[i / 2 / count % (size_t)a->balls]);
        map_vector(out, "impulse", i % 2 == 0 ? 0.5 : -0.5, 0.0);
    }
}

void crowd_start(crowd *c, const arena *arenas, int count)
{
    make_strikes(c, arenas, (size_t)count);
    c->counted = (crowd_counts){0};
    atomic_store(&c->stopping, false);
    if (pthread_create(&c->thread, NULL, work, c) != 0) {
        give_up("no thread for the clients");
    }
}

void crowd_stop(crowd *c)
{
    atomic_store(&c->stopping, true);
    (void)pthread_join(c->thread, NULL);
    for (int i = 0; i < 2 * c->plan.players; i++) {
        msgpack_sbuffer_destroy(&c->strikes[i]);
    }
    free(c->strikes);
    c->strikes = NULL;
}

crowd_counts crowd_counted(const crowd *c)
{
    return c->counted;
}

void crowd_close(crowd *c)
{
    for (int i = 0; i < c->count; i++) {
        peer_close(&c->peers[i]);
    }
    close(c->epoll);
    free(c->peers);
    free(c);
}
