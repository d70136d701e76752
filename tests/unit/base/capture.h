// Runs a function and captures its standard error in a string.
#ifndef CAROM_TESTS_UNIT_BASE_CAPTURE_H
#define CAROM_TESTS_UNIT_BASE_CAPTURE_H

#include <stddef.h>

// Calls `body` and fills `text` (zero-terminated) with its standard error. Bytes beyond
// `size` are left out. The result is the number of bytes that were written.
size_t capture_stderr(void (*body)(void), char *text, size_t size);

// The same in a child process, for a `body` that ends the process. The result is the child's wait
// status.
int capture_exit(void (*body)(void), char *text, size_t size);

#endif
