#include "server/world/pace.h"

#include <time.h>

#include "common/base/assert.h"

int64_t pace_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void pace_start(pace *p, double hz, int64_t catch_up_ns, int64_t now_ns)
{
    ASSERT(hz > 0.0 && catch_up_ns >= 0);
    p->period_ns = 1e9 / hz;
    p->start_ns = now_ns;
    p->ticks = 0;
    p->catch_up_ns = catch_up_ns;
}

int64_t pace_due_ns(const pace *p)
{
    return p->start_ns + (int64_t)((double)(p->ticks + 1) * p->period_ns);
}

int64_t pace_lag_ns(const pace *p, int64_t now_ns)
{
    int64_t lag = now_ns - pace_due_ns(p);
    return lag > 0 ? lag : 0;
}

int64_t pace_tick(pace *p, int64_t now_ns)
{
    int64_t lag = pace_lag_ns(p, now_ns);
    int64_t skip = 0;
    if ((double)lag > p->period_ns) {
        p->late++;
    }
    if (lag > p->catch_up_ns) {
        skip = lag;
        p->start_ns += skip;
        p->skipped_ns += skip;
    }
    p->ticks++;
    return skip;
}
