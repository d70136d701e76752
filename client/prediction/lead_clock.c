// The lead clock; lead_clock.h explains the method.
#include "client/prediction/lead_clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LATE_SHARE 0.98 // the share of batches that should be in time
#define SAFE_TICKS 1.0  // ticks by which a batch counts as in time
#define LOOK_S     0.25 // time between evaluations of the margins
#define CALM_TICKS 0.5  // a smaller decrease of the slack changes nothing
#define CATCH_UP_S 0.5  // time in which the clock corrects a small deviation
#define NEAR_TICKS 0.01 // precision with which the needed lead is sought

enum { HALVINGS = 24 };

void lead_clock_init(lead_clock *c, double hz)
{
    const double rtt = c->rtt;
    const uint32_t delay = c->delay_wanted;
    *c = (lead_clock){
        .hz = hz, .rate = 1.0, .slack = LEAD_SLACK_TICKS, .rtt = rtt, .delay_wanted = delay};
}

void lead_clock_arrival(lead_clock *c, double now, uint64_t tick)
{
    const double offset = (double)tick - c->hz * now;
    const uint64_t span = (uint64_t)(now / LEAD_ARRIVAL_S);
    const double from = (double)span * LEAD_ARRIVAL_S;
    const uint32_t at = (uint32_t)(span % LEAD_ARRIVALS);
    if (!c->arrivals[at].used || c->arrivals[at].from != from) {
        c->arrivals[at].used = true;
        c->arrivals[at].from = from;
        c->arrivals[at].offset = offset;
    } else if (offset > c->arrivals[at].offset) {
        c->arrivals[at].offset = offset;
    }
}

// The earliest arrival of the last spans represents the path without jitter.
double lead_clock_seen(const lead_clock *c, double now)
{
    double latest = -(double)INFINITY;
    double newest = -(double)INFINITY;
    for (uint32_t i = 0; i < LEAD_ARRIVALS; i++) {
        if (c->arrivals[i].used && c->arrivals[i].from > newest) {
            newest = c->arrivals[i].from;
        }
    }
    for (uint32_t i = 0; i < LEAD_ARRIVALS; i++) {
        const bool counts =
            c->arrivals[i].used && newest - c->arrivals[i].from < LEAD_ARRIVALS * LEAD_ARRIVAL_S;
        if (counts && c->arrivals[i].offset > latest) {
            latest = c->arrivals[i].offset;
        }
    }
    return latest + c->hz * now;
}

bool lead_clock_has_seen(const lead_clock *c)
{
    for (uint32_t i = 0; i < LEAD_ARRIVALS; i++) {
        if (c->arrivals[i].used) {
            return true;
        }
    }
    return false;
}

void lead_clock_rtt(lead_clock *c, double seconds)
{
    if (seconds >= 0.0 && isfinite(seconds)) {
        // The first arrival makes the clock jump to its place
        c->running = c->running && c->rtt > 0.0;
        c->rtt = seconds;
    }
}

static double whole_lead(const lead_clock *c)
{
    return fmin(ceil(c->rtt * c->hz) + c->slack, LEAD_MAX_S * c->hz);
}

uint32_t lead_clock_delay(const lead_clock *c)
{
    const double over = ceil(whole_lead(c) - LEAD_PREDICTED_S * c->hz);
    return over > (double)c->delay_wanted ? (uint32_t)over : c->delay_wanted;
}

double lead_clock_ahead(const lead_clock *c)
{
    return fmax(whole_lead(c) - (double)lead_clock_delay(c), 0.0);
}

// The lead at which commands were sent at the past moment `when`.
static double lead_at(const lead_clock *c, double when)
{
    const uint32_t kept = c->history_count < LEAD_HISTORY ? c->history_count : LEAD_HISTORY;
    for (uint32_t i = 1; i <= kept; i++) {
        const uint32_t at = (c->history_count - i) % LEAD_HISTORY;
        if (c->history[at].when <= when || i == kept) {
            return c->history[at].lead;
        }
    }
    return whole_lead(c);
}

