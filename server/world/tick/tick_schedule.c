// Due times and lateness; see tick_schedule.h.
#include "server/world/tick/tick_schedule.h"

#include "common/base/assert.h"

void tick_schedule_start(tick_schedule *s, double hz, int64_t catch_up_ns, int64_t now_ns)
{
    ASSERT(hz > 0.0 && catch_up_ns >= 0);
    s->period_ns = 1e9 / hz;
    s->start_ns = now_ns;
    s->ticks = 0;
    s->catch_up_ns = catch_up_ns;
}

int64_t tick_schedule_due_ns(const tick_schedule *s)
{
    ASSERT(s->period_ns > 0.0);
    return s->start_ns + (int64_t)((double)(s->ticks + 1) * s->period_ns);
}

int64_t tick_schedule_lag_ns(const tick_schedule *s, int64_t now_ns)
{
    int64_t lag = now_ns - tick_schedule_due_ns(s);
    return lag > 0 ? lag : 0;
}

int64_t tick_schedule_tick(tick_schedule *s, int64_t now_ns)
{
    ASSERT(s->period_ns > 0.0);
    int64_t lag = tick_schedule_lag_ns(s, now_ns);
    int64_t skip = 0;
    if ((double)lag > s->period_ns) {
        s->late++;
    }
    if (lag > s->catch_up_ns) {
        skip = lag;
        s->start_ns += skip;
        s->skipped_ns += skip;
    }
    s->ticks++;
    return skip;
}
