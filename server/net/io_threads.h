// Threads that read and write the sockets of connections, and do their TLS, for the network thread.
//
// A write costs the kernel ten times the time that the server needs to decide on it; so connections
// are spread over several threads, each with a loop of its own. Everything else stays on the
// network thread: sessions, limits, requests and queues of output. Between it and an I/O thread
// there are two bounded queues, and only immutable blocks of bytes and the counters of relay.h's
// structs are shared beside them.
//
// Network thread only, except for sections marked as the I/O thread's.
#ifndef CAROM_SERVER_NET_IO_THREADS_H
#define CAROM_SERVER_NET_IO_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "common/base/status.h"
#include "server/base/limits.h"

enum { IO_THREADS_MAX = 64 };

typedef struct io_threads io_threads;

// Starts `count` threads, 2 to IO_THREADS_MAX. `bounds` must outlive them. Errors: STATUS_INTERNAL
// if the system has no more threads; nothing is left then once the loop has run.
status io_threads_open(uv_loop_t *loop, int count, const limits *bounds, io_threads **out,
                       error *err);

// Call when no connection is left: ends and joins the threads, then calls `closed` from the loop,
// when all their memory is freed.
void io_threads_close(io_threads *t, void (*closed)(void *context), void *context);

#endif
