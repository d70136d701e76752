// The load test: how many connections and commands a server can handle, and how quickly it answers
// meanwhile. Main thread only.
#ifndef CAROM_CLIENT_LOAD_BENCH_H
#define CAROM_CLIENT_LOAD_BENCH_H

#include "client/tool/cli.h"

// Runs the load that the command line of command_bench (command.h) describes.
cli_exit bench_run(cli *c);

#endif
