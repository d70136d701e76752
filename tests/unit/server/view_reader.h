// A subscription's reader, plain and packed alike: keeps the bodies in view by applying snapshots
// as PROTOCOL.md says, and fails the test for one that no reader could apply.
#ifndef CAROM_TESTS_UNIT_SERVER_VIEW_READER_H
#define CAROM_TESTS_UNIT_SERVER_VIEW_READER_H

#include <msgpack.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/physics/physics.h"
#include "proto/packed/packed.h"

enum { VIEW_BODIES_MAX = 512 };

typedef struct view_body {
    uint64_t id; // 0: none
    double x, y;
    uint64_t told; // tick of the snapshot with its last row
} view_body;

typedef struct view_reader {
    packed_decoder *decoder;
    view_body bodies[VIEW_BODIES_MAX]; // indexed by the id's low bits
    uint64_t tick;
    uint32_t fulls, changes;
    uint64_t left_out, oldest;         // in the last snapshot; 0: left out
    uint64_t unfollowed;               // in the last snapshot; 0: left out
    uint32_t enters, leaves, removals; // totals
    uint32_t events;                   // total
    uint32_t rows;                     // rows in the last snapshot
} view_reader;

void view_reader_init(view_reader *r);
void view_reader_deinit(view_reader *r);

void view_reader_take(view_reader *r, const msgpack_object *snapshot);

const view_body *view_reader_find(const view_reader *r, body_id id); // NULL: not in view
uint32_t view_reader_count(const view_reader *r);

#endif
