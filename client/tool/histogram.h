// Latencies in bounded memory: a histogram whose bins grow with the value.
//
// Values up to 128 have a bin each; above, every power of two is cut into 64 bins, so that a value
// is known to within 1/64 of itself, however many are recorded, in 29 KB. The layout follows
// HdrHistogram (Gil Tene). Smallest, largest and sum are exact.
//
// Pure; one thread at a time. Values are whole numbers of the caller's unit (here nanoseconds).
#ifndef CAROM_CLIENT_TOOL_HISTOGRAM_H
#define CAROM_CLIENT_TOOL_HISTOGRAM_H

#include <stdint.h>

enum {
    HISTOGRAM_STEP_BITS = 6, // 64 bins to a power of two: under 1.6 % wide
    HISTOGRAM_BINS = (64 - HISTOGRAM_STEP_BITS + 1) << HISTOGRAM_STEP_BITS
};

typedef struct histogram {
    uint64_t counts[HISTOGRAM_BINS];
    uint64_t total;
    uint64_t smallest, largest; // 0 when nothing is recorded
    double sum;
} histogram;

void histogram_init(histogram *h);
void histogram_record(histogram *h, uint64_t value);
void histogram_record_many(histogram *h, uint64_t value, uint64_t count);
void histogram_merge(histogram *into, const histogram *from);

// The value that `percent` (0 to 100) of the recorded values do not exceed: the upper end of its
// bin, but at most the largest recorded value. 0 when nothing is recorded.
uint64_t histogram_percentile(const histogram *h, double percent);
double histogram_mean(const histogram *h);

// The bin of a value, below HISTOGRAM_BINS, and the largest value of a bin.
unsigned histogram_bin(uint64_t value);
uint64_t histogram_bin_top(unsigned bin);

#endif
