// carom-load: the load test as a program of its own, which `carom bench` starts.
//
//   carom-load [options]
//
// It is separate from carom because it needs threads, thousands of sockets and a relay, where other
// commands have one connection.
#include <string.h>

#include "client/load/bench.h"
#include "client/load/command.h"
#include "client/tool/program.h"

static cli_exit run(cli *c, int argc, const char *const *argv)
{
    static cli_command command; // static: errors name it until the process ends
    bool by_carom = argc > 0 && strcmp(argv[0], BENCH_CALLED) == 0;
    cli_program_is(by_carom ? "carom" : "carom-load", by_carom ? BENCH_CALLED : "carom-load");
    command = command_bench;
    command.run = bench_run;
    c->command = &command;
    return program_run_command(c, argc, argv, 1);
}

int main(int argc, char **argv)
{
    return program_main(argc, argv, run);
}
