// Why a world is late: the time of its own ticks, the time of other worlds on its thread, and the
// time that the thread had no processor. Reported to the operator when the world's time is slowed,
// since "overloaded" would be wrong for a machine that was asleep.
//
// Counted since the world was last in time, or its lateness was reported. The thread's processor
// time shows what the wall clock cannot: a thread that was ready and did not run used none. A tick
// that several threads compute counts as its own from end to end, since its thread waits for the
// others.
//
// Nanoseconds; the caller reads the clocks. Pure functions over the struct; any thread.
#ifndef CAROM_SERVER_WORLD_TICK_SLOWDOWN_H
#define CAROM_SERVER_WORLD_TICK_SLOWDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLOWDOWN_TEXT_MAX = 256 }; // bytes, with a name of 64

typedef struct slowdown {
    uint64_t ticks;
    int64_t own_ns, others_ns, away_ns;
    // The time when the last tick began or ended, and the thread's processor time then.
    int64_t at_ns, processor_ns;
} slowdown;

// The counts begin at `now_ns`: the world waits for its first tick, or its lateness was reported.
void slowdown_start(slowdown *s, int64_t now_ns, int64_t processor_ns);

// A tick begins that was due at `due_ns`; `in_time` resets the counts.
void slowdown_begin_tick(slowdown *s, int64_t due_ns, bool in_time, int64_t now_ns,
                         int64_t processor_ns);
// The tick has ended; `shared`: other threads computed parts of it. Returns its working time.
int64_t slowdown_end_tick(slowdown *s, bool shared, int64_t now_ns, int64_t processor_ns);

// The largest cause as a sentence about the world `name`, whose ticks have `period_ns` each.
const char *slowdown_tell(const slowdown *s, const char *name, double period_ns,
                          char out[SLOWDOWN_TEXT_MAX]);

#endif
