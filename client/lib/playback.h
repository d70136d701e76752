// The time at which a world is drawn: the arrival of snapshots becomes a smooth time, behind the
// newest one by the snapshots' interval and their jitter. client/web/src/ playback.js is the same
// in the npm package, by the same constants.
//
// All times are in seconds, local ones of any monotonic clock. Nothing here reads a clock. One
// thread at a time.
#ifndef CAROM_CLIENT_LIB_PLAYBACK_H
#define CAROM_CLIENT_LIB_PLAYBACK_H

#include <stdint.h>

enum { PLAYBACK_ARRIVALS_MAX = 256 }; // arrivals in the window: 2 s at 128 Hz

typedef struct playback {
    double extra; // added to the delay, to cover lost packets
    struct {
        double at, lead; // local time, and world time minus local time
    } arrivals[PLAYBACK_ARRIVALS_MAX];
    uint32_t first, count; // the ring's first element, and its size
    double lead;           // lead of the earliest arrival, without jitter; NAN: none
    double jitter;         // lateness that covers JITTER_SHARE of the arrivals
    double interval;       // between snapshots
    double shown;          // world time that was drawn last; NAN: none
    double shown_at;
    double newest; // world time of the newest snapshot; -INFINITY: none
    double speed;
} playback;

void playback_init(playback *p, double extra);
void playback_reset(playback *p);

// A snapshot of world time `time` arrived at `now`. Snapshots are `interval` apart, and until
// `since` the world was as the snapshot before had it (cadence.h).
void playback_add(playback *p, double now, double time, double interval, double since);

// How far behind the newest snapshot the world is drawn.
double playback_delay(const playback *p);

// The server's present world time, estimated from arrivals; NAN before the first.
double playback_newest(const playback *p, double now);

// The earliest world time that playback_show() can return from `now` on; NAN before the first
// snapshot.
double playback_earliest(const playback *p, double now);

// The world's time to draw at `now`; NAN before the first snapshot. Never runs ahead of the newest
// snapshot, and goes backward only when the world's own time does.
double playback_show(playback *p, double now);

#endif
