// Runs `carom bench` beside the server, and reads its report. Failures end the process.
#ifndef CAROM_TESTS_BENCH_NETWORK_LOAD_TOOL_H
#define CAROM_TESTS_BENCH_NETWORK_LOAD_TOOL_H

#include <carom/carom.h>

#include "tests/bench/caromd.h"

// `arguments`: the options of `carom bench` but for --json and --server, up to NULL. The report as
// a tree, which the caller frees; commands that failed are counted in it. It has `seconds` for all.
carom_value *load_tool_run(const char *carom, const bench_server *s, const char *const *arguments,
                           double seconds);

#endif
