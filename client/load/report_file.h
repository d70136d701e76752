// Files that a report writes: errors, a full disk included, are reported with the path. Main thread
// only.
#ifndef CAROM_CLIENT_LOAD_REPORT_FILE_H
#define CAROM_CLIENT_LOAD_REPORT_FILE_H

#include <stdio.h>

#include "client/tool/cli.h"

// NULL when it cannot be opened; the error is reported.
FILE *report_file_open(const char *path);
// Closes; CLI_USAGE, reported, when a byte could not be written.
cli_exit report_file_close(FILE *file, const char *path);

#endif
