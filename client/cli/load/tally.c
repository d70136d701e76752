// See tally.h. Pure; any thread, one at a time.
#include "client/cli/load/tally.h"

#include <stdlib.h>
#include <string.h>

enum {
    CORRECTION_STEPS_MAX = 4096, // of one bin; each stands for several beyond that
    AGE_STEPS_MAX = 1000
};

const char *const load_metric_names[LOAD_METRIC_COUNT] = {
    "ack", "wait", "above", "sent", "seen", "query", "age", "jitter", "rtt", "connect",
};

// Lengths of slices that read well.
static double slice_seconds(double seconds)
{
    static const double lengths[] = {0.1,  0.25, 0.5,  1.0,   2.0,   5.0,  10.0,
                                     20.0, 30.0, 60.0, 120.0, 300.0, 600.0};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        if (lengths[i] * LOAD_SLICES >= seconds) {
            return lengths[i];
        }
    }
    return seconds / LOAD_SLICES;
}

load_tally *load_tally_create(double seconds)
{
    load_tally *tally = calloc(1, sizeof *tally);
    if (tally != NULL) {
        tally->slice_seconds = slice_seconds(seconds);
    }
    return tally;
}

void load_tally_destroy(load_tally *tally)
{
    free(tally);
}

load_slice *load_tally_slice(load_tally *tally, double seconds)
{
    double index = seconds > 0.0 ? seconds / tally->slice_seconds : 0.0;
    return &tally->slices[index < LOAD_SLICES ? (size_t)index : LOAD_SLICES - 1];
}

size_t load_tally_slice_count(const load_tally *tally, double seconds)
{
    size_t count = (size_t)(seconds / tally->slice_seconds + 0.999);
    return count < 1 ? 1 : count > LOAD_SLICES ? LOAD_SLICES : count;
}

// Which of the slice's histograms; -1: it has none.
static int slim_of(load_metric metric)
{
    return metric == LOAD_ACK ? 0 : metric == LOAD_SEEN ? 1 : metric == LOAD_AGE ? 2 : -1;
}

static void record_many(load_tally *tally, load_metric metric, double at, double seconds,
                        uint64_t count)
{
    uint64_t ns = seconds > 0.0 ? (uint64_t)(seconds * 1e9) : 0;
    histogram_record_many(&tally->metrics[metric], ns, count);
    int slim = slim_of(metric);
    if (slim >= 0) {
        load_tally_slice(tally, at)->slim[slim][histogram_bin(ns) >> LOAD_SLIM_SHIFT] +=
            (uint32_t)count;
    }
}

void load_tally_record(load_tally *tally, load_metric metric, double at, double seconds)
{
    record_many(tally, metric, at, seconds, 1);
}

void load_tally_record_ages(load_tally *tally, load_metric metric, double at, double longest,
                            uint64_t count)
{
    uint64_t steps = count < AGE_STEPS_MAX ? count : AGE_STEPS_MAX;
    for (uint64_t i = 0; i < steps; i++) {
        uint64_t weight = count * (i + 1) / steps - count * i / steps;
        record_many(tally, metric, at, longest * (double)(steps - i) / (double)steps, weight);
    }
}

void load_tally_merge(load_tally *into, const load_tally *from)
{
    for (int m = 0; m < LOAD_METRIC_COUNT; m++) {
        histogram_merge(&into->metrics[m], &from->metrics[m]);
    }
    into->sent += from->sent;
    into->answered += from->answered;
    for (int i = 0; i < CAROM_STATUS_COUNT; i++) {
        into->errors[i] += from->errors[i];
    }
    into->unanswered += from->unanswered;
    into->unsent += from->unsent;
    into->refused += from->refused;
    into->lost += from->lost;
    into->snapshots += from->snapshots;
    into->events += from->events;
    into->skipped += from->skipped;
    into->bytes_in += from->bytes_in;
    into->bytes_out += from->bytes_out;
    into->client_seconds += from->client_seconds;
    if (into->lost_reason[0] == '\0') {
        memcpy(into->lost_reason, from->lost_reason, sizeof into->lost_reason);
    }
    for (int i = 0; i < LOAD_SLICES; i++) {
        load_slice *to = &into->slices[i];
        const load_slice *one = &from->slices[i];
        to->sent += one->sent;
        to->answered += one->answered;
        to->errors += one->errors;
        to->snapshots += one->snapshots;
        to->bytes_in += one->bytes_in;
        to->bytes_out += one->bytes_out;
        to->clients += one->clients;
        for (int m = 0; m < LOAD_SLIM_METRICS; m++) {
            for (int b = 0; b < LOAD_SLIM_BINS; b++) {
                to->slim[m][b] += one->slim[m][b];
            }
        }
    }
}

void load_tally_correct(histogram *h, uint64_t interval)
{
    static histogram before;
    before = *h;
    for (unsigned bin = 0; interval > 0 && bin < HISTOGRAM_BINS; bin++) {
        uint64_t value = histogram_bin_top(bin);
        value = value < before.largest ? value : before.largest;
        if (before.counts[bin] == 0 || bin <= histogram_bin(interval)) {
            continue;
        }
        uint64_t missed = (value - 1) / interval;
        uint64_t steps = missed < CORRECTION_STEPS_MAX ? missed : CORRECTION_STEPS_MAX;
        for (uint64_t i = 0; i < steps; i++) {
            uint64_t first = missed * i / steps;
            uint64_t weight = missed * (i + 1) / steps - first;
            histogram_record_many(h, value - (first + 1) * interval, weight * before.counts[bin]);
        }
    }
}

uint64_t load_tally_errors(const load_tally *tally)
{
    uint64_t sum = tally->unanswered + tally->unsent;
    for (int i = 0; i < CAROM_STATUS_COUNT; i++) {
        sum += tally->errors[i];
    }
    return sum;
}

uint64_t load_slice_total(const load_slice *slice, load_metric metric)
{
    uint64_t total = 0;
    int slim = slim_of(metric);
    for (int b = 0; slim >= 0 && b < LOAD_SLIM_BINS; b++) {
        total += slice->slim[slim][b];
    }
    return total;
}

uint64_t load_slice_percentile(const load_slice *slice, load_metric metric, double percent)
{
    uint64_t total = load_slice_total(slice, metric);
    int slim = slim_of(metric);
    if (total == 0) {
        return 0;
    }
    uint64_t wanted = (uint64_t)(percent / 100.0 * (double)total + 0.999999);
    uint64_t seen = 0;
    for (unsigned b = 0; b < LOAD_SLIM_BINS; b++) {
        seen += slice->slim[slim][b];
        if (seen >= wanted && seen > 0) {
            unsigned last = ((b + 1) << LOAD_SLIM_SHIFT) - 1;
            return histogram_bin_top(last < HISTOGRAM_BINS ? last : HISTOGRAM_BINS - 1);
        }
    }
    return 0;
}
