// The broad phase finds boxes that may overlap. It has one tree of boxes for each type of body, so
// that static boxes are never rebuilt because others move.
//
// Nothing outside may depend on the shape of a tree: results are sets, and callers that need an
// order sort them.
#ifndef CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_BROAD_PHASE_H
#define CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_BROAD_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/physics/state/broad_phase/tree.h"

enum { BROAD_TREES = 3 }; // one for each body_type

typedef struct broad_phase {
    tree trees[BROAD_TREES];
    tree sensors; // the sensors of these trees, for sensor_sweep.c
} broad_phase;

#endif
