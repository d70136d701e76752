// Random worlds for the property tests. All randomness comes from the rng, so that a seed repeats a
// world.
#ifndef CAROM_TESTS_PROPERTY_PHYSICS_WORLDS_H
#define CAROM_TESTS_PROPERTY_PHYSICS_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/physics/physics.h"
#include "tests/property/geometry/figures.h"

// Makes a world with random hz and sub-steps, but at least `substeps_min` sub-steps per second.
physics_world *random_world(rng *r, vec2d gravity, double substeps_min);
// Bodies that can lie in a heap: no splinters. ALIKE: masses differ by a small factor; MIXED: by up
// to 500.
typedef enum variety { ALIKE, MIXED } variety;
shape_def random_shape(rng *r, variety v);
body_id random_body(physics_world *world, rng *r, variety v, vec2d at);
// Adds a floor and two walls; the floor's top is at y = 0.
void put_bin(physics_world *world, double half_width);
// Adds `count` bodies that do not overlap, above the floor of the bin.
void fill_bin(physics_world *world, rng *r, variety v, int count, double half_width);
// Makes one call that a user might make on a body of the world: moves, pushes, changes or removes
// it.
void disturb(physics_world *world, rng *r);

typedef struct state_sum {
    double mass, px, py, angular; // about the origin
    double kinetic, potential;    // potential: in the world's gravity
    // Speed of the fastest body; the sum of m |v| |x|, the scale of `angular`
    double speed, travel;
    bool finite;
} state_sum;

state_sum sum_state(const physics_world *world); // sums over the dynamic bodies
double deepest_overlap(const physics_world *world);

#endif
