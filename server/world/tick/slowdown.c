// Causes of lateness; see slowdown.h.
#include "server/world/tick/slowdown.h"

#include <stdio.h>

static int64_t at_most(int64_t value, int64_t most)
{
    return value < most ? value : most;
}

void slowdown_start(slowdown *s, int64_t now_ns, int64_t processor_ns)
{
    *s = (slowdown){.at_ns = now_ns, .processor_ns = processor_ns};
}

// Between two ticks only the time since this one was due counts: before, the thread may sleep.
void slowdown_begin_tick(slowdown *s, int64_t due_ns, bool in_time, int64_t now_ns,
                         int64_t processor_ns)
{
    if (in_time) {
        slowdown_start(s, now_ns, processor_ns);
        return;
    }
    int64_t since = due_ns > s->at_ns ? due_ns : s->at_ns;
    int64_t wall = now_ns > since ? now_ns - since : 0;
    int64_t worked = at_most(processor_ns - s->processor_ns, wall);
    s->others_ns += worked;
    s->away_ns += wall - worked;
    s->at_ns = now_ns;
    s->processor_ns = processor_ns;
}

int64_t slowdown_end_tick(slowdown *s, bool shared, int64_t now_ns, int64_t processor_ns)
{
    int64_t wall = now_ns - s->at_ns;
    int64_t worked = shared ? wall : at_most(processor_ns - s->processor_ns, wall);
    s->ticks++;
    s->own_ns += worked;
    s->away_ns += wall - worked;
    s->at_ns = now_ns;
    s->processor_ns = processor_ns;
    return worked;
}

const char *slowdown_tell(const slowdown *s, const char *name, double period_ns,
                          char out[SLOWDOWN_TEXT_MAX])
{
    // The world's own ticks make it late by their time beyond its period.
    double own = (double)s->own_ns - (double)s->ticks * period_ns;
    double others = (double)s->others_ns;
    double away = (double)s->away_ns;
    if (away > own && away > others) {
        snprintf(out, SLOWDOWN_TEXT_MAX,
                 "world '%s' is late: the process got no processor for %.0f ms", name, away * 1e-6);
    } else if (others > own) {
        snprintf(out, SLOWDOWN_TEXT_MAX,
                 "world '%s' is late: other worlds of its thread took %.0f ms", name,
                 others * 1e-6);
    } else {
        double mean = s->ticks > 0 ? (double)s->own_ns / (double)s->ticks : 0.0;
        snprintf(out, SLOWDOWN_TEXT_MAX, "world '%s' is overloaded: a tick takes %.2f of %.2f ms",
                 name, mean * 1e-6, period_ns * 1e-6);
    }
    return out;
}
