// Creates and frees the solver's working memory.
#include "common/physics/step/solver/solver_scratch.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/step/solver/integrate.h"
#include "common/physics/step/solver/joint_lanes.h"
#include "common/physics/step/solver/truss/truss.h"

solver_scratch *solver_scratch_create(void)
{
    solver_scratch *scratch = calloc(1, sizeof *scratch);
    ASSERT_MEMORY(scratch != NULL);
    scratch->kernels = contact_kernels_choose();
    scratch->integrators = integrate_kernels_choose();
    return scratch;
}

void solver_scratch_free(physics_world *world)
{
    solver_scratch *scratch = world->solver;
    contact_lanes_free(world);
    joint_solver_free(scratch->joint_solver);
    trusses_free(scratch->truss_solver);
#define FREE(type, name, when) array_free(&scratch->name);
    SOLVER_SCRATCH_ARRAYS(FREE)
#undef FREE
    free(scratch);
    world->solver = NULL;
}
