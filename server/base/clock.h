// The server's clocks. Any thread.
//
// Code that measures or schedules takes times as arguments; its callers read them here.
#ifndef CAROM_SERVER_BASE_CLOCK_H
#define CAROM_SERVER_BASE_CLOCK_H

#include <stdint.h>

// Monotonic time since boot [ns].
int64_t clock_now_ns(void);

// Processor time of the calling thread [ns].
int64_t clock_processor_ns(void);

// Wall-clock time: seconds since 1970, UTC.
double clock_wall_s(void);

#endif
