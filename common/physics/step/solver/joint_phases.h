// The phases of a step that deal with joints, whatever their kind. On the world's thread, but for
// joints_sweep() of separate ranges of one colour, which may run at once.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_JOINT_PHASES_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_JOINT_PHASES_H

#include "common/physics/physics.h"
#include "common/physics/step/solver/solver.h"

void joints_prepare(physics_world *world);
// Groups of a colour: of joints solved together, or one that is solved alone.
uint32_t joints_groups(const physics_world *world, uint32_t colour);
// The number of these joints that are solved alone.
uint32_t joints_alone(const physics_world *world, uint32_t colour);
// Of those, the part that a range [first, end) of SHARES is. Joints without a colour are only swept
// whole.
void joints_sweep(physics_world *world, uint32_t colour, solver_pass pass, uint32_t first,
                  uint32_t end);
void joints_store(physics_world *world); // impulses, angles and reports back into the joints
void joints_check_break(physics_world *world);

#endif
