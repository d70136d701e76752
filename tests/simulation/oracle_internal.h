// The oracle's tables, shared by oracle.c (recording, restarts) and oracle_replay.c (the end).
#ifndef CAROM_TESTS_SIMULATION_ORACLE_INTERNAL_H
#define CAROM_TESTS_SIMULATION_ORACLE_INTERNAL_H

#include "common/base/array.h"
#include "common/world/command.h"
#include "proto/wire/buffer.h"
#include "server/storage/internal.h"
#include "tests/simulation/oracle.h"

typedef struct oracle_row {
    uint64_t tick;
    size_t end;      // end of its bytes in `rows`
    uint64_t nonces; // number of nonces in all rows up to this one
} oracle_row;

// A record or an image passed to the storage.
typedef struct oracle_mark {
    bool image;
    uint64_t sequence, tick, hash, until;
    uint32_t rows; // number of the world's rows up to its end
} oracle_mark;

typedef struct oracle_told {
    uint64_t tick;
    told_kind kind;
    uint64_t value;
    bool matched;
} oracle_told;

typedef struct oracle_segment {
    told_span span;
    ARRAY(told_event) events;
} oracle_segment;

typedef struct oracle_world {
    struct oracle_world *next;
    char name[WORLD_NAME_BYTES_MAX + 1];
    uint64_t epoch;
    storage_durability durability;
    storage_world *stored; // NULL while no server has the world
    buffer rows;           // encoded rows
    ARRAY(oracle_row) index;
    ARRAY(uint64_t) nonces; // in the order of the rows
    ARRAY(oracle_mark) marks;
    buffer base; // an image of the physics before all commands
    uint64_t base_tick;
    bool base_paused;
    uint64_t until; // the tick that the last restart restored
    bool shown;     // a client has seen something of it
    bool shadowed;  // a world without a log had its name, so clients may mean either
    bool destroying, destroyed, told_destroyed, gone;
    ARRAY(oracle_told) told;
    ARRAY(oracle_segment) segments;
} oracle_world;

typedef enum nonce_state {
    NONCE_SENT,
    NONCE_ACKNOWLEDGED,
    NONCE_REFUSED,
    NONCE_FORGOTTEN // lost with a world of durability none, or by a loss that normal allows
} nonce_state;

typedef struct oracle_nonce {
    nonce_state state;
    uint64_t tick, body;
    oracle_world *world; // the world in which it took effect, or NULL
    uint32_t row;
    bool unlogged; // it took effect in a world without a log
} oracle_nonce;

typedef struct oracle_tables {
    oracle_world *worlds;
    ARRAY(oracle_nonce) nonces; // index 0 is unused
    bool power_lost;            // the machine has stopped since the last restart
    uint64_t unlogged;          // names (name_bit) of worlds without a log in this life
} oracle_tables;

extern oracle_tables oracle;

// Replays the world and compares it with what clients received. With `expect_hash`, compares the
// state at `end` too.
void oracle_replay(oracle_world *w, uint64_t end, const uint64_t *expect_hash);

#endif
