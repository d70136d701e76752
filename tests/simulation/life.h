// One life of the server in a run: start, turns, and its end, in good order or by a crash.
#ifndef CAROM_TESTS_SIMULATION_LIFE_H
#define CAROM_TESTS_SIMULATION_LIFE_H

#include "server/session/service.h"
#include "tests/unit/storage/fake_disk.h"

typedef struct life {
    uv_loop_t loop;
    fake_disk disk;
    server *server; // NULL: none runs
    server_options options;
    storage_options storage;
    limits limits;
    uint64_t lives;
    bool finished;             // the server said so
    bool troubled;             // the disk may fail: then a server may refuse to begin
    uint64_t stalled_until[3]; // steps: the loop, the storage, the simulation threads
} life;

void life_init(life *l);
void life_deinit(life *l);

// Starts a server. False where the machine stopped meanwhile: it has to be crashed then. A refusal
// to start on a good disk fails the run.
bool life_start(life *l);

// Lets one of its threads have a turn, by chance, or time pass.
void life_turn(life *l);
// All of its threads, and a little time.
void life_turn_all(life *l);

// Ends it in good order. False where the machine stopped meanwhile.
bool life_close(life *l);
// The machine or the process stops; the next one finds what is left.
void life_crash(life *l, crash_kind kind);

// Fails the run where a bound is exceeded.
void life_check_bounds(const life *l);

#endif
