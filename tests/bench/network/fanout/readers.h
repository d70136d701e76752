// The subscribers of the fan-out benchmark: a process of their own that holds many connections,
// asks each for what is sent, and counts the bytes that come.
//
// It looks at its sockets every millisecond instead of waiting for them, so that no write of a
// server has to wake a process: the server alone is measured. The kernel drops the bytes as they
// are counted (MSG_TRUNC), so that counting takes as little as possible from the machine. The first
// connection alone is read, to learn how long a message is.
//
// One thread in each process.
#ifndef CAROM_TESTS_BENCH_NETWORK_FANOUT_READERS_H
#define CAROM_TESTS_BENCH_NETWORK_FANOUT_READERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Figures that both processes see.
typedef struct readers_figures {
    atomic_uint_fast64_t connected;      // those that have asked
    atomic_uint_fast64_t heard;          // those to which something has come
    atomic_uint_fast64_t bytes;          // bytes received on all connections
    atomic_uint_fast64_t probe_messages; // whole MessagePack values on the first
    atomic_uint_fast64_t probe_bytes;    // their bytes
    atomic_uint_fast64_t lost;           // connections that the server has ended
} readers_figures;

typedef struct readers {
    pid_t pid;
    int count;
    readers_figures *figures;
} readers;

// `ask` is sent on each connection to 127.0.0.1:port. Waits until all have asked; ends the program
// with a text if one cannot connect.
void readers_start(readers *r, uint16_t port, int count, const void *ask, size_t size);

// Waits at most `seconds` until each connection has received something; otherwise ends the program.
void readers_await(const readers *r, double seconds);

void readers_stop(readers *r);

// Raises the limit of descriptors as far as the system allows, for so many connections and some
// more; returns how many connections that allows.
int readers_fit_descriptors(int connections);

_Noreturn void readers_give_up(const char *what);

#endif
