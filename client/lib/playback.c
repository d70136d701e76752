// The times at which a world's states are drawn; see playback.h. One thread at a time.
#include "client/lib/playback.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define WINDOW_S     2.0 // time over which arrivals are used; clocks drift by less than 1 ms in it
#define BREAK_S      0.25 // a snapshot this late or early is no jitter: the world was paused or replaced
#define JITTER_SHARE 0.95 // share of the snapshots that must have arrived when they are drawn
#define DELAY_S_MAX  1.0  // the largest delay beyond the interval between snapshots
#define CATCH_UP     0.1  // the largest relative change of playback's speed
#define JUMP_S       0.4  // a larger error is corrected by a jump

void playback_init(playback *p, double extra)
{
    *p = (playback){.extra = extra, .speed = 1.0};
    playback_reset(p);
}

void playback_reset(playback *p)
{
    p->count = 0;
    p->lead = p->shown = (double)NAN;
    p->jitter = p->interval = 0.0;
    p->newest = -(double)INFINITY;
}

static uint32_t place(const playback *p, uint32_t i)
{
    return (p->first + i) % PLAYBACK_ARRIVALS_MAX;
}

static void drop_first(playback *p)
{
    p->first = place(p, 1);
    p->count--;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(playback *p)
{
    double late[PLAYBACK_ARRIVALS_MAX];
    p->lead = -(double)INFINITY;
    for (uint32_t i = 0; i < p->count; i++) {
        p->lead = fmax(p->lead, p->arrivals[place(p, i)].lead);
    }
    for (uint32_t i = 0; i < p->count; i++) {
        late[i] = p->lead - p->arrivals[place(p, i)].lead;
    }
    qsort(late, p->count, sizeof *late, ascending);
    p->jitter = late[(uint32_t)floor((p->count - 1) * JITTER_SHARE)];
}

// Everything known was drawn, and nothing moved until `since`: nobody sees the time go there at
// once.
static void pass(playback *p, double now, double since)
{
    const double wanted = fmin(since, now + p->lead - playback_delay(p));
    if (wanted > p->shown) {
        p->shown = wanted;
        p->shown_at = now;
    }
}

void playback_add(playback *p, double now, double time, double interval, double since)
{
    const double lead = time - now;
    const double before = p->newest;
    if (time < p->newest || fabs(lead - p->lead) > BREAK_S) {
        p->count = 0;
    }
    p->interval = interval;
    p->newest = time;
    if (p->count == PLAYBACK_ARRIVALS_MAX) {
        drop_first(p);
    }
    const uint32_t at = place(p, p->count++);
    p->arrivals[at].at = now;
    p->arrivals[at].lead = lead;
    while (p->arrivals[p->first].at < now - WINDOW_S) {
        drop_first(p);
    }
    measure(p);
    if (p->shown >= before) {
        pass(p, now, since);
    }
}

double playback_delay(const playback *p)
{
    return p->interval + fmin(p->jitter + p->extra, DELAY_S_MAX);
}

double playback_newest(const playback *p, double now)
{
    return isnan(p->lead) ? p->lead : fmax(p->newest, now + p->lead);
}

double playback_earliest(const playback *p, double now)
{
    const double wanted = now + p->lead - playback_delay(p);
    return isnan(wanted) ? wanted : fmin(p->newest, wanted - JUMP_S);
}

double playback_show(playback *p, double now)
{
    if (p->count == 0) {
        return (double)NAN;
    }
    const double wanted = now + p->lead - playback_delay(p);
    double shown = p->shown + (now - p->shown_at) * p->speed;
    const double off = wanted - shown; // NAN at first
    if (!(fabs(off) <= JUMP_S)) {
        shown = wanted;
    } else {
        p->speed = 1.0 + fmax(-CATCH_UP, fmin(CATCH_UP, off / JUMP_S));
    }
    if (shown < p->shown && p->shown <= p->newest) {
        shown = p->shown;
    }
    p->shown = fmin(shown, p->newest);
    p->shown_at = now;
    return p->shown;
}
