// A line on standard error that shows the progress of long work; not shown if that is no terminal,
// or with --json. Main thread only.
#ifndef CAROM_CLIENT_TOOL_PROGRESS_H
#define CAROM_CLIENT_TOOL_PROGRESS_H

#include <stdbool.h>

#include "client/tool/cli.h"

typedef struct progress {
    bool shown, drawn;
    double due; // time of the next drawing [s]
} progress;

void progress_begin(progress *p, const cli *c);

// Draws `text` behind a bar of the `done` share, 0 to 1 (negative: no bar), at most a few times a
// second.
void progress_tell(progress *p, double done, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Removes the line.
void progress_end(progress *p);

#endif
