// The scenes that are built into the programs. Any thread.
#include "proto/scene/scene_builtin.h"

#include <stdio.h>
#include <string.h>

#include "proto/scene/scene_sources.h"

// "demo, drum, heap …"
static void write_names(char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < SCENE_SOURCE_COUNT && used < size; i++) {
        int n = snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", SCENE_SOURCES[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
}

status scene_builtin(const char *name, scene *out, error *err)
{
    for (uint32_t i = 0; i < SCENE_SOURCE_COUNT; i++) {
        const scene_source *source = &SCENE_SOURCES[i];
        if (strcmp(source->name, name) == 0) {
            return scene_load_text(source->text, source->size, name, out, err);
        }
    }
    char names[160];
    write_names(names, sizeof names);
    return error_set(err, STATUS_NOT_FOUND, "there is no scene '%s'; there are %s", name, names);
}
