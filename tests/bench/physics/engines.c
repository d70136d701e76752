// The engines that CMake found for this build; carom is the first. Any thread.
#include "tests/bench/physics/engine.h"

#include <string.h>

static const engine *const ENGINES[] = {
    &ENGINE_CAROM,
#ifdef HAVE_BOX2D3
    &ENGINE_BOX2D3,
#endif
#ifdef HAVE_BOX2D2
    &ENGINE_BOX2D2,
#endif
#ifdef HAVE_CHIPMUNK
    &ENGINE_CHIPMUNK,
#endif
};

const engine *const *engine_list(int *count)
{
    *count = (int)(sizeof ENGINES / sizeof *ENGINES);
    return ENGINES;
}

const engine *engine_find(const char *name)
{
    for (size_t i = 0; i < sizeof ENGINES / sizeof *ENGINES; i++) {
        if (strcmp(ENGINES[i]->name, name) == 0) {
            return ENGINES[i];
        }
    }
    return NULL;
}
