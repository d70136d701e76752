// Conditions under which a load counts as failed: --fail-if 'ack.p99>20ms'.
//
//   condition  NAME OPERATOR NUMBER[UNIT], spaces are allowed NAME       LATENCY.SHARE, or a count
//   LATENCY    a metric of the load (ack, wait, above, sent, seen, query, age, jitter, rtt,
//   connect,
//              lag), or of the server: step, delay; ack when left out, as in "p99>20ms"
//   SHARE      p50, p99.9 or any other percentile (the server's: p50 p90 p95 p99 p99.9), max, mean
//   OPERATOR   > >= < <= UNIT       of a latency us, ms or s, required; of a count %, a share of
//   the total;
//              of bytes none, KB, MB or GB (powers of 1000)
//
// A condition on an unmeasured value counts as met: a load that measured nothing must not look as
// if it passed. Pure; any thread.
#ifndef CAROM_CLIENT_LOAD_THRESHOLD_H
#define CAROM_CLIENT_LOAD_THRESHOLD_H

#include <stdbool.h>

#include "client/load/load.h"

enum { LOAD_THRESHOLDS_MAX = 64, LOAD_THRESHOLD_BYTES = 64, LOAD_THRESHOLD_ERROR_MAX = 700 };

typedef struct load_threshold {
    char text[LOAD_THRESHOLD_BYTES]; // the threshold as given
    int what;                        // internal: index of the name
    double percent;                  // percentile of a latency; negative: the mean
    bool share;                      // given in %
    bool errors; // limits errors, so that errors do not fail the load by themselves
    char op[3];
    double limit; // [s], a share from 0 on, a count, bytes
} load_threshold;

typedef struct load_verdict {
    bool measured, met; // met: the load has failed
    double value;       // value in the unit of the limit
} load_verdict;

// False with a text that says what is wrong and which forms are allowed.
bool load_threshold_parse(load_threshold *out, const char *text,
                          char error[LOAD_THRESHOLD_ERROR_MAX]);

load_verdict load_threshold_judge(const load_threshold *threshold, const load_result *result);

// Writes a value with the unit of the condition: "23.1 ms", "0.4 %".
void load_threshold_show(const load_threshold *threshold, double value, char *out, size_t size);

#endif
