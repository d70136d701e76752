// World images: arbitrary bytes are refused with a text, or give a consistent world that can be
// stepped. When fuzzing, the hash at an image's end is not compared (it could be forged as well),
// so that altered images come through.
#include "common/base/assert.h"
#include "common/physics/image.h"
#include "common/physics/validate.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

enum { STEPS = 4, WORK_MAX = 20000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    physics_world *world = NULL;
    error err = {0};
    if (world_restore(data, size, &world, &err) != STATUS_OK) {
        ASSERT(err.text[0] != '\0');
        return 0;
    }
    world_validate(world);
    // A world made from an image can be saved and restored again.
    uint8_t *bytes;
    size_t written;
    world_save(world, &bytes, &written);
    physics_world *twin = NULL;
    ASSERT(world_restore(bytes, written, &twin, &err) == STATUS_OK);
    free(bytes);
    world_def def = world_definition(world);
    int work = ((int)world_count(world).bodies + 1) * def.substeps;
    for (int i = 0; i < STEPS && work < WORK_MAX; i++) {
        world_step(world);
        world_validate(world);
        world_step(twin);
        ASSERT(world_hash(world) == world_hash(twin));
    }
    world_free(twin);
    world_free(world);
    return 0;
}
