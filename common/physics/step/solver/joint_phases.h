// The phases of a step that handle joints of any kind. On the world's thread, except for
// joints_sweep() of separate ranges of one colour, which may run in parallel.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_JOINT_PHASES_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_JOINT_PHASES_H

#include "common/physics/physics.h"
#include "common/physics/step/solver/solver.h"

void joints_prepare(physics_world *world);
// The number of a colour's groups: joints solved together, or one that is solved alone.
uint32_t joints_groups(const physics_world *world, uint32_t colour);
// The number of these joints that are solved alone.
uint32_t joints_alone(const physics_world *world, uint32_t colour);
// Sweeps the part of them that corresponds to a range [first, end) of SHARES. Joints without a
// colour are only swept as a whole.
void joints_sweep(physics_world *world, uint32_t colour, solver_pass pass, uint32_t first,
                  uint32_t end);
void joints_store(physics_world *world); // stores impulses, angles and reports back in the joints
void joints_check_break(physics_world *world);

#endif
