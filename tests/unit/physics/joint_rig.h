// Support for the tests of joints: a world with a fixed body at the origin, short functions that
// make bodies and joints, and measurements: approximate values, periods of oscillations.
#ifndef CAROM_TESTS_JOINT_RIG_H
#define CAROM_TESTS_JOINT_RIG_H

#include "common/physics/joint.h"

typedef struct rig {
    physics_world *world;
    body_id ground; // static, at the origin, without shapes
} rig;

rig rig_open(double gravity_y); // without sleeping
rig rig_open_def(const world_def *def);
void rig_close(rig *r);

// Dynamic bodies of density 1; no two of them ever collide.
body_id rig_box(rig *r, double x, double y, double width, double height);
body_id rig_ball(rig *r, double x, double y, double radius);
// A ball of a given mass that does not turn: a mass point.
body_id rig_point(rig *r, double x, double y, double mass);

// Makes the joint, which must succeed.
joint_id rig_join(rig *r, const joint_def *def);
// A definition of the kind between a and b; with an anchor in the world, if the kind takes one.
joint_def rig_def(joint_kind kind, body_id a, body_id b);
joint_def rig_def_at(joint_kind kind, body_id a, body_id b, double x, double y);

void rig_step(rig *r, int steps);
body_info rig_body(const rig *r, body_id id);
joint_info rig_info(const rig *r, joint_id id);
void rig_push(rig *r, body_id id, double vx, double vy, double spin); // sets the velocities

// Fails with both numbers unless |value - wanted| <= tolerance.
void check_near(double value, double wanted, double tolerance, const char *what, int line);
#define assert_near(value, wanted, tolerance)                                                      \
    check_near((value), (wanted), (tolerance), #value, __LINE__)

// Steps and samples a value; its mean period over the upward crossings of `middle` in `steps`
// steps.
typedef double (*rig_sample)(const rig *r, uint64_t id);
double rig_period(rig *r, rig_sample sample, uint64_t id, double middle, int steps);

double rig_energy(const rig *r, body_id id); // kinetic and potential energy [J]

// Sums over two bodies.
typedef struct rig_sums {
    double momentum_x, momentum_y; // [kg m/s]
    double angular;                // momentum about the common centre of mass [kg m²/s]
    double energy;                 // kinetic energy [J]
} rig_sums;
rig_sums rig_sums_of(const rig *r, body_id a, body_id b);

#endif
