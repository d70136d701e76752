// The golden scenes in WebAssembly: made and stepped here, hashed as tests/golden has them, for the
// test that compares them with tests/golden/hashes.txt (client/web/test/golden.test.js). Not part
// of engine.wasm.
#include "client/web/engine/engine.h"
#include "common/physics/image.h"
#include "tests/golden/golden_hash.h"
#include "tests/golden/scenes.h"
#include "tests/golden/wild.h"

static physics_world *world;
static const scene_kind *scene;
static uint64_t events;

CAROM_EXPORT int golden_scenes(void);
CAROM_EXPORT const char *golden_name(int index);
CAROM_EXPORT int golden_begin(int index);
CAROM_EXPORT void golden_step(void);
CAROM_EXPORT uint64_t golden_state(void);
CAROM_EXPORT uint64_t golden_events(void);
CAROM_EXPORT uint64_t golden_image(void);
CAROM_EXPORT uint64_t golden_wild(uint32_t seed);

int golden_scenes(void)
{
    int count;
    scene_kinds(&count);
    return count;
}

const char *golden_name(int index)
{
    int count;
    return scene_kinds(&count)[index].name;
}

// Returns 0 if the index is not one of a golden scene.
int golden_begin(int index)
{
    int count;
    scene = &scene_kinds(&count)[index];
    world_free(world);
    world = NULL;
    if (scene->golden_scale <= 0) {
        return 0;
    }
    world = scene_create(scene, scene->golden_scale, (vec2d){0.0, 0.0});
    world_want_events(world, UINT32_MAX);
    events = 0;
    return 1;
}

void golden_step(void)
{
    scene_step(scene, world, scene->golden_scale, (vec2d){0.0, 0.0});
    events = mix_events(events, world);
}

uint64_t golden_state(void)
{
    return world_hash(world);
}

uint64_t golden_events(void)
{
    return events;
}

uint64_t golden_image(void)
{
    return image_hash(world);
}

uint64_t golden_wild(uint32_t seed)
{
    return wild_hash(seed);
}
