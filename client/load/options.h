// Makes a checked plan from the command line of a load: players and watchers, or a scenario; ramps,
// worlds, threads; thresholds. Main thread only.
#ifndef CAROM_CLIENT_LOAD_OPTIONS_H
#define CAROM_CLIENT_LOAD_OPTIONS_H

#include "client/tool/cli.h"
#include "client/load/plan.h"
#include "client/load/report.h"

// Fills in everything but plan->worlds. load_plan_deinit must be called in any case. Errors are
// reported here.
cli_exit load_options_plan(const cli *c, load_plan *plan);
cli_exit load_options_verdicts(const cli *c, report_verdicts *out);

#endif
