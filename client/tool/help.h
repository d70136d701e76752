// The help of one command, printed from its own table. Any thread.
#ifndef CAROM_CLIENT_TOOL_HELP_H
#define CAROM_CLIENT_TOOL_HELP_H

#include <stdio.h>

#include "client/tool/cli.h"

void help_print_command(const cli_command *command, FILE *out);
// Prints a line or two for each option, up to the row without a name.
void help_print_options(const args_option *options, FILE *out);

#endif
