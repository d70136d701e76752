// The names in a scene, and the command that makes each: an open-addressed hash table that is only
// ever added to. Internal to proto; one thread.
#ifndef CAROM_PROTO_SCENE_SCENE_NAMES_H
#define CAROM_PROTO_SCENE_SCENE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/vector.h"
#include "proto/wire/buffer.h"

typedef struct scene_name {
    uint64_t hash;
    uint32_t offset, size; // in `text`
    uint32_t command;
} scene_name;

typedef struct scene_names {
    VECTOR(scene_name) names;
    buffer text;
    uint32_t *slots; // 1 + index into names, 0 for none; a power of two, at least twice the names
    uint32_t slot_count;
} scene_names;

void scene_names_init(scene_names *n);
void scene_names_deinit(scene_names *n);

// STATUS_ALREADY_EXISTS if the name is in use, STATUS_INTERNAL when memory has run out.
status scene_names_add(scene_names *n, const char *name, size_t size, uint32_t command);

// False if there is no such name.
bool scene_names_find(const scene_names *n, const char *name, size_t size, uint32_t *command);

#endif
