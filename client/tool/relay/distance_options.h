// Command-line options for a distance: the same names, units and ranges whether each is an option
// of its own (`carom relay --delay 50ms`) or all are given in one (`carom bench --relay
// delay=50ms`). Any thread.
#ifndef CAROM_CLIENT_TOOL_RELAY_DISTANCE_OPTIONS_H
#define CAROM_CLIENT_TOOL_RELAY_DISTANCE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "client/tool/relay/distance.h"

enum { DISTANCE_ERROR_MAX = 300 };

// The value of a name: delay, jitter, stall, stall-time or seed. NULL if it is not given.
typedef const char *distance_value(const void *context, const char *name);

// Reads all five values. `dashes` precedes the names in an error: "--" or "". False with a text for
// a person in `error`.
bool distance_options_read(distance_options *out, distance_value *value, const void *context,
                           const char *dashes, char error[DISTANCE_ERROR_MAX]);

// Reads "delay=50ms,jitter=10ms,stall=1%". False with a text for a person in `error`.
bool distance_options_parse(distance_options *out, const char *text,
                            char error[DISTANCE_ERROR_MAX]);

// Writes "50 ms away, give or take 10 ms; 1 % of segments are lost for 110 ms (seed 1)", truncated
// to `size`.
void distance_options_describe(const distance_options *o, char *out, size_t size);

#endif
