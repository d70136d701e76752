// The subscribers of the fan-out benchmark: a process of their own that has many connections,
// subscribes on each, and counts the bytes received.
//
// It polls its sockets every millisecond instead of waiting for them, so that no write of a server
// has to wake a process, and only the server is measured. The kernel drops the counted bytes
// (MSG_TRUNC), so that counting costs as little as possible. Only the first connection is read, to
// find the length of a message.
//
// One thread in each process.
#ifndef CAROM_TESTS_BENCH_NETWORK_FANOUT_READERS_H
#define CAROM_TESTS_BENCH_NETWORK_FANOUT_READERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Figures shared by both processes.
typedef struct readers_figures {
    atomic_uint_fast64_t connected;      // connections that have sent their request
    atomic_uint_fast64_t heard;          // connections that have received something
    atomic_uint_fast64_t bytes;          // bytes received on all connections
    atomic_uint_fast64_t probe_messages; // whole MessagePack values on the first connection
    atomic_uint_fast64_t probe_bytes;    // their bytes
    atomic_uint_fast64_t lost;           // connections that the server has closed
} readers_figures;

typedef struct readers {
    pid_t pid;
    int count;
    readers_figures *figures;
} readers;

// `ask` is sent on each connection to 127.0.0.1:port. Waits until all have sent it; ends the
// program with a text if one cannot connect.
void readers_start(readers *r, uint16_t port, int count, const void *ask, size_t size);

// Waits at most `seconds` until each connection has received something; otherwise ends the program.
void readers_await(const readers *r, double seconds);

void readers_stop(readers *r);

// Raises the limit of descriptors as far as the system allows, for this number of connections and
// some more; returns the number of connections that fit.
int readers_fit_descriptors(int connections);

_Noreturn void readers_give_up(const char *what);

#endif
