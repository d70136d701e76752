// Status codes and error texts: the only way in which carom reports a failure.
//
// A function that can fail for a reason outside our own code (a socket, a file, a command line, a
// caller's argument) returns a status and, through a last `error *` that may be NULL, a text for a
// person: what was wrong, what was allowed, where. Results come back through out-parameters, which
// a failure leaves untouched. Faults of our own code are asserted instead (assert.h).
//
// The codes, enum status, are described in proto/schema/errors.toml.
#ifndef CAROM_COMMON_BASE_STATUS_H
#define CAROM_COMMON_BASE_STATUS_H

#include <stdbool.h>

#include "common/base/status_list.h"

enum { ERROR_TEXT_MAX = 256 }; // bytes with the closing zero; longer texts end at a word, with …

typedef struct error {
    status status;
    char text[ERROR_TEXT_MAX];
} error;

// The wire's word for a status: "invalid_argument" … ; "ok" for STATUS_OK. Never NULL.
const char *status_code(status s);

// The status whose wire word is `code` (not zero-terminated, `size` bytes). STATUS_INTERNAL for an
// unknown word.
status status_from_code(const char *code, unsigned long size);

// Fills `err` (may be NULL) with the status and the formatted text, and returns the status, so that
// a check reads `return error_set(err, STATUS_NOT_FOUND, "world '%s' does not exist", name);`
status error_set(error *err, status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Puts the formatted text and ": " before the error's text: "shapes[2]: radius must be > 0".
void error_prefix(error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
