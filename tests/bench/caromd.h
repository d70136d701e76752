// A benchmark's own caromd: started on a port of the system's choice, measured from outside, ended
// with a signal. Every failure ends the process.
//
// One thread.
#ifndef CAROM_TESTS_BENCH_CAROMD_H
#define CAROM_TESTS_BENCH_CAROMD_H

#include <stdint.h>
#include <sys/types.h>

typedef struct bench_server {
    pid_t pid;
    uint16_t port;  // on 127.0.0.1
    double seconds; // time from start until it listened
    int log;        // a file in memory for its log
} bench_server;

// Starts `program` and waits until it listens. The server accepts any rate of requests. `options`
// are further options up to NULL (the list may be NULL, too); it runs on the processor `cpu`, or on
// all if that is -1.
void server_begin(bench_server *s, const char *program, const char *const *options, int cpu);
void server_kill(bench_server *s); // kill -9
void server_end(bench_server *s);  // SIGTERM, and waits
// Processor time of all the server's threads so far [s].
double server_cpu(const bench_server *s);
// The server's resident memory [bytes], without the kernel's socket buffers.
double server_memory(const bench_server *s);

// Ends the process with this text as the reason.
_Noreturn void give_up(const char *what);

#endif
