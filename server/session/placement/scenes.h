// The scenes from which a server makes worlds: files in the operator's folder, and built-in ones.
// Any thread.
#ifndef CAROM_SERVER_SESSION_PLACEMENT_SCENES_H
#define CAROM_SERVER_SESSION_PLACEMENT_SCENES_H

#include "common/base/status.h"
#include "proto/scene/scene.h"

// The scene of that name; FOLDER/NAME.json comes before the built-in one. `out` is the caller's to
// scene_deinit. Errors: not_found, or the file's own with its place.
status scenes_load(const char *folder, const char *name, scene *out, error *err);

#endif
