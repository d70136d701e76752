// Statuses and errors: conversion between common/ and the public headers. Any thread.
#include "client/lib/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SAME(id, word)                                                                             \
    _Static_assert((int)CAROM_##id == (int)STATUS_##id, word " has one number inside and out");
STATUS_WORDS(SAME)
#undef SAME
_Static_assert((int)CAROM_OUT_OF_MEMORY == (int)STATUS_COUNT, "no status is missing outside");
_Static_assert((int)CAROM_STATUS_COUNT == (int)STATUS_COUNT + 1, "one is ours alone");
_Static_assert(CAROM_ERROR_TEXT_MAX == ERROR_TEXT_MAX, "a text fits on both sides");

static const char OUT_OF_MEMORY_NAME[] = "out_of_memory";

carom_status fault_memory(carom_error *err)
{
    return fault_set(err, CAROM_OUT_OF_MEMORY, "memory has run out");
}

carom_status fault_missing(carom_error *err, const char *argument)
{
    return fault_set(err, CAROM_INVALID_ARGUMENT, "%s: missing (NULL)", argument);
}

carom_status fault_set(carom_error *err, carom_status code, const char *format, ...)
{
    if (err != NULL) {
        char text[2 * CAROM_ERROR_TEXT_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        struct error cut;
        error_set(&cut, STATUS_INTERNAL, "%s", text);
        fault_take(err, &cut);
        err->status = code;
    }
    return code;
}

carom_status fault_take(carom_error *err, const struct error *from)
{
    if (err != NULL) {
        err->status = (carom_status)from->status;
        err->from_server = false;
        err->applied = CAROM_APPLIED_UNKNOWN;
        memcpy(err->text, from->text, sizeof err->text);
    }
    return (carom_status)from->status;
}

carom_status fault_copy(carom_error *err, const carom_error *from)
{
    if (err != NULL) {
        *err = *from;
    }
    return from->status;
}

const char *carom_status_name(carom_status code)
{
    return code == CAROM_OUT_OF_MEMORY ? OUT_OF_MEMORY_NAME : status_code((enum status)code);
}

carom_status carom_status_from_name(const char *name)
{
    if (name == NULL) {
        return CAROM_INTERNAL;
    }
    return strcmp(name, OUT_OF_MEMORY_NAME) == 0
               ? CAROM_OUT_OF_MEMORY
               : (carom_status)status_from_code(name, strlen(name));
}

const char *carom_version(void)
{
    return CAROM_VERSION;
}
