// See tally.h. Pure; any thread, one at a time.
#include "client/load/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGE_STEPS_MAX = 1000 };

const char *const load_metric_names[LOAD_METRIC_COUNT] = {
    "ack", "wait", "above", "sent", "seen", "query", "age", "jitter", "rtt", "connect", "lag",
};

// The length of a slice [s]: 1 if LOAD_SLICES are enough, else longer; 0.1 for runs below 10 s.
static double slice_seconds(double seconds)
{
    static const double lengths[] = {1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        if (lengths[i] * LOAD_SLICES >= seconds) {
            return i == 0 && seconds < 10.0 ? 0.1 : lengths[i];
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

static const load_metric slim_metrics[LOAD_SLIM_METRICS] = {LOAD_ACK, LOAD_ABOVE,  LOAD_SEEN,
                                                            LOAD_AGE, LOAD_JITTER, LOAD_LAG};

const load_slim *load_slice_slim(const load_slice *slice, load_metric metric)
{
    for (int i = 0; i < LOAD_SLIM_METRICS; i++) {
        if (slim_metrics[i] == metric) {
            return &slice->slim[i];
        }
    }
    return NULL;
}

static unsigned slim_bin(uint64_t ns)
{
    unsigned bin = histogram_bin(ns) >> LOAD_SLIM_SHIFT;
    bin = bin > LOAD_SLIM_FIRST ? bin - LOAD_SLIM_FIRST : 0;
    return bin < LOAD_SLIM_BINS ? bin : LOAD_SLIM_BINS - 1;
}

static void slim_record(load_slim *slim, uint64_t ns, uint64_t count)
{
    slim->counts[slim_bin(ns)] += (uint32_t)count;
    slim->total += count;
    slim->largest = ns > slim->largest ? ns : slim->largest;
    slim->sum += (double)ns * (double)count;
}

void load_tally_record_many(load_tally *tally, load_metric metric, double at, double seconds,
                            uint64_t count)
{
    uint64_t ns = seconds > 0.0 ? (uint64_t)(seconds * 1e9) : 0;
    if (count == 0) {
        return;
    }
    histogram_record_many(&tally->metrics[metric], ns, count);
    load_slice *slice = load_tally_slice(tally, at);
    for (int i = 0; i < LOAD_SLIM_METRICS; i++) {
        if (slim_metrics[i] == metric) {
            slim_record(&slice->slim[i], ns, count);
        }
    }
}

void load_tally_record(load_tally *tally, load_metric metric, double at, double seconds)
{
    load_tally_record_many(tally, metric, at, seconds, 1);
}

void load_tally_record_ages(load_tally *tally, load_metric metric, double at, double longest,
                            uint64_t count)
{
    uint64_t steps = count < AGE_STEPS_MAX ? count : AGE_STEPS_MAX;
    for (uint64_t i = 0; i < steps; i++) {
        uint64_t weight = count * (i + 1) / steps - count * i / steps;
        load_tally_record_many(tally, metric, at, longest * (double)(steps - i) / (double)steps,
                               weight);
    }
}

void load_tally_fail(load_tally *tally, double at, const char *method, const carom_error *error)
{
    int status = (unsigned)error->status < CAROM_STATUS_COUNT ? (int)error->status : CAROM_INTERNAL;
    char *text = tally->error_text[status];
    tally->errors[status]++;
    load_tally_slice(tally, at)->errors++;
    if (text[0] == '\0') {
        (void)snprintf(text, LOAD_ERROR_TEXT, "%s: %.160s", method, error->text);
    }
}

static void merge_slice(load_slice *to, const load_slice *one)
{
    to->sent += one->sent;
    to->answered += one->answered;
    to->errors += one->errors;
    to->lost += one->lost;
    to->dropped += one->dropped;
    to->resumed += one->resumed;
    to->snapshots += one->snapshots;
    to->skipped += one->skipped;
    to->bytes_in += one->bytes_in;
    to->bytes_out += one->bytes_out;
    to->clients += one->clients;
    for (int m = 0; m < LOAD_SLIM_METRICS; m++) {
        load_slim *slim = &to->slim[m];
        const load_slim *from = &one->slim[m];
        for (int b = 0; from->total > 0 && b < LOAD_SLIM_BINS; b++) {
            slim->counts[b] += from->counts[b];
        }
        slim->total += from->total;
        slim->largest = from->largest > slim->largest ? from->largest : slim->largest;
        slim->sum += from->sum;
    }
}

void load_tally_fold(load_tally *tally, double seconds)
{
    size_t count = load_tally_slice_count(tally, seconds);
    load_slice *last = &tally->slices[count - 1];
    unsigned clients = last->clients;
    for (size_t i = count; i < LOAD_SLICES; i++) {
        merge_slice(last, &tally->slices[i]);
    }
    last->clients = clients;
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
        if (into->error_text[i][0] == '\0') {
            memcpy(into->error_text[i], from->error_text[i], LOAD_ERROR_TEXT);
        }
    }
    into->unanswered += from->unanswered;
    into->unsent += from->unsent;
    into->refused += from->refused;
    into->lost += from->lost;
    into->dropped += from->dropped;
    into->resumed += from->resumed;
    into->snapshots += from->snapshots;
    into->events += from->events;
    into->skipped += from->skipped;
    into->events_lost += from->events_lost;
    into->bytes_in += from->bytes_in;
    into->bytes_out += from->bytes_out;
    into->client_seconds += from->client_seconds;
    if (into->lost_reason[0] == '\0') {
        memcpy(into->lost_reason, from->lost_reason, sizeof into->lost_reason);
    }
    for (int i = 0; i < LOAD_SLICES; i++) {
        merge_slice(&into->slices[i], &from->slices[i]);
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

uint64_t load_slim_percentile(const load_slim *slim, double percent)
{
    uint64_t wanted = (uint64_t)(percent / 100.0 * (double)slim->total + 0.999999);
    uint64_t seen = 0;
    for (unsigned b = 0; slim->total > 0 && b < LOAD_SLIM_BINS - 1; b++) {
        seen += slim->counts[b];
        if (seen >= wanted && seen > 0) {
            uint64_t top = histogram_bin_top(((b + LOAD_SLIM_FIRST + 1) << LOAD_SLIM_SHIFT) - 1);
            return top < slim->largest ? top : slim->largest;
        }
    }
    return slim->largest;
}
