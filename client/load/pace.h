// The pace of clients in a closed loop: how often they would have called while a stalled server
// kept them waiting.
//
// Such a client makes its next call when the last one is answered, and perhaps after a pause. A
// server that stalls for a second is measured once, although a hundred calls would have waited. The
// usual length of a loop is the median time of its calls plus the pause. A call that took longer
// also counts for the calls that it delayed, each due one length after the other, as long as at
// least one length of waiting is left (the correction for coordinated omission of Gil Tene's
// HdrHistogram, applied while the load runs, so that it is right at each moment).
//
// Pure; a pace belongs to one thread.
#ifndef CAROM_CLIENT_LOAD_PACE_H
#define CAROM_CLIENT_LOAD_PACE_H

#include <stdint.h>

#include "client/tool/histogram.h"

enum {
    LOAD_PACE_LEAST = 16,         // calls before there is a pace
    LOAD_MISSED_STEPS_MAX = 1000, // most steps for one call; beyond it each step counts for several
};

typedef struct load_pace {
    histogram took;
    uint64_t next;  // number of calls at which the median is computed again
    double pause;   // between calls, mean [s]
    double seconds; // length of a loop; 0: not known yet
} load_pace;

// The calls that a call kept back: `count` calls in `steps` steps of `seconds` each, the first due
// one step after the call itself.
typedef struct load_missed {
    unsigned steps;
    double seconds;
    uint64_t count;
} load_missed;

void load_pace_init(load_pace *pace, double pause);
// Records the duration of a call [s] from when it was sent.
void load_pace_note(load_pace *pace, double took);
// `took`: from when the call was due [s].
load_missed load_pace_missed(const load_pace *pace, double took);
// Returns how many calls step `step` (1 to `steps`) counts for: at least one.
uint64_t load_missed_weight(const load_missed *missed, unsigned step);

#endif
