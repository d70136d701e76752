// The report of a load: tables for people, a tree for programs, a CSV file, an HTML page.
//
// Main thread only.
#ifndef CAROM_CLIENT_LOAD_REPORT_H
#define CAROM_CLIENT_LOAD_REPORT_H

#include <carom/carom.h>

#include "client/tool/cli.h"
#include "client/load/load.h"
#include "client/load/threshold.h"

enum { REPORT_SHARES = TIMING_SHARES };

// p50, p90, p95, p99, p99.9, max: as percents, and by name.
extern const double report_shares[REPORT_SHARES];
extern const char *const report_share_names[REPORT_SHARES];

// The thresholds of a run and their outcome.
typedef struct report_verdicts {
    load_threshold thresholds[LOAD_THRESHOLDS_MAX];
    load_verdict verdicts[LOAD_THRESHOLDS_MAX];
    size_t count;
} report_verdicts;

// Explains a metric to a person, in one line.
const char *report_explain(load_metric metric);

cli_exit report_print(const load_plan *plan, const load_result *r);
// Writes a line for each threshold that was met to standard error. Returns their number.
size_t report_tell_failed(const report_verdicts *v);

// The whole report as a tree, with the course over time; the caller frees it.
carom_value *report_value(const load_plan *plan, const load_result *r, const report_verdicts *v);

// Files for --csv and --html. report_may_write, before the run, creates a missing file and refuses
// one that cannot be written; existing content stays until the report is written.
cli_exit report_may_write(const cli *c, const char *option, const char *path);
// Writes a row for each part of the run (report_csv.c), then a row "all" with the sums. `value` is
// the report's tree.
cli_exit report_write_csv(const char *path, const carom_value *value);
// The page (report.html) with the tree and the histograms in it. It opens without a network.
cli_exit report_write_html(const char *path, const carom_value *value, const load_result *r);

#endif
