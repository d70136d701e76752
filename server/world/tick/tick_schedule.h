// When a world's ticks are due: arithmetic over times that the caller reads.
//
// Tick n is due at start + n / hz, computed from n each time and never from the tick before, so
// that nothing drifts: a minute at 60 Hz has 3600 ticks however late each of them was. A late world
// catches up, but only to a limit: past `catch_up_ns` the schedule itself is moved, which slows the
// world's time, and the lost time is counted. So ticks never pile up.
//
// All times in nanoseconds of one monotonic clock. Pure functions over the struct; any thread.
#ifndef CAROM_SERVER_WORLD_TICK_TICK_SCHEDULE_H
#define CAROM_SERVER_WORLD_TICK_TICK_SCHEDULE_H

#include <stdint.h>

typedef struct tick_schedule {
    double period_ns;
    int64_t start_ns;    // due time of tick 0
    uint64_t ticks;      // since start
    int64_t catch_up_ns; // a tick may be so late without moving the schedule
    uint64_t late;       // total ticks that began more than a period after they were due
    int64_t skipped_ns;  // total time by which the world was slowed
} tick_schedule;

// The first tick is due one period from now. Keeps the counts of late ticks and skipped time.
void tick_schedule_start(tick_schedule *s, double hz, int64_t catch_up_ns, int64_t now_ns);

// The time at which the next tick is due.
int64_t tick_schedule_due_ns(const tick_schedule *s);

// How late the next tick is, 0 if it is not due yet.
int64_t tick_schedule_lag_ns(const tick_schedule *s, int64_t now_ns);

// Call when the next tick begins. Returns the time by which the schedule was shifted, 0 in most
// cases.
int64_t tick_schedule_tick(tick_schedule *s, int64_t now_ns);

#endif
