// Random worlds for the property tests. All that is random comes from the rng, so that a seed
// repeats a world.
#ifndef CAROM_TESTS_PROPERTY_PHYSICS_WORLDS_H
#define CAROM_TESTS_PROPERTY_PHYSICS_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/physics/physics.h"
#include "tests/property/geometry/figures.h"

// Of different hz and sub-steps, but of no fewer sub-steps a second than told.
physics_world *random_world(rng *r, vec2d gravity, double substeps_min);
// Bodies that can lie in a heap: no splinters. Alike: masses differ by a few times; else by 500.
typedef enum variety { ALIKE, MIXED } variety;
shape_def random_shape(rng *r, variety v);
body_id random_body(physics_world *world, rng *r, variety v, vec2d at);
// Floor and two walls; the floor's top is at y = 0.
void put_bin(physics_world *world, double half_width);
// `count` bodies that do not overlap, above the floor of the bin.
void fill_bin(physics_world *world, rng *r, variety v, int count, double half_width);
// One call that a user might make, of a body of the world's: moved, pushed, changed, removed.
void disturb(physics_world *world, rng *r);

typedef struct state_sum {
    double mass, px, py, angular; // about the origin
    double kinetic, potential;    // potential: in the world's gravity
    double speed, travel;         // the fastest; the sum of m |v| |x|, to measure `angular` by
    bool finite;
} state_sum;

state_sum sum_state(const physics_world *world); // sums over the dynamic bodies
double deepest_overlap(const physics_world *world);

#endif
