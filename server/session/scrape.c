// The text of /metrics, in Prometheus' format 0.0.4; see service.h. Network thread only.
#include <stdarg.h>
#include <stdio.h>

#include "server/metrics.h"
#include "server/session/service.h"

enum { LINE_MAX_BYTES = 512 };

static void put(buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(buffer *out, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    buffer_append(out, line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1);
}

void scrape_write(void *context, buffer *out)
{
    (void)context;
    for (int m = 0; m < METRIC_COUNT; m++) {
        put(out, "# TYPE carom_%s_total counter\n", metrics_name((metric)m));
        put(out, "carom_%s_total %llu\n", metrics_name((metric)m),
            (unsigned long long)metrics_get((metric)m));
    }
}