void lead_clock_margin(lead_clock *c, double now, double seconds)
{
    if (!isfinite(seconds)) {
        return;
    }
    const double bounded = fmin(fmax(seconds, -LEAD_MAX_S), LEAD_MAX_S);
    c->margin = seconds;
    c->has_margin = true;
    c->margins[c->margin_count++ % LEAD_MARGINS_MAX] =
        (lead_margin){.when = now, .lead = lead_at(c, now - c->rtt) - bounded * c->hz};
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct lead_needs {
    double *leads; // leads with which each margin's batch would have arrived just in time,
                   // ascending [ticks]
    uint32_t count;
    double usual; // their median: the lead of a batch that was not delayed
    double rate;  // batches a tick
} lead_needs;

// Estimates the batches that were held up behind the one that needed `lead`: the server reports one
// margin, the smallest, for all of them.
static double held_behind(const lead_needs *n, double lead)
{
    return n->rate * fmax(ceil(lead - n->usual) - 1.0, 0.0);
}

// The share of batches that would have been late with this lead.
static double late_share(const lead_needs *n, double lead)
{
    double late = 0.0;
    double all = 0.0;
    for (uint32_t i = 0; i < n->count; i++) {
        const double held = held_behind(n, n->leads[i]);
        all += 1.0 + held;
        if (n->leads[i] > lead) {
            late += 1.0 + fmin(held, n->rate * (ceil(n->leads[i] - lead) - 1.0));
        }
    }
    return late / all;
}

// The smallest lead with which no more than 1 - LATE_SHARE would have been late.
static double needed_lead(const lead_needs *n)
{
    double low = n->leads[0];
    double high = n->leads[n->count - 1];
    for (int i = 0; i < HALVINGS && high - low > NEAR_TICKS; i++) {
        const double middle = 0.5 * (low + high);
        if (late_share(n, middle) > 1.0 - LATE_SHARE) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

// The slack with which LATE_SHARE of the last batches would have been in time by SAFE_TICKS.
static void look_at_margins(lead_clock *c, double now)
{
    double leads[LEAD_MARGINS_MAX];
    lead_needs n = {.leads = leads};
    double oldest = now;
    for (uint32_t i = 0; i < LEAD_MARGINS_MAX && i < c->margin_count; i++) {
        if (now - c->margins[i].when <= LEAD_MARGIN_S) {
            leads[n.count++] = c->margins[i].lead;
            oldest = fmin(oldest, c->margins[i].when);
        }
    }
    if (n.count == 0) {
        return;
    }
    qsort(leads, n.count, sizeof *leads, by_value);
    n.usual = leads[n.count / 2];
    n.rate = fmin((double)n.count / fmax((now - oldest) * c->hz, 1.0), 1.0);
    const double slack = fmax(needed_lead(&n) + SAFE_TICKS - ceil(c->rtt * c->hz), 0.0);
    if (slack > c->slack || slack < c->slack - CALM_TICKS) {
        c->slack = slack;
    }
}

static void note_lead(lead_clock *c, double now)
{
    const uint32_t last = (c->history_count - 1) % LEAD_HISTORY;
    if (c->history_count > 0 && now - c->history[last].when < LEAD_HISTORY_S) {
        return;
    }
    const uint32_t at = c->history_count++ % LEAD_HISTORY;
    c->history[at].when = now;
    c->history[at].lead = c->position - lead_clock_seen(c, now) + (double)lead_clock_delay(c);
}

bool lead_clock_advance(lead_clock *c, double now)
{
    const double passed = c->running ? fmax(now - c->now, 0.0) : 0.0;
    if (now - c->looked >= LOOK_S || c->looked > now) {
        c->looked = now;
        look_at_margins(c, now);
    }
    const double target = lead_clock_seen(c, now) + lead_clock_ahead(c);
    double off = target - (c->position + passed * c->hz);
    const bool jumps = !c->running || passed > LEAD_PAUSE_S || fabs(off) > LEAD_JUMP_TICKS;
    if (jumps) {
        c->position = target;
        c->rate = 1.0;
    } else {
        const double more = off / (CATCH_UP_S * c->hz);
        c->rate = 1.0 + fmin(fmax(more, -LEAD_RATE), LEAD_RATE);
        c->position += passed * c->hz * c->rate;
    }
    c->running = true;
    c->now = now;
    note_lead(c, now);
    return jumps;
}
