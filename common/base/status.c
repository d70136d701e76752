// Status codes as words, and texts of errors (status.h). Any thread.
#include "common/base/status.h"

#include <stdarg.h>
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

// Cuts an incomplete UTF-8 character off the end, so that a text that was too long stays valid.
static void trim_partial_character(char *text)
{
    size_t end = strlen(text);
    size_t start = end;
    while (start > 0 && end - start < 4 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) {
        start--;
    }
    if (start == 0) {
        return;
    }
    unsigned char lead = (unsigned char)text[start - 1];
    size_t want = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (end - (start - 1) < want) {
        text[start - 1] = '\0';
    }
}

status error_set(error *err, status s, const char *format, ...)
{
    if (err != NULL) {
        err->status = s;
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        trim_partial_character(err->text);
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
    int used = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (used >= 0 && (size_t)used < sizeof err->text) {
        int cut = snprintf(err->text + used, sizeof err->text - (size_t)used, ": %s", text);
        (void)cut; // a longer text is cut off
    }
    trim_partial_character(err->text);
}
