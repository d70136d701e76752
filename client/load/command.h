// `carom bench` in carom: its options, its help, and the start of carom-load.
//
// carom-load reads the same table, so that the two agree, and runs the test itself. This file
// belongs to both programs. Constant data; any thread.
#ifndef CAROM_CLIENT_LOAD_COMMAND_H
#define CAROM_CLIENT_LOAD_COMMAND_H

#include "client/tool/cli.h"

// The name by which carom calls carom-load: errors then begin with it.
#define BENCH_CALLED "carom bench"

// `run` becomes carom-load; it returns only if carom-load cannot be started.
extern const cli_command command_bench;

#endif
