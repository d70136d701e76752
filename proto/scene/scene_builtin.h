// The scenes that are built into the programs: those of proto/scenes, as they are there. Any
// thread.
#ifndef CAROM_PROTO_SCENE_SCENE_BUILTIN_H
#define CAROM_PROTO_SCENE_SCENE_BUILTIN_H

#include "proto/scene/scene.h"

// Loads the one of this name; STATUS_NOT_FOUND, with the names there are.
status scene_builtin(const char *name, scene *out, error *err);

#endif
