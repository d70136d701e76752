// Percentiles of a latency that the server measures, of the time between two readings of its
// histogram: `bins` of server.stats. Any thread.
#ifndef CAROM_CLIENT_TOOL_TIMING_H
#define CAROM_CLIENT_TOOL_TIMING_H

#include <stdint.h>

#include <carom/value.h>

// p50, p90, p95, p99, p99.9 and the largest; NAN for those that are unknown.
enum { TIMING_SHARES = 6, TIMING_P99 = 3 };

typedef struct timing {
    uint64_t count;               // 0: nothing was measured
    double shares[TIMING_SHARES]; // [s]
} timing;

// `before` may be NULL: since the server began.
timing timing_between(const carom_value *before, const carom_value *after);

#endif
