// Files that a report writes: errors are told with the path, a full disk included. Main thread
// only.
#ifndef CAROM_CLIENT_LOAD_REPORT_FILE_H
#define CAROM_CLIENT_LOAD_REPORT_FILE_H

#include <stdio.h>

#include "client/tool/cli.h"

// NULL when it cannot be opened, which has been told.
FILE *report_file_open(const char *path);
// Closes; CLI_USAGE, told, when a byte did not get there.
cli_exit report_file_close(FILE *file, const char *path);

#endif
