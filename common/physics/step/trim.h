// Frees memory that only a peak needed; see trim.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_TRIM_H
#define CAROM_COMMON_PHYSICS_STEP_TRIM_H

#include <stdint.h>

struct physics_world;

typedef struct trim_peaks { // recent peaks
    uint32_t changes;       // elements of the longest list of changes in a step
    uint32_t events;        // events reported in a step; separate, since events are large
    uint32_t groups;        // groups of the solver's lanes
    uint32_t joints[3];     // the same for each sort of joints
} trim_peaks;

// Records how much a step needed, at its end.
void trim_note(struct physics_world *world);
// Frees memory at the beginning of a step, when the last one's events were reported and dropped.
void trim_world(struct physics_world *world);

#endif
