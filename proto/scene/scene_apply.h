// A scene put into a world, in this process. The thread that owns the world.
#ifndef CAROM_PROTO_SCENE_SCENE_APPLY_H
#define CAROM_PROTO_SCENE_SCENE_APPLY_H

#include "common/physics/physics.h"
#include "common/world/capacity.h"
#include "proto/scene/scene.h"

// The scene's settings of its world, for world_create.
world_def scene_world_def(const scene *s);

// Carries out the scene's commands in their order; `most` bounds what the world may hold, NULL: the
// engine's limits alone do. On an error, whose text tells the entry, the world holds what came
// before it: throw it away.
status scene_apply(physics_world *world, const scene *s, const capacity_limits *most, error *err);

#endif
