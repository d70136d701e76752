// The measurements of a load: histograms of latencies, counts, errors by kind, and all of it over
// time, in memory that does not grow with the length of the run.
//
// Pure; a tally belongs to one thread until it is merged.
#ifndef CAROM_CLIENT_LOAD_TALLY_H
#define CAROM_CLIENT_LOAD_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>

#include "client/tool/histogram.h"

// Latencies, all in ns. Those of commands and queries run from the moment they were due
// (coordinated omission, Gil Tene: a stalled server is charged for the calls that it delayed);
// LOAD_SENT from when they were really sent, for comparison.
typedef enum load_metric {
    LOAD_ACK,   // command: due to acknowledged
    LOAD_WAIT,  // part of ACK: waiting for the tick that applied it, a tick at most
    LOAD_ABOVE, // part of ACK: the rest
    LOAD_SENT,  // command: sent to acknowledged
    LOAD_SEEN,  // command: due to the first snapshot that shows its effect
    LOAD_QUERY, // query, ping of a scenario, move of a view: due to answered
    LOAD_AGE,   // snapshot: since its tick could first be received, plus half a round trip
    // snapshot: difference between the time since the last one and the time between their ticks
    LOAD_JITTER,
    LOAD_RTT,     // ping
    LOAD_CONNECT, // connecting to the answer to hello
    LOAD_LAG,     // this program: how late it notices an event, sampled 1000 times a second
    LOAD_METRIC_COUNT
} load_metric;

extern const char *const load_metric_names[LOAD_METRIC_COUNT];

enum {
    LOAD_SLICES = 300,
    LOAD_SLIM_SHIFT = 2,   // four bins of a histogram are one bin here: within 7 %
    LOAD_SLIM_FIRST = 80,  // shifted bin of 1.02 us, in which shorter times count, too
    LOAD_SLIM_BINS = 481,  // bins up to 2^40 ns, 18 minutes; longer times count in the last
    LOAD_SLIM_METRICS = 6, // ack, above, seen, age, jitter, lag
    LOAD_ERROR_TEXT = 200
};

// A metric over one slice of the run, in 2 KB.
typedef struct load_slim {
    uint32_t counts[LOAD_SLIM_BINS];
    uint64_t total, largest; // [ns]
    double sum;              // [ns]
} load_slim;

// All metrics over one slice of the run.
typedef struct load_slice {
    uint64_t sent, answered, errors, lost, dropped, resumed, snapshots, skipped, bytes_in,
        bytes_out;
    unsigned clients; // connected, at most
    load_slim slim[LOAD_SLIM_METRICS];
} load_slice;

typedef struct load_tally {
    histogram metrics[LOAD_METRIC_COUNT];
    uint64_t sent, answered;             // calls of behaviours
    uint64_t errors[CAROM_STATUS_COUNT]; // failed calls by status
    // text of the first error of each status: "method: text"
    char error_text[CAROM_STATUS_COUNT][LOAD_ERROR_TEXT];
    uint64_t unanswered; // failed calls by their status
    // Due, but never sent because too many were in flight: recorded with their age
    uint64_t unsent;
    uint64_t refused; // clients that could not connect
    uint64_t lost;    // clients whose connection ended for good
    // Connections that ended and were dialed again, and those of them whose session was resumed
    uint64_t dropped, resumed;
    char lost_reason[CAROM_ERROR_TEXT_MAX];
    uint64_t snapshots, events, skipped, events_lost;
    uint64_t bytes_in, bytes_out;
    double client_seconds; // connected time, summed over all clients
    double slice_seconds;
    load_slice slices[LOAD_SLICES];
} load_tally;

// NULL: memory has run out. `seconds`: how long the run will be.
load_tally *load_tally_create(double seconds);
void load_tally_destroy(load_tally *tally);

// The slice of a time since the beginning; the last one for times after the end.
load_slice *load_tally_slice(load_tally *tally, double seconds);
// The number of slices of a run of that length: at least one.
size_t load_tally_slice_count(const load_tally *tally, double seconds);
// Adds everything recorded after a run of that length to its last slice.
void load_tally_fold(load_tally *tally, double seconds);

// Records seconds (a negative number counts as 0) at a time since the beginning.
void load_tally_record(load_tally *tally, load_metric metric, double at, double seconds);
void load_tally_record_many(load_tally *tally, load_metric metric, double at, double seconds,
                            uint64_t count);
// Records `count` latencies that fall evenly from `longest` to 0.
void load_tally_record_ages(load_tally *tally, load_metric metric, double at, double longest,
                            uint64_t count);

void load_tally_merge(load_tally *into, const load_tally *from);

// Counts a failed call; keeps the text of the first of its status.
void load_tally_fail(load_tally *tally, double at, const char *method, const carom_error *error);

uint64_t load_tally_errors(const load_tally *tally); // failed, unanswered and unsent calls

// The metric of a slice; NULL for a metric that slices do not have.
const load_slim *load_slice_slim(const load_slice *slice, load_metric metric);
// The value [ns] at a percent from 0 to 100, exact within 7 %, never above the largest. 0 when
// nothing was recorded.
uint64_t load_slim_percentile(const load_slim *slim, double percent);

#endif
