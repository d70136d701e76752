// A socket that listens, and gives its connections away as descriptors.
//
// libuv's own listener calls back without end, and no other event is seen any more, when the
// process has no descriptor left and another thread has taken the one that libuv keeps in reserve.
// This one closes a reserve of its own, turns one connection away, and takes the reserve back; if
// that fails, it does not look at the socket for ACCEPTOR_PAUSE_MS. It turns connections away
// before that, while some descriptors are left for files. The loop's thread only.
#ifndef CAROM_SERVER_NET_ACCEPTOR_H
#define CAROM_SERVER_NET_ACCEPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <uv.h>

enum {
    ACCEPTOR_PAUSE_MS = 100,
    ACCEPTOR_TAKEN_MOST = 256 // connections in a round of the loop, those that are turned away too
};

typedef struct acceptor_handler {
    void *context;
    // Whether one more is taken now. Those that wait are asked for again in the loop's next round.
    bool (*wanted)(void *context);
    void (*taken)(void *context, int descriptor); // owns the descriptor, which does not block
    void (*refused)(void *context);               // a connection was turned away; NULL: not told
    void (*closed)(void *context);                // the struct may be freed
} acceptor_handler;

typedef struct acceptor {
    uv_poll_t ready;
    uv_timer_t again;
    acceptor_handler handler;
    int descriptor, reserve; // -1: none
    int open;                // handles that are not closed yet
    rlim_t bound;            // descriptors from here on are not for connections
    bool begun, closing, complained;
    uint64_t complained_ms;
} acceptor;

// Makes a socket at the address, which may be in use by connections of an ended process. Returns
// the descriptor, or a negative error number of the system.
int acceptor_bind(const struct sockaddr *address, socklen_t size);

// Owns the descriptor from now on; it may listen already. Nothing is taken before acceptor_begin.
void acceptor_init(acceptor *a, uv_loop_t *loop, int descriptor, const acceptor_handler *handler);

// Listens, with `backlog` connections that the system queues. Returns 0, or a negative error number
// of the system.
int acceptor_begin(acceptor *a, int backlog);

// The socket is closed at once, the struct is the caller's again when `closed` is called.
void acceptor_close(acceptor *a);

#endif
