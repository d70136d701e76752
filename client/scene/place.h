// Places of errors in a scene. Internal to libcarom-scene. Any thread.
#ifndef CAROM_CLIENT_SCENE_PLACE_H
#define CAROM_CLIENT_SCENE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

// Replaces the index of a command in a world.apply ("commands[3].shapes[0]: …"), whose commands
// begin with command `first` of the scene, by the command's place in the scene's text
// ("commands[0].do[1] (i = 3): shapes[0]: …"). False if the error has no index.
bool place_in_scene(const char *text, size_t size, uint32_t first, error *err);

#endif
