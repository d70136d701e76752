// The server's clocks. Any thread.
//
// Everything that measures or schedules takes times as arguments; this is where they come from.
#ifndef CAROM_SERVER_BASE_CLOCK_H
#define CAROM_SERVER_BASE_CLOCK_H

#include <stdint.h>

// Monotonic, since the machine began.
int64_t clock_now_ns(void);

// Processor time of the calling thread.
int64_t clock_processor_ns(void);

// The time of day, for people: seconds since 1970, UTC.
double clock_wall_s(void);

#endif
