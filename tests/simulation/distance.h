// A simulated client's connection over a distance: bytes take a delay with jitter either way, and
// some stall, as a lost segment does over TCP. Nothing overtakes. Seeded by the run's random
// numbers.
#ifndef CAROM_TESTS_SIMULATION_DISTANCE_H
#define CAROM_TESTS_SIMULATION_DISTANCE_H

#include "common/base/array.h"
#include "proto/wire/buffer.h"
#include "tests/simulation/fake_uv.h"

typedef struct distance_options {
    int64_t delay_ns;      // one way
    int64_t jitter_ns;     // additional delay, at most
    uint64_t stall_one_in; // one of this many pieces arrives stall_ns later; 0: none
    int64_t stall_ns;
} distance_options;

typedef struct distance_piece {
    int64_t due_ns;
    size_t size;
} distance_piece;

// One direction: pieces in the order in which they were sent.
typedef struct distance_way {
    buffer bytes;
    ARRAY(distance_piece) pieces;
    int64_t last_ns; // arrival of the last piece
} distance_way;

typedef struct distance {
    sim_link *link; // NULL: not connected
    distance_way up, down;
} distance;

void distance_init(distance *d);
// Connects; false if nothing listens.
bool distance_connect(distance *d);
// Resets the connection and drops everything in flight. Does nothing without a connection.
void distance_cut(distance *d);
void distance_send(distance *d, const distance_options *o, const void *bytes, size_t size);
// Moves due bytes to the server and from it, after time has passed.
void distance_turn(distance *d, const distance_options *o);
// Appends the bytes that have arrived at the client.
void distance_receive(distance *d, buffer *in);
// Whether the server has closed the connection and everything has arrived.
bool distance_over(const distance *d);

#endif
