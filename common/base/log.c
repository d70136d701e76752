// Lines of the log (log.h). A line is put together on the stack and written with one call, so lines
// of several threads do not mix. Longer ones are cut at LINE_BYTES_MAX.
#include "common/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES_MAX = 1024 };

static const char *const NAMES[LOG_LEVEL_COUNT] = {"error", "warn", "info", "debug"};
static log_level threshold = LOG_INFO;

void log_set_level(log_level level)
{
    threshold = level;
}

bool log_level_parse(const char *name, log_level *out)
{
    for (int level = 0; level < LOG_LEVEL_COUNT; level++) {
        if (strcmp(name, NAMES[level]) == 0) {
            *out = (log_level)level;
            return true;
        }
    }
    return false;
}

void log_write(log_level level, const char *format, ...)
{
    if (level > threshold) {
        return;
    }
    char line[LINE_BYTES_MAX];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct tm utc;
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%S", &utc);
    int head = snprintf(line + used, sizeof line - used, ".%03ldZ %-5s ", now.tv_nsec / 1000000,
                        NAMES[level]);
    used += (size_t)head;
    va_list args;
    va_start(args, format);
    int body = vsnprintf(line + used, sizeof line - used, format, args);
    va_end(args);
    used += body > 0 ? (size_t)body : 0;
    if (used > sizeof line - 2) {
        used = sizeof line - 2;
    }
    line[used] = '\n';
    // Nothing can be done about a log that cannot be written.
    ssize_t written = write(STDERR_FILENO, line, used + 1);
    (void)written;
}
