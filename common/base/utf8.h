// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. Pure; any
// thread.
#ifndef CAROM_COMMON_BASE_UTF8_H
#define CAROM_COMMON_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

bool utf8_valid(const void *bytes, size_t size);

enum { UTF8_QUOTE_MAX = 64 }; // bytes of a quoted text with the closing zero

// A text from a stranger, made fit for an error text: cut at a character with "..." when it is
// long, control characters and bytes that are not UTF-8 shown as '?'. Returns `out`.
const char *utf8_quote(char out[UTF8_QUOTE_MAX], const void *bytes, size_t size);

#endif
