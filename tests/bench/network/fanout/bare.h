// The smallest possible server for the fan-out benchmark: a loop of writes, in a process of its
// own.
#ifndef CAROM_TESTS_BENCH_NETWORK_FANOUT_BARE_H
#define CAROM_TESTS_BENCH_NETWORK_FANOUT_BARE_H

#include <stddef.h>

// Accepts `count` connections at `listener`, then writes `size` bytes to each of them `rate` times
// a second, without end. Bytes that a socket does not accept are sent when it is ready again.
_Noreturn void bare_serve(int listener, int count, double rate, size_t size);

#endif
