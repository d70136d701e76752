// The scenes that are built into the programs: those of proto/scenes, as they are there. Any
// thread.
#ifndef CAROM_PROTO_SCENE_SCENE_BUILTIN_H
#define CAROM_PROTO_SCENE_SCENE_BUILTIN_H

#include <stddef.h>
#include <stdint.h>

#include "proto/scene/scene.h"

typedef struct scene_source {
    const char *name;
    const char *text; // JSON
    size_t size;
} scene_source;

// All of them, in alphabetical order.
const scene_source *scene_builtin_list(uint32_t *count);

// Loads the one of this name; STATUS_NOT_FOUND, with the names there are.
status scene_builtin(const char *name, scene *out, error *err);

#endif
