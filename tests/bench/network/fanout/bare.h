// The least that a server of the fan-out benchmark can do: a loop of writes. A process of its own.
#ifndef CAROM_TESTS_BENCH_NETWORK_FANOUT_BARE_H
#define CAROM_TESTS_BENCH_NETWORK_FANOUT_BARE_H

#include <stddef.h>

// Takes `count` connections at `listener`, then writes `size` bytes to each of them `rate` times a
// second, for ever. Bytes that a socket does not take follow when it is ready again.
_Noreturn void bare_serve(int listener, int count, double rate, size_t size);

#endif
