// The server's clock: monotonic, in nanoseconds. Any thread.
//
// Everything that measures or schedules takes times as arguments; this is where they come from.
#ifndef CAROM_SERVER_CLOCK_H
#define CAROM_SERVER_CLOCK_H

#include <stdint.h>

int64_t clock_now_ns(void);

#endif
