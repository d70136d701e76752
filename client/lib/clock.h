// The monotonic clock that deadlines use. Any thread.
#ifndef CAROM_CLIENT_LIB_CLOCK_H
#define CAROM_CLIENT_LIB_CLOCK_H

#include <stdint.h>

int64_t monotonic_ns(void);

// The time `timeout_ms` milliseconds from now [ns of the monotonic clock]; a negative value means
// never: INT64_MAX.
int64_t deadline_after_ms(int timeout_ms);

static inline int64_t earlier_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
