// The estimate of carom/clock.h. client/web/src/clock.js is the same in the npm package, by the
// same constants; tests/unit/client/interpolation_scenarios.txt has numbers of both. The thread of
// the client.
#include <carom/clock.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <carom/value.h>

#include "client/lib/clock.h"

enum {
    SAMPLES_MAX = 16, // pings used
    ANCHORS_MAX = 32, // best pings of earlier windows of SAMPLES_MAX: a quarter of an hour
    FIRST_PINGS = 5,
    PING_TIMEOUT_MS = 10000
};
#define RATE_SPAN_S    120.0            // shortest time over which the rate is measured
#define RATE_MAX       500e-6           // most error of crystals; NTP's daemon corrects no more
#define AGING          200e-6           // growth of a sample's bound while the rate is unknown
#define AGING_MEASURED 20e-6            // once it is known: temperature changes crystals
#define STEP_RATE      (2.0 * RATE_MAX) // a difference that grows faster: a clock was set
#define STEP_S         0.001            // rounding of clocks
#define SLEW_S         1.0              // time over which a correction is spread
#define SLEW_MAX_S     0.25             // larger corrections are made at once
#define FIRST_PING_S   0.1              // time between the first pings
#define PING_S         2.0              // interval of later pings

// `offset` is the server's time minus the local time at the local time `at`.
typedef struct clock_sample {
    double at, rtt, offset;
} clock_sample;

struct carom_clock {
    clock_sample samples[SAMPLES_MAX]; // the oldest first
    clock_sample anchors[ANCHORS_MAX];
    uint32_t sample_count, anchor_count;
    uint32_t since_anchor; // samples since the last anchor
    double rate;           // growth of the offset; NAN: not measured
    clock_sample best;     // rtt NAN: none
    double slew, slew_at;  // correction that is still to be withdrawn at `slew_at`
    // ---- pings
    carom_client *client; // the client asked last; it may have been freed when no ping is in flight
    uint64_t ping;        // id of the ping in flight; 0: none
    double sent, due;
    uint32_t pings;
};

double carom_now(void)
{
    return 1e-9 * (double)monotonic_ns();
}

void carom_clock_reset(carom_clock *c)
{
    if (c != NULL) {
        c->sample_count = c->anchor_count = c->since_anchor = 0;
        c->rate = (double)NAN;
        c->best.rtt = (double)NAN;
        c->slew = 0.0;
    }
}

carom_clock *carom_clock_create(void)
{
    carom_clock *c = calloc(1, sizeof *c);
    carom_clock_reset(c);
    return c;
}

static void forget_ping(carom_clock *c)
{
    if (c->ping != 0) { // so the client still exists: it answers a request before it is freed
        carom_cancel(c->client, c->ping);
        c->ping = 0;
    }
}

void carom_clock_free(carom_clock *c)
{
    if (c != NULL) {
        forget_ping(c);
        free(c);
    }
}

// ---- the estimate

static double offset_at(const carom_clock *c, double now)
{
    return c->best.offset + (isnan(c->rate) ? 0.0 : c->rate * (now - c->best.at));
}

double carom_clock_at(const carom_clock *c, double now)
{
    if (c == NULL || isnan(c->best.rtt)) {
        return (double)NAN;
    }
    const double left = fmax(0.0, 1.0 - fmax(0.0, now - c->slew_at) / SLEW_S);
    return now + offset_at(c, now) + c->slew * left;
}

// Whether the new sample contradicts steady clocks: one of them was set, or stopped while the
// machine slept.
static bool is_step(const carom_clock *c, const clock_sample *s)
{
    const double bound =
        (s->rtt + c->best.rtt) / 2.0 + fabs(s->at - c->best.at) * STEP_RATE + STEP_S;
    return fabs(s->offset - c->best.offset) > bound;
}

static void push(clock_sample *list, uint32_t *count, uint32_t max, clock_sample s)
{
    if (*count == max) {
        memmove(list, list + 1, (max - 1) * sizeof *list);
        --*count;
    }
    list[(*count)++] = s;
}

static double least_rtt(const clock_sample *list, uint32_t count)
{
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        least = fmin(least, list[i].rtt);
    }
    return least;
}

