// Fits the limits to the descriptors and the memory that the system grants the process.
//
// Main thread, before any other starts.
#ifndef CAROM_SERVER_PROCESS_BOUNDS_H
#define CAROM_SERVER_PROCESS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/limits.h"

// Each connection takes a descriptor, and the usual soft limit is 1024. If the system allows no
// more, the limit on connections is lowered: a client then learns why it is refused. Plain HTTP
// connections get an eighth of them at most. `threads`: those of --io-threads beside the network
// thread.
void bounds_fit_descriptors(limits *l, bool http, bool proxied, uint32_t threads);

// Sets up the heap, and bounds what the process may take: `memory` bytes; 0: three quarters of the
// machine's.
void bounds_fit_memory(limits *l, uint64_t memory);

#endif
