// Small pure functions over the words of a command line: numbers, vectors, spelling, widths.
//
// Pure, but for the printer of help; any thread. A parser accepts the whole text or refuses it:
// "1.5x" is not 1.5.
#ifndef CAROM_COMMON_ARGS_TEXT_H
#define CAROM_COMMON_ARGS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A count and its noun, as two arguments for "%llu %s": "1 body", "2 bodies". `count` is evaluated
// twice.
#define TEXT_COUNTED(count, one, many) (unsigned long long)(count), (count) == 1 ? (one) : (many)

// A finite decimal number; no hexadecimal, no "inf", no "nan", no spaces around it.
bool text_to_number(const char *text, double *out);

// The largest whole number, 2^53, as error texts name it.
#define TEXT_WHOLE_MAX "9007199254740992"

// A whole number from 0 to 2^53, the range of identifiers.
bool text_to_whole(const char *text, uint64_t *out);

// `count` numbers between commas: "1,-2.5". At most 4.
bool text_to_numbers(const char *text, int count, double *out);

// "80x24", "1.5x2": two numbers greater than zero.
bool text_to_size(const char *text, double out[2]);

// Seconds from "5", "5s", "250ms", "2m", "1h"; 0 or more.
bool text_to_seconds(const char *text, double *out);

// The word of `words` most similar to `word`, as a suggestion, or NULL. One typing error is allowed
// in words of three to five letters, two in six to nine, three in longer ones. A word may also be
// the beginning of the suggested one; with two letters only if it fits just one. Shorter words and
// looser bounds suggest nonsense ("call" for "kill").
const char *text_suggest(const char *word, const char *const *words, size_t count);

// "a, b and c": as many whole words as fit, then "and 4 more". `last` precedes the last one ("and",
// "or"). Words are never cut.
void text_list(const char *const *words, size_t count, const char *last, char *out, size_t size);

// Columns that UTF-8 text takes in a terminal: one for each character, two for wide East Asian ones
// and emoji, none for combining marks and controls. Invalid bytes count one each.
size_t text_columns(const char *text);

// Decodes the character at `*at` and moves past it; a broken byte gives U+FFFD and moves by one. 0
// at the end.
uint32_t text_next(const char **at);

// Whether a character acts on a terminal's line instead of standing in it: control characters, line
// separators and marks that change the direction of text.
bool text_acts(uint32_t character);

// Replaces characters that act on a terminal's line by '?', in place.
void text_tame(char *text);

// Writes a character as UTF-8, zero-terminated; returns its bytes (1 to 4).
size_t text_encode(uint32_t character, char out[5]);

// Help and usage texts are at most this wide.
enum { TEXT_HELP_COLUMNS = 100 };

// Prints `head`, and `text` from column `indent` (counted from 0) on, in as many lines as it needs:
// they break between words. A longer head pushes the first line to the right.
void text_print_help(FILE *out, const char *head, size_t indent, const char *text);

// Formats seconds with three figures and a suitable unit: "1.5 s", "12.3 ms", "45 us".
void text_from_seconds(double seconds, char *out, size_t size);

// A duration in clock form: "12.3 s", "3 min 45 s", "2 h 05 min", "3 d 04 h".
void text_from_duration(double seconds, char *out, size_t size);

// Formats a number of bytes with powers of 1000: "1.2 MB".
void text_from_bytes(double bytes, char *out, size_t size);

#endif
