// A file of settings: lines of NAME = VALUE, with '#' before comments. It does not know the
// options; config.c interprets names and values.
//
// Used once, at the start, on the main thread.
#ifndef CAROM_SERVER_CONFIG_CONFIG_FILE_H
#define CAROM_SERVER_CONFIG_CONFIG_FILE_H

#include "common/base/status.h"

enum {
    CONFIG_FILE_LINES_MAX = 10000,
    CONFIG_LINE_BYTES_MAX = 8192 // bytes of a line with the closing zero
};

// Receives a setting; both texts are trimmed, and `name` is not empty.
typedef status (*config_file_take)(void *context, const char *name, const char *value, int line,
                                   error *err);

// Calls `take` for each setting in order. Errors are `take`'s, or invalid_argument for a file that
// cannot be read or is not of this form, each with FILE:LINE in front.
status config_file_read(const char *path, config_file_take take, void *context, error *err);

#endif
