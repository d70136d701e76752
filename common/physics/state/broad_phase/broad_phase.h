// The broad phase: which boxes may overlap. Trees of boxes, one for each type of body, so that what
// stands still is never rebuilt because something else moves.
//
// Nothing outside may depend on the shape of a tree: results are sets, and whoever needs an order
// sorts them.
#ifndef CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_BROAD_PHASE_H
#define CAROM_COMMON_PHYSICS_STATE_BROAD_PHASE_BROAD_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/physics/state/broad_phase/tree.h"

enum { BROAD_TREES = 3 }; // one a body_type

typedef struct broad_phase {
    tree trees[BROAD_TREES];
    tree sensors; // the sensors of those, for sensor_sweep.c
} broad_phase;

#endif
