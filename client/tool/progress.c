// See progress.h.
#include "client/tool/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/args/text.h"

enum { BAR_CELLS = 24 };

#define EVERY_S 0.1

void progress_begin(progress *p, const cli *c)
{
    *p = (progress){.shown = !c->json && isatty(STDERR_FILENO)};
}

void progress_tell(progress *p, double done, const char *format, ...)
{
    double now = p->shown ? cli_now() : 0.0;
    if (!p->shown || now < p->due) {
        return;
    }
    p->due = now + EVERY_S;
    p->drawn = true;
    char bar[BAR_CELLS + 32] = "";
    if (done >= 0.0) {
        double share = done < 1.0 ? done : 1.0;
        char cells[BAR_CELLS + 1];
        for (int i = 0; i < BAR_CELLS; i++) {
            cells[i] = i < (int)(share * BAR_CELLS) ? '#' : '.';
        }
        cells[BAR_CELLS] = '\0';
        (void)snprintf(bar, sizeof bar, "[%s] %3d %%  ", cells, (int)(100.0 * share));
    }
    char text[160];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    text_tame(text);
    (void)fprintf(stderr, "\r%s%s\x1b[K", bar, text);
    (void)fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->drawn) {
        (void)fputs("\r\x1b[K", stderr);
        (void)fflush(stderr);
    }
    p->drawn = false;
}
