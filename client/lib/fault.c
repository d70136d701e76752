#include "client/lib/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SAME(name)                                                                                 \
    _Static_assert((int)CAROM_##name == (int)STATUS_##name, #name " has one number inside and "    \
                                                                  "out")
SAME(OK);
SAME(INVALID_ARGUMENT);
SAME(NOT_FOUND);
SAME(ALREADY_EXISTS);
SAME(PERMISSION_DENIED);
SAME(UNAUTHENTICATED);
SAME(LIMIT_EXCEEDED);
SAME(UNAVAILABLE);
SAME(UNKNOWN_METHOD);
SAME(MOVED);
SAME(INTERNAL);
_Static_assert((int)CAROM_STATUS_COUNT == (int)STATUS_COUNT, "no status is missing outside");
_Static_assert(CAROM_ERROR_TEXT_MAX == ERROR_TEXT_MAX, "a text fits on both sides");

carom_status fault_set(carom_error *err, carom_status code, const char *format, ...)
{
    if (err != NULL) {
        char text[2 * CAROM_ERROR_TEXT_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        struct error cut;
        error_set(&cut, (enum status)code, "%s", text);
        fault_take(err, &cut);
    }
    return code;
}

carom_status fault_take(carom_error *err, const struct error *from)
{
    if (err != NULL) {
        err->status = (carom_status)from->status;
        err->from_server = false;
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
    return status_code((enum status)code);
}

carom_status carom_status_from_name(const char *name)
{
    return name == NULL ? CAROM_INTERNAL : (carom_status)status_from_code(name, strlen(name));
}

const char *carom_version(void)
{
    return CAROM_VERSION;
}
