// A scene's settings as the definition of its world. Any thread.
#include "proto/scene/scene_apply.h"

#include <limits.h>

world_def scene_world_def(const scene *s)
{
    world_def def = world_def_default();
    def.gravity = (vec2d){s->world.gravity[0], s->world.gravity[1]};
    def.hz = s->world.hz;
    def.substeps = s->world.substeps <= INT_MAX ? (int)s->world.substeps : INT_MAX;
    def.sleep = s->world.sleep;
    def.continuous = s->world.continuous;
    def.restitution_threshold = s->world.restitution_threshold;
    def.hit_threshold = s->world.hit_threshold;
    def.sleep_speed = s->world.sleep_speed;
    if (s->world.bodies_max > 0) {
        def.bodies_max = s->world.bodies_max;
    }
    return def;
}
