// Counters and histograms as static atomics; see metrics.h. Any thread.
#include "server/base/metrics.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/assert.h"
#include "server/base/limits.h"

enum {
    SUB_BITS = 5,
    SUB_COUNT = 1 << SUB_BITS, // buckets for each power of two
    BUCKETS = (64 - SUB_BITS) * SUB_COUNT
};

_Static_assert((int)BUCKETS == (int)METRICS_BINS_MAX, "a bin for each bucket");

typedef struct histogram {
    atomic_uint_fast64_t buckets[BUCKETS];
    atomic_int_fast64_t max_ns;
    coarse_histogram coarse;
} histogram;

static atomic_uint_fast64_t counters[METRIC_COUNT];
static histogram histograms[TIMING_COUNT];
static atomic_uint_fast64_t calls[METHOD_COUNT + 1][STATUS_COUNT];
static atomic_uint_fast64_t reached[LIMIT_COUNT + 1];

static const char *const NAMES[METRIC_COUNT] = {
#define METRIC_NAME(name, family, labels, scale) #name,
    METRICS_TABLE(METRIC_NAME)
#undef METRIC_NAME
};

static const char *const TIMINGS[TIMING_COUNT] = {
#define TIMING_NAME(id, name) [TIMING_##id] = (name),
    TIMINGS_TABLE(TIMING_NAME)
#undef TIMING_NAME
};

void metrics_add(metric m, uint64_t count)
{
    atomic_fetch_add_explicit(&counters[m], count, memory_order_relaxed);
}

uint64_t metrics_get(metric m)
{
    return atomic_load_explicit(&counters[m], memory_order_relaxed);
}

uint64_t metrics_memory_bytes(void)
{
    unsigned long long all = 0;
    unsigned long long resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) {
        return 0;
    }
    int got = fscanf(file, "%llu %llu", &all, &resident);
    fclose(file);
    return got == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

const char *metrics_name(metric m)
{
    ASSERT(m < METRIC_COUNT);
    return NAMES[m];
}

// Values below SUB_COUNT have a bucket each; for larger values the SUB_BITS bits after the leading
// one choose it.
static uint32_t bucket_of(uint64_t value)
{
    if (value < SUB_COUNT) {
        return (uint32_t)value;
    }
    uint32_t top = 63 - (uint32_t)__builtin_clzll(value);
    uint32_t sub = (uint32_t)(value >> (top - SUB_BITS)) & (SUB_COUNT - 1);
    return (top - SUB_BITS + 1) * SUB_COUNT + sub;
}

// The largest value of a bucket.
static double bucket_top(uint32_t bucket)
{
    if (bucket < SUB_COUNT) {
        return (double)bucket;
    }
    uint32_t shift = bucket / SUB_COUNT - 1;
    uint64_t low = (uint64_t)(SUB_COUNT + bucket % SUB_COUNT) << shift;
    return (double)(low + (((uint64_t)1 << shift) - 1));
}

// The middle of a bucket.
static double bucket_value(uint32_t bucket)
{
    if (bucket < SUB_COUNT) {
        return (double)bucket;
    }
    uint32_t shift = bucket / SUB_COUNT - 1;
    double low = (double)((uint64_t)(SUB_COUNT + bucket % SUB_COUNT) << shift);
    return low + 0.5 * (double)((uint64_t)1 << shift);
}

// ---- coarse histograms

void coarse_histogram_add(coarse_histogram *h, int64_t ns)
{
    uint64_t value = ns > 0 ? (uint64_t)ns : 0;
    uint32_t bits = value > 1 ? 64 - (uint32_t)__builtin_clzll(value - 1) : 0;
    uint32_t index = bits > HISTOGRAM_FIRST_BITS ? bits - HISTOGRAM_FIRST_BITS : 0;
    index = index < HISTOGRAM_BOUNDS ? index : HISTOGRAM_BOUNDS;
    atomic_fetch_add_explicit(&h->buckets[index], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->sum_ns, value, memory_order_relaxed);
}

double coarse_histogram_bound(uint32_t index)
{
    ASSERT(index < HISTOGRAM_BOUNDS);
    return (double)((uint64_t)1 << (HISTOGRAM_FIRST_BITS + index)) * 1e-9;
}

coarse_histogram *metrics_histogram(timing t)
{
    return &histograms[t].coarse;
}

// ---- calls and limits

void metrics_count_call(uint32_t m, status result)
{
    ASSERT(m <= METHOD_COUNT && result < STATUS_COUNT);
    atomic_fetch_add_explicit(&calls[m][result], 1, memory_order_relaxed);
}

uint64_t metrics_calls(uint32_t m, status result)
{
    return atomic_load_explicit(&calls[m][result], memory_order_relaxed);
}

static bool is_word(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z');
}

// Whether the text contains the name as a word.
static bool names(const char *text, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
        if ((at == text || !is_word(at[-1])) && !is_word(at[size])) {
            return true;
        }
    }
    return false;
}

void metrics_count_limit(const char *text)
{
    size_t index = 0;
    while (limits_info(index) != NULL && !names(text, limits_info(index)->name)) {
        index++;
    }
    atomic_fetch_add_explicit(&reached[index], 1, memory_order_relaxed);
}

uint64_t metrics_limit(size_t index)
{
    ASSERT(index <= LIMIT_COUNT);
    return atomic_load_explicit(&reached[index], memory_order_relaxed);
}

// ---- times

void metrics_time(timing t, int64_t ns)
{
    histogram *h = &histograms[t];
    int_fast64_t value = ns > 0 ? ns : 0;
    coarse_histogram_add(&h->coarse, ns);
    atomic_fetch_add_explicit(&h->buckets[bucket_of((uint64_t)value)], 1, memory_order_relaxed);
    int_fast64_t seen = atomic_load_explicit(&h->max_ns, memory_order_relaxed);
    while (value > seen &&
           !atomic_compare_exchange_weak_explicit(&h->max_ns, &seen, value, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

static double quantile(const uint64_t *counts, uint64_t total, double share, double max)
{
    uint64_t rank = (uint64_t)(share * (double)total);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        seen += counts[i];
        if (seen > rank) {
            double value = bucket_value(i);
            return value < max ? value : max;
        }
    }
    return max;
}

latency_summary metrics_summary(timing t)
{
    histogram *h = &histograms[t];
    uint64_t counts[BUCKETS];
    latency_summary s = {.name = TIMINGS[t]};
    for (uint32_t i = 0; i < BUCKETS; i++) {
        counts[i] = atomic_load_explicit(&h->buckets[i], memory_order_relaxed);
        s.count += counts[i];
    }
    if (s.count == 0) {
        return s;
    }
    double max = (double)atomic_load_explicit(&h->max_ns, memory_order_relaxed);
    s.p50 = quantile(counts, s.count, 0.50, max) * 1e-9;
    s.p90 = quantile(counts, s.count, 0.90, max) * 1e-9;
    s.p99 = quantile(counts, s.count, 0.99, max) * 1e-9;
    s.p999 = quantile(counts, s.count, 0.999, max) * 1e-9;
    s.max = max * 1e-9;
    return s;
}

uint32_t metrics_bins(timing t, latency_bin out[METRICS_BINS_MAX])
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        uint64_t count = atomic_load_explicit(&histograms[t].buckets[i], memory_order_relaxed);
        if (count > 0) {
            out[used++] = (latency_bin){bucket_top(i) * 1e-9, count};
        }
    }
    return used;
}
