// The common part of the programs `carom` and `carom-load`: the global options, finding and running
// the command of a command line, and the end, which verifies that the output was written: a full
// disk or a closed pipe is an error like any other. Main thread only.
#ifndef CAROM_CLIENT_TOOL_PROGRAM_H
#define CAROM_CLIENT_TOOL_PROGRAM_H

#include "client/tool/cli.h"

// Reads the words of the command line and runs the command.
typedef cli_exit program_run(cli *c, int argc, const char *const *argv);

// The common part of main: returns the exit code.
int program_main(int argc, char **argv, program_run *run);

// Reads the words from argv[at] on by the grammar of c->command, applies the global options, and
// calls c->command->run. --help and --version are answered here.
cli_exit program_run_command(cli *c, int argc, const char *const *argv, int at);

cli_exit program_print_version(bool json);

#endif
