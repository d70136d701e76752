// A failed assertion, or no memory: one line on standard error, then abort(). Any thread.
#include "common/base/assert.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void assert_fail(const char *expression, const char *file, int line)
{
    fprintf(stderr, "carom: assertion failed at %s:%d: %s\n", file, line, expression);
    fflush(stderr);
    abort();
}

// Restores the default action of SIGABRT first: the crash handler (server/process/crash.h) would
// blame the world in progress, and running out of memory is no fault of a world.
_Noreturn void assert_no_memory(const char *file, int line)
{
    fprintf(stderr, "carom: memory is out: the system has no more for %s:%d\n", file, line);
    fflush(stderr);
    (void)signal(SIGABRT, SIG_DFL);
    abort();
}
