// Counters and timings of the server, for server.stats and the log.
//
// One set for the process. Counters are relaxed atomics: each is right by itself, several read
// together may differ by some events. Times go into buckets whose width is a 32nd of their value,
// so a percentile is within 3.2 %, whatever its size, and recording one is a single addition.
// proto/schema/metrics.toml describes them, and the families of /metrics.
//
// Any thread.
#ifndef CAROM_SERVER_BASE_METRICS_H
#define CAROM_SERVER_BASE_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/encode/encode.h"
#include "server/base/metric_list.h"

typedef enum metric {
#define METRIC_ID(name, family, labels, scale) METRIC_##name,
    METRICS_TABLE(METRIC_ID)
#undef METRIC_ID
        METRIC_COUNT
} metric;

void metrics_add(metric m, uint64_t count);
uint64_t metrics_get(metric m);

// The resident set of the process, from /proc; 0 if unknown.
uint64_t metrics_memory_bytes(void);
const char *metrics_name(metric m);

// Buckets of times, each twice as wide as the one before: 16 us to 268 ms, and one above. They are
// few enough to be scraped for each world.
enum { HISTOGRAM_FIRST_BITS = 14, HISTOGRAM_BOUNDS = 15 };

typedef struct coarse_histogram {
    atomic_uint_fast64_t buckets[HISTOGRAM_BOUNDS + 1]; // the last has no upper bound
    atomic_uint_fast64_t sum_ns;
} coarse_histogram;

void coarse_histogram_add(coarse_histogram *h, int64_t ns);
// The upper bound of bucket `index` [s]; `index` is below HISTOGRAM_BOUNDS.
double coarse_histogram_bound(uint32_t index);

// Counts a call of the method with this result; `m` is METHOD_COUNT for an unknown method.
void metrics_count_call(uint32_t m, status result);
uint64_t metrics_calls(uint32_t m, status result);

// Counts the limit that the error text names as reached.
void metrics_count_limit(const char *text);
// The number of times that the limit in row `index` was reached; LIMIT_COUNT stands for limits
// outside the table.
uint64_t metrics_limit(size_t index);

// The most bins of a summary: 32 for each power of two.
enum { METRICS_BINS_MAX = 1888 };

void metrics_time(timing t, int64_t ns);
coarse_histogram *metrics_histogram(timing t);
latency_summary metrics_summary(timing t);
// Writes the bins that are not empty, in order, for a summary's `bins`. Returns their number.
uint32_t metrics_bins(timing t, latency_bin out[METRICS_BINS_MAX]);

#endif
