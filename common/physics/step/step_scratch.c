// Creates and frees a step's working memory.
#include "common/physics/step/step_scratch.h"

#include <stdlib.h>

#include "common/base/assert.h"
#include "common/physics/state/world.h"

step_scratch *step_scratch_create(void)
{
    step_scratch *scratch = calloc(1, sizeof *scratch);
    ASSERT_MEMORY(scratch != NULL);
    return scratch;
}

void step_scratch_free(physics_world *world)
{
    step_scratch *scratch = world->scratch;
#define FREE(type, name, when) array_free(&scratch->name);
    STEP_SCRATCH_ARRAYS(FREE)
#undef FREE
    for (uint32_t i = 0; i < PARTIALS_MAX; i++) {
        array_free(&scratch->found_in[i]);
    }
    free(scratch);
    world->scratch = NULL;
}
