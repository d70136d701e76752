// How far apart a world's snapshots are while something moves. The server sends one a second of a
// world in which nothing moves, so the time since the last snapshot says nothing then: a body that
// sets off was at rest until just before. client/web/src/cadence.js is the same in the npm package,
// by the same constants.
//
// Times are a world's, in seconds. One thread at a time.
#ifndef CAROM_CLIENT_LIB_CADENCE_H
#define CAROM_CLIENT_LIB_CADENCE_H

#include <stdint.h>

typedef struct cadence {
    double interval; // between snapshots; 0: not known
    double newest;   // time of the newest snapshot; -INFINITY: none
} cadence;

void cadence_reset(cadence *c);

// Adds a snapshot of world time `time`, before which the server left out `skipped`, because the
// reader was slow. Returns the time until which everything was as the snapshot before had it.
double cadence_add(cadence *c, double time, uint64_t skipped);

#endif
