// The system's monotonic clock in nanoseconds. Any thread.
#include "client/lib/clock.h"

#include <time.h>

static const int64_t NS_PER_MS = 1000000;

int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t deadline_after_ms(int timeout_ms)
{
    return timeout_ms < 0 ? INT64_MAX : monotonic_ns() + timeout_ms * NS_PER_MS;
}
