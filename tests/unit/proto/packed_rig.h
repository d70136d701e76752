// A crowd of bodies with random behaviour, for tests of packed snapshots.
#ifndef CAROM_TESTS_UNIT_PROTO_PACKED_RIG_H
#define CAROM_TESTS_UNIT_PROTO_PACKED_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proto/packed/packed.h"

enum { BYTES_MAX = 64 << 20, CROWD = 40 };

static const double TURN = 2.0 * 3.14159265358979323846;

extern uint64_t seed;

typedef struct member {
    packed_body body;
    bool alive, in_view;
    int mood; // 0: rests, 1: flies, 2: is pushed about, 3: is put somewhere else
} member;

typedef struct crowd {
    member members[CROWD];
    uint64_t generation;
    uint64_t tick;
    packed_body view[CROWD]; // those in view, by slot
    uint32_t count;
    uint64_t removed[CROWD];
    uint32_t removed_count;
} crowd;

// xorshift64*, from `seed`.
uint32_t random_bits(void);
double random_in(double least, double most);
// Set-up of each test: the same seed.
int begin(void **state);
// Steps the crowd by that many ticks: bodies move, come and go, and `view` and `removed` follow.
void step_crowd(crowd *w, uint64_t ticks, double hz);
// Decodes bytes that must be good.
packed_changes decode(packed_decoder *d, const buffer *bytes);

int run_packed_coder(void);
int run_packed_bytes(void);

#endif
