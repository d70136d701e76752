// The benchmark's own connection to its server: it makes worlds and reads the server's counters.
// Every failure ends the process. One thread.
#ifndef CAROM_TESTS_BENCH_NETWORK_CONTROL_H
#define CAROM_TESTS_BENCH_NETWORK_CONTROL_H

#include <carom/carom.h>

#include "tests/bench/caromd.h"

// Closed with carom_free().
carom_client *control_open(const bench_server *s);

// The server's counts since it began.
typedef struct server_counts {
    double ticks, ticks_late; // totals of all worlds
    double requests_failed;   //
    double snapshots_sent, bytes_sent;
    double p50, p99, p999, most; // lateness of the ticks [s]; `most`: the largest
} server_counts;

server_counts control_counts(carom_client *c);

// ---- arenas: balls in a box, which fly about and collide forever

#define ARENA_PITCH_M 3.0   // initial distance of the balls
#define ARENA_TOP_M   -10.0 // top of the box right of 0; `carom bench` puts its bodies above 0

typedef struct arena {
    const char *name;
    double hz;
    int balls;
    int columns;   // columns of the initial square
    uint64_t *ids; // ids of the balls; freed with arena_deinit
} arena;

// Makes the world, paused.
arena arena_make(carom_client *c, const char *name, double hz, int balls);
void arena_deinit(arena *a);
// The initial place of ball `index`.
carom_vec2 arena_place(const arena *a, int index);
void arena_resume(carom_client *c, const arena *a);
// Resumes all worlds at once, without waiting for the answers of worlds that are already busy.
void arena_resume_all(carom_client *c, const arena *list, int count);

#endif
