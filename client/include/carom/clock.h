// The server's clock, as seen from here: for what has to happen at the same moment for several
// players, and for how far away the server is.
//
// A ping bounds the offset between two clocks rigorously: it lies within half a round trip of what
// the ping measured. Of the last 16 pings the one with the least bound counts (D. Mills, "Internet
// Time Synchronization", 1991: the minimum filter), and a ping's bound grows with its age, because
// two clocks never run equally fast. How much faster the server's runs is measured over minutes, so
// that nothing drifts between pings. A correction is spread over a second: the time never runs
// backward, unless a clock was set or stood still.
//
//     carom_clock *clock = carom_clock_create();
//     ... in every frame, before carom_poll:
//     carom_clock_ping(clock, client);
//     double server_seconds = carom_clock_at(clock, carom_now());
//
// The npm package's `client.clock` is the same estimate. All times are in seconds. A clock is used
// by the thread of its client.
#ifndef CAROM_CLOCK_H
#define CAROM_CLOCK_H

#include <stdbool.h>

#include <carom/client.h>
#include <carom/export.h>

CAROM_BEGIN_DECLS

typedef struct carom_clock carom_clock;

// The system's monotonic clock [s], of any origin. Any thread.
CAROM_API double carom_now(void);

// NULL when memory has run out.
CAROM_API carom_clock *carom_clock_create(void);
// NULL  is allowed. A ping that is in progress is forgotten.
CAROM_API void carom_clock_free(carom_clock *clock);

// Sends a ping if one is due: five at 0.1 s from each other at first, then one every 2 s, never two
// at a time. It does nothing while the client is not open; another client begins another estimate.
// The answer counts as arrived when carom_poll reads it, so a program that polls once a frame sees
// round trips of up to a frame more; waiting for the next frame in carom_poll avoids that.
CAROM_API void carom_clock_ping(carom_clock *clock, carom_client *client);

// For pings of the program's own: sent at `sent` and answered at `now`, both by carom_now() or any
// other monotonic clock, with the server's time `seconds` (the member `time` of the answer).
// Ignores numbers that are not finite.
CAROM_API void carom_clock_add(carom_clock *clock, double sent, double now, double seconds);
CAROM_API void carom_clock_reset(carom_clock *clock);

// The server's monotonic clock at the local time `now` [s]; NAN before the first ping.
CAROM_API double carom_clock_at(const carom_clock *clock, double now);

typedef struct carom_clock_state {
    bool synchronised; // a ping was answered
    double rtt;        // the shortest round trip of the last 16 pings [s]; NAN before the first
    double last_rtt;   // the last round trip [s]; NAN before the first
    double jitter;     // the mean excess of round trips over the shortest [s]; NAN before the first
    double rate; // how much faster the server's clock runs, such as 50e-6; NAN until it is measured
} carom_clock_state;

CAROM_API carom_clock_state carom_clock_get_state(const carom_clock *clock);

CAROM_END_DECLS

#endif
