// Shared by the engine's tests: short ways to make worlds and bodies, and to measure them.
#ifndef CAROM_TESTS_UNIT_PHYSICS_SCENE_HELPERS_H
#define CAROM_TESTS_UNIT_PHYSICS_SCENE_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/physics/physics.h"

// Each fails the running test if the engine refuses.
physics_world *make_world(vec2d gravity);
physics_world *make_world_of(const world_def *def);
shape_def make_circle(double radius);
shape_def make_box(double width, double height);
shape_def make_box_at(double width, double height, vec2 center, double angle);
body_id put(physics_world *world, const body_def *def, const shape_def *shapes, int count);
// A body of one shape at a place; dynamic.
body_id put_at(physics_world *world, double x, double y, const shape_def *shape);
// A wide static floor whose top is at y = 0.
body_id put_floor(physics_world *world, double friction, double restitution);

body_info look(const physics_world *world, body_id body);
void run(physics_world *world, int ticks);
// Restores another world from this one's image.
physics_world *restored(const physics_world *world);
void set_velocity(physics_world *world, body_id body, double x, double y);

// Totals over all dynamic bodies.
typedef struct totals {
    // energy is kinetic; the angular momentum is about the origin
    double mass, px, py, angular, energy;
} totals;
totals measure(const physics_world *world);

// The number of events of the kind in the last step; *first (may be NULL) is the first of them.
int count_events(const physics_world *world, event_kind kind, physics_event *first);

#define assert_near(actual, expected, tolerance)                                                   \
    assert_near_(actual, expected, tolerance, #actual, __FILE__, __LINE__)
void assert_near_(double actual, double expected, double tolerance, const char *what,
                  const char *file, int line);

#endif
