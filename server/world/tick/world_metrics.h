// Measurements of each world, for /metrics.
//
// A world writes its own with relaxed atomics; the table of all has a lock, taken when a world
// begins or ends and while all are read. Of two worlds of one name (the first was destroyed and has
// not ended yet) only the later one is reported, since a name may occur only once.
//
// Any thread may read; one thread writes each.
#ifndef CAROM_SERVER_WORLD_TICK_WORLD_METRICS_H
#define CAROM_SERVER_WORLD_TICK_WORLD_METRICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/world/limits.h"
#include "server/base/metrics.h"

typedef struct world_metrics {
    char name[WORLD_NAME_BYTES_MAX + 1];
    coarse_histogram step;     // a tick: commands, step, events
    coarse_histogram lateness; // time from when a tick was due until it began
    atomic_uint_fast32_t bodies, subscribers, seats, seats_taken;
    atomic_uint_fast64_t memory_bytes, data_bytes;
    atomic_uint_fast32_t thread; // number of the simulation thread that serves the world, from 0
    bool superseded;             // a later world has the name
    struct world_metrics *next;
} world_metrics;

// Opens the metrics of a world that begins to run.
world_metrics *world_metrics_open(const char *name);
// Frees them; NULL is allowed.
void world_metrics_close(world_metrics *m);

// Visits the metrics of each name; no world begins or ends meanwhile.
void world_metrics_each(void (*visit)(const world_metrics *m, void *context), void *context);

#endif