// The slope of a line through the anchors, by least squares; an anchor weighs less the longer its
// round trip took.
static double slope(const clock_sample *list, uint32_t count)
{
    const double least = least_rtt(list, count);
    double total = 0.0, at = 0.0, offset = 0.0, spread = 0.0, product = 0.0;
    for (uint32_t pass = 0; pass < 2; pass++) { // the means first, then the deviations from them
        for (uint32_t i = 0; i < count; i++) {
            const double way = list[i].rtt - least + STEP_S;
            const double weight = 1.0 / (way * way);
            if (pass == 0) {
                total += weight;
                at += weight * list[i].at;
                offset += weight * list[i].offset;
            } else {
                const double away = list[i].at - at;
                spread += weight * away * away;
                product += weight * away * (list[i].offset - offset);
            }
        }
        at /= pass == 0 ? total : 1.0;
        offset /= pass == 0 ? total : 1.0;
    }
    return fmax(-RATE_MAX, fmin(RATE_MAX, product / spread));
}

// Keeps the best of the last SAMPLES_MAX samples for the rate.
static void set_anchor(carom_clock *c)
{
    const clock_sample *best = &c->samples[0];
    for (uint32_t i = 1; i < c->sample_count; i++) {
        best = c->samples[i].rtt <= best->rtt ? &c->samples[i] : best;
    }
    c->since_anchor = 0;
    push(c->anchors, &c->anchor_count, ANCHORS_MAX, *best);
    if (c->anchors[c->anchor_count - 1].at - c->anchors[0].at >= RATE_SPAN_S) {
        c->rate = slope(c->anchors, c->anchor_count);
    }
}

static double bound_of(const carom_clock *c, const clock_sample *s, double now)
{
    return s->rtt / 2.0 + (now - s->at) * (isnan(c->rate) ? AGING : AGING_MEASURED);
}

static void choose(carom_clock *c, double now)
{
    const clock_sample *best = &c->samples[0];
    for (uint32_t i = 1; i < c->sample_count; i++) {
        best = bound_of(c, &c->samples[i], now) <= bound_of(c, best, now) ? &c->samples[i] : best;
    }
    c->best = *best;
}

void carom_clock_add(carom_clock *c, double sent, double now, double seconds)
{
    if (c == NULL || !isfinite(sent) || !isfinite(now) || !isfinite(seconds)) {
        return;
    }
    clock_sample s = {.rtt = fmax(0.0, now - sent)};
    s.at = now - s.rtt / 2.0;
    s.offset = seconds - s.at;
    if (!isnan(c->best.rtt) && is_step(c, &s)) {
        carom_clock_reset(c);
    }
    const double before = carom_clock_at(c, now); // NAN before the first
    push(c->samples, &c->sample_count, SAMPLES_MAX, s);
    if (++c->since_anchor == SAMPLES_MAX) {
        set_anchor(c);
    }
    choose(c, now);
    const double correction = before - (now + offset_at(c, now));
    c->slew = fabs(correction) <= SLEW_MAX_S ? correction : 0.0;
    c->slew_at = now;
}

carom_clock_state carom_clock_get_state(const carom_clock *c)
{
    const double none = (double)NAN;
    carom_clock_state state = {.rtt = none, .last_rtt = none, .jitter = none, .rate = none};
    if (c == NULL || c->sample_count == 0) {
        return state;
    }
    double excess = 0.0;
    state.rtt = least_rtt(c->samples, c->sample_count);
    for (uint32_t i = 0; i < c->sample_count; i++) {
        excess += c->samples[i].rtt - state.rtt;
    }
    state.synchronised = true;
    state.last_rtt = c->samples[c->sample_count - 1].rtt;
    state.jitter = excess / c->sample_count;
    state.rate = c->rate;
    return state;
}

// ---- pings

static void on_pong(carom_client *client, uint64_t request, const carom_value *result,
                    const carom_error *err, void *user)
{
    (void)client;
    (void)request;
    carom_clock *c = user;
    c->ping = 0;
    if (err == NULL) {
        carom_clock_add(c, c->sent, carom_now(), carom_get_real(result, "time", (double)NAN));
    }
}

void carom_clock_ping(carom_clock *c, carom_client *client)
{
    if (c == NULL || client == NULL || carom_client_state(client) != CAROM_OPEN) {
        return;
    }
    if (c->client != client) { // it may be the client of another server
        forget_ping(c);
        carom_clock_reset(c);
        c->client = client;
        c->pings = 0;
    }
    const double now = carom_now();
    if (c->ping != 0 || (c->pings > 0 && now < c->due)) {
        return;
    }
    c->sent = now;
    c->due = now + (++c->pings < FIRST_PINGS ? FIRST_PING_S : PING_S);
    c->pings = c->pings < FIRST_PINGS ? c->pings : FIRST_PINGS;
    (void)carom_request(client, "ping", NULL, PING_TIMEOUT_MS, on_pong, c, &c->ping, NULL);
}
