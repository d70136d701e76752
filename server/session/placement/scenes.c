// See scenes.h.
#include "server/session/placement/scenes.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/scene/scene_builtin.h"

status scenes_load(const char *folder, const char *name, scene *out, error *err)
{
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/%s.json", folder, name);
    if (size > 0 && (size_t)size < sizeof path && access(path, R_OK) == 0) {
        return scene_load_file(path, out, err);
    }
    return scene_builtin(name, out, err);
}
