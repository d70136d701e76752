// The table that the build makes of proto/scenes/*.json (embed_scenes.cmake). Internal to proto.
#ifndef CAROM_PROTO_SCENE_SCENE_SOURCES_H
#define CAROM_PROTO_SCENE_SCENE_SOURCES_H

#include <stddef.h>
#include <stdint.h>

typedef struct scene_source {
    const char *name;
    const char *text; // JSON
    size_t size;
} scene_source;

// Sorted by name.
extern const scene_source SCENE_SOURCES[];
extern const uint32_t SCENE_SOURCE_COUNT;

#endif
