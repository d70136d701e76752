// The scenes built into the programs: the files of proto/scenes, unchanged. Any thread.
#ifndef CAROM_PROTO_SCENE_SCENE_BUILTIN_H
#define CAROM_PROTO_SCENE_SCENE_BUILTIN_H

#include "proto/scene/scene.h"

// Loads the one of this name; STATUS_NOT_FOUND, with the names there are.
status scene_builtin(const char *name, scene *out, error *err);

#endif
