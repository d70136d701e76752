// Joints in the solver's form: eight of one colour at a time, each field a vector with a lane for
// each joint. Only revolute joints so far, in two sorts: with a drive (spring, motor or limits) and
// without. The other kinds are solved one at a time (joint_single.c).
//
// The poses of bodies change once in a sub-step, before the relaxing pass: that pass computes arms,
// masses and errors again, which stay valid for the following warm start and solving, so these need
// only the velocities. Members are in the order in which the passes need them.
//
// The lists of the graph determine the lanes: joints of a colour and sort fill groups in the order
// of their list.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_JOINT_LANES_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_JOINT_LANES_H

#include "common/physics/step/joints/joint_single.h"
#include "common/physics/lanes/wide.h"
#include "common/physics/step/solver/solver.h"

// A point of each body is the same point. Lanes without a joint refer to body slot 0, which does
// not move, and have no mass.
typedef struct joint_lanes {
    uint32_t body_a[LANES], body_b[LANES];
    EACH4(inv_mass_a, inv_mass_b, inv_inertia_a, inv_inertia_b);
    EACH4(arm_ax, arm_ay, arm_bx, arm_by); // current arms of the impulse
    EACH2(impulse_x, impulse_y);           // impulse of a sub-step, on b
    // change of spin still to apply for warm starting, since arms have rotated
    EACH2(owed_a, owed_b);
    // for solving
    EACH3(mass_xx, mass_xy, mass_yy); // current effective mass of the point
    EACH2(push_x, push_y);            // current rate at which the error is to be corrected
    EACH2(soft_velocity, soft_impulse);
    // for relaxing
    EACH(soft_position);
    EACH4(start_ax, start_ay, start_bx, start_by); // arms to the anchors as the step began
    EACH2(separation_x, separation_y); // anchor b relative to anchor a when the step began
    EACH2(total_x, total_y);           // sum of the impulses over the sub-steps so far
    EACH2(turn_c, turn_s);             // rotation of b relative to a since the step began
    EACH_INT(turns);                   // whole turns in addition
} joint_lanes;

// Spring, motor and limits of the angle of b relative to a.
typedef struct drive_lanes {
    EACH2(inverse_mass, mass);
    EACH2(start_angle, angle); // angles when the step began, and now
    EACH4(spring_velocity, spring_position, spring_impulse, rest);
    EACH2(motor_speed, motor_max); // [rad/s], [N m s] of a sub-step
    EACH2(lower, upper);           // -INFINITY, INFINITY: none
    EACH4(impulse_spring, impulse_motor, impulse_lower, impulse_upper);
    EACH(total); // torque impulse on b over the sub-steps so far
} drive_lanes;

typedef struct driven_lanes {
    joint_lanes point; // the first member, so that a group of either sort can be used as this type
    drive_lanes drive;
} driven_lanes;
_Static_assert(sizeof(driven_lanes) == 50 * LANES * sizeof(float), "the same for every variant");

enum { LANE_SORTS = SORT_SINGLE }; // joint_sorts in lanes

// The joints of a step. A joint that is solved alone counts as a group of its own.
typedef struct joint_solver {
    const struct joint_kernels *kernels;
    joint_lanes *plain;
    driven_lanes *driven;
    single_joint *single;
    uint32_t capacity[JOINT_SORTS];
    uint32_t first[JOINT_SORTS][COLOURS + 2]; // first group of each colour
    slot_list breakable;                      // slots of joints with a break force or torque
    slot_list seeds;                          // slots of the joints with which trusses begin
} joint_solver;

static inline joint_lanes *group_at(const joint_solver *solver, joint_sort sort, uint32_t index)
{
    return sort == SORT_DRIVEN ? &solver->driven[index].point : &solver->plain[index];
}

// The number of groups of a sort in the last step; and freeing memory for more than so many groups,
// until there are as many again.
uint32_t joint_lanes_count(const physics_world *world, int sort);
void joint_lanes_trim(physics_world *world, int sort, uint32_t most);

// The joints of a group.
typedef struct joint_slots {
    const uint32_t *slots;
    uint32_t count;
} joint_slots;

// The joints of a group of the colour `*colour` or of a later one, which *colour is then set to.
joint_slots joint_group_slots(const physics_world *world, joint_sort sort, uint32_t group,
                              uint32_t *colour);

// Copies joints into the groups [first, end) of a sort, and back (joint_fill.c). Different threads
// may process different ranges. Adds joints that may break, and those with which trusses begin, to
// the lists, in no order.
void joint_lanes_fill(physics_world *world, joint_sort sort, uint32_t first, uint32_t end,
                      slot_list *breakable, slot_list *seeds);
void joint_lanes_store(physics_world *world, joint_sort sort, uint32_t first, uint32_t end);

// Processes `count` consecutive groups of one sort.
typedef struct joint_sort_kernels {
    // Reads the bodies' poses when the step begins.
    void (*start)(void *groups, uint32_t count, const body_state *states);
    void (*warm_start)(const void *groups, uint32_t count, body_state *states);
    void (*solve)(void *groups, uint32_t count, body_state *states, const step_context *step);
    void (*relax)(void *groups, uint32_t count, body_state *states, const step_context *step);
} joint_sort_kernels;

typedef struct joint_kernels {
    joint_sort_kernels sorts[LANE_SORTS];
    // The angles of rotations, in [-pi, pi], to float precision.
    void (*angles)(const wide *c, const wide *s, wide *out);
} joint_kernels;

void joint_solver_free(joint_solver *solver);
// The awake joints of this step that may break under a load, in no order.
const uint32_t *joints_breakable(const physics_world *world, uint32_t *count);

#endif
