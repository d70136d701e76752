// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. Pure; any
// thread.
#ifndef CAROM_COMMON_BASE_UTF8_H
#define CAROM_COMMON_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool utf8_valid(const void *bytes, size_t size);

// The character at the beginning of `bytes`: its length, 1 to 4, and *code; 0 if they are not valid
// UTF-8.
size_t utf8_decode(const void *bytes, size_t size, uint32_t *code);

// Whether the character changes the line around it instead of only being printed: control
// characters, separators of lines and paragraphs, marks that change the direction of text.
bool utf8_acts(uint32_t code);

enum { UTF8_QUOTE_MAX = 64 }; // bytes of a quoted text with the closing zero

// Makes a peer's text safe for an error text or a log: cuts it at a character with "..." when it is
// long, and shows control characters and invalid UTF-8 as '?'. `out_size` is at least 8. Returns
// `out`.
const char *utf8_plain(char *out, size_t out_size, const void *bytes, size_t size);
const char *utf8_quote(char out[UTF8_QUOTE_MAX], const void *bytes, size_t size);

#endif
