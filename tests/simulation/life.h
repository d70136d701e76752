// One life of the server in a run: from its start to its end, by a clean stop or a crash.
#ifndef CAROM_TESTS_SIMULATION_LIFE_H
#define CAROM_TESTS_SIMULATION_LIFE_H

#include "server/session/placement/templates.h"
#include "server/session/service.h"
#include "tests/unit/storage/fake_disk.h"

typedef struct life {
    uv_loop_t loop;
    fake_disk disk;
    server *server; // NULL: not running
    server_options options;
    storage_options storage;
    limits limits;
    world_template arena; // template of the worlds that clients join
    uint64_t lives;
    bool finished;             // the server has reported its stop
    bool troubled;             // the disk may fail, so a server may refuse to start
    uint64_t stalled_until[3]; // in steps, for the loop, the storage and the simulation threads
} life;

void life_init(life *l);
void life_deinit(life *l);

// Starts a server. False if the machine stopped meanwhile: call life_crash then. A refusal to start
// on a good disk fails the run.
bool life_start(life *l);

// Gives one of its threads a turn, or lets time pass, by chance.
void life_turn(life *l);
// Gives all of its threads a turn, and lets a little time pass.
void life_turn_all(life *l);

// Stops the server cleanly. False if the machine stopped meanwhile.
bool life_close(life *l);
// Crashes the machine or the process; the next life starts with the remaining data.
void life_crash(life *l, crash_kind kind);

// Plans, by chance, a failure of the disk, a period of failures or a full disk; with `crashes` also
// a stop of the machine within an operation.
void life_trouble_disk(life *l, bool crashes);
void life_heal_disk(life *l);

// Fails the run if a bound is exceeded.
void life_check_bounds(const life *l);

#endif
