// The report of a load, for people (tables) and for programs (JSON).
//
// Main thread only.
#ifndef CAROM_CLIENT_CLI_LOAD_REPORT_H
#define CAROM_CLIENT_CLI_LOAD_REPORT_H

#include <carom/carom.h>

#include "client/cli/cli.h"
#include "client/cli/load/load.h"

enum { REPORT_SHARES = 6 };

// p50, p90, p95, p99, p99.9, max: as percents, and by name.
extern const double report_shares[REPORT_SHARES];
extern const char *const report_share_names[REPORT_SHARES];

// The meaning of a metric for a person; one line.
const char *report_explain(load_metric metric);

cli_exit report_print(const load_plan *plan, const load_result *r);

// All of it as a tree, over time included; the caller's to free.
carom_value *report_value(const load_plan *plan, const load_result *r);

#endif
