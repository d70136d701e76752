// Sensors that a fast body passes within a step; see sensor_sweep.c.
#ifndef CAROM_COMMON_PHYSICS_STEP_SENSOR_SWEEP_H
#define CAROM_COMMON_PHYSICS_STEP_SENSOR_SWEEP_H

#include "common/physics/state/world.h"

// Where the way of a body in a step began.
typedef struct sensor_way {
    vec2d center;
    rot before;
    float turn; // whole turns are counted [rad]
} sensor_way;

// A sensor and a shape that was in it, between two times of a step, in [0, 1].
typedef struct sensor_pass {
    uint32_t sensor, shape;
    float in, out;
} sensor_pass;

// Before finalize_bodies(): makes room for ways, if there are sensors.
void sensors_begin_ways(physics_world *world);
// While bodies are finalized, on any thread: notes the way of a body that may have passed a sensor
// unseen, and returns true. `before`: where it was; `gone`, `chord`: bounds of how far it went and
// turned, as distance_moved() has them.
bool sensors_note_way(physics_world *world, uint32_t body, const body_motion *before, float gone,
                      float chord);
// In solve_continuous(): notes the way of a body that a paddle carried along from there.
void sensors_note_carried(physics_world *world, uint32_t body, vec2d center, rot before);
// When all bodies are where the step ends: reports what was passed.
void sweep_sensors(physics_world *world);

#endif
