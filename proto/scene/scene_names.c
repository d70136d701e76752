// The hash table of scene_names.h. One thread.
#include "proto/scene/scene_names.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/limits.h"

enum { SLOTS_MIN = 64 };

void scene_names_init(scene_names *n)
{
    *n = (scene_names){0};
    buffer_init(&n->text, (size_t)SCENE_COMMANDS_MAX * SCENE_NAME_MAX);
}

void scene_names_deinit(scene_names *n)
{
    vector_free(&n->names);
    buffer_deinit(&n->text);
    free(n->slots);
    *n = (scene_names){0};
}

// Fowler, Noll and Vo's FNV-1a.
static uint64_t hash_of(const char *name, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325U;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (uint8_t)name[i]) * 0x100000001B3U;
    }
    return hash ^ (hash >> 32);
}

// The slot where the name is, or the free one where it would be.
static uint32_t slot_of(const scene_names *n, uint64_t hash, const char *name, size_t size)
{
    uint32_t mask = n->slot_count - 1;
    uint32_t slot = (uint32_t)hash & mask;
    while (n->slots[slot] != 0) {
        const scene_name *other = &n->names.data[n->slots[slot] - 1];
        if (other->hash == hash && other->size == size &&
            memcmp(n->text.data + other->offset, name, size) == 0) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

// False when memory has run out.
static bool grow(scene_names *n)
{
    uint32_t count = n->slot_count == 0 ? SLOTS_MIN : 2 * n->slot_count;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(n->slots);
    n->slots = slots;
    n->slot_count = count;
    for (uint32_t i = 0; i < n->names.count; i++) {
        const scene_name *name = &n->names.data[i];
        const char *text = (const char *)n->text.data + name->offset;
        n->slots[slot_of(n, name->hash, text, name->size)] = i + 1;
    }
    return true;
}

status scene_names_add(scene_names *n, const char *name, size_t size, uint32_t command)
{
    if (2 * (n->names.count + 1) > n->slot_count && !grow(n)) {
        return STATUS_INTERNAL;
    }
    uint64_t hash = hash_of(name, size);
    uint32_t slot = slot_of(n, hash, name, size);
    if (n->slots[slot] != 0) {
        return STATUS_ALREADY_EXISTS;
    }
    scene_name added = {hash, (uint32_t)n->text.size, (uint32_t)size, command};
    buffer_append(&n->text, name, size);
    ASSERT(!n->text.overflow || n->text.starved); // the limit allows a name for each command
    if (n->text.overflow || !vector_push(&n->names, added)) {
        return STATUS_INTERNAL;
    }
    n->slots[slot] = n->names.count;
    return STATUS_OK;
}

bool scene_names_find(const scene_names *n, const char *name, size_t size, uint32_t *command)
{
    if (n->slot_count == 0) {
        return false;
    }
    uint32_t slot = slot_of(n, hash_of(name, size), name, size);
    if (n->slots[slot] == 0) {
        return false;
    }
    *command = n->names.data[n->slots[slot] - 1].command;
    return true;
}
