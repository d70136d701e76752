// A failed assertion: one line on standard error, then abort(). Any thread.
#include "common/base/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void assert_fail(const char *expression, const char *file, int line)
{
    fprintf(stderr, "carom: assertion failed at %s:%d: %s\n", file, line, expression);
    fflush(stderr);
    abort();
}
