// Life of a step's working memory.
#include "common/physics/step/step_scratch.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "common/physics/state/world.h"
#include "common/physics/step/solver/contact_lanes.h"
#include "common/physics/step/solver/integrate.h"
#include "common/physics/step/solver/joint_lanes.h"
#include "common/physics/step/solver/truss/truss.h"

step_scratch *step_scratch_create(void)
{
    step_scratch *scratch = calloc(1, sizeof *scratch);
    ASSERT_MEMORY(scratch != NULL);
    scratch->kernels = contact_kernels_choose();
    scratch->integrators = integrate_kernels_choose();
    return scratch;
}

void step_scratch_free(physics_world *world)
{
    step_scratch *scratch = world->scratch;
    contact_lanes_free(world);
    joint_solver_free(scratch->joint_solver);
    trusses_free(scratch->truss_solver);
#define FREE(type, name, when) array_free(&scratch->name);
    STEP_SCRATCH_ARRAYS(FREE)
#undef FREE
    for (uint32_t i = 0; i < PARTIALS_MAX; i++) {
        array_free(&scratch->found_in[i]);
    }
    free(scratch);
    world->scratch = NULL;
}
