// Applies a scene to a world in this process. Called by the thread that owns the world.
#ifndef CAROM_PROTO_SCENE_SCENE_APPLY_H
#define CAROM_PROTO_SCENE_SCENE_APPLY_H

#include "common/physics/physics.h"
#include "common/world/capacity.h"
#include "proto/scene/scene.h"

// The scene's settings of its world, for world_create.
world_def scene_world_def(const scene *s);

// Carries out the scene's commands in order; `most` limits the world's content, NULL: only the
// engine's limits apply. On an error, whose text names the scene's file or name and the entry, the
// world has the results of the commands before: discard it.
status scene_apply(physics_world *world, const scene *s, const capacity_limits *most, error *err);

#endif
