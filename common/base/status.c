// Status codes as words, and texts of errors (status.h). Any thread.
#include "common/base/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const CODES[STATUS_COUNT] = {
#define CODE(id, word) [STATUS_##id] = (word),
    STATUS_WORDS(CODE)
#undef CODE
};

const char *status_code(status s)
{
    return (unsigned)s < STATUS_COUNT ? CODES[s] : CODES[STATUS_INTERNAL];
}

status status_from_code(const char *code, unsigned long size)
{
    for (int s = 0; s < STATUS_COUNT; s++) {
        if (strlen(CODES[s]) == size && memcmp(CODES[s], code, size) == 0) {
            return (status)s;
        }
    }
    return STATUS_INTERNAL;
}

// The end of a text that was cut.
static const char CUT[] = "…";

// How far back a cut looks for the end of a word.
enum { CUT_BACK_MAX = 64 };

static bool is_boundary(char c)
{
    return c == ' ' || c == ',' || c == '|'; // '|' separates the words of a choice
}

// Whether the byte continues a UTF-8 character.
static bool is_inside(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

// Ends a text that did not fit behind its last whole word, or character of a very long word, with
// CUT.
static void end_cut(char text[ERROR_TEXT_MAX])
{
    const size_t most = ERROR_TEXT_MAX - sizeof CUT; // what may stay
    size_t end = most;
    while (end > most - CUT_BACK_MAX && !is_boundary(text[end - 1])) {
        end--;
    }
    if (!is_boundary(text[end - 1])) {
        end = most;
        while (is_inside(text[end])) {
            end--;
        }
    }
    memcpy(text + end, CUT, sizeof CUT);
}

status error_set(error *err, status s, const char *format, ...)
{
    if (err != NULL) {
        err->status = s;
        va_list args;
        va_start(args, format);
        const int size = vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        if (size >= ERROR_TEXT_MAX) {
            end_cut(err->text);
        }
    }
    return s;
}

void error_prefix(error *err, const char *format, ...)
{
    if (err == NULL) {
        return;
    }
    char text[ERROR_TEXT_MAX];
    memcpy(text, err->text, sizeof text);
    va_list args;
    va_start(args, format);
    int size = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (size >= 0 && size < ERROR_TEXT_MAX) {
        size += snprintf(err->text + size, sizeof err->text - (size_t)size, ": %s", text);
    }
    if (size >= ERROR_TEXT_MAX) {
        end_cut(err->text);
    }
}
