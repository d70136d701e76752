// The servers that the fan-out benchmark compares: each sends a message of the same number of bytes
// on the wire, at the same rate, to every subscriber.
//
//   caromd        a world that steps at that rate; its snapshots or its log
//   redis-server  PUBLISH to a channel, by the benchmark's process
//   nats-server   PUB to a subject, by the benchmark's process
//   bare          a process that writes the bytes to each socket, and nothing else
//
// redis-server and nats-server are looked for when the benchmark runs. One thread.
#ifndef CAROM_TESTS_BENCH_NETWORK_FANOUT_SERVERS_H
#define CAROM_TESTS_BENCH_NETWORK_FANOUT_SERVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum server_kind {
    SERVER_CAROMD,
    SERVER_REDIS,
    SERVER_NATS,
    SERVER_BARE,
    SERVER_COUNT
} server_kind;

extern const char *const SERVER_NAMES[SERVER_COUNT];

typedef struct server_plan {
    const char *caromd;     // the program
    const char *io_threads; // caromd's --io-threads; NULL: its default
    // moving bodies in caromd's world; 0: the world rests, and its log is sent
    int bodies;
    int subscribers;
    double rate; // messages a second
    size_t size; // size of a message on the wire; caromd's follows from `bodies`
} server_plan;

typedef struct fanout_server {
    server_kind kind;
    server_plan plan;
    pid_t pid;
    uint16_t port;
    int publisher; // the connection that publishes; -1: none
    char folder[64];
} fanout_server;

// Whether the server is installed here.
bool servers_found(server_kind kind);

// Starts the server and waits until it listens. Ends the program with a text if it does not.
void servers_start(fanout_server *s, server_kind kind, const server_plan *plan);

// Writes a subscriber's request, at most `room` bytes; returns its size.
size_t servers_ask(server_kind kind, const server_plan *plan, void *out, size_t room);

// Lets `seconds` pass, and publishes meanwhile if that is the benchmark's task.
void servers_pass(fanout_server *s, double seconds);

// Processor time of the server, all threads, user and system [s].
double servers_cpu(const fanout_server *s);

void servers_stop(fanout_server *s);

#endif
