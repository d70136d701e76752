// `carom bench` as carom knows it: its options and its help, and that it starts carom-load.
//
// carom-load reads the same table, so that the two agree, and runs the test itself. This file
// belongs to both programs. Constant data; any thread.
#ifndef CAROM_CLIENT_LOAD_COMMAND_H
#define CAROM_CLIENT_LOAD_COMMAND_H

#include "client/tool/cli.h"

// How carom-load is called when carom starts it: its name in errors is carom's then.
#define BENCH_CALLED "carom bench"

// `run` becomes carom-load; it returns only when that cannot be started.
extern const cli_command command_bench;

#endif
