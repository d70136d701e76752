// Worlds whose images are tested: together they have everything that an image can contain.
#ifndef CAROM_TESTS_UNIT_PHYSICS_IMAGE_SCENES_H
#define CAROM_TESTS_UNIT_PHYSICS_IMAGE_SCENES_H

#include "tests/unit/physics/scene_helpers.h"

physics_world *heap_scene(void);
physics_world *mixed_scene(void);

typedef struct image_scene {
    const char *name;
    physics_world *(*make)(void);
} image_scene;

enum { IMAGE_SCENE_COUNT = 5 };
extern const image_scene IMAGE_SCENES[IMAGE_SCENE_COUNT];

#endif
