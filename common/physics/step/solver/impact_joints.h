// Joints in the impacts of one moment; see impact_joints.c. On the world's thread.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_IMPACT_JOINTS_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_IMPACT_JOINTS_H

#include "common/base/array.h"
#include "common/geometry/math.h"

struct physics_world;
struct joint;

// The most joints that bear an impact with the struck bodies, the nearest first.
enum { IMPACT_JOINTS_MAX = 256 };

// A direction in which a joint is rigid: b's velocity relative to a's along it is kept.
typedef struct impact_row {
    uint32_t joint, body_a, body_b;
    vec2 along;           // unit or zero
    float turn_a, turn_b; // moments of a unit impulse
    float mass;           // effective mass
    float kept;           // the velocity to keep
    float impulse;        // impulse on b so far
    bool pushes;          // it only pushes: an impulse >= 0, for a velocity >= kept
} impact_row;

// The impulse of impacts on a joint, for the joint's report of the step.
typedef struct impact_load {
    uint32_t joint;
    vec2 force;   // [N s]
    float torque; // [N m s]
} impact_load;

typedef ARRAY(impact_row) impact_row_list;
typedef ARRAY(impact_load) impact_load_list;

// When the impacts of a moment have been found: finds the joints that bear them. False if there are
// none.
bool impact_joints_find(struct physics_world *world);
// Restores the velocities along the joints' rigid directions. Returns whether any impulse has
// changed.
bool impact_joints_sweep(struct physics_world *world);
// When the impacts are solved: marks in struck[], by slot, the bodies that joints have moved.
void impact_joints_end(struct physics_world *world, uint8_t *struck, uint8_t mark);
// After the sub-steps: adds the impulses to the joints' loads of the step.
void impact_joints_report(struct physics_world *world);

// Whether the joint is rigid in some direction, unlike a spring or a winch.
bool joint_is_rigid(const struct physics_world *world, const struct joint *j);
// Whether an impact of the body affects others through a joint that is rigid in some direction.
bool body_is_braced(const struct physics_world *world, uint32_t body);

#endif
