// The interval between snapshots; see cadence.h. One thread at a time.
#include "client/lib/cadence.h"

#include <math.h>

#define SHARE       (1.0 / 8.0) // the share of a step in the mean
// A step of more intervals has snapshots between that were not sent, as nothing moved.
#define STILL_STEPS 2.5

void cadence_reset(cadence *c)
{
    *c = (cadence){.newest = -(double)INFINITY};
}

double cadence_add(cadence *c, double time, uint64_t skipped)
{
    const double before = c->newest;
    c->newest = time;
    const double step = time - before;
    if (!isfinite(before)) {
        return time;
    }
    if (!(step > 0.0)) {
        return before;
    }
    if (c->interval > 0.0 && skipped == 0 && step > STILL_STEPS * c->interval) {
        return time - c->interval;
    }
    if (c->interval == 0.0 || step < c->interval / 2.0) {
        c->interval = step;
    } else {
        c->interval += SHARE * (step - c->interval);
    }
    return before;
}
