// The ticks on which a reader of a world is sent something, given its rate: one rule for snapshots
// and for notifications of the log. Any thread.
#ifndef CAROM_SERVER_WORLD_STATE_PACE_H
#define CAROM_SERVER_WORLD_STATE_PACE_H

#include <stdbool.h>
#include <stdint.h>

// Whether a reader of `rate` [1/s] is due at `tick` of a world that does `hz` ticks a second. A
// rate of 0, or of `hz` and more, is every tick. `phase` [ticks] is by how much this reader falls
// due earlier than another one of the same rate. Depends on nothing else, so that readers of one
// rate and phase fall due together.
bool pace_due(double rate, uint32_t phase, uint64_t tick, double hz);

#endif
