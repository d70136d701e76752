// Figures of the last seconds: counts in spans of a second, of which the oldest is dropped.
#ifndef CAROM_CLIENT_PREDICTION_TALLY_H
#define CAROM_CLIENT_PREDICTION_TALLY_H

#include <stdbool.h>
#include <stdint.h>

enum { TALLY_SPANS = 8 }; // number of spans, of a second each

typedef struct tally_span {
    uint64_t second; // the second in which it began
    uint32_t ticks, right, rollbacks, depth;
    double error, error_others; // the largest errors [m]
} tally_span;

typedef struct tally {
    tally_span spans[TALLY_SPANS];
    double begun, now; // [s]
    bool running;
} tally;

void tally_advance(tally *t, double now);
tally_span *tally_now(tally *t);
// The sum of all spans and their total time [s]; errors are the largest ones.
tally_span tally_sum(const tally *t, double *seconds);

#endif
