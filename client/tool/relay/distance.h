// Simulates a distance between two programs on one machine: the delay from sending bytes to their
// arrival.
//
// Each direction of a connection has a distance of its own, drawn from a seed, so that a run can be
// repeated: the same seed and the same order of connections give the same draws. Bytes arrive in
// order, as over TCP: a delay of one piece also delays everything after it.
//
// A stall simulates a lost TCP segment: nothing arrives until it is sent again. Bytes count as
// segments of 1448; each one begun is lost with the probability `stall`.
//
// Pure; one thread at a time.
#ifndef CAROM_CLIENT_TOOL_RELAY_DISTANCE_H
#define CAROM_CLIENT_TOOL_RELAY_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

#define DISTANCE_SECONDS_MAX 60.0
#define DISTANCE_STALL_MAX   121.0 // a round trip of the longest delay, and a margin

typedef struct distance_options {
    double delay;  // one way [s], 0 to DISTANCE_SECONDS_MAX
    double jitter; // the delay is uniform between delay - jitter and delay + jitter [s], 0 to delay
    double stall;  // probability that a segment is lost, 0 to 1
    double stall_time; // delay caused by a lost segment [s], 0 to DISTANCE_STALL_MAX
    uint64_t seed;
} distance_options;

typedef struct distance {
    distance_options options;
    uint64_t random; // state of the generator
    double last;     // time at which the latest bytes arrive [s]
    uint64_t stalls;
} distance;

// `number` identifies the direction: each has random draws of its own.
void distance_init(distance *d, const distance_options *options, uint64_t number);

// The arrival time of `size` bytes sent at `now` [s]: never before bytes that were sent earlier.
double distance_arrival(distance *d, double now, size_t size);

#endif
