// Errors: converts those of common/ to public ones and back. The public statuses are those of
// common/, in the same order (asserted at compile time), and CAROM_OUT_OF_MEMORY. Any thread.
#ifndef CAROM_CLIENT_LIB_FAULT_H
#define CAROM_CLIENT_LIB_FAULT_H

#include <carom/status.h>

#include "common/base/status.h"

// Fills `err` (may be NULL) with an error found on this side and returns the status.
carom_status fault_set(carom_error *err, carom_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// CAROM_OUT_OF_MEMORY.
carom_status fault_memory(carom_error *err);

// CAROM_INVALID_ARGUMENT: a caller passed NULL where `argument` is needed.
carom_status fault_missing(carom_error *err, const char *argument);

// Fills `err` from an error of functions in common/ and returns its status.
carom_status fault_take(carom_error *err, const struct error *from);

// Copies a public error; returns its status.
carom_status fault_copy(carom_error *err, const carom_error *from);

#endif
