// Finds sensors that a fast body passes through within a step; see sensor_sweep.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SENSOR_SWEEP_H
#define CAROM_COMMON_PHYSICS_STEP_SENSOR_SWEEP_H

#include "common/physics/state/world.h"

// The place where the path of a body in a step began.
typedef struct sensor_way {
    vec2d center;
    rot before;
    float turn; // includes whole turns [rad]
} sensor_way;

// A sensor and a shape that overlapped it between two times of a step, in [0, 1].
typedef struct sensor_pass {
    uint32_t sensor, shape;
    float in, out;
} sensor_pass;

// Before finalize_bodies(): makes room for paths, if there are sensors.
void sensors_begin_ways(physics_world *world);
// While bodies are finalized, on any thread: records the path of a body that may have passed
// through a sensor undetected, and returns true. `before` is its earlier pose; `gone` and `chord`
// are bounds of its translation and rotation, as distance_moved() computes them.
bool sensors_note_way(physics_world *world, uint32_t body, const body_motion *before, float gone,
                      float chord);
// In solve_continuous(): records the path of a body that a paddle carried along from there.
void sensors_note_carried(physics_world *world, uint32_t body, vec2d center, rot before);
// When all bodies are at their final places: reports the passes.
void sweep_sensors(physics_world *world);

#endif
