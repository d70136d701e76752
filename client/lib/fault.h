// From the house's errors to the public ones and back. Both have the same statuses in the same
// order, which fault.c asserts at compile time.
#ifndef CAROM_CLIENT_LIB_FAULT_H
#define CAROM_CLIENT_LIB_FAULT_H

#include <carom/status.h>

#include "common/base/status.h"

// Fills `err` (may be NULL) with an err found on this side and returns the status.
carom_status fault_set(carom_error *err, carom_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same from an err of the house's functions.
carom_status fault_take(carom_error *err, const struct error *from);

// Copies an err, of whichever side; returns its status.
carom_status fault_copy(carom_error *err, const carom_error *from);

#endif
