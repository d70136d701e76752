// Figures of the last seconds; see tally.h.
#include "client/prediction/tally.h"

#include <math.h>

void tally_advance(tally *t, double now)
{
    if (!t->running) {
        t->running = true;
        t->begun = now;
    }
    t->now = now;
}

tally_span *tally_now(tally *t)
{
    const uint64_t second = (uint64_t)fmax(t->now, 0.0);
    tally_span *span = &t->spans[second % TALLY_SPANS];
    if (span->second != second) {
        *span = (tally_span){.second = second};
    }
    return span;
}

tally_span tally_sum(const tally *t, double *seconds)
{
    tally_span sum = {0};
    const uint64_t now = (uint64_t)fmax(t->now, 0.0);
    for (uint32_t i = 0; i < TALLY_SPANS; i++) {
        const tally_span *s = &t->spans[i];
        if (s->second + TALLY_SPANS > now) {
            sum.ticks += s->ticks;
            sum.right += s->right;
            sum.rollbacks += s->rollbacks;
            sum.depth += s->depth;
            sum.error = fmax(sum.error, s->error);
            sum.error_others = fmax(sum.error_others, s->error_others);
        }
    }
    const double full = TALLY_SPANS - 1.0 + (t->now - (double)now);
    *seconds = fmin(t->now - t->begun, full);
    return sum;
}
